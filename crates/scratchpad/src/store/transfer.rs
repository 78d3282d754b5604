//! Everything that an engine keeps, one page after the other, and how another takes it in.
//!
//! What hooks know is left out: it is about processes of one machine, and they find it out again.

use super::SessionHead;
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::note::{Note, NoteId};
use crate::model::output::Kind;
use crate::model::pad::Content;
use crate::model::pad::revision::RevisionHead;

/// A revision with what it holds.
pub type Revision = (RevisionHead, Content);

/// A note, and the name of the session or the project that it is kept with.
pub type HomedNote = (String, Note);

/// An output with all who keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeOutput {
    /// Its id.
    pub id: OutputId,
    /// The SHA-256 of its content, as 64 hex digits.
    pub sha256: String,
    /// The size of its content.
    pub bytes: u64,
    /// How many lines that has.
    pub lines: u64,
    /// What kind of text it is.
    pub kind: Kind,
    /// When it was last kept or read.
    pub used: Millis,
    /// Who keeps it, oldest first.
    pub keeps: Vec<Keep>,
}

/// That somebody keeps an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The session that does.
    pub session: SessionId,
    /// The project whose sessions may find it; empty where only the session may.
    pub project: String,
    /// What made it.
    pub tool: String,
    /// Who kept it; empty where the store does not say.
    pub author: String,
    /// When last.
    pub kept: Millis,
}

/// How much an engine keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Sessions.
    pub sessions: u64,
    /// Their revisions.
    pub revisions: u64,
    /// Notes.
    pub notes: u64,
    /// Outputs.
    pub outputs: u64,
    /// What outputs hold.
    pub bytes: u64,
}

/// Gives out all it has, and takes in what another gives. Pages are in the order of ids.
///
/// What is taken in is durable when that is answered, and to take the same in again changes nothing.
pub trait Transfer: Send + Sync {
    /// What tells this store from all others, by whatever URL it was opened.
    fn place(&self) -> Result<String>;

    /// How much there is.
    fn holdings(&self) -> Result<Holdings>;

    /// The sessions after an id.
    fn sessions_after(&self, after: &str, limit: usize) -> Result<Vec<SessionHead>>;

    /// The revisions of a session after a number.
    fn revisions_after(&self, id: &SessionId, after: u64, limit: usize) -> Result<Vec<Revision>>;

    /// Makes the session if need be, and adds those of its revisions that come next. Its pad is what they make it.
    fn take_revisions(&self, session: &SessionHead, revisions: &[Revision]) -> Result<()>;

    /// The notes of everybody after an id.
    fn notes_after(&self, after: NoteId, limit: usize) -> Result<Vec<HomedNote>>;

    /// Those of these notes that are there, whoever sees them.
    fn notes_numbered(&self, ids: &[NoteId]) -> Result<Vec<HomedNote>>;

    /// Whether a note is there with this home, text, tags and time, under whatever id.
    fn has_note_like(&self, note: &HomedNote) -> Result<bool>;

    /// Adds notes, each under its own id where that is free, else under the next one from `at` on.
    fn take_notes(&self, notes: &[HomedNote], at: Millis) -> Result<()>;

    /// The outputs after an id; those that are known to be damaged are left out.
    fn outputs_after(&self, after: &str, limit: usize) -> Result<Vec<WholeOutput>>;

    /// Remembers who keeps an output and when it was used, if its content is there; whether it is.
    fn take_keeps(&self, output: &WholeOutput) -> Result<bool>;

    /// The outputs that are not there any more, and when each was removed.
    fn removed_outputs(&self) -> Result<Vec<(OutputId, Millis)>>;

    /// Remembers that these are not there any more, where that is so.
    fn take_removed(&self, removed: &[(OutputId, Millis)]) -> Result<()>;
}
