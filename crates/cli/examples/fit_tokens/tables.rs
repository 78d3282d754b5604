//! The tables of `tokens.rs` as text, to be printed with other weights.

use scratchpad::model::text::tokens::Cell;

pub(crate) const SOURCE: &str = include_str!("../../../scratchpad/src/model/text/tokens.rs");

/// How the weights of a table are written, and the cell of each by its row and column or by its number.
enum Form {
    /// Numbers in the innermost brackets.
    Rows(fn(usize, usize) -> Cell),
    Row(fn(usize) -> Cell),
    /// Base-36 digits between quotes.
    Digits(fn(usize) -> Cell),
}

const TABLES: [(&str, Form); 8] = [
    ("ENTRY", Form::Rows(Cell::Entry)),
    ("RUN", Form::Rows(Cell::Run)),
    ("CAPITALS", Form::Row(Cell::Capitals)),
    ("MARK_CHANGE", Form::Digits(|_| Cell::MarkChange)),
    ("MARK_AGAIN", Form::Digits(|_| Cell::MarkAgain)),
    ("MARK_OPENS", Form::Digits(Cell::MarkOpens)),
    ("MARK_LEADS", Form::Digits(Cell::MarkLeads)),
    ("LETTERS", Form::Digits(Cell::Letters)),
];
const SCRIPTS: (&str, Form) = ("SCRIPTS", Form::Rows(Cell::Script));

/// The tables as they stand in the source, comments included, with the weight of each cell from `weight`.
pub(crate) fn with_weights(source: &str, weight: impl Fn(Cell) -> u16) -> String {
    let mut printed = String::new();
    for (name, form) in TABLES.iter().chain([&SCRIPTS]) {
        let Some((head, body)) = table(source, name) else {
            continue;
        };
        printed.push_str(head);
        match form {
            Form::Rows(cell) => numbers(
                body,
                2,
                |row, column| weight(cell(row, column)),
                &mut printed,
            ),
            Form::Row(cell) => numbers(body, 1, |_, column| weight(cell(column)), &mut printed),
            Form::Digits(cell) => digits(
                body,
                |number| weight(cell(number)) / cell(number).unit(),
                &mut printed,
            ),
        }
    }
    printed
}

/// `const NAME: … =` and what follows it, up to the end of the statement.
fn table<'a>(source: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let start = source.find(&format!("\nconst {name}: "))? + 1;
    let (_, from) = source.split_at(start);
    let (table, _) = from.split_at(from.find(";\n")? + 2);
    Some(table.split_at(table.find(" =")? + 2))
}

/// Replaces the numbers that are so deep in brackets, row by row.
fn numbers(body: &str, depth: usize, weight: impl Fn(usize, usize) -> u16, printed: &mut String) {
    let (mut now, mut row, mut column) = (0, 0, 0);
    for line in body.split_inclusive('\n') {
        let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        let mut is_in_number = false;
        for c in code.chars() {
            let is_weight = c.is_ascii_digit() && now == depth;
            if is_weight && !is_in_number {
                printed.push_str(&weight(row, column).to_string());
                column += 1;
            }
            is_in_number = is_weight;
            match c {
                '[' => now += 1,
                ']' if now == depth => (now, row, column) = (now - 1, row + 1, 0),
                ']' => now -= 1,
                _ => {}
            }
            if !is_weight {
                printed.push(c);
            }
        }
        printed.push_str(comment);
    }
}

/// Replaces the base-36 digits between quotes.
fn digits(body: &str, units: impl Fn(usize) -> u16, printed: &mut String) {
    let (mut is_quoted, mut number) = (false, 0);
    for c in body.chars() {
        if is_quoted && c.is_ascii_alphanumeric() {
            let digit = char::from_digit(u32::from(units(number)), 36);
            printed.extend(digit);
            number += 1;
            continue;
        }
        is_quoted ^= matches!(c, '"' | '\'');
        printed.push(c);
    }
}
