//! Deleting what belongs to a session or a project.

use super::Scopes;
use crate::model::error::Result;
use crate::model::id::{Millis, SessionId};
use crate::model::note::Scope;

/// What went with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletedSession {
    pub revisions: usize,
    pub notes: usize,
    /// The outputs that only this session kept, and their bytes.
    pub outputs: usize,
    pub bytes: u64,
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
}
