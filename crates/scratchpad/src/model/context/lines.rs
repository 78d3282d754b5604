//! Edits the list of context notes line by line, so that the rest of the file stays as it was typed.

use std::fmt::Write as _;

use super::notes::NotesChange;

/// Whether a line is blank or only a comment.
pub(crate) fn is_remark(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    line.is_empty() || line.starts_with('#')
}

/// The file with only the lines of the notes changed; `None` if the list is not in the form that we write.
pub(crate) fn edited(text: &str, change: &NotesChange) -> Option<String> {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let Some(list) = NoteLines::find(&lines) else {
        let NotesChange::Add(note) = change else {
            return None;
        };
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.push_str(line_break);
        }
        lines.push(format!("notes:{line_break}- {}{line_break}", quoted(note)));
        return Some(lines.concat());
    };
    let gone = match change {
        NotesChange::Add(_) => &[],
        NotesChange::Remove(number) => {
            let position = number.checked_sub(1)?;
            list.items.get(position..=position)?
        }
        NotesChange::Clear => list.items.as_slice(),
    };
    let mut left = list.items.len() - gone.len();
    // Comments between items belong to no item, and stay.
    let mut number = 0;
    lines.retain(|_| {
        let is_gone = gone.iter().any(|item| item.contains(&number));
        number += 1;
        !is_gone
    });
    if let NotesChange::Add(note) = change {
        let end = list.items.last().map_or(list.key + 1, |last| last.end);
        if let Some(before) = lines.get_mut(end - 1).filter(|line| !line.ends_with('\n')) {
            before.push_str(line_break);
        }
        lines.insert(
            end,
            format!("{}- {}{line_break}", list.indent, quoted(note)),
        );
        left += 1;
    }
    let key = lines.get_mut(list.key)?;
    *key = match (left, list.is_empty_flow) {
        (0, false) => key.replacen("notes:", "notes: []", 1),
        (0, true) | (_, false) => key.clone(),
        (_, true) => {
            let at = key.find("[]")?;
            format!("{}{}", key.get(..at)?.trim_end(), key.get(at + 2..)?)
        }
    };
    Some(lines.concat())
}

/// The file with the whole list replaced, whatever its form, provided that it has its own lines.
pub(crate) fn replaced(text: &str, notes: &[String]) -> Option<String> {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_key = |line: &&str| {
        let line = line.trim_start_matches('\u{feff}');
        ["notes:", "\"notes\":", "'notes':"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let start = lines.iter().position(is_key)?;
    let (before, from) = lines.split_at_checked(start)?;
    // The value continues on lines that are indented, start an item, or close a bracket.
    let goes_on = |line: &&str| line.starts_with([' ', '\t', '-', ']', '}']) && !is_remark(line);
    let behind = from.get(1..)?;
    let is_next = |line: &&str| !goes_on(line) && !is_remark(line);
    let end = behind.iter().position(is_next).unwrap_or(behind.len());
    // Comments after the list belong to what follows.
    let last = behind.get(..end)?.iter().rposition(goes_on);
    let after = behind.get(last.map_or(0, |at| at + 1)..)?;
    let mark = if from.first()?.starts_with('\u{feff}') {
        "\u{feff}"
    } else {
        ""
    };
    let mut new = before.concat()
        + mark
        + if notes.is_empty() {
            "notes: []"
        } else {
            "notes:"
        };
    for note in notes {
        new.push_str(line_break);
        new.push_str("- ");
        new.push_str(&quoted(note));
    }
    Some(new + line_break + &after.concat())
}

/// Where the list of notes is among the lines of a file.
struct NoteLines {
    /// The line `notes:`.
    key: usize,
    /// Whether that line is `notes: []`.
    is_empty_flow: bool,
    /// The indentation of each dash.
    indent: String,
    /// The lines of each item.
    items: Vec<std::ops::Range<usize>>,
}

impl NoteLines {
    fn find(lines: &[String]) -> Option<Self> {
        let key = lines.iter().position(|line| line.starts_with("notes:"))?;
        let value = lines.get(key)?.strip_prefix("notes:")?;
        let value = value.split(" #").next().unwrap_or(value).trim();
        let is_empty_flow = match value {
            "" => false,
            "[]" => true,
            _ => return None,
        };
        let mut found = Self {
            key,
            is_empty_flow,
            indent: String::new(),
            items: Vec::new(),
        };
        for (number, line) in lines.iter().enumerate().skip(key + 1) {
            let bare = line.trim_start_matches(' ');
            let indent = line.get(..line.len() - bare.len())?;
            let is_dash = bare.trim_end() == "-" || bare.starts_with("- ");
            if is_dash && (found.items.is_empty() || indent == found.indent) {
                indent.clone_into(&mut found.indent);
                found.items.push(number..number + 1);
            } else if indent.len() > found.indent.len() && !is_remark(line) {
                found.items.last_mut()?.end = number + 1;
            } else if !is_remark(line) {
                break;
            }
        }
        Some(found)
    }
}

/// The note as a double-quoted YAML scalar on one line.
fn quoted(note: &str) -> String {
    let mut text = String::with_capacity(note.len() + 2);
    text.push('"');
    for char in note.chars() {
        match char {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                // Writing to a string can't fail.
                let _ = write!(text, "\\u{:04x}", u32::from(char));
            }
            char if char.is_control() => {
                let _ = write!(text, "\\x{:02x}", u32::from(char));
            }
            char => text.push(char),
        }
    }
    text.push('"');
    text
}
