//! Tables that fit the terminal.
//!
//! A pipe gets every cell whole. On a terminal too narrow for that, the widest cells are cut; if even that is not
//! enough, each row becomes lines of its own.

use comfy_table::{Table, presets};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::paint::Paint;
use super::{escaped, screen};

/// Between two columns.
const GAP: usize = 2;
/// No cell is cut shorter than this.
const NARROWEST: usize = 10;

/// The shortest beginning of an id that a table shows.
const ID_CHARS: usize = 8;

/// A table without borders. The first column names a row and is never cut; a column in which nothing is said is left out.
pub(in crate::cli) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let (header, rows) = without_empty_columns(header, rows);
    in_room(&header, rows, screen().map(|screen| screen.columns))
}

/// A table whose cells are all whole, however narrow the terminal is.
pub(in crate::cli) fn uncut_table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    in_room(header, rows, None)
}

/// As much of an id as no other begins with, and some more: ids are ASCII. A pipe gets it whole.
pub(in crate::cli) fn unique_beginning<'a>(id: &'a str, all: &[&str]) -> &'a str {
    if screen().is_some() {
        beginning(id, all)
    } else {
        id
    }
}

fn beginning<'a>(id: &'a str, all: &[&str]) -> &'a str {
    let is_unique = |length: &usize| {
        let beginning = id.get(..*length).unwrap_or(id);
        all.iter()
            .all(|other| *other == id || !other.starts_with(beginning))
    };
    let length = (ID_CHARS..id.len()).find(is_unique).unwrap_or(id.len());
    id.get(..length).unwrap_or(id)
}

fn without_empty_columns<'a>(
    header: &[&'a str],
    rows: Vec<Vec<String>>,
) -> (Vec<&'a str>, Vec<Vec<String>>) {
    let is_said = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        rows.is_empty() || cells.any(|cell| !cell.is_empty())
    };
    let said: Vec<bool> = (0..header.len()).map(is_said).collect();
    let kept = header.iter().zip(&said).filter(|(_, said)| **said);
    let kept = kept.map(|(title, _)| *title).collect();
    let rows = rows.into_iter().map(|row| {
        let cells = row.into_iter().zip(&said).filter(|(_, said)| **said);
        cells.map(|(cell, _)| cell).collect()
    });
    let rows = rows.collect();
    (kept, rows)
}

fn in_room(header: &[&str], mut rows: Vec<Vec<String>>, room: Option<usize>) -> String {
    for cell in rows.iter_mut().flatten() {
        *cell = escaped(cell);
    }
    let text = laid_out(header, rows, room);
    match text.split_once('\n') {
        Some((first, rest)) => format!("{}\n{rest}", Paint::Heading.over(first)),
        None => text,
    }
}

fn laid_out(header: &[&str], mut rows: Vec<Vec<String>>, room: Option<usize>) -> String {
    if let Some(room) = room {
        let natural = widths(header, &rows);
        let Some(fitting) = fitted(header, &natural, room) else {
            return as_lines(header, &rows, room);
        };
        for row in &mut rows {
            for (cell, width) in row.iter_mut().zip(&fitting) {
                *cell = cut(cell, *width);
            }
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.to_vec());
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n") + "\n"
}

fn widths(header: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |(column, title): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| cell.width()).max().unwrap_or(0);
        cells.max(title.width())
    };
    header.iter().enumerate().map(widest).collect()
}

/// The widths with which the table fits, taken from the widest columns; none if it can't.
fn fitted(header: &[&str], natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut widths = natural.to_vec();
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
    while over > 0 {
        let columns = widths.iter_mut().zip(header).skip(1);
        let cuttable = columns.filter(|(width, title)| **width > NARROWEST.max(title.width()));
        let (widest, _) = cuttable.max_by_key(|(width, _)| **width)?;
        *widest -= 1;
        over -= 1;
    }
    Some(widths)
}

/// The text in at most this many columns of the terminal.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = |char: &char| {
        let wide = char.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// Each row as lines of a title and a value, with an empty line between rows.
fn as_lines(header: &[&str], rows: &[Vec<String>], room: usize) -> String {
    let titles = header.iter().map(|title| title.width()).max().unwrap_or(0);
    let line = |(column, (title, cell)): (usize, (&&str, &String))| {
        let pad = " ".repeat(titles + GAP - title.width());
        let room = match column {
            // It names the row.
            0 => usize::MAX,
            _ => room.saturating_sub(titles + GAP).max(NARROWEST),
        };
        [*title, &pad, &cut(cell, room), "\n"].concat()
    };
    let block = |row: &Vec<String>| {
        let cells = header.iter().zip(row).enumerate();
        let named = cells.filter(|(_, (_, cell))| !cell.is_empty());
        named.map(line).collect::<String>()
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// A label and a text beside it, broken at blanks so that it fits the terminal.
///
/// Both must be free of control sequences.
pub(in crate::cli) fn labelled(label: &str, indent: usize, text: &str) -> String {
    let room = screen().map_or(usize::MAX, |screen| screen.columns);
    broken(label, indent, text, room)
}

fn broken(label: &str, indent: usize, text: &str, room: usize) -> String {
    let room = room.saturating_sub(indent).max(2 * NARROWEST);
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in text.split(' ') {
        let wide = word.width();
        if width > 0 && width + 1 + wide > room {
            lines.push(String::new());
            width = 0;
        }
        if let Some(line) = lines.last_mut() {
            if width > 0 {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += wide;
        }
    }
    let label = format!(
        "{label}{}",
        " ".repeat(indent.saturating_sub(label.width()))
    );
    let between = format!("\n{}", " ".repeat(indent));
    format!("{label}{}\n", lines.join(&between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn at(room: usize) -> String {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = vec![
            row([
                "9f0f1f6e",
                "1. find out why the cache key is wrong",
                "Claude Code",
                "3 min ago",
            ]),
            row(["b7", "日本語の計画を書く、そして実行する", "", "2 days ago"]),
        ];
        laid_out(&["SESSION", "PLAN", "HOST", "SEEN"], rows, Some(room))
    }

    #[test]
    fn a_table_fits_terminals_of_every_usual_width() {
        for room in 40..=200 {
            for line in at(room).lines() {
                assert!(line.width() <= room, "{room}: {line}");
            }
        }
    }

    #[test]
    fn the_widest_cells_are_cut_first_and_then_rows_become_lines() {
        assert_data_eq!(
            [at(60), at(40)].join("---\n"),
            str![[r#"
SESSION   PLAN                       HOST         SEEN
9f0f1f6e  1. find out why the cach…  Claude Code  3 min ago
b7        日本語の計画を書く、そし…               2 days ago
---
SESSION  9f0f1f6e
PLAN     1. find out why the cache key…
HOST     Claude Code
SEEN     3 min ago

SESSION  b7
PLAN     日本語の計画を書く、そして実行…
SEEN     2 days ago

"#]]
        );
    }

    #[test]
    fn a_column_that_no_row_fills_is_left_out() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = vec![row(["a", "", "now"]), row(["b", "", ""])];
        assert_eq!(
            table(&["SESSION", "HOST", "SEEN"], rows),
            "SESSION  SEEN\na        now\nb\n"
        );
    }

    #[test]
    fn an_id_is_shortened_to_what_no_other_begins_with() {
        let all = [
            "9f0f1f6e-5b4a",
            "session_17_1",
            "session_17_2",
            "short",
            "short",
        ];
        let beginnings = all.map(|id| beginning(id, &all));
        assert_eq!(
            beginnings,
            ["9f0f1f6e", "session_17_1", "session_17_2", "short", "short"]
        );
    }

    #[test]
    fn a_long_line_is_broken_at_blanks_below_its_text() {
        assert_eq!(
            broken("Hosts", 7, "one two three four five six seven", 27),
            "Hosts  one two three four\n       five six seven\n"
        );
    }
}
