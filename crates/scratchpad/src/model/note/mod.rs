//! Notes: tagged, searchable, and stored with a session or its project.

pub mod jsonl;
pub mod page;
pub mod reply;
pub mod search;
pub mod source;
pub mod start;
pub mod tool;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::id::Millis;
use super::json::whole::Whole;
use super::text::imitation::{ends_line, is_invisible};
use super::text::quantity::shortened;
use crate::model::text::message::{message, number, quoted};
use search::fold;
use source::JudgedSource;

/// The most characters in one tag.
pub const MAX_TAG_CHARS: usize = 100;

/// The id of a note: `note_` and the millisecond of its creation, or the next free one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NoteId(pub Millis);

impl NoteId {
    /// Parses an id.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = text.trim().strip_prefix("note_").unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Error::refused(message!(
                "{id} is not a note id: an id is note_ and digits.",
                id = quoted(shortened(text, 60))
            ))
            .hint("list_notes and search_notes show the ids."));
        }
        // On overflow, an id that no note has gives the same error as any other unknown id.
        Ok(Self(digits.parse().unwrap_or(Millis::MAX)))
    }

    /// The id that a query is as a whole, if it is one.
    pub fn in_query(query: &str) -> Option<Self> {
        Self::parse(query)
            .ok()
            .filter(|id| id.to_string() == query.trim())
    }
}

impl fmt::Display for NoteId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "note_{}", self.0)
    }
}

/// What a note is stored with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The session: other agents don't see it.
    #[default]
    Session,
    /// The project: later sessions see it too.
    Project,
}

impl Scope {
    /// Both, the default first.
    pub const ALL: [Self; 2] = [Self::Session, Self::Project];

    /// The name used in replies and the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub scope: Scope,
    pub content: String,
    /// As typed.
    pub tags: Vec<String>,
    pub created: Millis,
    pub updated: Millis,
    /// Who last wrote it; empty if the store does not record authors, or if it was you.
    pub author: String,
    /// The lines of files that it speaks of, as far as they were looked at.
    pub sources: Vec<JudgedSource>,
}

/// The limits of notes: the section `notes` of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NoteLimits {
    /// The most characters in one note.
    #[serde(with = "Whole::<1, 100_000>")]
    pub max_chars: usize,
    /// The most tags on one note.
    #[serde(with = "Whole::<1, 100>")]
    pub max_tags: usize,
}

impl Default for NoteLimits {
    fn default() -> Self {
        Self {
            max_chars: 4_000,
            max_tags: 10,
        }
    }
}

/// Refuses an invalid text.
pub fn check_content(content: &str, limits: &NoteLimits) -> Result<()> {
    if content.trim().is_empty() {
        return Err(Error::refused("Note not saved: the content is blank.")
            .hint("give the fact to keep as `content`."));
    }
    let given = content.chars().count();
    if given > limits.max_chars {
        return Err(Error::refused(message!(
            "Note not saved: {given} characters, the limit is {max}.",
            given = number(given),
            max = number(limits.max_chars)
        ))
        .hint("split it into shorter notes."));
    }
    Ok(())
}

/// The tags as typed, without duplicates; refuses an invalid tag.
pub fn checked_tags(tags: &[String], limits: &NoteLimits) -> Result<Vec<String>> {
    if tags.len() > limits.max_tags {
        return Err(Error::refused(message!(
            "Note not saved: {given} tags, the limit is {max}.",
            given = number(tags.len()),
            max = number(limits.max_tags)
        ))
        .hint("keep the tags you will search by."));
    }
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        check_tag(tag)?;
        if !kept.iter().any(|other| fold(other) == fold(tag)) {
            kept.push(tag.clone());
        }
    }
    Ok(kept)
}

fn check_tag(tag: &str) -> Result<()> {
    if tag.trim().is_empty() {
        return Err(Error::refused("Note not saved: a tag is blank.").hint("leave it out."));
    }
    let given = tag.chars().count();
    if given > MAX_TAG_CHARS {
        return Err(Error::refused(message!(
            "Note not saved: a tag has {given} characters, the limit is {max}.",
            given = number(given),
            max = MAX_TAG_CHARS.to_string()
        ))
        .hint("a tag is a word or two: put the rest in the content."));
    }
    if let Some(bad) = tag.chars().find(|char| is_unfit(*char)) {
        return Err(Error::refused(message!(
            "Note not saved: the tag {tag} has the character {bad}, which no tag may have.",
            tag = quoted(tag),
            bad = format!("U+{:04X}", u32::from(bad))
        ))
        .hint("a tag is one line of text."));
    }
    Ok(())
}

/// Characters that no tag may have, because they could make it look like another tag or like more than a tag.
///
/// Joiners and variation selectors are parts of words and emoji.
fn is_unfit(char: char) -> bool {
    let joins = matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    char.is_control() || ends_line(char) || is_invisible(char) && !joins
}

/// The error for an id that no visible note has, with the nearest ids.
pub fn no_such_note(id: NoteId, nearest: &[NoteId]) -> Error {
    let error = Error::not_found(message!(
        "{id} not found here. Nothing was changed.",
        id = id.to_string()
    ));
    if nearest.is_empty() {
        return error.hint("this session and its project have no notes yet.");
    }
    let ids: Vec<String> = nearest.iter().map(NoteId::to_string).collect();
    error.hint(message!("the nearest ids: {ids}.", ids = ids.join(", ")))
}
