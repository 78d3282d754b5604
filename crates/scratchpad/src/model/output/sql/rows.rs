//! The rows of an output: items of JSON, lines of JSON Lines, records of separated values, or lines.

use std::borrow::Cow;

use rusqlite::Connection;

use super::csv::{self, Records};
use super::json;
use super::table::{Cell, Loaded, Table};
use crate::model::text::bytes::shown;

/// The column of rows that are no objects.
const VALUE: &str = "value";

/// Loads the rows of an output into a table of this name.
pub(super) fn load(
    connection: &Connection,
    name: &str,
    content: &[u8],
) -> rusqlite::Result<Loaded> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let mut table = Table::new(connection, name);
    match Form::of(content) {
        Form::Json => whole_json(&mut table, content)?,
        Form::JsonLines => {
            for line in lines_of(content) {
                push_value(&mut table, line.trim_ascii())?;
            }
        }
        Form::Csv(separator, names) => records(&mut table, content, separator, &names)?,
        Form::Lines => lines(&mut table, content)?,
    }
    table.finish()
}

/// Loads all of an output into the table `doc`, as one text.
pub(super) fn load_whole(connection: &Connection, content: Vec<u8>) -> rusqlite::Result<()> {
    let text =
        String::from_utf8(content).unwrap_or_else(|error| shown(error.as_bytes()).into_owned());
    connection.execute_batch("CREATE TABLE doc (text)")?;
    connection.execute("INSERT INTO doc VALUES (?1)", [text])?;
    Ok(())
}

/// What a text is, as far as its rows are concerned.
enum Form {
    Json,
    JsonLines,
    Csv(u8, Vec<String>),
    Lines,
}

impl Form {
    fn of(content: &[u8]) -> Self {
        let begins = |text: &[u8]| matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        if begins(content) {
            if json::is_valid(content) {
                return Self::Json;
            }
            if lines_of(content).all(|line| begins(line) && json::is_valid(line)) {
                return Self::JsonLines;
            }
        }
        match csv::header(content) {
            Some((separator, names)) => Self::Csv(separator, names),
            None => Self::Lines,
        }
    }
}

/// The lines that are not blank.
fn lines_of(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = content.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.trim_ascii().is_empty())
}

/// The rows of one JSON value: an array's items, or those of an object's longest array within two levels; else the
/// entries of an object of objects; else the object itself.
fn whole_json(table: &mut Table<'_>, content: &[u8]) -> rusqlite::Result<()> {
    let content = content.trim_ascii();
    if content.starts_with(b"[") {
        return push_items(table, content);
    }
    if let Some(array) = longest_array(content) {
        return push_items(table, array);
    }
    let mut entries = json::members(content).peekable();
    let holds_objects = json::members(content).all(|(_, value)| value.starts_with(b"{"));
    if entries.peek().is_none() || !holds_objects {
        return push_value(table, content);
    }
    // A member of the same name gets a column of its own.
    let key_column = table.add("key");
    for (key, object) in entries {
        let mut row = row_of(table, object);
        row.extend(key_column.map(|column| (column, Cell::Text(json::text(key)))));
        table.push(&row)?;
    }
    Ok(())
}

/// The first of the longest arrays that an object holds, or one of the objects that it holds.
fn longest_array(object: &[u8]) -> Option<&[u8]> {
    let below = json::members(object)
        .flat_map(|(_, value)| std::iter::once(value).chain(json::members(value).map(|it| it.1)));
    let mut longest: (usize, Option<&[u8]>) = (0, None);
    for array in below.filter(|value| value.starts_with(b"[")) {
        let length = json::items(array).count();
        if length > longest.0 {
            longest = (length, Some(array));
        }
    }
    longest.1
}

fn push_items(table: &mut Table<'_>, array: &[u8]) -> rusqlite::Result<()> {
    for item in json::items(array) {
        push_value(table, item)?;
    }
    Ok(())
}

/// Adds a row: the members of an object, else the one value.
fn push_value(table: &mut Table<'_>, value: &[u8]) -> rusqlite::Result<()> {
    let row = if value.starts_with(b"{") {
        row_of(table, value)
    } else {
        let column = table.column(VALUE);
        column
            .map(|column| (column, json::cell(value)))
            .into_iter()
            .collect()
    };
    table.push(&row)
}

fn row_of<'a>(table: &mut Table<'_>, object: &'a [u8]) -> Vec<(usize, Cell<'a>)> {
    json::members(object)
        .filter_map(|(key, value)| Some((table.column(&json::text(key))?, json::cell(value))))
        .collect()
}

fn records(
    table: &mut Table<'_>,
    content: &[u8],
    separator: u8,
    names: &[String],
) -> rusqlite::Result<()> {
    for name in names {
        table.add(name);
    }
    for record in Records::new(content, separator).skip(1) {
        while table.width() < record.len() && table.add("").is_some() {}
        let cells = record.iter().map(|field| csv::cell(field)).enumerate();
        let width = table.width();
        let row: Vec<(usize, Cell<'_>)> = cells.take(width).collect();
        table.push(&row)?;
    }
    Ok(())
}

fn lines(table: &mut Table<'_>, content: &[u8]) -> rusqlite::Result<()> {
    let (number, text) = (table.add("n"), table.add("line"));
    let complete = content.strip_suffix(b"\n").unwrap_or(content);
    if content.is_empty() {
        return Ok(());
    }
    for (position, line) in complete.split(|byte| *byte == b'\n').enumerate() {
        let line: Cow<'_, str> = shown(line.strip_suffix(b"\r").unwrap_or(line));
        let at = i64::try_from(position + 1).unwrap_or(i64::MAX);
        let cells = [Cell::Integer(at), Cell::Text(line)];
        let row: Vec<_> = [number, text].into_iter().flatten().zip(cells).collect();
        table.push(&row)?;
    }
    Ok(())
}
