//! Where things are kept: SQL and files, and no rule.
//!
//! The traits speak of sessions and outputs, never of an engine, so that a second engine is a
//! second implementation. `tests/store_contract.rs` says what each must do.

pub mod journal;
pub mod lines;
pub mod private;
pub mod sqlite;

use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::{Note, NoteId, Scope};
use crate::model::note_lines::NoteLine;
use crate::model::note_replies::{FoundNotes, NoteTotals, TagCount};
use crate::model::output::FoundOutputs;
use crate::model::pad::{Content, Pad};
use crate::model::revision::{RevisionHead, Write};
use crate::model::search::Matcher;

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its working memory.
    pub pad: Pad,
    /// The number of its newest revision; 0 before the first write.
    pub revision: u64,
    /// The project it belongs to, where that is known.
    pub project: Option<ProjectId>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHead {
    /// Its id.
    pub id: SessionId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// When it was made.
    pub created: Millis,
    /// When it was last written.
    pub updated: Millis,
    /// The number of its newest revision.
    pub revision: u64,
    /// Its working memory.
    pub pad: Pad,
}

/// One session, seen from inside a change: nobody else writes it meanwhile.
pub trait View {
    /// The session, unless it does not exist yet.
    fn session(&self) -> Option<&Session>;
    /// Its revisions, oldest first.
    fn log(&self) -> Result<Vec<RevisionHead>>;
    /// What a revision holds.
    fn revision(&self, number: u64) -> Result<Option<Content>>;
}

/// Decides, from what is there, what to write. It may run more than once.
pub type Change<'a> = dyn FnMut(&dyn View) -> Result<Vec<Write>> + 'a;

/// Keeps sessions and all their revisions.
pub trait Sessions: Send + Sync {
    /// The session, if it exists.
    fn session(&self, id: &SessionId) -> Result<Option<Session>>;

    /// Its revisions, oldest first; none if it does not exist.
    fn log(&self, id: &SessionId) -> Result<Vec<RevisionHead>>;

    /// What a revision holds, if the session has it.
    fn revision(&self, id: &SessionId, number: u64) -> Result<Option<Content>>;

    /// Makes the session if need be and records what `change` decides, all or nothing.
    ///
    /// Changes of one session happen one after the other, whichever processes make them. When
    /// this answers, what it wrote is durable. Answers the number of the newest revision.
    fn update(
        &self,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64>;

    /// The sessions, last written first: of one project, or all.
    fn sessions(&self, project: Option<&ProjectId>, limit: usize) -> Result<Vec<SessionHead>>;
}

/// A text to keep.
#[derive(Clone, Copy, Debug)]
pub struct OutputDraft<'a> {
    /// The bytes, all of which are kept.
    pub content: &'a [u8],
    /// What made it: a tool, or the action whose text was cut.
    pub tool: &'a str,
    /// The session that kept it.
    pub session: &'a SessionId,
    /// Now.
    pub at: Millis,
}

/// Keeps texts by their content.
pub trait Outputs: Send + Sync {
    /// Keeps a text; the same text again is the same output. When this answers, it is durable.
    fn keep(&self, draft: &OutputDraft<'_>) -> Result<OutputId>;

    /// The kept bytes, exactly.
    fn read(&self, id: &OutputId) -> Result<Option<Vec<u8>>>;

    /// The outputs that a session kept, newest first. What it kept is its own: others ask by id.
    fn outputs(&self, session: &SessionId, limit: usize) -> Result<FoundOutputs>;
}

/// An engine that keeps everything.
pub trait Store: Sessions + Outputs + Notes {}

impl<T: Sessions + Outputs + Notes> Store for T {}

/// Whose notes and outputs are meant: those of a session and of its project.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Its project.
    pub project: &'a ProjectId,
}

/// What to change about a note; what is not given stays.
#[derive(Clone, Debug, Default)]
pub struct NoteChange {
    /// The new text.
    pub content: Option<String>,
    /// The new tags.
    pub tags: Option<Vec<String>>,
    /// What it is kept with from now on.
    pub scope: Option<Scope>,
}

/// Gives the next note to import, or why there is none.
pub type NextNote<'a> = dyn FnMut() -> Result<Option<NoteLine>> + 'a;

/// Keeps notes. Every write answers when it is durable.
pub trait Notes: Send + Sync {
    /// Keeps a note under an id that no other has: this moment, or the next free one.
    fn add_note(
        &self,
        sight: Sight<'_>,
        scope: Scope,
        content: &str,
        tags: &[String],
        at: Millis,
    ) -> Result<(Note, NoteTotals)>;

    /// Changes a note, if it can be seen; a change that changes nothing writes nothing.
    fn change_note(
        &self,
        sight: Sight<'_>,
        id: NoteId,
        change: &NoteChange,
        at: Millis,
    ) -> Result<Option<(Note, NoteTotals)>>;

    /// Deletes a note, if it can be seen.
    fn delete_note(&self, sight: Sight<'_>, id: NoteId) -> Result<Option<NoteTotals>>;

    /// The ids next to this one among the notes that can be seen.
    fn nearest_notes(&self, sight: Sight<'_>, id: NoteId) -> Result<Vec<NoteId>>;

    /// All notes that can be seen, last changed first.
    fn newest_notes(&self, sight: Sight<'_>, limit: usize) -> Result<FoundNotes>;

    /// The notes that match and have all these folded tags, best first, then last changed first,
    /// then highest id first. The order and the total are exact.
    fn find_notes(
        &self,
        sight: Sight<'_>,
        matcher: &Matcher,
        tags: &[String],
        limit: usize,
    ) -> Result<FoundNotes>;

    /// The tags in use on the notes that can be seen, sorted without regard to case.
    fn tags(&self, sight: Sight<'_>) -> Result<Vec<TagCount>>;

    /// Calls `each` with every note of one scope, oldest id first.
    fn each_note(
        &self,
        sight: Sight<'_>,
        scope: Scope,
        each: &mut dyn FnMut(&Note) -> Result<()>,
    ) -> Result<()>;

    /// Adds notes, all or none of them. A note keeps its id where that is free.
    fn import_notes(
        &self,
        sight: Sight<'_>,
        scope: Scope,
        at: Millis,
        next: &mut NextNote<'_>,
    ) -> Result<()>;
}
