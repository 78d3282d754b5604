//! What can go wrong from outside gets an error that says what, why and what to do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;

use snapbox::{IntoData, assert_data_eq, str};
use support::Machine;

#[test]
fn bad_session_ids() {
    let machine = Machine::new();
    let show = |id: &str| machine.run(&["session", "show", "--session", id]).seen();
    assert_data_eq!(show("a\nb"), str![[r#"
exit 2
--- stdout
--- stderr
Error: The session id "a\nb" has the character '\n': a session id is 1 to 200 printable ASCII characters without blanks. Nothing was changed.
Hint: it came from --session.

"#]].raw());
    assert_data_eq!(
        show(&"x".repeat(10 * 1024)),
        str![[r"
exit 2
--- stdout
--- stderr
Error: The session id has 10,240 characters: a session id is 1 to 200 printable ASCII characters without blanks. Nothing was changed.
Hint: it came from --session.

"]]
    );
    let mut command = machine.command(&["session", "show"]);
    command.env("SCRATCHPAD_SESSION", "a b");
    assert_data_eq!(
        machine.answer(command.output().unwrap()).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: The session id "a b" has the character ' ': a session id is 1 to 200 printable ASCII characters without blanks. Nothing was changed.
Hint: it came from SCRATCHPAD_SESSION.

"#]]
    );
    assert!(!machine.home().exists(), "a usage error touches nothing");
}

#[test]
fn stdin_that_is_not_text() {
    let machine = Machine::new();
    let set = machine.run_with(
        &["session", "set-notes", "--session", "s"],
        b"caf\xe9 au lait",
    );
    assert_data_eq!(
        set.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Stdin is not UTF-8: byte 0xe9 at offset 3. Nothing was changed.
Hint: convert it first, for example with `iconv -f LATIN1 -t UTF-8`.

"]]
    );
    let prompt = machine.run_with(&["prompt"], b"\xff");
    assert_eq!((prompt.code, prompt.out.as_str()), (Some(1), ""));
    assert_eq!(
        machine.run(&["session", "show", "--session", "s"]).code,
        Some(1)
    );
}

#[test]
fn stdin_beyond_every_limit() {
    let machine = Machine::new();
    let huge = vec![b'x'; 16 * 1024 * 1024 + 1];
    let answer = machine.run_with(&["session", "set-notes", "--session", "s"], &huge);
    assert_data_eq!(
        answer.seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: The text has more than 16,777,216 bytes, the limit of one call is 16,777,216. Nothing was changed.
Hint: keep it in a file and add the path as a ref.

"#]]
    );
}

#[test]
fn refused_writes_leave_the_pad_as_it_was() {
    let machine = Machine::new();
    let run =
        |arguments: &[&str]| machine.run(&[&["session"], arguments, &["--session", "s"]].concat());
    run(&["set-notes", &"n".repeat(3_990)]).ok();
    assert_data_eq!(
        run(&["append-notes", "eleven char"]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Notes not appended: 3,990 characters there and 11 given make 4,002 with the line break, the limit is 4,000. Nothing was changed.
Hint: rewrite the notes shorter with set_notes, or append less.

"]]
    );
    assert_data_eq!(
        run(&["refs", "add", "  "]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: A ref is empty: give a path, a link or an id. Nothing was changed.
Hint: to clear all refs, call refs.set with items [].

"]]
    );
    assert_data_eq!(
        run(&["refs", "remove", "nothing"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: No ref equals "nothing"; there are 0 refs. Nothing was changed.
Hint: a ref is removed by its exact text: `get` shows them.

"#]]
    );
    let shown = run(&["show", "--json"]).json();
    assert_eq!(
        (&shown["revision"], &shown["refs"]),
        (&1.into(), &serde_json::json!([]))
    );
}

#[test]
fn bad_calls() {
    let machine = Machine::new();
    let run = |arguments: &[&str]| {
        machine
            .run(&[arguments, &["--session", "s"]].concat())
            .seen()
    };
    assert_data_eq!(
        run(&["call", "session_scratchpad", "{nope"]),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: The arguments are not JSON: key must be a string at line 1 column 2. Nothing was changed.
Hint: give an object, for example '{"action":"get"}'.

"#]]
    );
    assert_data_eq!(
        run(&["call", "sesion_scratchpad", "{}"]),
        str![[r#"
exit 1
--- stdout
There is no tool "sesion_scratchpad". Nothing was changed.
Hint: did you mean `session_scratchpad`?
--- stderr

"#]]
    );
    assert_data_eq!(
        run(&["call", "session_scratchpad", r#"{"session":7}"#]),
        str![[r"
exit 1
--- stdout
session_scratchpad: `session` must be a string. Nothing was changed.
--- stderr

"]]
    );
    assert_data_eq!(
        run(&["output", "read", "../../etc/passwd"]),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: "../../etc/passwd" is not an output id: an id is 12 to 64 hex digits, 16 characters were given. Nothing was changed.

"#]]
    );
    assert_data_eq!(
        run(&["output", "read", "0123456789ab"]),
        str![[r"
exit 1
--- stdout
--- stderr
Error: There is no output 0123456789ab: it was never kept here, or it was removed.

"]]
    );
}

#[test]
fn a_database_that_is_not_one() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let garbage = b"this is not a database, whatever its name says. ".repeat(100);
    fs::write(machine.database(), &garbage).unwrap();
    let answer = machine.run(&["session", "set-notes", "x", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home/scratchpad.db is not a Scratchpad database. Nothing was changed.
Hint: move it away (a new one is made then), or choose another place with SCRATCHPAD_HOME=DIR.

"]]
    );
    assert_eq!(fs::read(machine.database()).unwrap(), garbage);
}

#[test]
fn a_database_of_somebody_else() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let other = rusqlite::Connection::open(machine.database()).unwrap();
    other
        .execute_batch("CREATE TABLE recipes (name TEXT)")
        .unwrap();
    drop(other);
    let before = fs::read(machine.database()).unwrap();
    let answer = machine.run(&["session", "set-notes", "x", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home/scratchpad.db is not a Scratchpad database. Nothing was changed.
Hint: move it away (a new one is made then), or choose another place with SCRATCHPAD_HOME=DIR.

"]]
    );
    assert_eq!(fs::read(machine.database()).unwrap(), before);
}

#[test]
fn a_database_from_a_newer_version() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    database.pragma_update(None, "user_version", 999).unwrap();
    drop(database);
    let answer = machine.run(&["session", "set-notes", "lost", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home/scratchpad.db was written by a newer scratchpad (schema 999, this one knows 1). Nothing was changed.
Hint: update scratchpad, or choose another place with SCRATCHPAD_HOME=DIR.

"]]
    );
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let notes: String = database
        .query_row("SELECT notes FROM session", [], |row| row.get(0))
        .unwrap();
    assert_eq!(notes, "kept");
}

#[test]
fn a_database_that_another_process_holds() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let write = [
        "--config",
        "store.busy_timeout_ms=50",
        "session",
        "set-notes",
        "x",
        "--session",
        "s",
    ];
    assert_data_eq!(
        machine.run(&write).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Another process held [ROOT]/home/scratchpad.db for more than 50 ms. Nothing was changed.
Hint: try again; `store.busy_timeout_ms` sets how long to wait.

"]]
    );
    // Reading goes on meanwhile.
    let read = machine.run_with(&["prompt", "--session", "s"], b"Go.").ok();
    assert!(read.contains("kept"), "{read}");
}

#[test]
fn a_data_directory_that_cannot_be_made() {
    let machine = Machine::new();
    // Also for a superuser, whom permission bits don't stop: a file where a directory must be.
    fs::write(machine.home(), "a file").unwrap();
    let answer = machine.run(&["session", "set-notes", "x", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Can't make the directory [ROOT]/home: file exists. Nothing was changed.
Hint: make it yourself, or choose another place with SCRATCHPAD_HOME=DIR.

"]]
    );
    let mut command = machine.command(&["session", "list"]);
    command.env("SCRATCHPAD_HOME", "/proc/scratchpad");
    assert_data_eq!(
        machine.answer(command.output().unwrap()).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Can't make the directory /proc/scratchpad: no such file or directory. Nothing was changed.
Hint: make it yourself, or choose another place with SCRATCHPAD_HOME=DIR.

"]]
    );
    let mut command = machine.command(&["session", "list"]);
    command.env_remove("SCRATCHPAD_HOME").env("HOME", "");
    assert_eq!(machine.answer(command.output().unwrap()).code, Some(2));
}

#[test]
fn a_damaged_output_is_said_to_be_damaged() {
    let machine = Machine::new();
    machine
        .run_with(
            &["session", "set-notes", "--session", "s"],
            "x".repeat(5_000).as_bytes(),
        )
        .ok();
    let file = fs::read_dir(machine.home().join("outputs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let id = file.file_name().unwrap().to_str().unwrap().to_owned();
    fs::write(&file, "something else").unwrap();
    assert_data_eq!(
        machine.run(&["output", "read", &id]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Output c59d3c0480cc is damaged: [ROOT]/home/outputs/c59d3c0480cc does not hold what was kept.

"]]
    );
    // Keeping the text again heals it.
    machine
        .run_with(
            &["session", "set-notes", "--session", "s"],
            "x".repeat(5_000).as_bytes(),
        )
        .ok();
    assert_eq!(
        machine.run(&["output", "read", &id]).ok(),
        "x".repeat(5_000)
    );
}

#[test]
fn content_cannot_steer_a_terminal_through_an_error() {
    let machine = Machine::new();
    let answer = machine.run(&[
        "session",
        "refs",
        "remove",
        "\u{1b}[2Jgone",
        "--session",
        "s",
    ]);
    assert!(!answer.err.contains('\u{1b}'), "{:?}", answer.err);
}
