//! What goes wrong with a server: nothing that was answered is lost, nothing is done twice, nothing hangs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use crate::support::cable::{Cable, State};
use crate::support::client::Client;
use crate::support::postgres::{Schema, Server, address, psql, settings, through};
use crate::support::{Machine, wait_until};
use scratchpad::model::error::ErrorKind;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::{Note, Scope};
use scratchpad::model::pad::Content;
use scratchpad::model::pad::revision::Write;
use scratchpad::store::postgres::{Postgres, Settings, Timeout};
use scratchpad::store::{Notes as _, Scopes, Sessions as _};
use scratchpad::{ProjectId, SessionId};
use serde_json::json;

/// A session and its project.
struct Who {
    session: SessionId,
    project: ProjectId,
}

impl Who {
    fn new(session: &str) -> Self {
        Self {
            session: SessionId::new(session).unwrap(),
            project: ProjectId::new("p"),
        }
    }

    fn scopes(&self) -> Scopes<'_> {
        Scopes {
            session: &self.session,
            project: &self.project,
        }
    }
}

/// Appends a line to the notes of a session.
fn append(store: &Postgres, who: &Who, line: &str) -> scratchpad::model::error::Result<u64> {
    store.update(&who.session, &who.project, 1, &mut |view| {
        let before = view.session().map_or("", |found| &found.pad.notes);
        let notes = Content::Notes(format!("{before}{line}\n"));
        Ok(vec![Write::new("append_notes", notes)])
    })
}

fn lines(store: &Postgres, who: &Who) -> Vec<String> {
    let found = store.session(&who.session).unwrap().unwrap();
    found.pad.notes.lines().map(str::to_owned).collect()
}

/// A store behind a cable.
fn cabled(schema: &Schema, staging: &Path, patience: Duration) -> (Cable, Postgres) {
    let cable = Cable::to(address(&schema.server));
    let url = through(&schema.url(), cable.port);
    let store = Postgres::open(Settings {
        timeout: Timeout::Each(patience),
        ..settings(&url, staging)
    });
    (cable, store.unwrap())
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_connection_cut_in_a_transaction_loses_nothing_and_does_nothing_twice() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (cable, store) = cabled(&schema, directory.path(), LONG);
    let who = Who::new("s");
    append(&store, &who, "first").unwrap();
    let mut expected = vec!["first".to_owned()];
    for (number, state) in [
        State::CutBefore("BEGIN"),
        State::CutAfter("BEGIN"),
        State::CutBefore("INSERT INTO revision"),
        State::CutAfter("INSERT INTO revision"),
        State::CutBefore("COMMIT"),
        State::CutAfter("COMMIT"),
    ]
    .into_iter()
    .enumerate()
    {
        cable.set(state);
        let line = format!("line {number}");
        assert_eq!(
            append(&store, &who, &line).unwrap(),
            number as u64 + 2,
            "{state:?}"
        );
        assert_eq!(cable.state(), State::Whole, "{state:?} was not met");
        expected.push(line);
        assert_eq!(lines(&store, &who), expected, "{state:?}");
    }
    for (number, state) in [
        State::CutBefore("COMMIT"),
        State::CutAfter("COMMIT"),
        State::CutAfter("INSERT INTO note"),
    ]
    .into_iter()
    .enumerate()
    {
        cable.set(state);
        let text = format!("note {number}");
        let (_, totals) = store
            .add_note(who.scopes(), Scope::Session, &text, &["tag".to_owned()], 1)
            .unwrap();
        assert_eq!(totals.notes, number + 1, "{state:?}");
        assert_eq!(
            store.tags(who.scopes()).unwrap()[0].count,
            number + 1,
            "{state:?}"
        );
    }
    cable.set(State::CutAfter("SELECT"));
    let found = store.find_notes(
        who.scopes(),
        &Matcher::text("note"),
        &[],
        NotePage::first(9),
    );
    assert_eq!(found.unwrap().total, 3);
}

#[test]
fn a_commit_that_the_server_undid_is_repeated_as_soon_as_that_is_known() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (cable, store) = cabled(&schema, directory.path(), LONG);
    let who = Who::new("s");
    append(&store, &who, "first").unwrap();
    cable.set(State::CutBefore("COMMIT"));
    // The answer that the transaction was aborted comes once, and is not asked for again until time is up.
    append(&store, &who, "second").unwrap();
    let asked = cable.sent("pg_xact_status");
    assert!((1..12).contains(&asked), "asked {asked} times");
    assert_eq!(lines(&store, &who), ["first", "second"]);
}

#[test]
fn a_note_takes_two_round_trips_and_its_session_comes_with_it() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (cable, store) = cabled(&schema, directory.path(), LONG);
    let store = Arc::new(store);
    let opened = store.clone();
    let pad = scratchpad::Scratchpad::on(move || Ok(opened.clone()));
    let tags = ["tag".to_owned()];
    for session in ["new", "new", "another"] {
        let session = SessionId::new(session).unwrap();
        let before = cable.round_trips();
        pad.add_note(&session, Scope::Session, "a note", &tags)
            .unwrap();
        assert_eq!(cable.round_trips() - before, 2);
        assert!(store.session(&session).unwrap().is_some());
    }
    // Cut off before the commit, neither the note nor its session is there.
    let (cable, cut_off) = cabled(&schema, directory.path(), Duration::from_secs(4));
    let cut_off = Arc::new(cut_off);
    let pad = scratchpad::Scratchpad::on(move || Ok(cut_off.clone()));
    cable.set(State::FreezeAt("COMMIT"));
    let session = SessionId::new("lost").unwrap();
    pad.add_note(&session, Scope::Session, "a note", &tags)
        .unwrap_err();
    assert!(store.session(&session).unwrap().is_none());
}

#[test]
fn a_lost_server_is_reported_and_found_again() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (cable, store) = cabled(&schema, directory.path(), Duration::from_secs(1));
    let who = Who::new("s");
    append(&store, &who, "before").unwrap();
    for state in [State::Cut, State::Frozen] {
        cable.set(state);
        for answer in [
            append(&store, &who, "lost"),
            store.session(&who.session).map(|_| 0),
        ] {
            assert_says_lost(&answer.unwrap_err().to_string(), &cable);
        }
        cable.set(State::Cut);
        cable.set(State::Whole);
        // On a busy machine its time may be too short, now and then.
        assert!((0..20).any(|_| append(&store, &who, "after").is_ok()));
    }
    assert_eq!(lines(&store, &who), ["before", "after", "after"]);
}

/// An error that says which server could not be reached, and that nothing was changed.
fn assert_says_lost(error: &str, cable: &Cable) {
    let place = format!("postgres://postgres@127.0.0.1:{}/postgres", cable.port);
    let is_lost = error.starts_with(&format!(
        "Can't connect to {place}: it closed the connection."
    ));
    let is_late = error.starts_with(&format!("{place} did not answer within "));
    assert!(is_lost || is_late, "{error}");
    assert!(error.contains("Nothing was changed."), "{error}");
}

#[test]
fn an_mcp_server_outlives_its_database() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    let cable = Cable::to(address(&schema.server));
    let mut command = machine.command(&["mcp", "--session", "s"]);
    command
        .env("SCRATCHPAD_STORE_URL", through(&schema.url(), cable.port))
        .env("SCRATCHPAD_STORE_BUSY_TIMEOUT_MS", "4000");
    let mut client = Client::greeted(&mut command);
    let call = |client: &mut Client, text: &str| {
        let arguments = json!({"action": "append_notes", "content": text});
        let params = json!({"name": "session_scratchpad", "arguments": arguments});
        client.request("tools/call", params)
    };
    assert_eq!(call(&mut client, "one")["isError"], json!(false));
    cable.set(State::Cut);
    let reply = call(&mut client, "two");
    assert_eq!(reply["isError"], json!(true));
    assert_says_lost(reply["content"][0]["text"].as_str().unwrap(), &cable);
    cable.set(State::Whole);
    assert_eq!(call(&mut client, "three")["isError"], json!(false));
    let pad = client
        .call("session_scratchpad", json!({"action": "get"}))
        .join("\n");
    assert!(pad.contains("one\nthree"), "{pad}");
}

#[test]
fn a_hook_lets_the_prompt_pass_when_the_server_is_silent() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    let cable = Cable::to(address(&schema.server));
    let event = r#"{"hook_event_name":"SessionStart","session_id":"s","source":"resume"}"#;
    let hook = || {
        let mut command = machine.command(&["hook", "claude"]);
        command
            .env("SCRATCHPAD_STORE_URL", through(&schema.url(), cable.port))
            .stdin(std::process::Stdio::piped());
        machine.answer(crate::support::feed(
            command.spawn().unwrap(),
            event.as_bytes(),
        ))
    };
    let url = schema.url();
    let mut set = machine.command(&["session", "set-notes", "the notes", "--session", "s"]);
    machine
        .answer(set.env("SCRATCHPAD_STORE_URL", &url).output().unwrap())
        .ok();
    // On a busy machine its time may be too short, now and then.
    assert!((0..100).any(|_| hook().ok().contains("the notes")));
    let log = machine.home().join("hook.log");
    drop(std::fs::remove_file(&log));
    for state in [State::Cut, State::Frozen] {
        cable.set(state);
        let answer = hook();
        assert_eq!(
            (answer.code, answer.out.as_str(), answer.err.as_str()),
            (Some(0), "", "")
        );
    }
    let log = std::fs::read_to_string(log).unwrap();
    for line in log.lines() {
        assert_says_lost(line.split_once(": ").unwrap().1, &cable);
    }
    assert_eq!(log.lines().count(), 2);
}

#[test]
fn a_call_that_finds_all_connections_in_use_waits_and_then_fails_with_the_reason() {
    const MOST: usize = 8;
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let store = Postgres::open(Settings {
        timeout: Timeout::Each(Duration::from_secs(5)),
        ..settings(&schema.url(), directory.path())
    })
    .unwrap();
    let who = Who::new("s");
    store
        .add_note(who.scopes(), Scope::Session, "a note", &[], 1)
        .unwrap();
    let (begun, answered) = (Barrier::new(MOST + 1), Barrier::new(MOST + 1));
    std::thread::scope(|scope| {
        for _ in 0..MOST {
            scope.spawn(|| {
                let mut each = |_: &Note| {
                    begun.wait();
                    answered.wait();
                    Ok(())
                };
                store.each_note(who.scopes(), Scope::Session, &mut each)
            });
        }
        begun.wait();
        let error = store.session(&who.session).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let text = error.to_string();
        assert!(text.contains("were in use for 5000 ms"), "{text}");
        answered.wait();
    });
    let store = Postgres::open(settings(&schema.url(), directory.path())).unwrap();
    append(&store, &who, "works again").unwrap();
    // Many more than connections, each in its turn.
    std::thread::scope(|scope| {
        for number in 0..64 {
            let (store, who) = (&store, &who);
            scope.spawn(move || append(store, who, &number.to_string()).unwrap());
        }
    });
    assert_eq!(lines(&store, &who).len(), 65);
}

#[test]
fn sixty_four_clients_at_once_lose_nothing() {
    const CLIENTS: usize = 64;
    const EACH: usize = 4;
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let all_ids = Mutex::new(HashSet::new());
    let start = Barrier::new(CLIENTS);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (schema, directory, all_ids, start) = (&schema, &directory, &all_ids, &start);
            scope.spawn(move || {
                start.wait();
                // The first of them make the tables.
                let store = Postgres::open(settings(&schema.url(), directory.path())).unwrap();
                let who = Who::new("shared");
                for count in 0..EACH {
                    append(&store, &who, &format!("{client}:{count}")).unwrap();
                    let text = format!("note {client}:{count}");
                    let tags = ["tag".to_owned(), client.to_string()];
                    let (note, _) = store
                        .add_note(who.scopes(), Scope::Project, &text, &tags, 7)
                        .unwrap();
                    assert!(
                        all_ids.lock().unwrap().insert(note.id),
                        "{} was given twice",
                        note.id
                    );
                }
            });
        }
    });
    let store = Postgres::open(settings(&schema.url(), directory.path())).unwrap();
    let who = Who::new("shared");
    let lines: HashSet<String> = lines(&store, &who).into_iter().collect();
    assert_eq!(lines.len(), CLIENTS * EACH);
    let found = store
        .find_notes(
            who.scopes(),
            &Matcher::text("note "),
            &["tag".to_owned()],
            NotePage::first(1_000),
        )
        .unwrap();
    assert_eq!(
        (found.total, found.notes.len()),
        (CLIENTS * EACH, CLIENTS * EACH)
    );
    let tags = store.tags(who.scopes()).unwrap();
    assert_eq!(tags.len(), CLIENTS + 1);
    assert_eq!(
        tags.iter().map(|tag| tag.count).sum::<usize>(),
        2 * CLIENTS * EACH
    );
    let totals = store
        .newest_notes(who.scopes(), NotePage::first(0))
        .unwrap()
        .total;
    assert_eq!(totals, CLIENTS * EACH);
}

/// Tells writers to stop, however the test ends.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_server_restarted_under_load_loses_nothing_that_was_answered() {
    if crate::support::postgres::server().is_none() {
        return;
    }
    let server = Server::start();
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(Postgres::open(settings(&server.url, directory.path())).unwrap());
    let done = AtomicBool::new(false);
    let answered: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for client in 0..16 {
            let (store, done, answered) = (&store, &done, &answered);
            scope.spawn(move || {
                let who = Who::new(&format!("session_{client}"));
                let mut count = 0;
                while !done.load(Ordering::Relaxed) {
                    let text = format!("<{client}:{count}>");
                    // A write that was reported as lost may be there or not.
                    if store
                        .add_note(who.scopes(), Scope::Project, &text, &[], 1)
                        .is_ok()
                    {
                        answered.lock().unwrap().push(text.clone());
                    }
                    let before = append(store, &who, &text).is_ok();
                    if before {
                        answered.lock().unwrap().push(format!("pad {text}"));
                    }
                    count += 1;
                }
            });
        }
        // Also where this thread fails: the others write until they are stopped.
        let _stop = StopOnDrop(&done);
        let wait_for = |many: usize| {
            wait_until("enough writes are answered", || {
                answered.lock().unwrap().len() >= many
            });
        };
        wait_for(50);
        server.restart();
        let so_far = answered.lock().unwrap().len();
        wait_for(so_far + 50);
        server.restart();
        let so_far = answered.lock().unwrap().len();
        wait_for(so_far + 50);
    });
    let mut contents = psql(&server.url, "SELECT content FROM scratchpad.note");
    let pads = psql(&server.url, "SELECT notes FROM scratchpad.session");
    contents.extend(
        pads.iter()
            .flat_map(|pad| pad.lines().map(|line| format!("pad {line}"))),
    );
    let kept: HashSet<&String> = contents.iter().collect();
    assert_eq!(kept.len(), contents.len(), "something was done twice");
    for text in answered.lock().unwrap().iter() {
        assert!(kept.contains(text), "{text} was answered and is lost");
    }
}
