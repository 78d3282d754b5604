//! What nobody used for a long time goes by itself, if a person says so, and `status` says when.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::support::{Machine, tree, wait_until};
use scratchpad::model::note::Scope;
use scratchpad::model::pad::action::Action;
use scratchpad::model::settings::RetentionSettings;
use scratchpad::scratchpad::{Expired, system_time};
use scratchpad::{ProjectId, Scratchpad, SessionId};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn pad(
    directory: &Path,
    clock: &Arc<AtomicI64>,
    sessions_days: u64,
    notes_days: u64,
) -> Scratchpad {
    let clock = clock.clone();
    Scratchpad::open(directory)
        .unwrap()
        .in_project(ProjectId::new("p"))
        .with_retention(RetentionSettings {
            sessions_days,
            notes_days,
            ..RetentionSettings::default()
        })
        .with_clock(Arc::new(move || clock.load(Ordering::Relaxed)))
}

fn id(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

#[test]
fn sessions_and_notes_go_after_their_days_and_what_is_used_or_pinned_stays() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(AtomicI64::new(1_000 * DAY));
    let later = |days: i64| clock.fetch_add(days * DAY, Ordering::Relaxed);
    let it = pad(directory.path(), &clock, 30, 90);
    let write = |session: &str| {
        let action = Action::SetNotes(format!("needle-{session}"));
        it.write(&id(session), &action).unwrap();
    };
    write("old");
    it.add_note(&id("old"), Scope::Session, "needle-old", &[])
        .unwrap();
    let (pinned, _) = it
        .add_note(&id("old"), Scope::Project, "pinned", &[])
        .unwrap();
    it.add_note(&id("old"), Scope::Project, "needle-note", &[])
        .unwrap();
    it.pin_note(&id("old"), pinned.id).unwrap();
    later(20);
    write("new");
    later(10);

    let sessions = it.expiring_sessions().unwrap();
    assert_eq!(sessions.last().unwrap().what, id("old"));
    assert_eq!(sessions[0].at - sessions[1].at, 20 * DAY);
    assert_eq!(it.expiring_notes().unwrap().len(), 1);
    assert_eq!(
        it.expire().unwrap(),
        Expired {
            sessions: 1,
            notes: 0
        }
    );
    assert!(it.session(&id("old")).unwrap().is_none());
    assert!(it.session(&id("new")).unwrap().is_some());

    later(60);
    assert_eq!(
        it.expire().unwrap(),
        Expired {
            sessions: 1,
            notes: 1
        }
    );
    assert_eq!(it.project_notes().unwrap().notes, 1);
    assert_eq!(it.expire().unwrap(), Expired::default());
    drop(it);
    for (path, bytes) in tree(directory.path()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("needle-"), "{path}");
    }
}

#[test]
fn nothing_goes_unless_days_are_set() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(AtomicI64::new(DAY));
    let it = pad(directory.path(), &clock, 0, 0);
    it.write(&id("s"), &Action::SetNotes("x".to_owned()))
        .unwrap();
    it.add_note(&id("s"), Scope::Project, "x", &[]).unwrap();
    clock.store(100_000 * DAY, Ordering::Relaxed);
    assert_eq!(it.expire().unwrap(), Expired::default());
    assert!(it.session(&id("s")).unwrap().is_some());
}

#[test]
fn status_says_what_goes_when_and_a_server_lets_it_go() {
    let machine = Machine::new();
    if !machine.database().exists() && std::env::var_os("SCRATCHPAD_TEST_ON_POSTGRES").is_some() {
        return; // In a shared store nothing goes by itself.
    }
    machine
        .run(&["session", "set-notes", "x", "--session", "s"])
        .ok();
    machine
        .run(&["note", "add", "a note", "--scope", "project"])
        .ok();
    assert!(!machine.run(&["status"]).ok().contains("Expiry"));
    machine
        .run(&["config", "set", "retention.sessions_days", "30"])
        .ok();
    machine
        .run(&["config", "set", "retention.notes_days", "90"])
        .ok();
    let said = machine.run(&["status"]).ok();
    assert!(
        said.contains("Expiry    sessions go after 30 days, the next 2"),
        "{said}"
    );
    assert!(
        said.contains("notes go after 90 days, the next 2"),
        "{said}"
    );
    let json = machine.run(&["status", "--json"]).json();
    assert_eq!(json["retention"]["sessions"]["days"], 30);
    assert_eq!(json["retention"]["sessions"]["next"], "s");

    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let long_ago = system_time() - 31 * DAY;
    database
        .execute("UPDATE session SET updated = ?1", [long_ago])
        .unwrap();
    drop(database);
    let due = machine.run(&["status"]).ok();
    assert!(due.contains("the next when a server starts: s"), "{due}");
    let mut server = machine.command(&["mcp"]);
    let mut server = server.stdin(std::process::Stdio::piped()).spawn().unwrap();
    wait_until("the session goes", || {
        let listed = machine.run(&["session", "list", "--all", "--json"]).ok();
        !listed.contains("\"s\"")
    });
    drop(server.stdin.take());
    server.wait().unwrap();
}
