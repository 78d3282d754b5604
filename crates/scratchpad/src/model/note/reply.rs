//! Replies of the note tools: short and bounded texts, and the same as structured content.

use serde_json::{Value, json};

use super::page::FoundNotes;
use super::source::{JudgedSource, Verdict, remark};
use super::{Note, NoteId, Scope};
use crate::model::id::Millis;
use crate::model::reply::Reply;
use crate::model::text::bytes::one_line;
use crate::model::text::imitation::{Ours, indented};
use crate::model::text::message::{Message, counted, message, number};
use crate::model::text::quantity::{grouped, shortened};

/// The most bytes of an answer that lists notes.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// Who reads an answer: how large it may be, and how it says times and the way to the next page.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// An agent, for whose window [`MAX_ANSWER_BYTES`] are the limit. Reads dates, in UTC.
    Agent,
    /// A person at the command line. Reads times as this function writes them.
    Person(fn(Millis) -> String),
}

impl Reader {
    fn max_bytes(self) -> usize {
        match self {
            Self::Agent => MAX_ANSWER_BYTES,
            Self::Person(_) => usize::MAX,
        }
    }

    fn moment(self, at: Millis) -> String {
        match self {
            Self::Agent => date(at),
            Self::Person(moment) => moment(at),
        }
    }
}

fn date(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(
        |_| "-".to_owned(),
        |time| time.strftime("%Y-%m-%d").to_string(),
    )
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
    /// The query is this note's id.
    Id,
    /// The notes contain the query.
    Substring,
    /// No note contains the query; in these, each of its words starts a word.
    Words,
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
    let (id, counts) = (note.id.to_string(), counts(totals));
    let text = match note.scope {
        Scope::Session => message!("Saved {id} ({counts}).", id, counts),
        Scope::Project => message!("Saved {id} to the project ({counts}).", id, counts),
    };
    Reply::new(text, totals_json(note.id, totals))
}

/// The reply after a note was updated.
pub fn updated(note: &Note, totals: NoteTotals, reader: Reader) -> Reply {
    let text = message!(
        "Updated ({counts}):\n{note}",
        counts = counts(totals),
        note = rendered(note, reader)
    );
    Reply::new(text, totals_json(note.id, totals))
}

/// The reply after a note was moved to the project.
pub fn promoted(note: &Note, totals: NoteTotals) -> Reply {
    let text = message!(
        "Moved {id} to the project ({counts}).",
        id = note.id.to_string(),
        counts = counts(totals)
    );
    Reply::new(text, totals_json(note.id, totals))
}

/// The reply after a note was deleted.
pub fn deleted(id: NoteId, totals: NoteTotals) -> Reply {
    let text = message!(
        "Deleted {id} ({counts} left).",
        id = id.to_string(),
        counts = counts(totals)
    );
    Reply::new(text, totals_json(id, totals))
}

/// Lists notes, newest first.
pub fn listed(found: &FoundNotes, tag: Option<&str>, reader: Reader) -> Reply {
    let tags = tag.map(|tag| Message::from(quoted(tag)));
    let fitted = fit(found, reader, bytes_of(tags.as_ref()));
    let head = fitted.newest(found, tags);
    let mut data = json!({"note_count": found.total, "tag_filter": tag});
    fitted.reply(head, &mut data, reader)
}

/// Lists the notes that a search found, best first.
pub fn searched(
    found: &FoundNotes,
    query: Option<&str>,
    tags: &[String],
    matched: Match,
    reader: Reader,
) -> Reply {
    let tagged = all_of(tags);
    let query = query.filter(|query| !query.is_empty());
    let quote = query.map(quoted).unwrap_or_default();
    let fitted = match matched {
        // Asked for by its id, a note comes whole: there is no other way to all of it.
        Match::Id => Fitted::whole(found, reader),
        _ => fit(found, reader, bytes_of(tagged.as_ref()) + quote.len()),
    };
    let head = match query {
        Some(_) => fitted.matching(found, quote, tagged, matched),
        None => fitted.newest(found, tagged),
    };
    let matched = match matched {
        Match::Id | Match::Substring => "substring",
        Match::Words => "words",
    };
    let mut data =
        json!({"result_count": found.total, "query": query, "tags": tags, "match": matched});
    fitted.reply(head, &mut data, reader)
}

/// Lists all tags with their counts.
pub fn tags_listed(tags: &[TagCount], reader: Reader) -> Reply {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for TagCount { tag, count } in tags {
        let line = format!("{tag} {count}");
        bytes += line.len() + 1;
        if bytes > reader.max_bytes() - TAIL_BYTES {
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

fn counts(totals: NoteTotals) -> Message {
    message!(
        "{notes}, {tags}",
        notes = notes(totals.notes),
        tags = counted(totals.tags, "{number} tag", "{number} tags")
    )
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

/// The notes that fit into an answer: the first of those that were found, so that the next page goes on after them.
struct Fitted<'a> {
    found: &'a FoundNotes,
    shown: Vec<(&'a Note, Message)>,
}

/// Takes the notes that fit, in order. If the first does not fit, a part of it is shown.
fn fit(found: &FoundNotes, reader: Reader, quoted_bytes: usize) -> Fitted<'_> {
    let room = reader.max_bytes() - HEAD_BYTES - TAIL_BYTES - quoted_bytes;
    let mut fitted = Fitted::whole(found, reader);
    let mut bytes = 0_usize;
    let fits = fitted.shown.iter().take_while(|(_, text)| {
        bytes = bytes.saturating_add(text.english().len() + 2);
        bytes <= room
    });
    let fits = fits.count();
    fitted.shown.truncate(fits.max(1));
    if let (0, Some((note, text))) = (fits, fitted.shown.first_mut()) {
        let whole = text.english();
        let end = whole.floor_char_boundary(room.saturating_sub(120));
        let part = whole.get(..end).unwrap_or_default();
        let left = grouped(whole.len() - end);
        *text = format!(
            "{part}\n… {left} more bytes of this note: search for {} to get all of it.",
            note.id
        )
        .into();
    }
    fitted
}

impl<'a> Fitted<'a> {
    fn whole(found: &'a FoundNotes, reader: Reader) -> Self {
        let shown = found.notes.iter();
        Self {
            found,
            shown: shown.map(|note| (note, rendered(note, reader))).collect(),
        }
    }

    /// The note after which the next page begins, if there is one.
    fn next(&self) -> Option<NoteId> {
        let has_more = self.found.has_more || self.shown.len() < self.found.notes.len();
        let (last, _) = self.shown.last().filter(|_| has_more)?;
        Some(last.id)
    }

    /// `3 notes`, `20 of 134 notes`, or on a later page `20 more of 134 notes`.
    fn count_of(&self, found: &FoundNotes) -> Message {
        let all = notes(found.total);
        let shown = number(self.shown.len());
        if found.after.is_some() {
            message!("{shown} more of {all}", shown, all)
        } else if self.shown.len() < found.total {
            message!("{shown} of {all}", shown, all)
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
            (None, Match::Id | Match::Substring) => message!("{count} with {query}:", count, query),
            (Some(tags), Match::Id | Match::Substring) => {
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

    fn reply(&self, head: Message, data: &mut Value, reader: Reader) -> Reply {
        let mut parts = vec![head];
        parts.extend(self.shown.iter().map(|(_, text)| text.clone()));
        if let Some(id) = self.next() {
            let id = id.to_string();
            put(data, "next_before", json!(id));
            parts.push(match reader {
                Reader::Agent => more(id),
                Reader::Person(_) => {
                    message!("More: --before {id}, a larger --limit, or --all.", id)
                }
            });
        }
        let notes: Vec<Value> = self.shown.iter().map(|(note, _)| note_json(note)).collect();
        put(data, "notes", Value::Array(notes));
        Reply::new(Message::joined(parts, "\n\n"), data.take())
    }
}

/// How an agent gets the next page, if the data of a reply names one.
pub fn next_page(data: &Value) -> Option<Message> {
    let id = data.get("next_before")?.as_str()?;
    Some(more(id.to_owned()))
}

fn more(id: String) -> Message {
    message!("More: the same call with `before` \"{id}\".", id)
}

fn put(data: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = data {
        fields.insert(name.to_owned(), value);
    }
}

/// How the first line of a note begins.
const HEAD: Ours = Ours::before_digit("note_");

/// A note as text: a line with its id, scope, tags and times, then its content.
fn rendered(note: &Note, reader: Reader) -> Message {
    let tags = match note.tags.as_slice() {
        [] => String::new(),
        // Older versions took tags with any character.
        tags => format!(" [{}]", one_line(&tags.join(", "))),
    };
    let (created, updated) = (reader.moment(note.created), reader.moment(note.updated));
    let times = if created == updated {
        created.into()
    } else {
        message!("{created}, updated {updated}", created, updated)
    };
    let author = match note.author.as_str() {
        "" => String::new(),
        author => format!(" by {}", shortened(&one_line(author), 80)),
    };
    let head = format!("{} {}{tags} ", note.id, note.scope.name());
    let content = format!(
        "{author}{}\n{}",
        sources_of(note),
        indented(&note.content, &[HEAD])
    );
    Message::joined([head.into(), times, content.into()], "")
}

/// What became of a note's sources, in brackets; nothing if they are as they were.
fn sources_of(note: &Note) -> String {
    let remarks: Vec<String> = note.sources.iter().filter_map(remark).collect();
    if remarks.is_empty() {
        return String::new();
    }
    format!(" ({})", one_line(&remarks.join("; ")))
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
    if !note.sources.is_empty() {
        let sources = note.sources.iter().map(source_json);
        put(&mut data, "sources", Value::Array(sources.collect()));
    }
    if !note.author.is_empty() {
        put(&mut data, "author", json!(note.author));
    }
    data
}

/// A source as JSON.
pub fn source_json(source: &JudgedSource) -> Value {
    let mut data = json!({
        "path": source.span.path,
        "first": source.span.first,
        "last": source.span.last,
        "now": source.verdict.name(),
    });
    if let Verdict::Moved(line) = source.verdict {
        put(&mut data, "line", json!(line));
    }
    if let Some(file) = &source.file {
        put(&mut data, "file", json!(file));
    }
    if !source.branch.is_empty() {
        put(&mut data, "branch", json!(source.branch));
    }
    data
}

/// Quotes a query or tag on one line, shortened if it is long.
fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(&one_line(text), 60))
}
