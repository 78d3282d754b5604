//! What the note tools answer: few words, bounded, and the same as data.

use serde_json::{Value, json};

use super::note::{Note, NoteId};
use super::quantity::{counted, grouped, shortened};
use super::tool::Reply;

/// The most bytes of an answer that lists notes.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024;

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
    /// The tag, as it was first typed.
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
pub fn listed(found: &FoundNotes, tag: Option<&str>) -> Reply {
    let tagged = tag
        .map(|tag| format!(" tagged {}", quoted(tag)))
        .unwrap_or_default();
    let head = if found.total == 0 {
        format!("No notes{tagged}.")
    } else {
        format!("{}{tagged}, newest first:", shown_of(found))
    };
    let (text, shown) = bounded(head, found);
    let notes: Vec<Value> = shown.iter().map(note_json).collect();
    Reply::new(
        text,
        json!({"note_count": found.total, "tag_filter": tag, "notes": notes}),
    )
}

/// Notes that a search found, best first.
pub fn searched(found: &FoundNotes, query: Option<&str>, tags: &[String], matched: Match) -> Reply {
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
    let quote = query.map(quoted).unwrap_or_default();
    let head = match (query, matched) {
        _ if found.total == 0 && query.is_some() => {
            format!("No note{tagged} has {quote} or its words.")
        }
        _ if found.total == 0 => format!("No notes{tagged}."),
        (Some(_), Match::Substring) => format!("{}{tagged} with {quote}:", shown_of(found)),
        (Some(_), Match::Words) => {
            format!(
                "None{tagged} has {quote} as it stands; {} with its words:",
                shown_of(found)
            )
        }
        (None, _) => format!("{}{tagged}, newest first:", shown_of(found)),
    };
    let (text, shown) = bounded(head, found);
    let notes: Vec<Value> = shown.iter().map(note_json).collect();
    let matched = match matched {
        Match::Substring => "substring",
        Match::Words => "words",
    };
    Reply::new(
        text,
        json!({
            "result_count": found.total, "query": query, "tags": tags, "match": matched, "notes": notes,
        }),
    )
}

/// All tags with their counts.
pub fn tags_listed(tags: &[TagCount]) -> Reply {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for TagCount { tag, count } in tags {
        let line = format!("{tag} {count}");
        bytes += line.len() + 1;
        if bytes > MAX_ANSWER_BYTES - 100 {
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
            "{} left out: this answer is full.",
            counted(left, "tag", "tags")
        ));
    }
    let shown: Vec<Value> = tags
        .iter()
        .take(tags.len() - left)
        .map(|TagCount { tag, count }| json!({"tag": tag, "count": count}))
        .collect();
    Reply::new(lines.join("\n"), json!({"tags": shown}))
}

/// `3 notes`, or `20 of 134 notes`.
fn shown_of(found: &FoundNotes) -> String {
    let all = counted(found.total, "note", "notes");
    if found.notes.len() < found.total {
        format!("{} of {all}", found.notes.len())
    } else {
        all
    }
}

/// The head and as many notes as fit, with a line about those that are not here.
fn bounded(head: String, found: &FoundNotes) -> (String, &[Note]) {
    /// Enough for the line about what is not here.
    const TAIL: usize = 160;
    let mut parts = vec![head];
    let mut bytes = parts.iter().map(String::len).sum::<usize>() + TAIL;
    let mut fitting = 0;
    for note in &found.notes {
        let text = rendered(note);
        bytes += text.len() + 2;
        if bytes > MAX_ANSWER_BYTES {
            break;
        }
        parts.push(text);
        fitting += 1;
    }
    let left = found.notes.len() - fitting;
    if left > 0 {
        parts.push(format!(
            "{} left out: this answer is full ({} bytes at most). Narrow the search.",
            counted(left, "note", "notes"),
            grouped(MAX_ANSWER_BYTES)
        ));
    } else if found.notes.len() < found.total {
        parts.push(format!(
            "{} more: a larger `limit`, or narrow the search.",
            grouped(found.total - found.notes.len())
        ));
    }
    (
        parts.join("\n\n"),
        found.notes.get(..fitting).unwrap_or_default(),
    )
}

/// A note as agents read it: a line with its id, scope and tags, then its text.
fn rendered(note: &Note) -> String {
    let tags = match note.tags.as_slice() {
        [] => String::new(),
        tags => format!(" [{}]", tags.join(", ")),
    };
    format!(
        "{} {}{tags}\n{}",
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
    json!({
        "id": note.id.to_string(),
        "scope": note.scope.name(),
        "content": note.content,
        "tags": note.tags,
        "created": note.created,
        "updated": note.updated,
    })
}

/// A query or tag in quotes, never the whole of a long one.
fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text, 60))
}
