//! A page of a list of notes: what is asked for, and what was found.

use super::{Note, NoteId};
use crate::model::error::Error;
use crate::model::text::message::message;

/// Which part of the found notes is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotePage {
    /// Only notes that come after this one in the list.
    ///
    /// A note that changes moves to the front of a list, never back. Continuing after any note of a list may repeat notes,
    /// but never skips one that did not change.
    pub after: Option<NoteId>,
    pub limit: usize,
}

impl NotePage {
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// The number of notes that an engine should look up: one more than the page has, to see whether there are more.
    pub fn and_one_more(self) -> usize {
        self.limit.saturating_add(1)
    }
}

/// The notes that were found, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNotes {
    /// The number of notes found, on all pages.
    pub total: usize,
    /// The notes of this page.
    pub notes: Vec<Note>,
    /// The note after which this page begins.
    pub after: Option<NoteId>,
    /// Whether there are notes after this page.
    pub has_more: bool,
}

impl FoundNotes {
    /// A page, from [`NotePage::and_one_more`] notes or all of them.
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

/// The error for a page that continues after a note that is not in the list.
pub fn no_such_place(after: NoteId) -> Error {
    Error::not_found(message!(
        "{id} is not among these notes (any more), so no page begins after it.",
        id = after.to_string()
    ))
    .hint("repeat the call without `before`.")
}
