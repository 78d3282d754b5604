//! Sources of notes.

use super::Scopes;
use crate::model::error::Result;
use crate::model::note::NoteId;
use crate::model::note::source::Source;

/// Stores the sources of notes. They go with their note.
pub trait Sources: Send + Sync {
    /// Replaces the sources of a note, if it exists.
    fn put_sources(&self, note: NoteId, sources: &[Source]) -> Result<()>;

    /// The sources of these notes, in the order of the notes.
    fn sources(&self, notes: &[NoteId]) -> Result<Vec<(NoteId, Source)>>;

    /// The sources of all visible notes, the newest notes first.
    fn visible_sources(&self, scopes: Scopes<'_>, limit: usize) -> Result<Vec<(NoteId, Source)>>;
}
