//! Adds and removes one entry of a mapping in a YAML file, line by line; all other bytes stay.
//!
//! The result is parsed again, and must equal the input plus the entry. A file that can't be edited line by line is
//! refused.

use serde_json::{Map, Value};

use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// Where an entry is: a top-level key, and a key in its mapping.
type At<'a> = [&'a str; 2];

/// Adds an entry, or replaces the one with the same key.
pub(crate) fn put(text: &str, at: At<'_>, entry: &Value) -> Result<String> {
    let mut expected = read(text)?;
    let [top, key] = at;
    let mapping = expected
        .entry(top)
        .and_modify(|value| {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
        })
        .or_insert_with(|| Value::Object(Map::new()));
    let Some(mapping) = mapping.as_object_mut() else {
        return Err(not_by_lines(top));
    };
    mapping.insert(key.to_owned(), entry.clone());
    let without = without(text, at);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = without.split_inclusive('\n').map(str::to_owned).collect();
    let place = if let Some(line) = top_line(&without, top) {
        line
    } else {
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.push_str(newline);
        }
        lines.push(format!("{top}:{newline}"));
        lines.len() - 1
    };
    let indent = indent_below(&without, place).unwrap_or(2);
    if let Some(line) = lines.get_mut(place) {
        // An empty mapping gets its first entry.
        if line.trim_end().ends_with("{}") {
            *line = format!("{top}:{newline}");
        }
        if !line.ends_with('\n') {
            line.push_str(newline);
        }
    }
    let block = written(key, entry, indent, newline);
    lines.insert(place + 1, block);
    checked(lines.concat(), &expected, top)
}

/// Removes the entry. A mapping without any other entry is restored to what it was in `before`.
pub(crate) fn take(text: &str, at: At<'_>, before: &str) -> Result<String> {
    let [top, key] = at;
    let mut expected = read(text)?;
    let mapping = expected.get_mut(top).and_then(Value::as_object_mut);
    if mapping.is_none_or(|mapping| mapping.remove(key).is_none()) {
        return Ok(text.to_owned());
    }
    let mut left = without(text, at);
    let is_empty =
        |value: Option<&Value>| value.and_then(Value::as_object).is_some_and(Map::is_empty);
    if is_empty(expected.get(top))
        && let Some(place) = top_line(&left, top)
    {
        let known = read(before).unwrap_or_default();
        let mut lines: Vec<String> = left.split_inclusive('\n').map(str::to_owned).collect();
        match known.get(top) {
            None => {
                expected.remove(top);
                lines.remove(place);
            }
            Some(Value::Null) => {
                expected.insert(top.to_owned(), Value::Null);
            }
            Some(_) => {
                if let Some(line) = lines.get_mut(place) {
                    *line = line.replacen(':', ": {}", 1);
                }
            }
        }
        left = lines.concat();
    }
    checked(left, &expected, top)
}

/// The value of a top-level key, if there is one.
pub(crate) fn get(text: &str, top: &str) -> Result<Option<Value>> {
    Ok(read(text)?.remove(top))
}

fn read(text: &str) -> Result<Map<String, Value>> {
    let has_content = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    if !text.lines().any(has_content) {
        return Ok(Map::new());
    }
    serde_saphyr::from_str(text).map_err(|error| {
        Error::refused(message!(
            "It is not valid YAML: {error}.",
            error = error.to_string()
        ))
    })
}

fn checked(text: String, expected: &Map<String, Value>, top: &str) -> Result<String> {
    if read(&text).ok().as_ref() == Some(expected) {
        return Ok(text);
    }
    Err(not_by_lines(top))
}

fn not_by_lines(top: &str) -> Error {
    Error::refused(message!(
        "`{top}` is written in a form that scratchpad does not edit.",
        top
    ))
    .hint("write one entry per line, or add scratchpad's by hand.")
}

/// The line of a top-level key.
fn top_line(text: &str, top: &str) -> Option<usize> {
    let is_it = |line: &str| {
        line.strip_prefix(top)
            .is_some_and(|rest| rest.starts_with(':'))
    };
    text.lines().position(is_it)
}

fn indent_of(line: &str) -> Option<usize> {
    let content = line.trim_start_matches(' ');
    (!content.trim().is_empty() && !content.starts_with('#')).then(|| line.len() - content.len())
}

/// The indentation of the entries below a line, if there are any.
fn indent_below(text: &str, place: usize) -> Option<usize> {
    let mut below = text.lines().skip(place + 1);
    below.find_map(indent_of).filter(|indent| *indent > 0)
}

/// The text without the lines of the entry.
fn without(text: &str, [top, key]: At<'_>) -> String {
    let Some(place) = top_line(text, top) else {
        return text.to_owned();
    };
    let Some(indent) = indent_below(text, place) else {
        return text.to_owned();
    };
    let begins = |line: &str| {
        let content = line.trim_start();
        indent_of(line) == Some(indent)
            && content
                .strip_prefix(key)
                .is_some_and(|rest| rest.starts_with(':'))
    };
    let mut left = String::new();
    let mut is_ours = false;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let depth = indent_of(line);
        if number > place {
            if begins(line) {
                is_ours = true;
            } else if depth.is_some_and(|depth| depth <= indent) {
                is_ours = false;
            }
        }
        if !is_ours || depth.is_none() {
            left.push_str(line);
        }
    }
    left
}

/// An entry as lines. Its values are scalars or lists of scalars.
fn written(key: &str, entry: &Value, indent: usize, newline: &str) -> String {
    let blanks = " ".repeat(indent);
    let fields = entry.as_object().into_iter().flatten();
    // JSON is valid YAML: a quoted string means the same in both.
    let lines = fields.map(|(name, value)| format!("{blanks}{blanks}{name}: {value}{newline}"));
    format!("{blanks}{key}:{newline}") + &lines.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AT: At<'_> = ["extensions", "scratchpad"];

    fn entry() -> Value {
        json!({"enabled": true, "cmd": "/opt/my tools/scratchpad", "args": ["mcp"]})
    }

    #[test]
    fn an_entry_comes_and_goes_and_all_else_stays_to_the_byte() {
        let ours = "  scratchpad:\n    enabled: true\n    cmd: \"/opt/my tools/scratchpad\"\n    args: [\"mcp\"]\n";
        let cases = [
            ("", format!("extensions:\n{ours}")),
            (
                "GOOSE_MODEL: x # mine\nextensions:\n  developer:\n    enabled: true\n\n  # off\n  memory:\n    enabled: false\nOTHER: 1\n",
                format!(
                    "GOOSE_MODEL: x # mine\nextensions:\n{ours}  developer:\n    enabled: true\n\n  # off\n  memory:\n    enabled: false\nOTHER: 1\n"
                ),
            ),
            ("a: 1", format!("a: 1\nextensions:\n{ours}")),
            (
                "extensions: {}\na: 1\n",
                format!("extensions:\n{ours}a: 1\n"),
            ),
            ("extensions:\na: 1\n", format!("extensions:\n{ours}a: 1\n")),
            (
                "# nothing yet\n",
                format!("# nothing yet\nextensions:\n{ours}"),
            ),
        ];
        for (before, after) in cases {
            let put = put(before, AT, &entry()).unwrap();
            assert_eq!(put, after);
            assert_eq!(super::put(&put, AT, &entry()).unwrap(), put, "twice");
            assert_eq!(get(&put, AT[0]).unwrap().unwrap()[AT[1]], entry());
            let expected = if before.is_empty() || before.ends_with('\n') {
                before.to_owned()
            } else {
                format!("{before}\n")
            };
            assert_eq!(take(&put, AT, before).unwrap(), expected);
        }
    }

    #[test]
    fn an_older_entry_is_replaced_in_the_layout_of_the_file() {
        let before = "extensions:\r\n    scratchpad:\r\n        enabled: false\r\n        args:\r\n        - old\r\n    other:\r\n        cmd: x\r\n";
        let after = put(before, AT, &entry()).unwrap();
        assert_eq!(
            after,
            "extensions:\r\n    scratchpad:\r\n        enabled: true\r\n        cmd: \"/opt/my tools/scratchpad\"\r\n        args: [\"mcp\"]\r\n    other:\r\n        cmd: x\r\n"
        );
    }

    #[test]
    fn a_file_that_lines_cannot_change_is_refused() {
        for text in [
            "extensions: {developer: {enabled: true}}\n",
            "extensions: [1]\n",
            "{extensions: {}}\n",
            "a: [\n",
            "--- 1\n--- 2\n",
        ] {
            assert!(put(text, AT, &entry()).is_err(), "{text}");
        }
        assert_eq!(take("a: 1\n", AT, "").unwrap(), "a: 1\n");
    }
}
