//! What every engine must do when sessions and notes are deleted.

use scratchpad::model::host::hook::HookState;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::model::session::process::Process;
use scratchpad::store::{
    Binding, DeletedSession, HookCall, OutputDraft, OutputFilter, Scopes, Store,
};

use std::io::Write as _;

use super::{Open, id, notes, project, put};

/// Deleting a session deletes everything that belongs to it alone, and nothing else.
pub(crate) fn forget_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (gone, stays, home) = (id("gone"), id("stays"), project("p"));
    let scopes = |session| Scopes {
        session,
        project: &home,
    };
    let keep = |session, text: &str, is_pinned| {
        let mut staged = store.stage().unwrap();
        staged.write_all(text.as_bytes()).unwrap();
        let draft = OutputDraft {
            origin: Origin {
                upstream: "",
                tool: "set_notes",
            },
            session,
            project: None,
            kind: Kind::Text,
            lines: 1,
            preview: "",
            is_pinned,
            at: 1,
            room: None,
            entries: &[],
        };
        store.keep(&draft, staged).unwrap()
    };
    for session in [&gone, &stays] {
        put(&*store, session.as_str(), 1, &[notes("one"), notes("two")]);
        for number in 0..600 {
            let text = format!("needle {number}");
            store
                .add_note(scopes(session), Scope::Session, &text, &["t".to_owned()], 1)
                .unwrap();
        }
    }
    store
        .add_note(
            scopes(&gone),
            Scope::Project,
            "needle of the project",
            &["p".to_owned()],
            1,
        )
        .unwrap();
    let own = keep(&gone, "only of the one that goes", true);
    let shared = keep(&gone, "kept by both", true);
    assert_eq!(keep(&stays, "kept by both", false), shared);
    let process = Process {
        id: 7,
        started: "1".to_owned(),
        name: "host".to_owned(),
    };
    let call = HookCall {
        host: "host",
        event: "start",
        session: &gone,
        at: 1,
    };
    store
        .attend(&call, &mut |_, _| {
            (HookState::default(), Binding::Begins(process.clone())).into()
        })
        .unwrap();
    let bound = store.bound_to(&gone).unwrap();
    assert_eq!((bound.len(), bound[0].id), (1, 7));
    assert_eq!(store.bound_to(&stays).unwrap(), []);

    assert_eq!(store.delete_session(&id("unknown"), 2).unwrap(), None);
    let expected = DeletedSession {
        revisions: 2,
        notes: 600,
        outputs: 1,
        bytes: 25,
    };
    assert_eq!(store.delete_session(&gone, 2).unwrap(), Some(expected));

    assert_eq!(store.session(&gone).unwrap(), None);
    assert_eq!(store.log(&gone).unwrap(), []);
    assert_eq!(store.bound_to(&gone).unwrap(), []);
    assert!(store.read(&own).unwrap().is_none());
    assert!(store.removed(&own).unwrap().is_some());
    assert!(store.file(&own).is_none_or(|path| !path.exists()));
    let left = store.outputs(OutputFilter::Everything).unwrap();
    assert_eq!((left.len(), &left[0].id), (1, &shared));
    assert_eq!(left[0].pinned_by, None, "the pin went with its session");

    // What others have is unchanged, and still found.
    let found = |session| {
        let needle = Matcher::text("needle");
        let found = store.find_notes(scopes(session), &needle, &[], NotePage::first(0));
        let tags = store.tags(scopes(session)).unwrap();
        let newest = store
            .newest_notes(scopes(session), NotePage::first(0))
            .unwrap();
        let total = found.unwrap().total;
        assert_eq!(newest.total, total);
        (total, tags.iter().map(|tag| tag.count).sum::<usize>())
    };
    assert_eq!(found(&gone), (1, 1));
    assert_eq!(found(&stays), (601, 601));
    assert_eq!(store.session(&stays).unwrap().unwrap().revision, 2);

    // Under the same id, a session starts empty.
    assert_eq!(put(&*store, "gone", 3, &[notes("new")]), 1);

    // Deletes the notes of a session or of the project; their ids are not reused.
    let (last, _) = store
        .add_note(scopes(&stays), Scope::Session, "the last", &[], 1)
        .unwrap();
    assert_eq!(
        store.clear_notes(scopes(&stays), Scope::Session).unwrap(),
        601
    );
    assert_eq!(found(&stays), (1, 1));
    assert_eq!(
        store.clear_notes(scopes(&stays), Scope::Project).unwrap(),
        1
    );
    assert_eq!(
        store.clear_notes(scopes(&stays), Scope::Project).unwrap(),
        0
    );
    assert_eq!(found(&stays), (0, 0));
    let (next, _) = store
        .add_note(scopes(&stays), Scope::Session, "needle", &[], 1)
        .unwrap();
    assert!(next.id > NoteId(last.id.0), "{next:?}");
    assert_eq!(found(&stays), (1, 0));
}
