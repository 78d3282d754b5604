//! What the note tools answer: few words, bounded, and the same as data.

use serde_json::{Value, json};

use super::{Note, NoteId};
use crate::model::reply::Reply;
use crate::model::text::bytes::one_line;
use crate::model::text::quantity::{counted, grouped, shortened};

/// The most bytes of an answer that lists notes.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// How much an answer may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What an agent's window can bear: [`MAX_ANSWER_BYTES`].
    Window,
    /// All of it, for a program.
    None,
}

/// How many notes and tags can be seen, after a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoteTotals {
    /// Notes of the session and its project.
    pub notes: usize,
    /// Tags in use on them.
    pub tags: usize,
}

/// How a search found what it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The query stands in the note.
    Substring,
    /// It does not stand in any note; each of its words begins a word of these.
    Words,
}

/// Notes that were found, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNotes {
    /// How many there are in all.
    pub total: usize,
    /// The first ones.
    pub notes: Vec<Note>,
}

/// One tag with the number of notes that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCount {
    /// The tag, in one of the spellings it was typed in.
    pub tag: String,
    /// How many notes have it.
    pub count: usize,
}

fn totals_json(id: NoteId, totals: NoteTotals) -> Value {
    json!({"note_id": id.to_string(), "total_notes": totals.notes, "total_tags": totals.tags})
}

/// After a note was kept.
pub fn added(note: &Note, totals: NoteTotals) -> Reply {
    let text = format!(
        "Saved {} ({}).",
        note.id,
        counted(totals.notes, "note", "notes")
    );
    Reply::new(text, totals_json(note.id, totals))
}

/// After a note was changed.
pub fn updated(note: &Note, totals: NoteTotals) -> Reply {
    Reply::new(
        format!("Updated {}", rendered(note)),
        totals_json(note.id, totals),
    )
}

/// After a note was moved to the project.
pub fn promoted(note: &Note, totals: NoteTotals) -> Reply {
    Reply::new(
        format!("Moved {} to the project.", note.id),
        totals_json(note.id, totals),
    )
}

/// After a note was deleted.
pub fn deleted(id: NoteId, totals: NoteTotals) -> Reply {
    let left = counted(totals.notes, "note", "notes");
    Reply::new(
        format!("Deleted {id} ({left} left)."),
        totals_json(id, totals),
    )
}

/// Notes, newest first.
pub fn listed(found: &FoundNotes, tag: Option<&str>, bound: Bound) -> Reply {
    let tagged = tag
        .map(|tag| format!(" tagged {}", quoted(tag)))
        .unwrap_or_default();
    let fitted = fit(found, bound, tagged.len());
    let head = match found.total {
        0 => format!("No notes{tagged}."),
        _ => format!("{}{tagged}, newest first:", fitted.count_of(found)),
    };
    let mut data = json!({"note_count": found.total, "tag_filter": tag});
    fitted.reply(head, &mut data, found)
}

/// Notes that a search found, best first.
pub fn searched(
    found: &FoundNotes,
    query: Option<&str>,
    tags: &[String],
    matched: Match,
    bound: Bound,
) -> Reply {
    let tagged = match tags {
        [] => String::new(),
        tags => format!(
            " tagged {}",
            tags.iter()
                .map(|tag| quoted(tag))
                .collect::<Vec<_>>()
                .join(" and ")
        ),
    };
    let query = query.filter(|query| !query.is_empty());
    let quote = query.map(quoted).unwrap_or_default();
    let fitted = fit(found, bound, tagged.len() + quote.len());
    let count = fitted.count_of(found);
    let head = match (query, matched) {
        _ if found.total == 0 && query.is_some() => {
            format!("No note{tagged} has {quote} or its words.")
        }
        _ if found.total == 0 => format!("No notes{tagged}."),
        (Some(_), Match::Substring) => format!("{count}{tagged} with {quote}:"),
        (Some(_), Match::Words) => {
            format!("None{tagged} has {quote} as it stands; {count} with its words:")
        }
        (None, _) => format!("{count}{tagged}, newest first:"),
    };
    let matched = match matched {
        Match::Substring => "substring",
        Match::Words => "words",
    };
    let mut data =
        json!({"result_count": found.total, "query": query, "tags": tags, "match": matched});
    fitted.reply(head, &mut data, found)
}

/// All tags with their counts.
pub fn tags_listed(tags: &[TagCount], bound: Bound) -> Reply {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for TagCount { tag, count } in tags {
        let line = format!("{tag} {count}");
        bytes += line.len() + 1;
        if bound == Bound::Window && bytes > MAX_ANSWER_BYTES - TAIL_BYTES {
            break;
        }
        lines.push(line);
    }
    let left = tags.len() - lines.len();
    if tags.is_empty() {
        lines.push("No tags.".to_owned());
    }
    if left > 0 {
        lines.push(format!(
            "{} left out: this answer is full. search_notes finds by them all the same.",
            counted(left, "tag", "tags")
        ));
    }
    let shown: Vec<Value> = tags
        .iter()
        .take(tags.len() - left)
        .map(|TagCount { tag, count }| json!({"tag": tag, "count": count}))
        .collect();
    let mut data = json!({"tags": shown});
    if left > 0 {
        put(&mut data, "left_out", json!(left));
    }
    Reply::new(lines.join("\n"), data)
}

/// Room for the line about what is not in an answer.
const TAIL_BYTES: usize = 300;
/// Room for the line that says what an answer is, less what it quotes.
const HEAD_BYTES: usize = 100;

/// The notes of an answer that fit in it.
struct Fitted<'a> {
    shown: Vec<(&'a Note, String)>,
    too_large: Vec<NoteId>,
}

/// Takes the notes that fit, in their order; one that does not is passed over, not those behind it.
///
/// If not even one fits, the first is shown in part.
fn fit(found: &FoundNotes, bound: Bound, quoted_bytes: usize) -> Fitted<'_> {
    let room = match bound {
        Bound::Window => MAX_ANSWER_BYTES - HEAD_BYTES - TAIL_BYTES - quoted_bytes,
        Bound::None => usize::MAX,
    };
    let mut fitted = Fitted {
        shown: Vec::new(),
        too_large: Vec::new(),
    };
    let mut bytes = 0;
    for note in &found.notes {
        let text = rendered(note);
        if bytes + text.len() + 2 > room {
            fitted.too_large.push(note.id);
            continue;
        }
        bytes += text.len() + 2;
        fitted.shown.push((note, text));
    }
    if let (true, Some(note)) = (fitted.shown.is_empty(), found.notes.first()) {
        let text = rendered(note);
        let end = text.floor_char_boundary(room.saturating_sub(100));
        let part = text.get(..end).unwrap_or_default();
        let text = format!(
            "{part}\n… {} more bytes of this note: `note export` has all.",
            grouped(text.len() - end)
        );
        fitted.too_large.retain(|id| *id != note.id);
        fitted.shown.push((note, text));
    }
    fitted
}

impl Fitted<'_> {
    /// `3 notes`, or `20 of 134 notes`.
    fn count_of(&self, found: &FoundNotes) -> String {
        let all = counted(found.total, "note", "notes");
        if self.shown.len() < found.total {
            format!("{} of {all}", grouped(self.shown.len()))
        } else {
            all
        }
    }

    fn reply(&self, head: String, data: &mut Value, found: &FoundNotes) -> Reply {
        let mut parts = vec![head];
        parts.extend(self.shown.iter().map(|(_, text)| text.clone()));
        if !self.too_large.is_empty() {
            let ids: Vec<String> = self
                .too_large
                .iter()
                .take(5)
                .map(NoteId::to_string)
                .collect();
            let more = if self.too_large.len() > ids.len() {
                ", …"
            } else {
                ""
            };
            parts.push(format!(
                "{} left out, this answer is full ({} bytes at most): {}{more}. Search for less, or by tag.",
                counted(self.too_large.len(), "note", "notes"),
                grouped(MAX_ANSWER_BYTES),
                ids.join(", ")
            ));
            put(data, "left_out", json!(self.too_large.len()));
        } else if found.notes.len() < found.total {
            parts.push(format!(
                "{} more: a larger `limit`, or search by text or tag.",
                grouped(found.total - found.notes.len())
            ));
        }
        let notes: Vec<Value> = self.shown.iter().map(|(note, _)| note_json(note)).collect();
        put(data, "notes", Value::Array(notes));
        Reply::new(parts.join("\n\n"), data.take())
    }
}

fn put(data: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = data {
        fields.insert(name.to_owned(), value);
    }
}

/// A note as agents read it: a line with its id, scope and tags, then its text.
fn rendered(note: &Note) -> String {
    let tags = match note.tags.as_slice() {
        [] => String::new(),
        tags => format!(" [{}]", tags.join(", ")),
    };
    let author = match note.author.as_str() {
        "" => String::new(),
        author => format!(" by {}", shortened(&one_line(author), 80)),
    };
    format!(
        "{} {}{tags}{author}\n{}",
        note.id,
        note.scope.name(),
        neutralised(&note.content)
    )
}

/// The text with lines that look like the head of another note indented by one space.
fn neutralised(content: &str) -> String {
    if !content.contains("note_") {
        return content.to_owned();
    }
    content
        .split_inclusive('\n')
        .map(|line| {
            let forged = line
                .strip_prefix("note_")
                .is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()));
            if forged {
                format!(" {line}")
            } else {
                line.to_owned()
            }
        })
        .collect()
}

/// A note as data.
pub fn note_json(note: &Note) -> Value {
    let mut data = json!({
        "id": note.id.to_string(),
        "scope": note.scope.name(),
        "content": note.content,
        "tags": note.tags,
        "created": note.created,
        "updated": note.updated,
    });
    if !note.author.is_empty() {
        put(&mut data, "author", json!(note.author));
    }
    data
}

/// A query or tag in quotes: on one line, and never the whole of a long one.
fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(&one_line(text), 60))
}
