//! The answer to a query: CSV with a header, in the fewest characters that keep it exact.

use std::io::Write;

use rusqlite::Statement;
use rusqlite::types::ValueRef;

use crate::model::error::{Error, Result};
use crate::model::text::bytes::shown;
use crate::model::text::message::message;

/// Writes the rows; returns how many.
pub(super) fn write(
    statement: &mut Statement<'_>,
    out: &mut impl Write,
    explained: &dyn Fn(rusqlite::Error) -> Error,
) -> Result<u64> {
    let names: Vec<String> = statement.column_names().map(field).collect();
    let columns = names.len();
    put(out, &names)?;
    let mut rows = statement.query([]).map_err(explained)?;
    let mut count = 0;
    let mut fields = Vec::with_capacity(columns);
    while let Some(row) = rows.next().map_err(explained)? {
        fields.clear();
        for column in 0..columns {
            fields.push(shown_value(row.get_ref(column).map_err(explained)?));
        }
        put(out, &fields)?;
        count += 1;
    }
    Ok(count)
}

fn put(out: &mut impl Write, fields: &[String]) -> Result<()> {
    writeln!(out, "{}", fields.join(",")).map_err(|error| {
        Error::store(message!(
            "Can't answer: {error}.",
            error = error.to_string()
        ))
    })
}

/// NULL is nothing, and an empty text is `""`.
fn shown_value(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => real(number),
        ValueRef::Text(text) => field(&shown(text)),
        ValueRef::Blob(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{}'", digits.concat())
        }
    }
}

/// A number as `SQLite` shows it: 15 digits, so that 0.1 + 0.2 is 0.3.
fn real(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    format!("{rounded:?}")
}

fn field(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains(['"', ',', '\n', '\r']);
    if is_plain {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}
