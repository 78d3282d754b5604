//! What every engine must do with notes that are read page by page.

use scratchpad::model::error::{ErrorKind, Result};
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::store::{NoteChange, Notes, Scopes};

use super::{Open, id, project};

/// The ids on each page, with the total.
fn pages(limit: usize, find: impl Fn(NotePage) -> Result<FoundNotes>) -> Vec<(usize, Vec<i64>)> {
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = find(NotePage { after, limit }).unwrap();
        let ids: Vec<i64> = page.notes.iter().map(|note| note.id.0).collect();
        assert_eq!(page.after, after);
        after = page.notes.last().map(|note| note.id).or(after);
        pages.push((page.total, ids));
        if !page.has_more {
            return pages;
        }
    }
}

/// A page continues exactly after the note that it names, even if notes are otherwise equal.
pub(crate) fn note_pages_contract(open: Open<'_, dyn Notes>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (session, home) = (id("s"), project("p"));
    let scopes = Scopes {
        session: &session,
        project: &home,
    };
    let tags = ["even".to_owned()];
    // All of one millisecond, in both scopes, so that only ids tell them apart.
    for number in 0..7 {
        let scope = if number % 4 < 2 {
            Scope::Session
        } else {
            Scope::Project
        };
        let tags = if number % 2 == 0 {
            tags.as_slice()
        } else {
            &[]
        };
        let (note, _) = store
            .add_note(scopes, scope, "the same", tags, 100)
            .unwrap();
        assert_eq!(note.id.0, 100 + number);
        let change = NoteChange {
            content: Some("the very same".to_owned()),
            ..NoteChange::default()
        };
        store.change_note(scopes, note.id, &change, 500).unwrap();
    }
    let newest = || pages(3, |page| store.newest_notes(scopes, page));
    assert_eq!(
        newest(),
        [
            (7, vec![106, 105, 104]),
            (7, vec![103, 102, 101]),
            (7, vec![100])
        ]
    );
    let exactly = store.newest_notes(scopes, NotePage::first(7)).unwrap();
    assert!(!exactly.has_more, "a full page is the last one");

    // The same for text, for words, and for a tag.
    let (text, words) = (Matcher::text("SAME"), Matcher::words("same ver").unwrap());
    for matcher in [&text, &words] {
        let found = pages(3, |page| store.find_notes(scopes, matcher, &[], page));
        assert_eq!(found, newest());
    }
    let everything = Matcher::everything();
    let even = pages(3, |page| store.find_notes(scopes, &everything, &tags, page));
    assert_eq!(even, [(4, vec![106, 104, 102]), (4, vec![100])]);

    // A note that changes moves to the front; continuing after it repeats notes, and skips none.
    let again = NoteChange {
        content: Some("the same, changed".to_owned()),
        ..NoteChange::default()
    };
    store.change_note(scopes, NoteId(104), &again, 600).unwrap();
    let after = |id| NotePage {
        after: Some(NoteId(id)),
        limit: 2,
    };
    let ids =
        |found: FoundNotes| -> Vec<i64> { found.notes.iter().map(|note| note.id.0).collect() };
    assert_eq!(
        ids(store.newest_notes(scopes, after(104)).unwrap()),
        [106, 105]
    );

    // Not even a clock that goes back moves a note behind others.
    store.change_note(scopes, NoteId(105), &again, 1).unwrap();
    assert_eq!(
        ids(store.newest_notes(scopes, after(105)).unwrap()),
        [103, 102]
    );

    // The rank comes first: the changed notes have the word earlier.
    let found = pages(4, |page| store.find_notes(scopes, &text, &[], page));
    assert_eq!(
        found,
        [(7, vec![104, 105, 106, 103]), (7, vec![102, 101, 100])]
    );

    // After the last note there is an empty page; after a note that does not exist or was not found there is none.
    let last = store.newest_notes(scopes, after(100)).unwrap();
    assert_eq!((last.total, last.notes.len(), last.has_more), (7, 0, false));
    store.delete_note(scopes, NoteId(102)).unwrap().unwrap();
    let refused = |found: Result<FoundNotes>| {
        assert_eq!(found.unwrap_err().kind(), ErrorKind::NotFound);
    };
    let of_words = Matcher::words("changed same").unwrap();
    refused(store.newest_notes(scopes, after(102)));
    for matcher in [&text, &words, &everything] {
        refused(store.find_notes(scopes, matcher, &[], after(102)));
    }
    refused(store.find_notes(scopes, &of_words, &[], after(106)));
    refused(store.find_notes(scopes, &everything, &tags, after(105)));
    let stranger = Scopes {
        session: &id("other"),
        project: &home,
    };
    refused(store.newest_notes(stranger, after(100)));

    // If nothing is found at all, no position is required: this is how a search for words starts.
    let nowhere = Matcher::text("nowhere");
    let none = store.find_notes(scopes, &nowhere, &[], after(106)).unwrap();
    assert_eq!((none.total, none.notes.len()), (0, 0));

    // One note by its id.
    let found = store.note(scopes, NoteId(106)).unwrap().unwrap();
    assert_eq!(
        (found.content.as_str(), found.updated),
        ("the very same", 500)
    );
    assert_eq!(store.note(scopes, NoteId(102)).unwrap(), None);
    assert_eq!(store.note(stranger, NoteId(100)).unwrap(), None);
}
