//! What every engine must do when sessions and notes are deleted.

use scratchpad::model::host::hook::HookState;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::source::{LineSpan, Source};
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::model::pad::Content;
use scratchpad::model::pad::revision::Write as PadWrite;
use scratchpad::model::session::process::Process;
use scratchpad::store::{
    Binding, DeletedSession, HookCall, OutputDraft, OutputFilter, Rewriting, Scopes, Scrubbed,
    Store, TextPlace,
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

/// A text is replaced wherever it is kept, and everything else stays as it is.
pub(crate) fn rewrite_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (session, home) = (id("s"), project("p"));
    let scopes = Scopes {
        session: &session,
        project: &home,
    };
    let refs = PadWrite::new(
        "refs.set",
        Content::Refs(vec!["a secret".to_owned(), "b\\nsecret \"x\"".to_owned()]),
    );
    let plan = PadWrite::new("set_plan", Content::Plan("1. no \0 harm".to_owned()));
    put(
        &*store,
        "s",
        1,
        &[notes("the secret"), refs, plan, notes("nothing")],
    );
    let add = |text: &str, tags: &[&str], at| {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        store
            .add_note(scopes, Scope::Session, text, &tags, at)
            .unwrap()
            .0
    };
    let changed = add("a secret\0 note", &["Secret", "t"], 1);
    let kept = add("another", &["t"], 2);
    for number in 0..700 {
        add(&format!("filler {number}"), &[], 3);
    }
    let source = Source {
        span: LineSpan {
            path: "a.rs".to_owned(),
            first: 1,
            last: 2,
        },
        sha256: "00".to_owned(),
        text: "let secret = 1;".to_owned(),
        branch: "main".to_owned(),
        commit: String::new(),
    };
    store.put_sources(kept.id, &[source]).unwrap();
    let rewrite = |text: &str| {
        let new = text.replace("secret", "S").replace("Secret", "S");
        (new != text).then_some(new)
    };

    let expected = vec![
        TextPlace::Pad(session.clone()),
        TextPlace::Revision(session.clone(), 1),
        TextPlace::Revision(session.clone(), 2),
        TextPlace::Note(changed.id),
        TextPlace::Note(kept.id),
    ];
    assert_eq!(store.rewrite(&rewrite, Rewriting::Look).unwrap(), expected);
    let before = store.session(&session).unwrap().unwrap();
    assert_eq!(before.pad.refs, ["a secret", "b\\nsecret \"x\""]);

    assert_eq!(store.rewrite(&rewrite, Rewriting::Write).unwrap(), expected);
    let after = store.session(&session).unwrap().unwrap();
    assert_eq!(after.pad.refs, ["a S", "b\\nS \"x\""]);
    assert_eq!(
        (after.revision, after.pad.plan.as_str()),
        (4, "1. no \0 harm")
    );
    let first = store.revision(&session, 1).unwrap();
    assert_eq!(first, Some(Content::Notes("the S".to_owned())));
    assert_eq!(store.log(&session).unwrap()[0].used, 5);
    let read = |id| store.note(scopes, id).unwrap().unwrap();
    let now = read(changed.id);
    assert_eq!(
        (now.content.as_str(), &now.tags[..]),
        ("a S\0 note", &["S".to_owned(), "t".to_owned()][..])
    );
    assert_eq!(now.updated, changed.updated);
    assert_eq!(read(kept.id), kept);
    let sources = store.sources(&[kept.id]).unwrap();
    assert_eq!(sources[0].1.text, "let S = 1;");
    let total = |text: &str| {
        let matcher = Matcher::text(text);
        store
            .find_notes(scopes, &matcher, &[], NotePage::first(1))
            .unwrap()
            .total
    };
    assert_eq!(
        (total("secret"), total("a s"), total("filler")),
        (0, 1, 700)
    );
    let tags = store.tags(scopes).unwrap();
    let tags: Vec<(&str, usize)> = tags.iter().map(|it| (it.tag.as_str(), it.count)).collect();
    assert_eq!(tags, [("S", 1), ("t", 2)]);
    assert_eq!(store.rewrite(&rewrite, Rewriting::Look).unwrap(), []);
    assert_ne!(store.scrub().unwrap(), Scrubbed::InUse);
    assert_eq!(total("filler"), 700);
}
