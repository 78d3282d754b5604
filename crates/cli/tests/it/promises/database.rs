//! The database's files: removed, replaced or half copied, and locked.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::Machine;
use crate::support::client::Client;
use crate::support::outputs::keep;
use serde_json::{Value, json};

fn beside(machine: &Machine, end: &str) -> PathBuf {
    let mut path = machine.database().into_os_string();
    path.push(end);
    path.into()
}

fn remove_all(machine: &Machine) {
    for end in ["", "-wal", "-shm"] {
        // The last two may be gone already.
        let _ = fs::remove_file(beside(machine, end));
    }
}

fn server(machine: &Machine) -> Client {
    Client::greeted(&mut machine.command(&["mcp", "--session", "s"]))
}

/// Sets the notes: what the server replies, and whether that is an error.
fn set(client: &mut Client, notes: &str) -> (String, bool) {
    let arguments = json!({"action": "set_notes", "content": notes});
    let result = client.request(
        "tools/call",
        json!({"name": "session_scratchpad", "arguments": arguments}),
    );
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    (text, result["isError"] == true)
}

fn notes(machine: &Machine) -> String {
    let shown = machine.run(&["session", "show", "--session", "s", "--json"]);
    shown.json()["notes"].as_str().unwrap().to_owned()
}

#[test]
fn a_write_to_a_database_that_was_removed_is_refused_and_says_so() {
    let machine = Machine::new();
    let mut client = server(&machine);
    assert!(!set(&mut client, "before").1);
    remove_all(&machine);
    let (said, is_error) = set(&mut client, "lost");
    assert!(is_error, "{said}");
    assert!(
        said.contains("scratchpad.db was removed while it was in use. Nothing was changed."),
        "{said}"
    );
    // Another process makes a new one: the server goes on with that.
    machine
        .run(&["session", "set-notes", "new", "--session", "s"])
        .ok();
    let (said, is_error) = set(&mut client, "after");
    assert!(!is_error, "{said}");
    assert_eq!(notes(&machine), "after");
}

#[test]
fn a_database_that_was_replaced_is_opened_again_unless_its_log_is_the_old_one() {
    let machine = Machine::new();
    let other = Machine::new();
    other
        .run(&["session", "set-notes", "restored", "--session", "s"])
        .ok();
    let mut client = server(&machine);
    assert!(!set(&mut client, "before").1);
    let put = |name: &str| {
        let copy = machine.home().join(name);
        fs::copy(other.database(), &copy).unwrap();
        fs::rename(copy, machine.database()).unwrap();
    };
    put("one");
    let before = fs::read(machine.database()).unwrap();
    let (said, is_error) = set(&mut client, "mixed");
    assert!(
        is_error && said.contains("belongs to the database before"),
        "{said}"
    );
    assert!(fs::read(machine.database()).unwrap() == before);

    remove_all(&machine);
    put("two");
    let get = json!({"name": "session_scratchpad", "arguments": {"action": "get"}});
    let read = client.request("tools/call", get);
    assert!(read.to_string().contains("restored"), "{read}");
    assert!(!set(&mut client, "after").1);
    assert_eq!(notes(&machine), "after");
}

#[test]
fn a_log_that_was_lost_is_noticed_by_who_has_it_open_and_by_who_comes_later() {
    let machine = Machine::new();
    let mut client = server(&machine);
    assert!(!set(&mut client, "kept").1);
    let log = beside(&machine, "-wal");
    let away = machine.home().join("away");
    fs::rename(&log, &away).unwrap();
    let (said, is_error) = set(&mut client, "lost");
    assert!(
        is_error && said.contains("scratchpad.db-wal was removed while it was in use"),
        "{said}"
    );
    let later = machine.run(&["session", "show", "--session", "s"]);
    assert_eq!(later.code, Some(1), "{later:?}");
    assert!(
        later
            .err
            .contains("scratchpad.db-wal is missing, and with it the latest writes"),
        "{later:?}"
    );
    fs::rename(&away, &log).unwrap();
    let (said, is_error) = set(&mut client, "again");
    assert!(!is_error, "{said}");
    assert_eq!(notes(&machine), "again");
}

#[test]
fn a_database_copied_without_its_log_is_not_opened_as_an_empty_store() {
    let machine = Machine::new();
    let mut client = server(&machine);
    assert!(!set(&mut client, "kept").1);
    let other = Machine::new();
    fs::create_dir_all(other.home()).unwrap();
    fs::copy(machine.database(), other.database()).unwrap();
    let copied = fs::read(other.database()).unwrap();
    for words in [
        &["session", "set-notes", "x", "--session", "s"][..],
        &["session", "show", "--session", "s"],
    ] {
        let refused = other.run(words);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(
            refused.err.contains("scratchpad.db-wal is missing")
                && refused.err.contains("store backup"),
            "{refused:?}"
        );
    }
    assert!(fs::read(other.database()).unwrap() == copied);
    // With its log it is whole.
    fs::copy(beside(&machine, "-wal"), beside(&other, "-wal")).unwrap();
    assert_eq!(notes(&other), "kept");
}

/// Six calls that each wait in full would take six times as long.
#[test]
fn calls_behind_a_locked_database_share_one_deadline() {
    const TIMEOUT_MS: u64 = 2_000;
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    let timeout = format!("store.busy_timeout_ms={TIMEOUT_MS}");
    let mut client =
        Client::greeted(&mut machine.command(&["mcp", "--session", "s", "--config", &timeout]));
    let holder = rusqlite::Connection::open(machine.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let since = Instant::now();
    let arguments = json!({"action": "append_notes", "content": "x"});
    for id in 0..6 {
        let params = json!({"name": "session_scratchpad", "arguments": arguments});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    for id in 0..6 {
        let answer: Value = client.answer(&json!(id));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains("2,000 ms"), "{answer}");
    }
    assert!(
        since.elapsed() < Duration::from_millis(5 * TIMEOUT_MS),
        "{:?}",
        since.elapsed()
    );
    holder.execute_batch("ROLLBACK").unwrap();
    assert!(!set(&mut client, "after").1);
}

/// When an output was last read is recorded if that is possible soon.
#[test]
fn reading_an_output_does_not_wait_for_a_locked_database() {
    let machine = Machine::new();
    let id = keep(&machine, "list", "a line\n".repeat(1_000).as_bytes());
    let holder = rusqlite::Connection::open(machine.database()).unwrap();
    // Long ago, so that the reading is to be recorded.
    holder.execute("UPDATE output SET used = 1", []).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let timeout = "store.busy_timeout_ms=60000";
    let since = Instant::now();
    let words = ["output", "read", &id, "--lines", "1-1", "--config", timeout];
    assert!(machine.run(&words).ok().starts_with("a line"));
    assert!(
        since.elapsed() < Duration::from_secs(30),
        "{:?}",
        since.elapsed()
    );
}
