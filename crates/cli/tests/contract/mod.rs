//! What every engine must do. `it` runs this on the embedded store and on a session log, `outside` on `PostgreSQL`.

#[path = "forget.rs"]
mod forget_rules;
#[path = "hooks.rs"]
mod hook_rules;
#[path = "ledger.rs"]
mod ledger_rules;
#[path = "note_pages.rs"]
mod note_page_rules;
#[path = "notes.rs"]
mod note_rules;
#[path = "projects.rs"]
mod project_rules;
#[path = "room.rs"]
mod room_rules;
#[path = "spilled.rs"]
mod spilled_rules;
#[path = "watch.rs"]
mod watch_rules;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scratchpad::model::error::Error;
use scratchpad::model::note::{Note, Scope};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::model::pad::revision::Write;
use scratchpad::model::pad::{Content, Pad, Space};
use scratchpad::store::{
    Governed, OutputDraft, OutputFilter, Outputs, Prunable, Removal, Scopes, Sessions, Store, View,
};
use scratchpad::{OutputId, ProjectId, SessionId};

pub(crate) use forget_rules::{forget_contract, rewrite_contract};
pub(crate) use hook_rules::hooks_contract;
pub(crate) use ledger_rules::ledger_contract;
pub(crate) use note_page_rules::note_pages_contract;
pub(crate) use note_rules::{notes_contract, pins_contract, sources_contract};
pub(crate) use project_rules::projects_contract;
pub(crate) use room_rules::{ids_contract, room_contract};
pub(crate) use spilled_rules::spilled_contract;
pub(crate) use watch_rules::watch_contract;

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Opens the engine in a directory. Opening it twice in one directory simulates two processes.
pub(crate) type Open<'a, T> = &'a (dyn Fn(&Path) -> Arc<T> + Sync);

fn id(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

fn project(name: &str) -> ProjectId {
    ProjectId::new(name)
}

fn notes(text: &str) -> Write {
    Write::new("set_notes", Content::Notes(text.to_owned()))
}

fn put(store: &dyn Sessions, session: &str, at: i64, writes: &[Write]) -> u64 {
    store
        .update(
            &id(session),
            &project("p"),
            at,
            &mut |_| Ok(writes.to_vec()),
        )
        .unwrap()
}

/// The rules for everything that can store a session.
pub(crate) fn sessions_contract(open: Open<'_, dyn Sessions>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let other = open(directory.path());

    // A session that was never written does not exist and has no history.
    assert_eq!(store.session(&id("s")).unwrap(), None);
    assert_eq!(store.log(&id("s")).unwrap(), []);
    assert_eq!(store.revision(&id("s"), 1).unwrap(), None);

    // A write is visible to everybody immediately, byte for byte.
    let odd = "line\n\u{0}\"quote\" \u{1F980} é\r\n";
    assert_eq!(put(&*store, "s", 1_000, &[notes(odd)]), 1);
    let seen = other.session(&id("s")).unwrap().unwrap();
    assert_eq!((seen.pad.notes.as_str(), seen.revision), (odd, 1));

    // Several writes are one change, numbered in order.
    let refs = Content::Refs(vec!["a".to_owned(), "b\n\"c\"".to_owned()]);
    let more = [
        Write::new("set_plan", Content::Plan("plan".to_owned())),
        Write::new("refs.set", refs.clone()),
    ];
    assert_eq!(put(&*other, "s", 2_000, &more), 3);
    let expected = Pad {
        notes: odd.to_owned(),
        plan: "plan".to_owned(),
        refs: vec!["a".to_owned(), "b\n\"c\"".to_owned()],
    };
    assert_eq!(store.session(&id("s")).unwrap().unwrap().pad, expected);

    // History does not change.
    let log = store.log(&id("s")).unwrap();
    let heads: Vec<_> = log
        .iter()
        .map(|head| {
            (
                head.number,
                head.space,
                head.action.as_str(),
                head.at,
                head.used,
                head.undoes,
            )
        })
        .collect();
    assert_eq!(
        heads,
        [
            (
                1,
                Space::Notes,
                "set_notes",
                1_000,
                odd.chars().count(),
                None
            ),
            (2, Space::Plan, "set_plan", 2_000, 4, None),
            (3, Space::Refs, "refs.set", 2_000, 2, None),
        ]
    );
    assert_eq!(store.revision(&id("s"), 3).unwrap(), Some(refs));
    assert_eq!(store.revision(&id("s"), 4).unwrap(), None);
    assert_eq!(store.revision(&id("s"), 0).unwrap(), None);
    assert_eq!(store.revision(&id("s"), u64::MAX).unwrap(), None);

    // A change sees the current state and its history, and may undo a revision.
    let undo = Write {
        undoes: Some(1),
        ..Write::new("undo", Content::Notes(String::new()))
    };
    let mut seen = None;
    store
        .update(&id("s"), &project("p"), 3_000, &mut |view: &dyn View| {
            seen = Some((
                view.session().cloned(),
                view.log()?.len(),
                view.revision(2)?,
                view.revision(9)?,
            ));
            Ok(vec![undo.clone()])
        })
        .unwrap();
    let (session, length, second, ninth) = seen.unwrap();
    assert_eq!(session.unwrap().pad, expected);
    assert_eq!((length, ninth), (3, None));
    assert_eq!(second, Some(Content::Plan("plan".to_owned())));
    assert_eq!(store.log(&id("s")).unwrap()[3].undoes, Some(1));
    assert_eq!(store.session(&id("s")).unwrap().unwrap().pad.notes, "");

    // A refused change changes nothing, and its error is returned.
    let refusal = Error::refused("No.");
    let result = store.update(
        &id("s"),
        &project("p"),
        4_000,
        &mut |_| Err(refusal.clone()),
    );
    assert_eq!(result.unwrap_err(), refusal);
    assert_eq!(store.session(&id("s")).unwrap().unwrap().revision, 4);

    // A change that writes nothing changes nothing.
    assert_eq!(put(&*store, "s", 5_000, &[]), 4);

    // Acknowledged writes survive reopening the engine.
    drop((store, other));
    let again = open(directory.path());
    let session = again.session(&id("s")).unwrap().unwrap();
    assert_eq!((session.revision, session.pad.plan.as_str()), (4, "plan"));
}

/// Past revisions can be removed; the newest and the pad stay, and numbers go on. A session log keeps what it has.
pub(crate) fn forgotten_revisions_contract(open: Open<'_, dyn Sessions>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for text in ["one", "two", "three", "four"] {
        put(&*store, "s", 1_000, &[notes(text)]);
    }
    let before = store.session(&id("s")).unwrap();
    store.forget_revisions(&id("s"), &[2, 4, 9]).unwrap();
    store.forget_revisions(&id("nobody"), &[1]).unwrap();
    let log = store.log(&id("s")).unwrap();
    let numbers: Vec<u64> = log.iter().map(|head| head.number).collect();
    assert_eq!(numbers, [1, 3, 4]);
    assert_eq!(store.revision(&id("s"), 2).unwrap(), None);
    assert_eq!(store.session(&id("s")).unwrap(), before);
    assert_eq!(put(&*store, "s", 2_000, &[notes("five")]), 5);
}

/// Concurrent changes of one session are serialized.
pub(crate) fn concurrent_changes_contract(open: Open<'_, dyn Sessions>) {
    const WRITERS: usize = 4;
    const EACH: usize = 25;
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = open(directory.path());
            scope.spawn(move || {
                for count in 0..EACH {
                    store
                        .update(&id("s"), &project("p"), 1, &mut |view| {
                            let before = view.session().map_or("", |found| &found.pad.notes);
                            Ok(vec![notes(&format!("{before}{writer}:{count}\n"))])
                        })
                        .unwrap();
                }
            });
        }
    });
    let session = open(directory.path()).session(&id("s")).unwrap().unwrap();
    assert_eq!(session.revision, (WRITERS * EACH) as u64);
    let mut lines: Vec<&str> = session.pad.notes.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), WRITERS * EACH);
}

/// Sessions are isolated, and are listed by project, last written first.
pub(crate) fn many_sessions_contract(open: Open<'_, dyn Sessions>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for (session, home, at) in [("a", "p", 10), ("b", "q", 30), ("c", "p", 20)] {
        store
            .update(&id(session), &project(home), at, &mut |_| {
                Ok(vec![notes(session)])
            })
            .unwrap();
    }
    // A session stays in its project, no matter where it is written from.
    store
        .update(&id("a"), &project("elsewhere"), 40, &mut |_| {
            Ok(vec![notes("a again")])
        })
        .unwrap();
    let list = |of: Option<&str>, limit| -> Vec<String> {
        let heads = store.sessions(of.map(project).as_ref(), limit).unwrap();
        heads
            .iter()
            .map(|head| format!("{} {} {}", head.id, head.project, head.pad.notes))
            .collect()
    };
    assert_eq!(list(Some("p"), 9), ["a p a again", "c p c"]);
    assert_eq!(list(None, 9), ["a p a again", "b q b", "c p c"]);
    assert_eq!(list(None, 1), ["a p a again"]);
    assert_eq!(list(Some("nowhere"), 9), [] as [&str; 0]);
    let head = &store.sessions(None, 1).unwrap()[0];
    assert_eq!((head.created, head.updated, head.revision), (10, 40, 2));
    put(&*store, "b~", 50, &[notes("another")]);
    let ids = |beginning: &str, limit| store.session_ids(beginning, limit).unwrap();
    assert_eq!(ids("b", 9), [id("b"), id("b~")]);
    assert_eq!(ids("b", 1), [id("b")]);
    assert_eq!(ids("B", 9), []);
    assert_eq!(ids("", 9).len(), 4);
}

fn keep(store: &dyn Outputs, session: &str, at: i64, content: &[u8]) -> OutputId {
    let session = &id(session);
    keep_draft(store, &draft("tool", session, at), content)
}

fn draft<'a>(tool: &'a str, session: &'a SessionId, at: i64) -> OutputDraft<'a> {
    OutputDraft {
        origin: Origin { upstream: "", tool },
        session,
        project: None,
        kind: Kind::Text,
        lines: 1,
        preview: "",
        is_pinned: false,
        at,
        room: None,
        entries: &[],
    }
}

fn keep_draft(store: &dyn Outputs, draft: &OutputDraft<'_>, content: &[u8]) -> OutputId {
    let mut staged = store.stage().unwrap();
    staged.write_all(content).unwrap();
    store.keep(draft, staged).unwrap()
}

fn read(store: &dyn Outputs, id: &OutputId) -> Option<Vec<u8>> {
    let (mut content, bytes) = store.read(id).unwrap()?;
    let mut whole = Vec::new();
    content.read_to_end(&mut whole).unwrap();
    assert_eq!(whole.len() as u64, bytes);
    Some(whole)
}

pub(crate) fn outputs_contract(open: Open<'_, dyn Outputs>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let keep = |content: &[u8]| keep(&*store, "s", 1, content);
    let odd = b"\xff\xfe not text \x00 at all".as_slice();
    let first = keep(odd);
    assert_eq!(first, keep(odd), "the same content is the same output");
    assert_eq!(
        first.as_str(),
        &scratchpad::model::text::hash::sha256_hex(odd)[..12]
    );
    assert_ne!(first, keep(b"something else"));
    assert_eq!(read(&*store, &first).unwrap(), odd);
    assert_eq!(read(&*open(directory.path()), &first).unwrap(), odd);
    let unknown = OutputId::new("000000000000").unwrap();
    assert_eq!(read(&*store, &unknown), None);
    let bytes = odd.len() as u64 + 14;
    assert_eq!(store.kept_by(&id("s")).unwrap(), (2, bytes));
    assert_eq!(store.kept_by(&id("t")).unwrap(), (0, 0));
    let ids = |beginning: &str| store.output_ids(beginning, 5).unwrap();
    assert_eq!(ids(&first.as_str()[..6]), std::slice::from_ref(&first));
    assert_eq!(ids(first.as_str()), [first]);
    assert_eq!(ids("0000"), []);
    assert_eq!(ids("").len(), 2);
    assert_eq!(store.output_ids("", 1).unwrap().len(), 1);
}

pub(crate) fn pinned_outputs_contract(open: Open<'_, dyn Outputs>) {
    let directory = tempfile::tempdir().unwrap();
    let store = &*open(directory.path());
    let (session, other) = (&id("s"), &id("t"));

    // Equal content is one output, of each tool that kept it, the latest first.
    let both = keep_draft(store, &draft("first", session, 3), b"equal");
    for (tool, session, at) in [
        ("second", session, 4),
        ("first", other, 5),
        ("third", session, 6),
    ] {
        let preview = "how it looks";
        let draft = OutputDraft {
            preview,
            ..draft(tool, session, at)
        };
        assert_eq!(keep_draft(store, &draft, b"equal"), both);
    }
    let heads = |filter: OutputFilter<'_>| store.outputs(filter).unwrap();
    let [head] = &heads(OutputFilter::Everything)[..] else {
        panic!("one output");
    };
    assert_eq!(head.tools, ["third", "first", "second"]);
    assert_eq!((&head.session, head.kept), (session, 6));
    assert_eq!(
        (head.preview.as_str(), &head.pinned_by),
        ("how it looks", &None)
    );
    let (session_s, project_p) = (&id("t"), &project("p"));
    let seen = heads(OutputFilter::Seen(Scopes {
        session: session_s,
        project: project_p,
    }));
    assert_eq!(seen[0].tools, ["first"]);

    // A pin holds when the same is kept again, and by whoever else.
    let pin = OutputDraft {
        is_pinned: true,
        ..draft("set_notes", session, 1)
    };
    let pinned = keep_draft(store, &pin, b"cut for a pad");
    for draft in [draft("set_notes", session, 2), draft("tool", other, 2)] {
        assert_eq!(keep_draft(store, &draft, b"cut for a pad"), pinned);
    }
    let ids = [pinned.clone(), both.clone()];
    let pinned_by = || -> Vec<_> {
        let found = heads(OutputFilter::Ids(&ids));
        found
            .into_iter()
            .map(|head| (head.id, head.pinned_by))
            .collect()
    };
    assert_eq!(
        pinned_by(),
        [
            (both.clone(), None),
            (pinned.clone(), Some(session.clone()))
        ]
    );

    // A prune does not even see it.
    let everything = Governed {
        author: "",
        forsaken: 1_000,
    };
    let pruned = store.prune(100, &|outputs: &dyn Prunable| {
        let bytes = outputs.bytes(everything)?;
        let old = outputs.old(everything, 1_000, 1_000)?;
        let used = outputs.least_used(everything, 0..1_000, 1_000)?;
        assert_eq!(old, used);
        assert_eq!(bytes, old.iter().map(|output| output.bytes).sum::<u64>());
        Ok(old)
    });
    assert_eq!(
        (pruned.as_ref().unwrap().outputs, pruned.unwrap().bytes),
        (1, 5)
    );
    assert_eq!(pinned_by(), [(pinned.clone(), Some(session.clone()))]);

    // It is deleted only if that is what was asked for.
    assert_eq!(store.remove(&ids, 100, Removal::Unpinned).unwrap(), []);
    assert_eq!(store.remove(&ids, 100, Removal::Any).unwrap().len(), 1);
    assert_eq!(pinned_by(), []);
}

pub(crate) fn outputs_of_sessions_contract(open: Open<'_, dyn Outputs>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for (at, session, content) in [(3, "a", "one"), (5, "a", "second"), (4, "b", "third")] {
        keep(&*store, session, at, content.as_bytes());
    }
    let seen = |session: &str| -> Vec<u64> {
        let (session, project) = (&id(session), &project("p"));
        let found = store.outputs(OutputFilter::Seen(Scopes { session, project }));
        found.unwrap().iter().map(|output| output.bytes).collect()
    };
    assert_eq!(seen("a"), [6, 3]);
    assert_eq!(seen("b"), [5]);
    assert_eq!(seen("nobody"), Vec::<u64>::new());
}

pub(crate) fn long_reading_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let (session, project) = (&id("s"), &project("p"));
    let scopes = Scopes { session, project };
    store
        .add_note(scopes, Scope::Session, "a note", &[], 1)
        .unwrap();
    let mut read = 0;
    let mut each = |_: &Note| {
        // In the middle of the read, from another thread on the same store.
        let (sender, answer) = std::sync::mpsc::channel();
        let writer = store.clone();
        std::thread::spawn(move || sender.send(put(&*writer, "s", 2, &[notes("meanwhile")])));
        assert_eq!(answer.recv_timeout(PATIENCE), Ok(1));
        read += 1;
        Ok(())
    };
    store.each_note(scopes, Scope::Session, &mut each).unwrap();
    assert_eq!(read, 1);
}
