//! Rows and columns: separated values, and arrays of objects.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::viewer::{address, slice};
use crate::web::ask::Ask;
use crate::web::html::shown;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::output::{Kind, OutputHead};
use scratchpad::model::text::quantity::shortened;
use scratchpad::{OutputId, Scratchpad};

/// How many rows are on one page.
const ROWS: usize = 200;
/// How many columns are shown.
const COLUMNS: usize = 60;
/// The longest cell, in characters.
const CELL_CHARS: usize = 160;
/// How much of separated values is read for one page.
const PAGE_BYTES: usize = 256 * 1024;
/// The largest separated values that are sorted.
const SORT_BYTES: u64 = 8 << 20;
/// The largest answer of a filter.
const MOST_BYTES: usize = 1 << 20;

/// One page of rows.
pub(super) struct Table {
    /// The columns: names, and where each is sorted by.
    pub(super) columns: Vec<(String, Option<String>, &'static str)>,
    pub(super) rows: Vec<Vec<String>>,
    /// The number of the first row.
    pub(super) first: u64,
    pub(super) next: Option<String>,
}

/// How the rows are sorted.
struct Order<'a> {
    column: &'a str,
    is_down: bool,
}

impl<'a> Order<'a> {
    fn of(ask: &'a Ask) -> Option<Self> {
        let column = ask.query.get("sort");
        let is_down = ask.query.get("down") == "1";
        (!column.is_empty()).then_some(Self { column, is_down })
    }
}

pub(super) fn read(ask: &Ask, id: &OutputId, head: &OutputHead) -> Result<Table> {
    let order = Order::of(ask);
    let mut table = match head.kind {
        Kind::Csv => separated(ask, id, head.bytes, order.as_ref())?,
        _ => objects(ask, id, order.as_ref())?,
    };
    for row in &mut table.rows {
        row.truncate(COLUMNS);
        for cell in row {
            *cell = shown(&shortened(cell, CELL_CHARS));
        }
    }
    Ok(table)
}

/// A column that sorts the rows, or turns them round if they are sorted by it already.
fn column(
    id: &OutputId,
    name: &str,
    order: Option<&Order<'_>>,
) -> (String, Option<String>, &'static str) {
    let own = order.filter(|order| order.column == name);
    let down = own.is_some_and(|order| !order.is_down);
    let state = match own {
        None => "none",
        Some(order) if order.is_down => "descending",
        Some(_) => "ascending",
    };
    let leads_to = address(
        id,
        "table",
        &[("sort", name), ("down", if down { "1" } else { "" })],
    );
    (shown(&shortened(name, 60)), Some(leads_to), state)
}

fn again(id: &OutputId, order: Option<&Order<'_>>, rest: &[(&str, &str)]) -> String {
    let mut all = rest.to_vec();
    if let Some(order) = order {
        all.push(("sort", order.column));
        all.push(("down", if order.is_down { "1" } else { "" }));
    }
    address(id, "table", &all)
}

/// An array of objects, or of anything else as one column.
fn objects(ask: &Ask, id: &OutputId, order: Option<&Order<'_>>) -> Result<Table> {
    let from = usize::try_from(ask.query.number("from").unwrap_or(0)).unwrap_or(0);
    let until = from.saturating_add(ROWS);
    let sorted = order.map_or_else(String::new, |order| {
        let column = Value::from(order.column);
        let turned = if order.is_down { " | reverse" } else { "" };
        format!(" | sort_by(if type == \"object\" then .[{column}] else . end){turned}")
    });
    let cell = "if type == \"string\" then .[0:200] elif type == \"object\" or type == \"array\" then (tojson | .[0:200]) else . end";
    let filter = format!(
        "(if type == \"array\" then . elif type == \"object\" then ([.[] | select(type == \"array\")] | max_by(length) // []) else [] end)\
         | {{n: length, r: ((.{sorted}) | .[{from}:{until}] | map(if type == \"object\" then map_values({cell}) else {cell} end))}}"
    );
    let filter = filter.replace("(. | sort_by", "(sort_by");
    let arguments = json!({"id": id.as_str(), "json": filter});
    let found: Value =
        serde_json::from_str(&slice(ask.pad(), &arguments, MOST_BYTES)?).map_err(|_| {
            Error::refused("These rows are too large for a table.")
                .hint("use the tree or the lines.")
        })?;
    let total = found.get("n").and_then(Value::as_u64).unwrap_or(0);
    let rows: Vec<&Value> = found
        .get("r")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for key in rows
        .iter()
        .filter_map(|row| row.as_object())
        .flat_map(|row| row.keys())
    {
        if !names.contains(&key.as_str()) && names.len() < COLUMNS {
            names.push(key);
        }
    }
    let as_text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let cells = rows.iter().map(|row| match row.as_object() {
        Some(row) => names
            .iter()
            .map(|name| row.get(*name).map(as_text).unwrap_or_default())
            .collect(),
        None => vec![as_text(row)],
    });
    let next = again(id, order, &[("from", &until.to_string())]);
    Ok(Table {
        columns: names.iter().map(|name| column(id, name, order)).collect(),
        rows: cells.collect(),
        first: from as u64 + 1,
        next: ((until as u64) < total).then_some(next),
    })
}

/// Separated values: a page from a byte on, or sorted if they are few.
fn separated(ask: &Ask, id: &OutputId, bytes: u64, order: Option<&Order<'_>>) -> Result<Table> {
    let pad = ask.pad();
    let start = text_at(pad, id, 0, 64 * 1024)?.0;
    let separator = separator_of(&start);
    let Some((names, header_end)) = records(&start, separator, 1).pop() else {
        return Err(Error::refused("There are no rows."));
    };
    let can_sort = bytes <= SORT_BYTES;
    let columns = names.iter().take(COLUMNS).map(|name| {
        let (name, leads_to, state) = column(id, name, order);
        (name, leads_to.filter(|_| can_sort), state)
    });
    let columns = columns.collect();
    if let Some(order) = order.filter(|_| can_sort) {
        let whole = String::from_utf8_lossy(&pad.whole_output(id)?).into_owned();
        let mut rows: Vec<Vec<String>> = records(&whole, separator, usize::MAX)
            .into_iter()
            .skip(1)
            .map(|(row, _)| row)
            .collect();
        let place = names
            .iter()
            .position(|name| name == order.column)
            .unwrap_or(0);
        rows.sort_by(|a, b| compared(a.get(place), b.get(place)));
        if order.is_down {
            rows.reverse();
        }
        let from = usize::try_from(ask.query.number("from").unwrap_or(0)).unwrap_or(0);
        let next = again(id, Some(order), &[("from", &(from + ROWS).to_string())]);
        return Ok(Table {
            columns,
            next: (rows.len() > from + ROWS).then_some(next),
            rows: rows.into_iter().skip(from).take(ROWS).collect(),
            first: from as u64 + 1,
        });
    }
    let at = ask.query.number("at").unwrap_or(0);
    let at = if at == 0 { header_end as u64 } else { at };
    let first = ask.query.number("n").unwrap_or(1);
    let (text, is_end) = text_at(pad, id, at, PAGE_BYTES)?;
    let mut rows = records(&text, separator, ROWS + 1);
    // The last one may be cut.
    if !is_end && rows.len() <= ROWS && rows.len() > 1 {
        rows.pop();
    }
    rows.truncate(ROWS);
    let end = rows.last().map_or(0, |(_, end)| *end);
    let next = [
        ("at", (at + end as u64).to_string()),
        ("n", (first + rows.len() as u64).to_string()),
    ];
    let next = next.each_ref().map(|(name, value)| (*name, value.as_str()));
    Ok(Table {
        columns,
        first,
        next: (end > 0 && at + (end as u64) < bytes).then(|| address(id, "table", &next)),
        rows: rows.into_iter().map(|(row, _)| row).collect(),
    })
}

/// Text from a byte on, and whether it goes to the end.
fn text_at(pad: &Scratchpad, id: &OutputId, at: u64, max: usize) -> Result<(String, bool)> {
    let (cut, total) = pad.look_at_output(id, at, max)?;
    Ok(cut.map_or_else(
        || (String::new(), true),
        |cut| (cut.text, cut.bytes.end >= total),
    ))
}

/// The separator that is most frequent in the first line.
fn separator_of(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let all = [',', ';', '\t'];
    let most = all
        .into_iter()
        .rev()
        .max_by_key(|it| line.matches(*it).count());
    most.unwrap_or(',')
}

/// The first records, each with the byte after its end. A quoted field may have line ends in it.
fn records(text: &str, separator: char, most: usize) -> Vec<(Vec<String>, usize)> {
    let mut records = Vec::new();
    let (mut record, mut field) = (Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' if is_quoted && chars.peek().is_some_and(|(_, next)| *next == '"') => {
                field.push('"');
                chars.next();
            }
            '"' => is_quoted = !is_quoted,
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field).trim_end_matches('\r').to_owned());
                records.push((std::mem::take(&mut record), at + 1));
                if records.len() >= most {
                    return records;
                }
            }
            char if char == separator && !is_quoted => record.push(std::mem::take(&mut field)),
            char => field.push(char),
        }
    }
    if !record.is_empty() || !field.is_empty() {
        record.push(field);
        records.push((record, text.len()));
    }
    records
}

/// Numbers by their value, before texts by their letters.
fn compared(a: Option<&String>, b: Option<&String>) -> Ordering {
    let number = |cell: Option<&String>| cell.and_then(|cell| cell.trim().parse::<f64>().ok());
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(&b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_outside_quotes() {
        let found = records("a,\"b\n\"\"c\"\"\"\r\nd,e", ',', 9);
        let rows: Vec<String> = found.iter().map(|(row, _)| row.join("|")).collect();
        assert_eq!(rows, ["a|b\n\"c\"", "d|e"]);
        assert_eq!(
            found.iter().map(|(_, end)| *end).collect::<Vec<_>>(),
            [13, 16]
        );
        assert_eq!(separator_of("a;b,c;d"), ';');
    }

    #[test]
    fn numbers_are_sorted_by_value() {
        let mut cells = ["10", "9", "b", "a", "-1"].map(str::to_owned);
        cells.sort_by(|a, b| compared(Some(a), Some(b)));
        assert_eq!(cells, ["-1", "9", "10", "a", "b"]);
    }
}
