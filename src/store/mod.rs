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
use crate::model::pad::{Content, Pad};
use crate::model::revision::{RevisionHead, Write};

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its working memory.
    pub pad: Pad,
    /// The number of its newest revision; 0 before the first write.
    pub revision: u64,
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
}
