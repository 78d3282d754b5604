//! Splits valid JSON into the parts that rows are made of, as they were written: no number loses a digit.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::table::Cell;
use crate::model::json::Compact;
use crate::model::text::bytes::shown;

/// Whether the bytes are one JSON value. The functions below are for such bytes.
pub(super) fn is_valid(json: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(json).is_ok()
}

/// The items of an array; none of another value.
pub(super) fn items(array: &[u8]) -> Parts<'_> {
    Parts::of(array, b'[')
}

/// The members of an object: each key, as it is written, and its value.
pub(super) fn members(object: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut parts = Parts::of(object, b'{');
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}

/// The values in an array, or the keys and values in an object, one after the other.
pub(super) struct Parts<'a> {
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(json: &'a [u8], open: u8) -> Self {
        let inside = json.trim_ascii_start().strip_prefix(&[open]);
        Self {
            rest: inside.unwrap_or_default(),
        }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':');
        let start = self.rest.iter().position(|byte| !between(byte))?;
        let rest = self.rest.get(start..)?;
        if matches!(rest.first(), Some(b']' | b'}')) {
            self.rest = &[];
            return None;
        }
        let (value, rest) = rest.split_at_checked(end_of_value(rest))?;
        self.rest = rest;
        Some(value)
    }
}

/// Where the value that the bytes begin with ends.
fn end_of_value(json: &[u8]) -> usize {
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = end_of_string(json, at),
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
        if depth == 0 && matches!(byte, b'"' | b']' | b'}') {
            return at;
        }
    }
    at
}

/// Where the string ends that begins here.
fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        let rest = json.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            None => return json.len(),
            Some(found) if rest.get(found) == Some(&b'"') => return at + found + 1,
            Some(found) => at += found + 2,
        }
    }
}

/// The text of a string, as it is written in JSON. What is not Unicode is shown as it is written.
pub(super) fn text(string: &[u8]) -> Cow<'_, str> {
    let inside = string
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""))
        .unwrap_or(string);
    if memchr::memchr(b'\\', inside).is_none() {
        return shown(inside);
    }
    match serde_json::from_slice::<String>(string) {
        Ok(text) => Cow::Owned(text),
        Err(_) => shown(inside),
    }
}

/// A value as a cell: arrays and objects are JSON, without blanks.
pub(super) fn cell(value: &[u8]) -> Cell<'_> {
    match value.first() {
        Some(b'"') => Cell::Text(text(value)),
        Some(b'[' | b'{') => {
            let mut compact = Vec::with_capacity(value.len());
            Compact::default().push(value, |tokens| compact.extend_from_slice(tokens));
            Cell::Text(Cow::Owned(shown(&compact).into_owned()))
        }
        Some(b't') => Cell::Integer(1),
        Some(b'f') => Cell::Integer(0),
        Some(b'n') | None => Cell::Null,
        Some(_) => number(value),
    }
}

/// Integers that are too large for SQL stay text, with all their digits.
fn number(value: &[u8]) -> Cell<'_> {
    let text = shown(value);
    if let Ok(number) = text.parse::<i64>() {
        return Cell::Integer(number);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && text.contains(['.', 'e', 'E']) => Cell::Real(number),
        _ => Cell::Text(text),
    }
}
