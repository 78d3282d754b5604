//! Converts values to and from SQL.

use std::borrow::Cow;

use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};

use super::errors::Failure;

/// A value and its type: with types given, a statement and its values need just one round trip.
pub(super) type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// A Rust type with an SQL type.
pub(super) trait Typed: ToSql + Sync + Sized {
    const TYPE: Type;

    fn param(&self) -> Param<'_> {
        (self, Self::TYPE)
    }
}

impl Typed for i64 {
    const TYPE: Type = Type::INT8;
}
impl Typed for Option<i64> {
    const TYPE: Type = Type::INT8;
}
impl Typed for bool {
    const TYPE: Type = Type::BOOL;
}
impl Typed for &str {
    const TYPE: Type = Type::TEXT;
}
impl Typed for String {
    const TYPE: Type = Type::TEXT;
}
impl Typed for Option<&str> {
    const TYPE: Type = Type::TEXT;
}
impl Typed for Option<String> {
    const TYPE: Type = Type::TEXT;
}
impl Typed for Cow<'_, str> {
    const TYPE: Type = Type::TEXT;
}
impl Typed for &[u8] {
    const TYPE: Type = Type::BYTEA;
}
impl Typed for Vec<Vec<u8>> {
    const TYPE: Type = Type::BYTEA_ARRAY;
}
impl Typed for Vec<i64> {
    const TYPE: Type = Type::INT8_ARRAY;
}
impl Typed for Vec<Option<i64>> {
    const TYPE: Type = Type::INT8_ARRAY;
}
impl Typed for Vec<String> {
    const TYPE: Type = Type::TEXT_ARRAY;
}

/// The parameters of a statement, in order.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::store::postgres::values::Typed::param(&$value)),*]
    };
}
pub(super) use params;

/// A column of a row.
pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, Failure> {
    Ok(row.try_get(column)?)
}

/// A column that holds a count.
pub(super) fn count<T: TryFrom<i64>>(row: &Row, column: usize) -> Result<T, Failure> {
    T::try_from(get(row, column)?).map_err(|_| Failure::Foreign("a count is out of range"))
}

/// A number as SQL `bigint`, saturated.
pub(super) fn whole(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The escape character: a Unicode noncharacter, which texts don't use.
const ESCAPE: char = '\u{FDD0}';

/// Escapes text for the database, which can't store NUL.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\0' => escaped.extend([ESCAPE, '0']),
            ESCAPE => escaped.extend([ESCAPE, '1']),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Reads a text that was [`escaped`].
pub(super) fn text(row: &Row, column: usize) -> Result<String, Failure> {
    let text: String = get(row, column)?;
    Ok(unescaped(text))
}

pub(super) fn unescaped(text: String) -> String {
    if !text.contains(ESCAPE) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            ESCAPE => plain.push(if chars.next() == Some('0') {
                '\0'
            } else {
                ESCAPE
            }),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_survives_and_nothing_has_a_nul() {
        for plain in ["", "a", "\0", "\u{FDD0}", "a\0\u{FDD0}0\u{FDD0}1b\0"] {
            let inside = escaped(plain);
            assert!(!inside.contains('\0'));
            assert_eq!(unescaped(inside.into_owned()), plain);
        }
    }
}
