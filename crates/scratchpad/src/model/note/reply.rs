//! Replies of the note tools: short and bounded texts, and the same as structured content.

use serde_json::{Value, json};

use super::{Note, NoteId};
use crate::model::reply::Reply;
use crate::model::text::bytes::one_line;
use crate::model::text::message::{Message, counted, message, number};
use crate::model::text::quantity::{grouped, shortened};

/// The most bytes of an answer that lists notes.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// The size limit of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// For an agent's context window: [`MAX_ANSWER_BYTES`].
    Window,
    /// Unlimited, for a program.
    None,
}

/// How many notes and tags are visible after a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoteTotals {
    /// Of the session and its project.
    pub notes: usize,
    /// Distinct tags on these notes.
    pub tags: usize,
}

/// How a search matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The notes contain the query.
    Substring,
    /// No note contains the query; in these, each of its words starts a word.
    Words,
}

/// The notes that were found, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNotes {
    /// How many were found in all.
    pub total: usize,
    /// The first of them.
    pub notes: Vec<Note>,
}

/// A tag, with the number of notes that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCount {
    /// In one of the spellings it was typed in.
    pub tag: String,
    pub count: usize,
}

fn totals_json(id: NoteId, totals: NoteTotals) -> Value {
    json!({"note_id": id.to_string(), "total_notes": totals.notes, "total_tags": totals.tags})
}

/// The reply after a note was added.
pub fn added(note: &Note, totals: NoteTotals) -> Reply {
    let text = message!(
        "Saved {id} ({count}).",
        id = note.id.to_string(),
        count = notes(totals.notes)
    );
    Reply::new(text, totals_json(note.id, totals))
}

/// The reply after a note was updated.
pub fn updated(note: &Note, totals: NoteTotals) -> Reply {
    Reply::new(
        message!("Updated {note}", note = rendered(note)),
        totals_json(note.id, totals),
    )
}

/// The reply after a note was moved to the project.
pub fn promoted(note: &Note, totals: NoteTotals) -> Reply {
    Reply::new(
        message!("Moved {id} to the project.", id = note.id.to_string()),
        totals_json(note.id, totals),
    )
}

/// The reply after a note was deleted.
pub fn deleted(id: NoteId, totals: NoteTotals) -> Reply {
    let left = notes(totals.notes);
    Reply::new(
        message!(
            "Deleted {id} ({count} left).",
            id = id.to_string(),
            count = left
        ),
        totals_json(id, totals),
    )
}

/// Lists notes, newest first.
pub fn listed(found: &FoundNotes, tag: Option<&str>, bound: Bound) -> Reply {
    let tags = tag.map(|tag| Message::from(quoted(tag)));
    let fitted = fit(found, bound, bytes_of(tags.as_ref()));
    let head = fitted.newest(found, tags);
    let mut data = json!({"note_count": found.total, "tag_filter": tag});
    fitted.reply(head, &mut data, found)
}

/// Lists the notes that a search found, best first.
pub fn searched(
    found: &FoundNotes,
    query: Option<&str>,
    tags: &[String],
    matched: Match,
    bound: Bound,
) -> Reply {
    let tagged = all_of(tags);
    let query = query.filter(|query| !query.is_empty());
    let quote = query.map(quoted).unwrap_or_default();
    let fitted = fit(found, bound, bytes_of(tagged.as_ref()) + quote.len());
    let head = match query {
        Some(_) => fitted.matching(found, quote, tagged, matched),
        None => fitted.newest(found, tagged),
    };
    let matched = match matched {
        Match::Substring => "substring",
        Match::Words => "words",
    };
    let mut data =
        json!({"result_count": found.total, "query": query, "tags": tags, "match": matched});
    fitted.reply(head, &mut data, found)
}

/// Lists all tags with their counts.
pub fn tags_listed(tags: &[TagCount], bound: Bound) -> Reply {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for TagCount { tag, count } in tags {
        let line = format!("{tag} {count}");
        bytes += line.len() + 1;
        if bound == Bound::Window && bytes > MAX_ANSWER_BYTES - TAIL_BYTES {
            break;
        }
        lines.push(Message::from(line));
    }
    let left = tags.len() - lines.len();
    if tags.is_empty() {
        lines.push("No tags.".into());
    }
    if left > 0 {
        lines.push(message!(
            "{count} left out: this answer is full. search_notes still finds notes by them.",
            count = counted(left, "{number} tag", "{number} tags")
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
    Reply::new(Message::joined(lines, "\n"), data)
}

/// Reserved for the line that says what was left out.
const TAIL_BYTES: usize = 300;
/// Reserved for the first line, without the texts it quotes.
const HEAD_BYTES: usize = 100;

fn notes(number: usize) -> Message {
    counted(number, "{number} note", "{number} notes")
}

/// The bytes it takes to name these tags.
fn bytes_of(tags: Option<&Message>) -> usize {
    tags.map_or(0, |tags| " tagged ".len() + tags.english().len())
}

/// The tags of a search as text, like `"a" and "b"`; `None` if it has none.
fn all_of(tags: &[String]) -> Option<Message> {
    let mut tags = tags.iter().map(|tag| Message::from(quoted(tag)));
    let first = tags.next()?;
    Some(tags.fold(first, |before, tag| {
        message!("{before} and {tag}", before, tag)
    }))
}

/// The notes that fit into an answer.
struct Fitted<'a> {
    shown: Vec<(&'a Note, String)>,
    too_large: Vec<NoteId>,
}

/// Takes the notes that fit, in order; skips one that does not, but not the ones after it.
///
/// If none fits, a part of the first is shown.
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
    fn count_of(&self, found: &FoundNotes) -> Message {
        let all = notes(found.total);
        if self.shown.len() < found.total {
            message!("{shown} of {all}", shown = number(self.shown.len()), all)
        } else {
            all
        }
    }

    /// The first line of an answer without a query.
    fn newest(&self, found: &FoundNotes, tags: Option<Message>) -> Message {
        let count = self.count_of(found);
        match tags {
            None if found.total == 0 => "No notes.".into(),
            Some(tags) if found.total == 0 => message!("No notes tagged {tags}.", tags),
            None => message!("{count}, newest first:", count),
            Some(tags) => message!("{count} tagged {tags}, newest first:", count, tags),
        }
    }

    /// The first line of an answer to a query.
    fn matching(
        &self,
        found: &FoundNotes,
        query: String,
        tags: Option<Message>,
        matched: Match,
    ) -> Message {
        let count = self.count_of(found);
        match (tags, matched) {
            (None, _) if found.total == 0 => {
                message!("No note contains {query} or its words.", query)
            }
            (Some(tags), _) if found.total == 0 => {
                message!(
                    "No note tagged {tags} contains {query} or its words.",
                    tags,
                    query
                )
            }
            (None, Match::Substring) => message!("{count} with {query}:", count, query),
            (Some(tags), Match::Substring) => {
                message!("{count} tagged {tags} with {query}:", count, tags, query)
            }
            (None, Match::Words) => message!(
                "None contains {query} exactly; {count} with its words:",
                query,
                count
            ),
            (Some(tags), Match::Words) => message!(
                "None tagged {tags} contains {query} exactly; {count} with its words:",
                tags,
                query,
                count
            ),
        }
    }

    fn reply(&self, head: Message, data: &mut Value, found: &FoundNotes) -> Reply {
        let mut parts = vec![head];
        parts.extend(
            self.shown
                .iter()
                .map(|(_, text)| Message::from(text.clone())),
        );
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
            parts.push(message!(
                "{count} left out, this answer is full ({bytes} bytes at most): {ids}. Narrow the search, or use a tag.",
                count = notes(self.too_large.len()),
                bytes = number(MAX_ANSWER_BYTES),
                ids = ids.join(", ") + more
            ));
            put(data, "left_out", json!(self.too_large.len()));
        } else if found.notes.len() < found.total {
            parts.push(message!(
                "{number} more: a larger `limit`, or search by text or tag.",
                number = number(found.total - found.notes.len())
            ));
        }
        let notes: Vec<Value> = self.shown.iter().map(|(note, _)| note_json(note)).collect();
        put(data, "notes", Value::Array(notes));
        Reply::new(Message::joined(parts, "\n\n"), data.take())
    }
}

fn put(data: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = data {
        fields.insert(name.to_owned(), value);
    }
}

/// A note for agents: a line with its id, scope and tags, then its text.
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

/// Indents lines that look like the first line of another note by one space.
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

/// A note as JSON.
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

/// Quotes a query or tag on one line, shortened if it is long.
fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(&one_line(text), 60))
}
