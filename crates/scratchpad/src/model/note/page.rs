//! Which part of a long list of notes is wanted, and what was found of it.

use super::{Note, NoteId};
use crate::model::error::Error;
use crate::model::text::message::message;

/// A part of the notes that are found, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotePage {
    /// Only notes after the place that this note has now.
    ///
    /// A note that changes moves to the front of a list, never back: going on after any note of a list repeats notes at
    /// worst, but leaves out none that did not change.
    pub after: Option<NoteId>,
    pub limit: usize,
}

impl NotePage {
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// How many notes an engine should look up: one more than the page has, to see whether there are more.
    pub fn and_one_more(self) -> usize {
        self.limit.saturating_add(1)
    }
}

/// The notes that were found, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNotes {
    /// How many were found in all, on every page.
    pub total: usize,
    /// Those of this page.
    pub notes: Vec<Note>,
    /// The note after which this page begins.
    pub after: Option<NoteId>,
    /// Whether there are notes after this page.
    pub has_more: bool,
}

impl FoundNotes {
    /// A page of them, given [`NotePage::and_one_more`] notes or all there are.
    pub fn new(total: usize, mut notes: Vec<Note>, page: NotePage) -> Self {
        let has_more = notes.len() > page.limit;
        notes.truncate(page.limit);
        Self {
            total,
            notes,
            after: page.after,
            has_more,
        }
    }
}

/// The error for a page that begins after a note that is not found.
pub fn no_such_place(after: NoteId) -> Error {
    Error::not_found(message!(
        "{id} is not among these notes (any more), so no page begins after it.",
        id = after.to_string()
    ))
    .hint("repeat the call without `before`.")
}
