//! The reference: the short text that replaces an output.

use std::path::Path;

use serde_json::json;

use super::Kind;
use super::describe::Description;
use super::json_shape::JsonShape;
use crate::model::id::OutputId;
use crate::model::text::bytes::one_line;
use crate::model::text::quantity::{counted, grouped, shortened};

/// The longest reference, in bytes.
pub const MAX_BYTES: usize = 1_024;
/// Texts with more bytes per line on average are not read by line.
const LONG_LINES: u64 = 500;

/// The short text that replaces an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The output's id.
    pub id: OutputId,
    /// What the agent reads instead of the output.
    pub text: String,
}

/// How a reference begins, before its id.
const START: &str = "[Output ";

/// The output that a text names where a reference does. Anybody can write such a text: whether the output exists decides.
pub fn named_output(text: &str) -> Option<OutputId> {
    let (id, _) = text.strip_prefix(START)?.split_once(' ')?;
    OutputId::new(id).ok()
}

/// How an agent reads an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader<'a> {
    /// With the tool of this name.
    Tool(&'a str),
    /// With a shell command.
    CommandLine,
}

impl<'a> From<&'a str> for Reader<'a> {
    fn from(tool: &'a str) -> Self {
        Self::Tool(tool)
    }
}

impl Reader<'_> {
    /// The call that reads a slice.
    fn call(self, id: &OutputId, slice: &str, value: &str) -> String {
        match self {
            Self::Tool(name) => {
                let arguments = json!({"id": id.as_str(), slice: value});
                format!("{name} {arguments}; or lines, grep, json, sql, offset+limit.")
            }
            Self::CommandLine => {
                let (option, value) = match slice {
                    "json" => ("expr", format!("'{value}'")),
                    "sql" => ("sql", format!("'{value}'")),
                    other => (other, value.to_owned()),
                };
                format!(
                    "scratchpad output read {id} --{option} {value}; or --lines, --grep, --expr, --sql, --offset and --limit."
                )
            }
        }
    }
}

/// What a reference is built from.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceFacts<'a> {
    /// The output's id.
    pub id: &'a OutputId,
    /// What produced it.
    pub tool: &'a str,
    pub description: &'a Description,
    /// The longest preview, in characters.
    pub preview_chars: usize,
    pub reader: Reader<'a>,
    /// The output's file, if it is on this machine.
    pub file: Option<&'a Path>,
}

impl Reference {
    /// Builds the text: what the output is, a preview, and how to read it.
    pub fn new(facts: &ReferenceFacts<'_>) -> Self {
        let description = facts.description;
        let what = match (description.kind, &description.shape) {
            _ if !description.is_text => "not UTF-8",
            (Kind::Text, Some(_)) => "JSON Lines",
            (kind, _) => kind.name(),
        };
        let size = counted(description.bytes, "byte", "bytes");
        let about = match description.cut {
            None => {
                let lines = counted(description.lines, "line", "lines");
                format!("{size}, {lines}, {what}")
            }
            Some(cut) => {
                let whole = counted(cut.tokens, "token", "tokens");
                format!(
                    "{size} of about {whole}: Codex cut the middle before it was kept; \
                     `scratchpad run -- COMMAND` keeps all."
                )
            }
        };
        let tool = shortened(&one_line(facts.tool), 80);
        let head = format!("{START}{} of {tool}: {about}]", facts.id);
        let (slice, value) = slice(description);
        let read = format!("Read: {}", facts.reader.call(facts.id, slice, &value));
        let file = facts
            .file
            .map(|path| format!("File: {}", path.display()))
            .filter(|line| line.len() <= 300 && !line.chars().any(char::is_control));
        let errors = (description.errors > 0).then(|| {
            let first = grouped(description.first_error);
            format!(
                "{}, the first is line {first}.",
                looks_like_errors(description)
            )
        });
        let fixed: usize = [Some(&head), errors.as_ref(), Some(&read), file.as_ref()]
            .into_iter()
            .flatten()
            .map(|line| line.len() + 1)
            .sum();
        let room = MAX_BYTES.saturating_sub(fixed + "Preview:\n".len());
        let preview = description.preview_within(facts.preview_chars, room);
        let separator = if description.is_previewed_by_lines() {
            '\n'
        } else {
            ' '
        };
        let preview = Some(format!("Preview:{separator}{preview}")).filter(|_| !preview.is_empty());
        let errors = match (&preview, errors) {
            (Some(preview), Some(_)) if shows_line(preview, description.first_error) => {
                Some(format!("{}.", looks_like_errors(description)))
            }
            (_, errors) => errors,
        };
        let lines = [Some(head), preview, errors, Some(read), file];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        Self {
            id: facts.id.clone(),
            text: lines.join("\n"),
        }
    }
}

/// How many lines look like errors.
fn looks_like_errors(description: &Description) -> String {
    match description.errors {
        1 => "1 line looks like an error".to_owned(),
        many => format!("{} lines look like an error", grouped(many)),
    }
}

/// Whether a preview shows the line of this number.
fn shows_line(preview: &str, number: u64) -> bool {
    let prefix = format!("{number}:");
    preview.lines().any(|line| line.starts_with(&prefix))
}

/// The slice to suggest for a first look.
fn slice(description: &Description) -> (&'static str, String) {
    match (description.kind, &description.shape) {
        (Kind::Json, Some(JsonShape::Array(..))) => ("json", "$[0:3]".to_owned()),
        (Kind::Json, Some(JsonShape::Object(keys, _))) => {
            // The longest array, else the first nested value, else the first value.
            let length = |shape: &JsonShape| match shape {
                JsonShape::Array(length, _) => *length,
                _ => 0,
            };
            let holds = |(_, shape): &&(String, JsonShape)| !matches!(shape, JsonShape::Plain(_));
            let longest = keys.iter().rev().max_by_key(|(_, shape)| length(shape));
            let chosen = longest
                .filter(|(_, shape)| length(shape) > 0)
                .or_else(|| keys.iter().find(holds))
                .or(keys.first());
            let path = match chosen {
                Some((key, _)) if key.len() > 60 || !is_plain_name(key) => "keys".to_owned(),
                Some((key, JsonShape::Array(..))) => format!("$.{key}[0:3]"),
                Some((key, _)) => format!("$.{key}"),
                None => "keys".to_owned(),
            };
            ("json", path)
        }
        (Kind::Csv, _) => ("sql", "select * from t limit 3".to_owned()),
        // With such long lines, a few of them would be most of the text.
        _ if description.bytes / description.lines.max(1) > LONG_LINES => {
            ("grep", "WORD".to_owned())
        }
        _ if description.errors > 0 => ("lines", around(description.first_error)),
        _ => ("lines", "1-50".to_owned()),
    }
}

fn is_plain_name(key: &str) -> bool {
    let starts_well = key.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    starts_well
        && key
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

fn around(line: u64) -> String {
    format!("{}-{}", line.saturating_sub(5).max(1), line + 15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{assert_data_eq, str};
    use std::io::Cursor;

    proptest! {
        #[test]
        fn it_is_short_whatever_it_is_made_of(
            text in "(Warning: truncated output \\(original token count: [0-9]{1,19}\\)\n)?(\\PC{0,400}\n){0,4}", tool in "\\PC{0,200}", path in "\\PC{0,400}", chars in 20_usize..500
        ) {
            let description = Description::of(&mut Cursor::new(&text)).unwrap();
            let id = OutputId::new("0123456789ab").unwrap();
            for reader in [Reader::Tool("sp_scratchpad_read"), Reader::CommandLine] {
                let reference = Reference::new(&ReferenceFacts {
                    id: &id,
                    tool: &tool,
                    description: &description,
                    preview_chars: chars,
                    reader,
                    file: Some(Path::new(&path)),
                });
                prop_assert!(reference.text.len() <= MAX_BYTES, "{}", reference.text);
                // No text from outside adds a line.
                let ours = reference.text.lines().filter(|line| !line.starts_with(|char: char| char.is_ascii_digit()));
                prop_assert!(ours.count() <= 5);
            }
        }
    }

    #[test]
    fn it_says_what_the_host_cut_and_how_to_get_it() {
        let text = "Warning: truncated output (original token count: 27224)\n\
                    Total output lines: 20000\n\n1\n2\n…7 tokens truncated…\n20000\n";
        let reference = Reference::new(&ReferenceFacts {
            id: &OutputId::new("86912c1d545d").unwrap(),
            tool: "Bash",
            description: &Description::of(&mut Cursor::new(text)).unwrap(),
            preview_chars: 200,
            reader: Reader::Tool("scratchpad_read"),
            file: None,
        });
        assert_data_eq!(
            reference.text,
            str![[r#"
[Output 86912c1d545d of Bash: 118 bytes of about 27,224 tokens: Codex cut the middle before it was kept; `scratchpad run -- COMMAND` keeps all.]
Preview:
4:1
5:2
6:…7 tokens truncated…
7:20000
Read: scratchpad_read {"id":"86912c1d545d","lines":"1-50"}; or lines, grep, json, sql, offset+limit.
"#]]
        );
    }
}
