//! What every engine must do with notes.

use scratchpad::model::error::Error;
use scratchpad::model::note::jsonl::NoteLine;
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::reply::NoteTotals;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::source::{LineSpan, Source};
use scratchpad::model::note::{Note, NoteId, Scope};
use scratchpad::store::{NoteChange, Notes, Scopes, Store};

use super::{Open, id, project};

/// Pinned notes: of the project and of the session, in the order of their pins, until they are unpinned or deleted.
pub(crate) fn pins_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (one, home, away) = (id("one"), project("home"), project("away"));
    let here = Scopes {
        session: &one,
        project: &home,
    };
    let elsewhere = Scopes {
        session: &one,
        project: &away,
    };
    let add = |text: &str, scope| store.add_note(here, scope, text, &[], 5).unwrap().0.id;
    let [first, second, own] = [
        add("first", Scope::Project),
        add("second", Scope::Project),
        add("own", Scope::Session),
    ];
    let pinned = |scopes| -> Vec<(NoteId, Scope)> {
        let notes = store.pinned(scopes).unwrap();
        notes.iter().map(|note| (note.id, note.scope)).collect()
    };
    // No session is needed for it.
    assert_eq!(store.projects_with_notes().unwrap(), [project("home")]);
    assert_eq!(pinned(here), []);
    assert!(store.pin(here, second, Some(1)).unwrap());
    assert!(store.pin(here, first, Some(2)).unwrap());
    assert!(store.pin(here, own, Some(3)).unwrap());
    // Pinned again, it stays in its place.
    assert!(store.pin(here, second, Some(9)).unwrap());
    let all = [
        (second, Scope::Project),
        (first, Scope::Project),
        (own, Scope::Session),
    ];
    assert_eq!(pinned(here), all);
    assert!(!store.pin(elsewhere, first, None).unwrap());
    assert_eq!(pinned(elsewhere), [(own, Scope::Session)]);
    // A change of a note is no change of its pin.
    let change = NoteChange {
        content: Some("changed".to_owned()),
        ..NoteChange::default()
    };
    store.change_note(here, first, &change, 6).unwrap().unwrap();
    assert_eq!(pinned(here), all);
    assert!(store.pin(here, first, None).unwrap());
    store.delete_note(here, second).unwrap().unwrap();
    assert_eq!(pinned(here), [(own, Scope::Session)]);
    assert!(!store.pin(here, second, Some(1)).unwrap());
}

/// Sources: kept in their order, replaced as a whole, and gone with their note.
pub(crate) fn sources_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (one, home, away) = (id("one"), project("home"), project("away"));
    let here = Scopes {
        session: &one,
        project: &home,
    };
    let elsewhere = Scopes {
        session: &one,
        project: &away,
    };
    let add = |text: &str| {
        store
            .add_note(here, Scope::Project, text, &[], 5)
            .unwrap()
            .0
            .id
    };
    let (first, second) = (add("first"), add("second"));
    let source = |path: &str, line| Source {
        span: LineSpan {
            path: path.to_owned(),
            first: line,
            last: line + 1,
        },
        sha256: "ab".repeat(32),
        text: "a\u{0}\nß".to_owned(),
        branch: "main".to_owned(),
        commit: "c0ffee".to_owned(),
    };
    let (a, b, c) = (source("b.rs", 3), source("a.rs", 1), source("c.rs", 7));
    store.put_sources(first, &[a.clone(), b.clone()]).unwrap();
    store.put_sources(second, std::slice::from_ref(&c)).unwrap();
    let all = [(first, a.clone()), (first, b.clone()), (second, c.clone())];
    assert_eq!(store.sources(&[first, second]).unwrap(), all);
    assert_eq!(store.sources(&[]).unwrap(), []);
    let newest_first = [(second, c.clone()), (first, a), (first, b.clone())];
    assert_eq!(store.visible_sources(here, 10).unwrap(), newest_first);
    assert_eq!(store.visible_sources(here, 1).unwrap(), newest_first[..1]);
    assert_eq!(store.visible_sources(elsewhere, 10).unwrap(), []);
    store.put_sources(first, std::slice::from_ref(&b)).unwrap();
    store.delete_note(here, second).unwrap().unwrap();
    store.put_sources(second, &[c]).unwrap();
    assert_eq!(store.visible_sources(here, 10).unwrap(), [(first, b)]);
    store.clear_notes(here, Scope::Project).unwrap();
    assert_eq!(store.sources(&[first]).unwrap(), []);
}

/// Notes: ownership, ids, search, counts, changes and moves.
pub(crate) fn notes_contract(open: Open<'_, dyn Notes>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (one, two, home, away) = (id("one"), id("two"), project("home"), project("away"));
    let of_one = Scopes {
        session: &one,
        project: &home,
    };
    let of_two = Scopes {
        session: &two,
        project: &home,
    };
    let stranger = Scopes {
        session: &two,
        project: &away,
    };
    let tags =
        |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let add = |scopes, scope, text: &str, names: &[&str], at| {
        store
            .add_note(scopes, scope, text, &tags(names), at)
            .unwrap()
    };
    let contents = |found: &FoundNotes| -> Vec<String> {
        found
            .notes
            .iter()
            .map(|note| note.content.clone())
            .collect()
    };

    // An id is the current time or the next free id, and never goes back with the clock.
    let (first, totals) = add(of_one, Scope::Session, "Alpha beta", &["X", "y"], 1_000);
    assert_eq!(
        (first.id, totals),
        (NoteId(1_000), NoteTotals { notes: 1, tags: 2 })
    );
    let (second, _) = add(stranger, Scope::Session, "elsewhere", &[], 1_000);
    let (third, totals) = add(of_two, Scope::Project, "beta alpha", &["x", "z"], 900);
    assert_eq!((second.id, third.id), (NoteId(1_001), NoteId(1_002)));
    assert_eq!(
        totals,
        NoteTotals { notes: 2, tags: 2 },
        "two sees elsewhere's session note, and the project's"
    );

    // Ids by the beginning or the end of their digits, only visible ones.
    let ids = |scopes, digits: &str| store.note_ids(scopes, digits, 2).unwrap();
    assert_eq!(ids(of_one, "100"), [NoteId(1_002), NoteId(1_000)]);
    assert_eq!(ids(of_two, "02"), [NoteId(1_002)]);
    assert_eq!(ids(of_two, "1000"), []);

    // A session sees its own notes and its project's, last changed first, with exact totals.
    assert_eq!(
        contents(&store.newest_notes(of_one, NotePage::first(9)).unwrap()),
        ["Alpha beta", "beta alpha"]
    );
    let some = store.newest_notes(of_one, NotePage::first(1)).unwrap();
    assert_eq!((some.total, contents(&some)), (2, tags(&["Alpha beta"])));
    let counts = store.tags(of_one).unwrap();
    let counts: Vec<_> = counts
        .iter()
        .map(|found| (found.tag.as_str(), found.count))
        .collect();
    assert_eq!(counts, [("X", 2), ("y", 1), ("z", 1)]);

    // Search by position, by tags, by both, and by words.
    let find = |scopes, matcher: &Matcher, names: &[&str]| {
        contents(
            &store
                .find_notes(scopes, matcher, &tags(names), NotePage::first(9))
                .unwrap(),
        )
    };
    assert_eq!(
        find(of_one, &Matcher::text("ALPHA"), &[]),
        ["Alpha beta", "beta alpha"]
    );
    assert_eq!(
        find(of_one, &Matcher::text("beta"), &[]),
        ["beta alpha", "Alpha beta"]
    );
    assert_eq!(
        find(of_one, &Matcher::everything(), &["x", "y"]),
        ["Alpha beta"]
    );
    assert_eq!(find(stranger, &Matcher::text("beta"), &[]), [] as [&str; 0]);
    let words = Matcher::words("bet alp").unwrap();
    assert_eq!(find(of_one, &words, &[]).len(), 2);

    // Only those who see a note can change or move it.
    let change = NoteChange {
        content: Some("gamma".to_owned()),
        ..NoteChange::default()
    };
    assert!(
        store
            .change_note(of_two, first.id, &change, 2_000)
            .unwrap()
            .is_none()
    );
    let (changed, _) = store
        .change_note(of_one, first.id, &change, 2_000)
        .unwrap()
        .unwrap();
    assert_eq!(
        (changed.content.as_str(), changed.created, changed.updated),
        ("gamma", 1_000, 2_000)
    );
    assert_eq!(changed.tags, ["X", "y"]);
    let promote = NoteChange {
        scope: Some(Scope::Project),
        ..NoteChange::default()
    };
    store
        .change_note(of_one, first.id, &promote, 3_000)
        .unwrap()
        .unwrap();
    assert_eq!(find(of_two, &Matcher::text("gamma"), &["x"]), ["gamma"]);
    assert_eq!(
        store.nearest_notes(of_one, NoteId(1_003)).unwrap(),
        [NoteId(1_002), NoteId(1_000)]
    );

    // A deleted note is no longer counted.
    assert_eq!(store.delete_note(stranger, first.id).unwrap(), None);
    assert_eq!(
        store.delete_note(of_one, first.id).unwrap(),
        Some(NoteTotals { notes: 1, tags: 2 })
    );
    assert_eq!(store.delete_note(of_one, first.id).unwrap(), None);

    // A deleted id is never reused, even at the same time of the clock.
    let (last, _) = add(of_one, Scope::Session, "last", &[], 1);
    store.delete_note(of_one, last.id).unwrap().unwrap();
    let (next, _) = add(of_one, Scope::Session, "next", &[], 1);
    assert!(next.id > last.id, "{next:?}");
    store.delete_note(of_one, next.id).unwrap().unwrap();

    // An import is all or nothing; free ids are kept.
    let line = |number: i64, text: &str| NoteLine {
        id: Some(NoteId(number)),
        content: text.to_owned(),
        tags: tags(&["in"]),
        created: Some(5),
        updated: Some(6),
    };
    let mut lines = vec![Ok(Some(line(70, "kept"))), Err(Error::refused("No."))].into_iter();
    let failed = store.import_notes(of_one, Scope::Session, 4_000, &mut || lines.next().unwrap());
    assert_eq!(failed.unwrap_err(), Error::refused("No."));
    assert_eq!(find(of_one, &Matcher::text("kept"), &[]), [] as [&str; 0]);
    let mut lines = [line(70, "kept"), line(1_002, "taken"), line(71, "kept too")].into_iter();
    store
        .import_notes(of_one, Scope::Session, 4_000, &mut || Ok(lines.next()))
        .unwrap();
    let mut seen = Vec::new();
    let mut each = |note: &Note| {
        seen.push((note.id.0, note.content.clone(), note.updated));
        Ok(())
    };
    store.each_note(of_one, Scope::Session, &mut each).unwrap();
    let expected = [(70, "kept"), (71, "kept too"), (4_000, "taken")];
    assert_eq!(seen, expected.map(|(id, text)| (id, text.to_owned(), 6)));

    // Everything survives reopening the engine.
    let again = open(directory.path());
    assert_eq!(
        again
            .newest_notes(of_one, NotePage::first(9))
            .unwrap()
            .total,
        4
    );
}
