//! Deleting what belongs to a session or a project.

use super::Scopes;
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::note::{NoteId, Scope};
use crate::model::text::rewrite::Rewrite;

/// What went with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletedSession {
    pub revisions: usize,
    pub notes: usize,
    /// The outputs that only this session kept, and their bytes.
    pub outputs: usize,
    pub bytes: u64,
}

/// Where a text is kept, outside the content of outputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextPlace {
    /// A pad as it is now.
    Pad(SessionId),
    /// A past revision of a pad.
    Revision(SessionId, u64),
    /// A note, its tags, or the lines of files that it speaks of.
    Note(NoteId),
    /// What hooks know of a session.
    HookState(SessionId),
    /// The preview of an output.
    Preview(OutputId),
}

/// Whether a rewrite is done, or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewriting {
    Look,
    Write,
}

/// What is left of deleted content in the files of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrubbed {
    /// Nothing.
    Clean,
    /// Maybe something: another process was reading all the while.
    InUse,
    /// The files are those of a server, which clears and recycles them in its own time.
    OfServer,
}

/// Deletes for good. Each deletion is one transaction: all of it or nothing.
pub trait Forget: Send + Sync {
    /// Deletes the notes of one scope; returns how many there were.
    fn clear_notes(&self, scopes: Scopes<'_>, scope: Scope) -> Result<usize>;

    /// Deletes a session with its revisions, its notes, what hooks and the ledger know of it, and the outputs that only it keeps. An
    /// output that others keep too stays, but is no longer pinned by this session.
    ///
    /// `None` if there is no such session.
    fn delete_session(&self, session: &SessionId, at: Millis) -> Result<Option<DeletedSession>>;

    /// Rewrites every text of every session, note and hook, in one transaction. Times stay as they are. Returns where
    /// the texts are that change; if it only looks, nothing is written.
    fn rewrite(&self, rewrite: &Rewrite<'_>, how: Rewriting) -> Result<Vec<TextPlace>>;

    /// Clears what deleted content left behind in free space and logs of the files of this store.
    fn scrub(&self) -> Result<Scrubbed>;
}
