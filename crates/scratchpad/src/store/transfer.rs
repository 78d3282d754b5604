//! Exporting everything that an engine stores, page by page, and importing it into another.
//!
//! Hook state and bindings are left out: they are about processes of one machine, and hooks restore them.

use std::sync::Arc;

use super::{SessionHead, Store};
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::note::source::Source;
use crate::model::note::{Note, NoteId};
use crate::model::output::Kind;
use crate::model::pad::Content;
use crate::model::pad::revision::RevisionHead;

/// A revision and its content.
pub type Revision = (RevisionHead, Content);

/// A note with all that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomedNote {
    /// The name of the session or project that it belongs to.
    pub home: String,
    /// Without what became of its sources.
    pub note: Note,
    /// Since when it is pinned, if it is.
    pub pinned: Option<Millis>,
    pub sources: Vec<Source>,
}

/// An output, with all who keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeOutput {
    pub id: OutputId,
    /// The SHA-256 of its content, as 64 hex digits.
    pub sha256: String,
    pub bytes: u64,
    pub lines: u64,
    pub kind: Kind,
    /// When it was last kept or read.
    pub used: Millis,
    /// What its list shows of it; empty if that is not known.
    pub preview: String,
    /// Who keeps it, oldest first.
    pub keeps: Vec<Keep>,
}

/// A session that keeps an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    pub session: SessionId,
    /// The project whose sessions can see it; empty if only the session can.
    pub project: String,
    /// The tool or command that produced it.
    pub tool: String,
    /// Who kept it; empty if the store does not say.
    pub author: String,
    /// When it was last kept.
    pub kept: Millis,
    /// Whether a revision of the session's pad needs it.
    pub is_pinned: bool,
}

/// How much an engine stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    pub sessions: u64,
    pub revisions: u64,
    pub notes: u64,
    pub outputs: u64,
    /// The total size of the outputs.
    pub bytes: u64,
}

/// The record of a removed output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedOutput {
    pub id: OutputId,
    pub at: Millis,
    /// The hash of its content, unless that is forgotten.
    pub sha256: Option<String>,
}

/// Exports everything, and imports it from another engine. Pages are ordered by id.
///
/// An import is durable when the call returns. Importing the same again changes nothing.
pub trait Transfer: Send + Sync {
    /// Identifies this store, regardless of the URL it was opened with.
    fn place(&self) -> Result<String>;

    /// What the store holds now, whatever is written to it later. Only for the methods of this trait that read.
    fn snapshot(&self) -> Result<Arc<dyn Store>>;

    fn holdings(&self) -> Result<Holdings>;

    fn sessions_after(&self, after: &str, limit: usize) -> Result<Vec<SessionHead>>;

    fn revisions_after(&self, id: &SessionId, after: u64, limit: usize) -> Result<Vec<Revision>>;

    /// Creates the session if needed, and appends those revisions that come next. Its pad is the result.
    fn take_revisions(&self, session: &SessionHead, revisions: &[Revision]) -> Result<()>;

    /// The notes of all scopes after an id.
    fn notes_after(&self, after: NoteId, limit: usize) -> Result<Vec<HomedNote>>;

    /// The notes with these ids, in any scope.
    fn notes_numbered(&self, ids: &[NoteId]) -> Result<Vec<HomedNote>>;

    /// Whether there is a note with the same home, text, tags and creation time, under any id.
    fn has_note_like(&self, note: &HomedNote) -> Result<bool>;

    /// Adds notes, each under its own id if that is free, else under the next free one from `at` on. They are pinned there as
    /// here.
    fn take_notes(&self, notes: &[HomedNote], at: Millis) -> Result<()>;

    /// The outputs after an id, without those marked as damaged.
    fn outputs_after(&self, after: &str, limit: usize) -> Result<Vec<WholeOutput>>;

    /// Records who keeps an output and when it was used, if its content exists; returns whether it does.
    fn take_keeps(&self, output: &WholeOutput) -> Result<bool>;

    fn removed_outputs(&self) -> Result<Vec<RemovedOutput>>;

    /// Records removed outputs, except those that exist here.
    fn take_removed(&self, removed: &[RemovedOutput]) -> Result<()>;
}
