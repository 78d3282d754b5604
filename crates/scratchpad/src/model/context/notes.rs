//! Context notes: what a person wants every agent in a project to know, in a YAML file.
//!
//! Other keys in the file are preserved. Comments are preserved if the list of notes has one item per
//! `- ` line, since then only those lines are touched. A list in another form is replaced as a whole; if
//! that fails, the file is rewritten.

use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::{Budget, NonFiniteFloatPolicy, Options};

use super::lines::{edited, is_remark, replaced};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{Message, message, number as digits};

/// Stands in front of context notes from a file that the repository tracks: anybody may have written them.
pub const CAME_WITH: &str = "(came with the repository) ";

/// The most bytes of one context note.
pub const MAX_NOTE_BYTES: usize = 16 * 1024;
/// Larger files are refused.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;

/// A change to the notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotesChange {
    /// Add a note at the end.
    Add(String),
    /// Remove the note with this number, counted from 1.
    Remove(usize),
    Clear,
}

/// The trimmed text of a new note, if it is valid.
pub fn checked_note(text: &str) -> Result<String> {
    let note = text.trim();
    if note.is_empty() {
        return Err(Error::refused("Context note not added: it is empty.")
            .as_kind(ErrorKind::Usage)
            .hint(
                "say what agents should know: `scratchpad context add \"Deploys are frozen\"`.",
            ));
    }
    if note.len() > MAX_NOTE_BYTES {
        return Err(Error::refused(message!(
            "Context note not added: {given} bytes, the limit is {max}.",
            given = digits(note.len()),
            max = digits(MAX_NOTE_BYTES)
        ))
        .hint("put the text in a file, and name the file in a note."));
    }
    Ok(note.to_owned())
}

/// Parses the notes in a file. The error says where the file is invalid.
pub fn notes(text: &str) -> Result<Vec<String>> {
    #[derive(Default, Deserialize)]
    struct File {
        notes: Option<Vec<String>>,
    }
    if is_blank(text) {
        return Ok(Vec::new());
    }
    let file: File = serde_saphyr::from_str_with_options(text, options())
        .map_err(|error| not_readable(&error))?;
    Ok(file.notes.unwrap_or_default())
}

/// The file after a change; `None` if it is no longer needed.
pub fn changed(text: &str, change: &NotesChange) -> Result<Option<String>> {
    let mut expected = notes(text)?;
    match change {
        NotesChange::Add(note) => expected.push(note.clone()),
        NotesChange::Remove(number) => {
            let count = expected.len();
            let position = number.checked_sub(1).filter(|at| *at < count);
            let position = position.ok_or_else(|| no_such_note(*number, count))?;
            expected.remove(position);
        }
        NotesChange::Clear => expected.clear(),
    }
    let others = everything(text);
    let holds_other = match &others {
        Ok(Value::Object(fields)) => fields.keys().any(|key| key != "notes"),
        Ok(_) => false,
        Err(_) => true,
    };
    if expected.is_empty() && !holds_other && !has_comment(text) {
        return Ok(None);
    }
    let right = |new: &String| is_right(new, &expected, others.as_ref().ok());
    let in_place = edited(text, change).filter(right);
    let new = match in_place.or_else(|| replaced(text, &expected).filter(right)) {
        Some(new) => new,
        None => rewritten(others?, &expected)?,
    };
    if new.len() > MAX_FILE_BYTES {
        return Err(Error::refused(message!(
            "The context notes would have {given} bytes, the limit is {max}.",
            given = digits(new.len()),
            max = digits(MAX_FILE_BYTES)
        ))
        .hint("remove one with `scratchpad context remove N`."));
    }
    Ok(Some(new))
}

fn no_such_note(number: usize, count: usize) -> Error {
    let there = match count {
        0 => "there are none".into(),
        1 => "there is only number 1".into(),
        _ => message!("they are numbered 1 to {last}", last = digits(count)),
    };
    Error::refused(message!(
        "No context note {number}: {there}.",
        number = digits(number),
        there
    ))
    .as_kind(ErrorKind::NotFound)
    .hint("`scratchpad context list` shows them with their numbers.")
}

/// Files are untrusted: bounds nesting, nodes and aliases, so that a small file can't expand into a huge value.
fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_depth = 64;
    budget.max_nodes = 100_000;
    budget.max_anchors = 1_000;
    budget.max_aliases = 1_000;
    let mut options = Options::default();
    options.budget = Some(budget);
    // Values of other keys are none of our business.
    options.non_finite_float_policy = NonFiniteFloatPolicy::AsString;
    options
}

fn not_readable(error: &serde_saphyr::Error) -> Error {
    let bare = error.without_snippet();
    let place = bare.location().map(|at| {
        message!(
            "line {line}, column {column}",
            line = at.line().to_string(),
            column = at.column().to_string()
        )
    });
    let all = bare.to_string();
    // The library appends the position, which we already have.
    let words = all.lines().next().unwrap_or_default();
    let words = words.split(" at line ").next().unwrap_or(words);
    let words: Message = match words.trim_end_matches('.') {
        "expected sequence start" => "a list of texts is expected here.".into(),
        "expected string scalar" => "a text is expected here.".into(),
        words if words.starts_with("cannot deserialize null into string") => {
            "a text is expected here.".into()
        }
        "expected mapping start" => "a mapping with the key `notes` is expected here.".into(),
        words if words.starts_with("budget breached") => {
            "too many repetitions or levels of nesting.".into()
        }
        // The rest of the sentence is advice for programmers.
        words => {
            let marks = [", set ", "; use "].into_iter();
            let words = marks.fold(words, |words, mark| {
                words.split(mark).next().unwrap_or(words)
            });
            format!("{words}.").into()
        }
    };
    let error = Error::new(ErrorKind::Refused, words);
    match place {
        Some(place) => error.within(place),
        None => error,
    }
}

/// The whole file as a value.
fn everything(text: &str) -> Result<Value> {
    if is_blank(text) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| not_readable(&error))
}

fn is_blank(text: &str) -> bool {
    text.lines().all(is_remark)
}

fn has_comment(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}

/// Whether a changed file has the expected notes, and its other keys are unchanged.
fn is_right(new: &str, expected: &[String], others: Option<&Value>) -> bool {
    let same_notes = notes(new).is_ok_and(|notes| notes == expected);
    let Some(others) = others else {
        return same_notes;
    };
    let less_notes = |value: &Value| match value {
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.shift_remove("notes");
            Value::Object(fields)
        }
        other => other.clone(),
    };
    same_notes && everything(new).is_ok_and(|new| less_notes(&new) == less_notes(others))
}

fn rewritten(others: Value, notes: &[String]) -> Result<String> {
    let mut fields = match others {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    fields.insert("notes".to_owned(), notes.into());
    serde_saphyr::to_string(&fields).map_err(|error| {
        Error::store(message!(
            "Can't write the notes as YAML: {error}.",
            error = error.to_string()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{assert_data_eq, str};

    fn after(text: &str, change: &NotesChange) -> String {
        changed(text, change).unwrap().unwrap()
    }

    fn add(text: &str, note: &str) -> String {
        after(text, &NotesChange::Add(note.to_owned()))
    }

    #[test]
    fn a_list_of_one_line_items_is_changed_in_place() {
        let file = "\
# mine
title: x   # stays

notes:  # for agents
  # the first
  - one
  - >
    two
    lines

  # the last
  - 'three'
other: {a: [1, 2]}
";
        assert_data_eq!(
            after(&add(file, "four: \"4\""), &NotesChange::Remove(2)),
            str![[r##"
# mine
title: x   # stays

notes:  # for agents
  # the first
  - one

  # the last
  - 'three'
  - "four: /"4/""
other: {a: [1, 2]}

"##]]
        );
        let cleared = after(file, &NotesChange::Clear);
        assert_data_eq!(
            &cleared,
            str![[r#"
# mine
title: x   # stays

notes: []  # for agents
  # the first

  # the last
other: {a: [1, 2]}

"#]]
        );
        assert_eq!(notes(&add(&cleared, "new")).unwrap(), ["new"]);
        assert!(add(&cleared, "new").contains("notes:  # for agents"));
    }

    #[test]
    fn other_forms_are_rewritten_with_all_keys() {
        assert_data_eq!(
            add("{title: x, notes: [a, b]}", "c"),
            str![[r#"
title: x
notes:
- a
- b
- c

"#]]
        );
        assert_data_eq!(
            add("title: x\r\n", "c"),
            str![[r#"
title: x
notes:
- "c"

"#]]
        );
        assert!(add("title: x\r\n", "c").ends_with("x\r\nnotes:\r\n- \"c\"\r\n"));
    }

    #[test]
    fn a_list_in_another_form_is_replaced_and_the_rest_stays() {
        let file = "\u{feff}# mine\nversion: 1.10\nnotes: [a,  # the first\n  b\n]\n\n# theirs\nmost: .inf\n";
        assert_eq!(
            add(file, "c"),
            "\u{feff}# mine\nversion: 1.10\nnotes:\n- \"a\"\n- \"b\"\n- \"c\"\n\n# theirs\nmost: .inf\n"
        );
        let cleared = after(file, &NotesChange::Clear);
        assert!(cleared.contains("\nnotes: []\n\n# theirs\n"), "{cleared}");
        assert_eq!(
            add("\"notes\": null\r\nx: 1", "c"),
            "notes:\r\n- \"c\"\r\nx: 1"
        );
        // An anchor that is used further down can't be removed.
        let shared = add("notes: &all [a]\nold: *all\n", "c");
        assert_eq!(shared, "notes:\n- a\n- c\nold:\n- a\n");
    }

    #[test]
    fn a_file_with_only_notes_is_removed_with_the_last_note() {
        let file = add("", "only");
        assert_eq!(file, "notes:\n- \"only\"\n");
        assert_eq!(changed(&file, &NotesChange::Remove(1)).unwrap(), None);
        assert_eq!(changed(&file, &NotesChange::Clear).unwrap(), None);
        assert_eq!(notes("notes:").unwrap(), [] as [String; 0]);
        assert_eq!(notes("# nothing\n\n").unwrap(), [] as [String; 0]);
        assert_eq!(notes("notes: [1, true, 2026-01-01]").unwrap().len(), 3);
    }

    #[test]
    fn errors_have_line_and_column() {
        let bomb: String =
            (1..20).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
                let below = format!("*a{},", level - 1).repeat(9);
                format!("{text}a{level}: &a{level} [{below}]\n")
            }) + "notes: *a19\n";
        let wrong: String = [
            "notes: [a\n",
            "title: x\nnotes: hello\n",
            "notes:\n- a: b\n",
            "notes:\n- [a]\n",
            "notes: {a: b}\n",
            "- a\n- b\n",
            "just words\n",
            "notes: [a]\nnotes: [b]\n",
            "notes:\n- \"open\n",
            "notes: *gone\n",
            "notes:\n- ~\n",
            "notes: [a]\n---\nnotes: [b]\n",
            "a: &a [*a]\nnotes: *a\n",
            &bomb,
        ]
        .iter()
        .map(|text| match notes(text) {
            Ok(notes) => format!("{text:?} holds {notes:?}\n"),
            Err(error) => format!("{error}\n"),
        })
        .collect();
        assert_data_eq!(
            wrong,
            str![[r#"
line 1, column 8: unclosed bracket '['.
line 2, column 8: a list of texts is expected here.
line 2, column 3: a text is expected here.
line 2, column 3: a text is expected here.
line 1, column 8: a list of texts is expected here.
line 1, column 1: a mapping with the key `notes` is expected here.
line 1, column 1: a mapping with the key `notes` is expected here.
line 2, column 1: duplicate mapping key: notes.
line 3, column 1: invalid indentation in multiline quoted scalar.
line 1, column 8: alias references unknown anchor.
line 2, column 3: a text is expected here.
line 3, column 1: multiple YAML documents detected.
line 1, column 8: recursive references require weak recursion types.
line 6, column 10: too many repetitions or levels of nesting.

"#]]
        );
    }

    #[test]
    fn an_invalid_note_is_refused() {
        assert_data_eq!(
            format!(
                "{}\n{}\n",
                checked_note(" \n\t ").unwrap_err(),
                checked_note(&"ü".repeat(8_193)).unwrap_err()
            ),
            str![[r#"
Context note not added: it is empty. Nothing was changed.
Context note not added: 16,386 bytes, the limit is 16,384. Nothing was changed.

"#]]
        );
        assert_eq!(checked_note(" a \n").unwrap(), "a");
        assert!(checked_note(&"x".repeat(MAX_NOTE_BYTES)).is_ok());
        assert!(changed("", &NotesChange::Remove(0)).is_err());
    }

    proptest! {
        #[test]
        fn every_note_can_be_read_back_whatever_it_contains(
            texts in prop::collection::vec("\\PC{1,40}|[ -~\\n\\r\\t\u{85}\u{2028}\u{feff}\u{0}\u{1b}#:-]{1,40}", 1..6),
            gone in 0_usize..6,
        ) {
            let mut file = "# mine\nother: 1\n".to_owned();
            for text in &texts {
                file = add(&file, text);
            }
            prop_assert_eq!(&notes(&file).unwrap(), &texts);
            let mut left = texts.clone();
            if gone < left.len() {
                left.remove(gone);
                file = after(&file, &NotesChange::Remove(gone + 1));
                prop_assert_eq!(notes(&file).unwrap(), left);
            }
            prop_assert!(file.starts_with("# mine\nother: 1\n"));
        }
    }
}
