//! The session-log format: JSON Lines that other agents read and write too.
//!
//! Lines `{"type":"custom","customType":K,"data":D,…}` hold the spaces; all other lines belong to
//! other programs. The last entry of each key wins.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::revision::{RevisionHead, Write};
use super::{Content, Pad, Space};
use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::text::message::message;
use crate::model::text::quantity::grouped;

/// The legacy key from before there were three spaces; read as notes if the log has no notes entry.
const OLD_KEY: &str = "openclaw:scratchpad";

/// Every line of ours contains this.
pub const MARK: &str = OLD_KEY;

/// The most bytes of entries in one log. Each entry is a revision, so all of them are held in memory.
pub const MAX_LOG_BYTES: usize = 64 << 20;

/// Refuses a log whose entries exceed the limit.
pub fn check_log_bytes(bytes: usize) -> Result<()> {
    if bytes <= MAX_LOG_BYTES {
        return Ok(());
    }
    let limit = grouped(MAX_LOG_BYTES);
    Err(Error::refused(message!("The session log holds more of this pad than the limit of {limit} bytes.", limit))
    .hint("start a new file with the end of this one: `tail -n 1000 OLD > NEW`; the last entry of each space counts."))
}

fn key(space: Space) -> String {
    format!("{OLD_KEY}:{}", space.name())
}

/// One parsed line of a session log.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// The content of a space.
    Entry(Entry),
    /// A line of another program.
    Foreign,
    /// Not JSON, or one of our entries with data of the wrong type.
    Malformed,
}

/// The content of a space at one point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub content: Content,
    pub action: String,
    /// 0 if the line has no timestamp.
    pub at: Millis,
    /// The revision that this entry undid.
    pub undoes: Option<u64>,
    /// Whether it has the legacy key.
    old: bool,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "type")]
    kind: Option<Value>,
    #[serde(rename = "customType")]
    custom_type: Option<Value>,
    data: Option<Value>,
    timestamp: Option<Value>,
    action: Option<Value>,
    undoes: Option<Value>,
}

pub fn parse_line(line: &[u8]) -> Line {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Line::Malformed;
    };
    // Valid JSON that is not an object belongs to another program.
    let Ok(wire) = serde_json::from_value::<Wire>(value) else {
        return Line::Foreign;
    };
    let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    if text(&wire.kind).as_deref() != Some("custom") {
        return Line::Foreign;
    }
    let Some(custom_type) = text(&wire.custom_type) else {
        return Line::Foreign;
    };
    let old = custom_type == OLD_KEY;
    let space = match Space::ALL
        .into_iter()
        .find(|space| key(*space) == custom_type)
    {
        Some(space) => space,
        None if old => Space::Notes,
        None => return Line::Foreign,
    };
    let Some(content) = wire.data.and_then(|data| content(space, data)) else {
        return Line::Malformed;
    };
    Line::Entry(Entry {
        content,
        action: text(&wire.action).unwrap_or_else(|| "journal".to_owned()),
        at: text(&wire.timestamp)
            .and_then(|time| time.parse::<jiff::Timestamp>().ok())
            .map_or(0, jiff::Timestamp::as_millisecond),
        undoes: wire.undoes.as_ref().and_then(Value::as_u64),
        old,
    })
}

fn content(space: Space, data: Value) -> Option<Content> {
    match (space, data) {
        (Space::Notes, Value::String(text)) => Some(Content::Notes(text)),
        (Space::Plan, Value::String(text)) => Some(Content::Plan(text)),
        (Space::Refs, Value::Array(items)) => Some(Content::Refs(
            items
                .into_iter()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect(),
        )),
        _ => None,
    }
}

/// The position of an entry in a log that is a tree, where each entry names its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePlace {
    /// The entry's id: eight hexadecimal digits, unique within the file.
    pub id: String,
    /// `None` for the first entry.
    pub parent: Option<String>,
}

/// The id of an entry, whichever program wrote it. The log's header is not an entry.
pub fn entry_id(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Ids {
        #[serde(rename = "type")]
        kind: String,
        id: String,
    }
    let entry: Ids = serde_json::from_slice(line).ok()?;
    (entry.kind != "session").then_some(entry.id)
}

/// The first line of a log. Without it, the program that owns this format discards the whole file.
pub fn header(id: &str, directory: &str, at: Millis) -> String {
    let mut line = Map::new();
    line.insert("type".to_owned(), Value::from("session"));
    line.insert("version".to_owned(), Value::from(3));
    line.insert("id".to_owned(), Value::from(id));
    if let Some(time) = timestamp(at) {
        line.insert("timestamp".to_owned(), Value::from(time));
    }
    line.insert("cwd".to_owned(), Value::from(directory));
    Value::Object(line).to_string()
}

fn timestamp(at: Millis) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(format!("{time:.3}"))
}

/// The line that records a write, without its line break.
pub fn encode(write: &Write, at: Millis) -> String {
    encoded(write, at, None)
}

/// Like [`encode`], for a log that is a tree.
pub fn encode_in_tree(write: &Write, at: Millis, place: TreePlace) -> String {
    encoded(write, at, Some(place))
}

fn encoded(write: &Write, at: Millis, place: Option<TreePlace>) -> String {
    let mut line = Map::new();
    let mut put = |name: &str, value: Value| line.insert(name.to_owned(), value);
    put("type", Value::from("custom"));
    put("customType", Value::from(key(write.content.space())));
    put(
        "data",
        match &write.content {
            Content::Notes(text) | Content::Plan(text) => Value::from(text.as_str()),
            Content::Refs(refs) => Value::from(refs.clone()),
        },
    );
    if let Some(place) = place {
        put("id", Value::from(place.id));
        put("parentId", Value::from(place.parent));
    }
    if let Some(time) = timestamp(at) {
        put("timestamp", Value::from(time));
    }
    put("action", Value::from(write.action.as_str()));
    if let Some(number) = write.undoes {
        put("undoes", Value::from(number));
    }
    Value::Object(line).to_string()
}

/// The entries of a session log, read line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionLog {
    entries: Vec<Entry>,
    /// How many lines were skipped because they could not be parsed.
    pub malformed: usize,
}

impl SessionLog {
    /// Adds the next line of the file.
    pub fn push(&mut self, line: &[u8]) {
        // Some files start with a byte-order mark.
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return;
        }
        match parse_line(line) {
            Line::Entry(entry) => self.entries.push(entry),
            Line::Malformed => self.malformed += 1,
            Line::Foreign => {}
        }
    }

    /// The entries that count as revisions, oldest first. Legacy entries count up to the first notes entry.
    ///
    /// Whether an entry counts depends only on the lines before it, so revision numbers never shift.
    pub fn revisions(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        let is_notes = |entry: &&Entry| !entry.old && entry.content.space() == Space::Notes;
        let first_notes = self.entries.iter().position(|entry| is_notes(&entry));
        self.entries
            .iter()
            .enumerate()
            .filter(move |(index, entry)| {
                !entry.old || first_notes.is_none_or(|first| *index < first)
            })
            .map(|(_, entry)| entry)
    }

    /// The heads of [`Self::revisions`], numbered from 1.
    pub fn heads(&self) -> Vec<RevisionHead> {
        (1..)
            .zip(self.revisions())
            .map(|(number, entry)| RevisionHead {
                number,
                space: entry.content.space(),
                action: entry.action.clone(),
                at: entry.at,
                undoes: entry.undoes,
                used: entry.content.used(),
                author: String::new(),
                spilled: None,
            })
            .collect()
    }

    /// The latest content of each space that has an entry, in the order of the block.
    pub fn contents(&self) -> Vec<Content> {
        Space::ALL
            .into_iter()
            .filter_map(|space| {
                self.revisions()
                    .rev()
                    .find(|entry| entry.content.space() == space)
                    .map(|entry| entry.content.clone())
            })
            .collect()
    }

    /// The pad after the last entry.
    pub fn pad(&self) -> Pad {
        let mut pad = Pad::default();
        self.contents()
            .into_iter()
            .for_each(|content| pad.put(content));
        pad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{IntoData, assert_data_eq, str};

    fn log(lines: &[&str]) -> SessionLog {
        let mut log = SessionLog::default();
        for line in lines {
            log.push(line.as_bytes());
        }
        log
    }

    #[test]
    fn the_last_entry_of_each_key_wins_and_bad_lines_are_counted() {
        let log = log(&[
            r#"{"type":"session","id":"x"}"#,
            r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":"old"}"#,
            r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":"new","id":"7"}"#,
            r#"{"type":"custom","customType":"openclaw:scratchpad:refs","data":["a",3,"b"]}"#,
            r#"{"type":"custom","customType":"openclaw:scratchpad:plan","data":7}"#,
            r#"{"type":"custom","customType":"other","data":7}"#,
            r#"{"type":"custom","customType":"openclaw:scratch"#,
            "42",
            "",
        ]);
        let expected = Pad {
            notes: "new".to_owned(),
            plan: String::new(),
            refs: vec!["a".to_owned(), "b".to_owned()],
        };
        assert_eq!(log.pad(), expected);
        assert_eq!(log.malformed, 2);
    }

    #[test]
    fn the_legacy_key_fills_the_notes_only_if_there_is_no_notes_entry() {
        let old = r#"{"type":"custom","customType":"openclaw:scratchpad","data":"from before"}"#;
        let new = r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":""}"#;
        assert_eq!(log(&[old]).pad().notes, "from before");
        assert_eq!(log(&[new, old]).pad().notes, "");
        assert_eq!(log(&[old, new]).pad().notes, "");
    }

    #[test]
    fn revision_numbers_never_shift_when_lines_are_added() {
        let old = r#"{"type":"custom","customType":"openclaw:scratchpad","data":"from before"}"#;
        let plan = r#"{"type":"custom","customType":"openclaw:scratchpad:plan","data":"p"}"#;
        let new = r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":"n"}"#;
        let lines = [old, plan, new, old, plan];
        let spaces = |count: usize| -> Vec<Space> {
            log(&lines[..count])
                .heads()
                .iter()
                .map(|head| head.space)
                .collect()
        };
        let whole = spaces(lines.len());
        assert_eq!(
            whole,
            [Space::Notes, Space::Plan, Space::Notes, Space::Plan]
        );
        for count in 0..lines.len() {
            assert!(whole.starts_with(&spaces(count)), "{count}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let write = Write {
            content: Content::Refs(vec!["a \"b\"\n".to_owned()]),
            action: "refs.add".to_owned(),
            undoes: Some(3),
            spilled: None,
        };
        let line = encode(&write, 1_794_735_714_000);
        assert_data_eq!(&line, str![[r#"{"type":"custom","customType":"openclaw:scratchpad:refs","data":["a \"b\"\n"],"timestamp":"2026-11-15T09:41:54.000Z","action":"refs.add","undoes":3}"#]].raw());
        let Line::Entry(entry) = parse_line(line.as_bytes()) else {
            panic!("not an entry: {line}");
        };
        assert_eq!(entry.content, write.content);
        assert_eq!((entry.at, entry.undoes), (1_794_735_714_000, Some(3)));
    }

    #[test]
    fn entries_have_ids_and_headers_have_none() {
        let write = Write {
            content: Content::Plan("p".to_owned()),
            action: "set_plan".to_owned(),
            undoes: None,
            spilled: None,
        };
        let place = TreePlace {
            id: "0a1b2c3d".to_owned(),
            parent: None,
        };
        let line = encode_in_tree(&write, 0, place);
        assert_data_eq!(&line, str![[r#"{"type":"custom","customType":"openclaw:scratchpad:plan","data":"p","id":"0a1b2c3d","parentId":null,"timestamp":"1970-01-01T00:00:00.000Z","action":"set_plan"}"#]].raw());
        assert_eq!(entry_id(line.as_bytes()).as_deref(), Some("0a1b2c3d"));
        assert_eq!(entry_id(header("x", "/here", 0).as_bytes()), None);
        for other in [
            r#"{"type":"message"}"#,
            r#"{"type":"message","id":7}"#,
            "{",
            "42",
        ] {
            assert_eq!(entry_id(other.as_bytes()), None, "{other}");
        }
    }
}
