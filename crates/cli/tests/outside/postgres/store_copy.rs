//! `store copy`: everything between engines, both ways.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::postgres::{Schema, parsed, try_psql};
use crate::support::{Answer, Machine, wait_until};
use scratchpad::model::note::source::{LineSpan, taken};
use scratchpad::model::note::{Note, NoteId, Scope};
use scratchpad::model::pad::Content;
use scratchpad::model::pad::Space;
use scratchpad::model::pad::revision::{RevisionHead, Write};
use scratchpad::store::Store;
use scratchpad::store::postgres::{Postgres, Settings, Timeout};
use scratchpad::store::sqlite::Sqlite;
use scratchpad::store::transfer::HomedNote;
use scratchpad::{ProjectId, SessionId};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

const PATIENCE: Duration = Duration::from_secs(30);

fn run(machine: &Machine, store: &str, arguments: &[&str]) -> Answer {
    let mut command = machine.command(arguments);
    command
        .env("SCRATCHPAD_STORE_URL", store)
        .env("SCRATCHPAD_AUTHOR", "ann@opened");
    machine.answer(command.output().unwrap())
}

/// Some of everything.
fn fill(machine: &Machine, store: &str) {
    let ok = |arguments: &[&str]| run(machine, store, arguments).ok();
    for session in ["one", "two"] {
        ok(&["session", "set-notes", "first", "--session", session]);
        ok(&[
            "session",
            "set-plan",
            "plan \u{1F980}",
            "--session",
            session,
        ]);
        ok(&["session", "refs", "add", "src/a.rs:1", "--session", session]);
        ok(&["session", "undo", "--session", session]);
        ok(&[
            "note",
            "add",
            &format!("of {session}"),
            "--tag",
            "X",
            "--tag",
            "y",
            "--session",
            session,
        ]);
    }
    std::fs::write(machine.project().join("a.rs"), "fn main() {}\n").unwrap();
    let pinned = ok(&[
        "note",
        "add",
        "It begins at a.rs:1",
        "--scope",
        "project",
        "--json",
    ]);
    let pinned: Value = serde_json::from_str(&pinned).unwrap();
    ok(&["note", "pin", pinned["note_id"].as_str().unwrap()]);
    ok(&[
        "note",
        "add",
        "of the project",
        "--scope",
        "project",
        "--tag",
        "x",
        "--session",
        "one",
    ]);
    let large = "a line of a log\n".repeat(60_000);
    for text in ["small ".repeat(1_000), large, "gone ".repeat(2_000)] {
        let mut command =
            machine.command(&["output", "put", "--tool", "build", "--session", "one"]);
        command
            .env("SCRATCHPAD_STORE_URL", store)
            .stdin(std::process::Stdio::piped());
        machine
            .answer(crate::support::feed(
                command.spawn().unwrap(),
                text.as_bytes(),
            ))
            .ok();
    }
    let gone = scratchpad::model::text::hash::sha256_hex("gone ".repeat(2_000).as_bytes());
    ok(&["output", "delete", &gone[..12]]);
}

/// What a person sees of a store, without who wrote it.
fn seen(machine: &Machine, store: &str) -> Value {
    let json = |arguments: &[&str]| {
        let mut answer = run(machine, store, &[arguments, &["--json"]].concat()).json();
        forget_authors(&mut answer);
        answer
    };
    let mut notes: Vec<String> = ["session", "project"]
        .iter()
        .flat_map(|scope| {
            let lines = run(
                machine,
                store,
                &["note", "export", "--scope", scope, "--session", "one"],
            )
            .ok();
            lines.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    notes.sort();
    let outputs = json(&["output", "list", "--session", "one"]);
    let ids: Vec<&str> = outputs["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| output["id"].as_str().unwrap())
        .collect();
    let content: Vec<String> = ids
        .iter()
        .map(|id| run(machine, store, &["output", "read", id, "--lines", "-1"]).ok())
        .collect();
    let gone = scratchpad::model::text::hash::sha256_hex("gone ".repeat(2_000).as_bytes());
    json!({
        "sessions": json(&["session", "list", "--all"]),
        "history": json(&["session", "history", "--session", "two"]),
        "pad": json(&["session", "show", "--session", "two"]),
        "notes": notes,
        "found": json(&["note", "search", "project", "--session", "one"])["notes"],
        "pinned": json(&["note", "pin"]),
        "sources": json(&["note", "check"]),
        "tags": json(&["note", "tags", "--session", "one"]),
        "outputs": outputs["outputs"],
        "content": content,
        "removed": run(machine, store, &["output", "read", &gone[..12]]).err,
    })
}

fn forget_authors(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("author");
            fields.values_mut().for_each(forget_authors);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_authors),
        _ => {}
    }
}

#[test]
fn everything_goes_to_a_server_and_back_and_is_the_same() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    // The project is known by its place in one store and by its repository in the other.
    std::fs::write(
        machine.project().join(".git/config"),
        "[remote \"origin\"]\nurl = git@host:acme/shop\n",
    )
    .unwrap();
    fill(&machine, "sqlite:");
    let before = seen(&machine, "sqlite:");
    let copied = run(&machine, &schema.url(), &["store", "copy", "sqlite:", "."]);
    assert_data_eq!(
        copied.seen(),
        str![[r#"
exit 0
--- stdout
Copied 2 sessions with 8 revisions, 4 notes, 2 outputs of 966,000 bytes.
Compared with the source: 2 sessions with 8 revisions, 4 notes, 2 outputs of 966,000 bytes.
As of [..]:[..]:[..].
Project [ROOT]/project is called host/acme/shop there.
--- stderr

"#]]
    );
    let mut there = seen(&machine, &schema.url());
    assert_eq!(
        there["sessions"]["sessions"][0]["project"],
        "host/acme/shop"
    );
    for session in there["sessions"]["sessions"].as_array_mut().unwrap() {
        session["project"] = before["sessions"]["sessions"][0]["project"].clone();
    }
    assert_eq!(there, before);

    // Again, nothing is left to do; and back, into a new file.
    let again = run(
        &machine,
        &schema.url(),
        &["store", "copy", "sqlite:", ".", "--json"],
    )
    .json();
    assert_eq!(
        again["copied"],
        json!({"sessions": 0, "revisions": 0, "notes": 0, "outputs": 0, "bytes": 0})
    );
    assert_eq!(
        again["source"],
        json!({"sessions": 2, "revisions": 8, "notes": 4, "outputs": 2, "bytes": 966_000})
    );
    let file = format!("sqlite:{}", machine.home().join("back/pad.db").display());
    let back = run(
        &machine,
        &schema.url(),
        &["store", "copy", ".", &file, "--json"],
    )
    .json();
    assert_eq!(back["copied"], again["source"]);
    assert_eq!(seen(&machine, &file), before);
}

#[test]
fn a_copy_that_was_killed_goes_on_where_it_was() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    fill(&machine, "sqlite:");
    let lines: String = (0..3_000)
        .map(|number| format!("{{\"content\":\"note number {number}\"}}\n"))
        .collect();
    let mut import = machine.command(&["note", "import", "-", "--session", "one"]);
    import.stdin(std::process::Stdio::piped());
    machine
        .answer(crate::support::feed(
            import.spawn().unwrap(),
            lines.as_bytes(),
        ))
        .ok();

    let url = schema.url();
    let mut child = machine
        .command(&["store", "copy", "sqlite:", &url])
        .spawn()
        .unwrap();
    // The sessions come first, and then the notes.
    let sessions = format!("SELECT count(*) FROM {}.session", schema.name);
    wait_until("the sessions are there", || {
        try_psql(&schema.server, &sessions).is_ok_and(|count| count == ["2"])
    });
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was done already");
    let rest = machine
        .run(&["store", "copy", "sqlite:", &url, "--json"])
        .json();
    assert_eq!(
        (&rest["copied"]["sessions"], &rest["source"]["notes"]),
        (&json!(0), &json!(3_004))
    );
    let again = machine
        .run(&["store", "copy", "sqlite:", &url, "--json"])
        .json();
    assert_eq!(again["copied"]["notes"], 0);
    let notes = run(&machine, &url, &["note", "export", "--session", "one"]).ok();
    assert_eq!(notes.lines().count(), 3_001, "none is there twice");
}

#[test]
fn nothing_is_copied_onto_itself_from_nowhere_or_over_something_else() {
    let machine = Machine::new();
    fill(&machine, "sqlite:");
    let own = format!("sqlite:{}", machine.database().display());
    let away = format!("sqlite:{}", machine.home().join("away/pad.db").display());
    let said: String = [
        vec!["store", "copy", "sqlite:", &own],
        vec!["store", "copy", &away, "sqlite:"],
        vec!["store", "copy", "mysql:x", "sqlite:"],
        vec!["store", "copy", "sqlite:", &away, "--rename-project", "x"],
    ]
    .iter()
    .map(|arguments| machine.run(arguments).err)
    .collect();
    assert_data_eq!(
        said,
        str![[r#"
Error: Both are the same store. Nothing was changed.
Hint: name two stores: `scratchpad store copy FROM TO`.
Error: Store [ROOT]/home/away/pad.db does not exist.
Error: FROM: `store.url` has no scheme.
Hint: use `sqlite:` for a database in the data directory, `sqlite:/PATH` for one elsewhere, or `postgres://USER:PASSWORD@HOST/DATABASE`.
Error: --rename-project takes OLD=NEW; "x" was given.

"#]]
    );

    // A session with another history stays, and so does a note with the same id.
    run(
        &machine,
        &away,
        &["session", "set-notes", "another", "--session", "one"],
    )
    .ok();
    let copied = machine.run(&["store", "copy", "sqlite:", &away, "--json"]);
    assert_eq!(copied.code, Some(1));
    let copied: Value = serde_json::from_str(&copied.out).unwrap();
    assert_eq!(
        (&copied["differing_sessions"], &copied["copied"]["sessions"]),
        (&json!(["one"]), &json!(1))
    );
    let shown = run(
        &machine,
        &away,
        &["session", "show", "--session", "one", "--json"],
    )
    .json();
    assert_eq!(shown["notes"], "another");
}

/// What an engine must do so that everything can be copied out of it and into it.
fn contract(open: &dyn Fn(&Path) -> Arc<dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    assert_eq!(
        store.place().unwrap(),
        open(directory.path()).place().unwrap()
    );
    let id = |name: &str| SessionId::new(name).unwrap();
    let write = |text: &str| Write::new("set_plan", Content::Plan(text.to_owned()));
    store
        .update(&id("b"), &ProjectId::new("p"), 5, &mut |_| {
            Ok(vec![write("1"), write("2")])
        })
        .unwrap();
    store
        .update(&id("a"), &ProjectId::new("p"), 6, &mut |_| Ok(Vec::new()))
        .unwrap();
    let ids = |after: &str, limit| -> Vec<String> {
        let page = store.sessions_after(after, limit).unwrap();
        page.iter().map(|session| session.id.to_string()).collect()
    };
    assert_eq!(
        (ids("", 9), ids("", 1), ids("a", 9)),
        (
            vec!["a".into(), "b".into()],
            vec!["a".into()],
            vec!["b".into()]
        )
    );
    let page = store.revisions_after(&id("b"), 1, 9).unwrap();
    assert_eq!(
        (page.len(), page[0].0.number, &page[0].1),
        (1, 2, &Content::Plan("2".to_owned()))
    );

    // Revisions are added where they come next, and only once; those that would leave a gap are not.
    let session = store.sessions_after("a", 1).unwrap().remove(0);
    let revision = |number, text: &str| {
        let head = RevisionHead {
            number,
            space: Space::Notes,
            action: "set_notes".to_owned(),
            at: 9,
            undoes: Some(2),
            used: 1,
            author: "bob".to_owned(),
            spilled: None,
        };
        (head, Content::Notes(text.to_owned()))
    };
    for _ in 0..2 {
        store
            .take_revisions(&session, &[revision(2, "no"), revision(3, "c\0d")])
            .unwrap();
    }
    let found = store.session(&id("b")).unwrap().unwrap();
    let pad = (found.pad.notes.as_str(), found.pad.plan.as_str());
    assert_eq!((found.revision, pad), (3, ("c\0d", "2")));
    // Those between were thinned out in the other store.
    store
        .take_revisions(&session, &[revision(3, "no"), revision(5, "e")])
        .unwrap();
    assert_eq!(
        store.revisions_after(&id("b"), 2, 9).unwrap(),
        [revision(3, "c\0d"), revision(5, "e")]
    );

    // A note has its id, unless that is taken; its author, its times and its home.
    let note = |number, text: &str| Note {
        id: NoteId(number),
        scope: Scope::Project,
        content: text.to_owned(),
        tags: vec!["T".to_owned()],
        created: 3,
        updated: 4,
        author: "bob".to_owned(),
        sources: Vec::new(),
    };
    let homed = |number, text: &str| homed(note(number, text));
    store
        .take_notes(&[homed(70, "x"), homed(71, "y")], 1_000)
        .unwrap();
    store.take_notes(&[homed(70, "z")], 1_000).unwrap();
    assert_eq!(
        store.notes_after(NoteId(-1), 2).unwrap(),
        [homed(70, "x"), homed(71, "y")]
    );
    assert_eq!(
        store.notes_after(NoteId(71), 9).unwrap(),
        [homed(1_000, "z")]
    );
    assert_eq!(
        store.notes_numbered(&[NoteId(71), NoteId(5)]).unwrap(),
        [homed(71, "y")]
    );
    assert!(store.has_note_like(&homed(1, "y")).unwrap());
    let mut other = homed(71, "y");
    "q".clone_into(&mut other.home);
    assert!(!store.has_note_like(&other).unwrap());

    // Who keeps an output is remembered where its content is.
    let output = scratchpad::store::transfer::WholeOutput {
        id: scratchpad::OutputId::new("000000000000").unwrap(),
        sha256: "0".repeat(64),
        bytes: 1,
        lines: 1,
        kind: scratchpad::model::output::Kind::Text,
        used: 1,
        preview: String::new(),
        keeps: Vec::new(),
    };
    assert!(!store.take_keeps(&output).unwrap());
    let removed = |at: i64| scratchpad::store::transfer::RemovedOutput {
        id: output.id.clone(),
        at,
        sha256: Some(output.sha256.clone()),
    };
    store.take_removed(&[removed(7)]).unwrap();
    store.take_removed(&[removed(8)]).unwrap();
    assert_eq!(store.removed_outputs().unwrap(), [removed(7)]);
    let held = store.holdings().unwrap();
    assert_eq!(
        (held.sessions, held.revisions, held.notes, held.outputs),
        (2, 4, 3, 0)
    );
    a_snapshot_sees_nothing_that_is_written_later(store.as_ref());
}

/// A note of a project that is pinned and has sources, or is not pinned.
fn homed(note: Note) -> HomedNote {
    let span = |path: &str| LineSpan {
        path: path.to_owned(),
        first: 1,
        last: 2,
    };
    let source = |path: &str| taken(&span(path), "fn\0 main\nx", "main", "1a2b").unwrap();
    HomedNote {
        home: "p".to_owned(),
        pinned: (note.content != "y").then_some(9),
        sources: vec![source(&note.content), source("a.rs")],
        note,
    }
}

fn a_snapshot_sees_nothing_that_is_written_later(store: &dyn Store) {
    let session = SessionId::new("in-use").unwrap();
    let write = |text: &str| {
        let write = Write::new("set_notes", Content::Notes(text.to_owned()));
        let project = ProjectId::new("p");
        store
            .update(&session, &project, 1, &mut |_| Ok(vec![write.clone()]))
            .unwrap();
    };
    write("first");
    let snapshot = store.snapshot().unwrap();
    write("second");
    let revisions = |of: &dyn Store| of.revisions_after(&session, 0, 10).unwrap().len();
    for _ in 0..2 {
        assert_eq!((revisions(snapshot.as_ref()), revisions(store)), (1, 2));
        // The next reading must see the same.
        assert!(snapshot.outputs_after("", 10).unwrap().is_empty());
    }
}

#[test]
fn the_embedded_store_gives_out_everything_and_takes_it_in() {
    contract(&|directory| {
        Arc::new(Sqlite::open(&directory.join("scratchpad.db"), PATIENCE).unwrap())
    });
}

#[test]
fn a_server_gives_out_everything_and_takes_it_in() {
    let Some(schema) = Schema::new() else { return };
    contract(&|directory| {
        let settings = Settings {
            url: parsed(&schema.url()),
            timeout: Timeout::Each(PATIENCE),
            author: "ann".to_owned(),
            machine: "here".to_owned(),
            staging: directory.to_owned(),
        };
        Arc::new(Postgres::open(settings).unwrap())
    });
}
