//! Pinned notes, which every conversation of their project is given.

use super::Scopes;
use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::note::{Note, NoteId};

/// Stores which notes are pinned. A note that is deleted is pinned no more.
pub trait Pins: Send + Sync {
    /// Pins a visible note, since this time, or unpins it; returns whether there is such a note. A pinned note stays pinned
    /// since when it was.
    fn pin(&self, scopes: Scopes<'_>, id: NoteId, since: Option<Millis>) -> Result<bool>;

    /// The visible notes that are pinned, in the order in which they were.
    fn pinned(&self, scopes: Scopes<'_>) -> Result<Vec<Note>>;
}
