//! What every engine must do about outputs that revisions name, because they hold the whole of a text that was cut.

use super::{Open, draft, id, keep_draft, notes, put};
use scratchpad::model::pad::revision::Write;
use scratchpad::store::{OutputDraft, OutputFilter, Store};
use scratchpad::{OutputId, SessionId};

/// Keeps the whole of a text for the pad of a session.
fn spill(store: &dyn Store, session: &SessionId, text: &str) -> OutputId {
    let pinned = OutputDraft {
        is_pinned: true,
        ..draft("set_notes", session, 1)
    };
    keep_draft(store, &pinned, text.as_bytes())
}

fn cut(text: &str, spilled: &OutputId) -> Write {
    Write {
        spilled: Some(spilled.clone()),
        ..notes(text)
    }
}

fn pinned_by(store: &dyn Store, output: &OutputId) -> Option<SessionId> {
    let found = store.outputs(OutputFilter::Ids(std::slice::from_ref(output)));
    found.unwrap().remove(0).pinned_by
}

/// An output stays pinned while a revision names it, and no longer.
pub(crate) fn spilled_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = &*open(directory.path());
    let (session, other) = (&id("s"), &id("t"));
    let [once, twice, unnamed] =
        ["once", "twice", "unnamed"].map(|text| spill(store, session, text));
    assert_eq!(spill(store, other, "once"), once);
    put(store, "s", 1, &[cut("o", &once), cut("t", &twice)]);
    put(store, "s", 2, &[notes("x"), cut("t", &twice), notes("y")]);
    put(store, "t", 3, &[cut("o", &once), notes("z")]);

    // What a revision names is read back, copied too.
    let log = store.log(session).unwrap();
    let named: Vec<Option<&OutputId>> = log.iter().map(|head| head.spilled.as_ref()).collect();
    assert_eq!(named, [Some(&once), Some(&twice), None, Some(&twice), None]);
    let copy_directory = tempfile::tempdir().unwrap();
    let copy = &*open(copy_directory.path());
    let head = store.sessions_after("", 1).unwrap().remove(0);
    if copy.session(session).unwrap().is_none() {
        let revisions = store.revisions_after(session, 0, 9).unwrap();
        copy.take_revisions(&head, &revisions).unwrap();
    }
    assert_eq!(copy.log(session).unwrap(), log);

    store.forget_revisions(session, &[1, 2]).unwrap();
    assert_eq!(pinned_by(store, &once).as_ref(), Some(other));
    assert_eq!(pinned_by(store, &twice).as_ref(), Some(session));
    // Older versions did not note which revision names what they kept.
    assert_eq!(pinned_by(store, &unnamed).as_ref(), Some(session));
    store.forget_revisions(session, &[3, 4]).unwrap();
    assert_eq!(pinned_by(store, &twice), None);
    // It may be restored at that very moment.
    put(store, "s", 4, &[cut("t", &twice)]);
    assert_eq!(pinned_by(store, &twice).as_ref(), Some(session));
    store.forget_revisions(other, &[1]).unwrap();
    assert_eq!(pinned_by(store, &once), None);
}
