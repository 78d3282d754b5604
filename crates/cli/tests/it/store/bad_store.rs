//! A store that can't be used: the error says what happened, and the data stays.

use std::fs;

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

/// A write that finds this file in the place of the database is refused and leaves the file as it is.
fn refuses(machine: &Machine) {
    let before = fs::read(machine.database()).unwrap();
    let answer = machine.run(&["session", "set-notes", "x", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home/scratchpad.db is not a Scratchpad database. Nothing was changed.
Hint: move it away (a new one is then created), or choose another directory with SCRATCHPAD_HOME=DIR.

"]]
    );
    assert_eq!(fs::read(machine.database()).unwrap(), before);
}

#[test]
fn a_database_that_is_not_one() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let garbage = b"this is not a database, whatever its name says. ".repeat(100);
    fs::write(machine.database(), &garbage).unwrap();
    refuses(&machine);
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
    refuses(&machine);
}

#[test]
fn a_database_of_somebody_else_with_a_version_of_its_own() {
    for version in [-1, 1, 2, 999] {
        let machine = Machine::new();
        fs::create_dir_all(machine.home()).unwrap();
        let other = rusqlite::Connection::open(machine.database()).unwrap();
        other
            .execute_batch("CREATE TABLE recipes (name TEXT)")
            .unwrap();
        other.pragma_update(None, "user_version", version).unwrap();
        drop(other);
        refuses(&machine);
    }
}

#[test]
fn a_database_from_a_newer_version() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    database
        .pragma_update(None, "user_version", 0x5C72_0000 + 999)
        .unwrap();
    drop(database);
    let answer = machine.run(&["session", "set-notes", "lost", "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home/scratchpad.db was written by a newer scratchpad (schema 999, this one knows [..]). Nothing was changed.
Hint: update scratchpad, or choose another directory with SCRATCHPAD_HOME=DIR.

"#]]
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
Error: Another process locked [ROOT]/home/scratchpad.db for more than 50 ms. Nothing was changed.
Hint: try again; `store.busy_timeout_ms` sets how long to wait.

"]]
    );
    // Reads still work meanwhile.
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
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Can't create the directory [ROOT]/home: file exists. Nothing was changed.
Hint: create it yourself, or choose another directory with SCRATCHPAD_HOME=DIR.

"#]]
    );
    let mut command = machine.command(&["session", "list"]);
    command.env("SCRATCHPAD_HOME", "/proc/scratchpad");
    assert_data_eq!(
        machine.answer(command.output().unwrap()).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Can't create the directory /proc/scratchpad: no such file or directory. Nothing was changed.
Hint: create it yourself, or choose another directory with SCRATCHPAD_HOME=DIR.

"]]
    );
    let mut command = machine.command(&["session", "list"]);
    command.env_remove("SCRATCHPAD_HOME").env("HOME", "");
    assert_eq!(machine.answer(command.output().unwrap()).code, Some(2));
}

#[test]
fn a_full_disk_refuses_the_write_and_keeps_what_was_there() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    // No file may grow beyond 4 KiB: neither the database nor its log can take the write.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec {} session set-notes {} --session s",
        env!("CARGO_BIN_EXE_scratchpad"),
        "x".repeat(4_000)
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(machine.project())
        .env_clear()
        .env("SCRATCHPAD_HOME", machine.home())
        .output()
        .unwrap();
    let answer = machine.answer(output);
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""));
    assert_data_eq!(
        answer.err,
        str![[r#"
Error: The disk refused [ROOT]/home/scratchpad.db (disk I/O error). Nothing was changed.
Hint: it may be full: free some space, then try again.

"#]]
    );
    let shown = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    assert_eq!(shown["notes"], "kept");
}

#[test]
fn a_file_that_others_could_read_is_taken_back() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "private", "--session", "s"])
        .ok();
    fs::set_permissions(machine.database(), fs::Permissions::from_mode(0o644)).unwrap();
    machine.run(&["session", "show", "--session", "s"]).ok();
    assert_eq!(crate::support::mode(&machine.database()), 0o600);
}

#[test]
fn memory_that_fails_does_not_swallow_the_prompt() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(machine.database(), b"garbage ".repeat(1_000)).unwrap();
    let answer = machine.run_with(&["prompt", "--session", "s"], b"Go on.\n");
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), "Go on.\n"));
    assert!(
        answer.err.contains("is not a Scratchpad database"),
        "{}",
        answer.err
    );
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
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Output c59d3c0480cc is damaged: [ROOT]/home/outputs/c59d3c0480cc does not match what was kept.
Hint: rerun what produced it.

"#]]
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
#[cfg(unix)]
fn a_pipe_in_the_place_of_an_output_is_not_waited_for() {
    let machine = Machine::new();
    let text = "x".repeat(5_000);
    let reference = machine.run_with(&["output", "put"], text.as_bytes()).ok();
    let id = reference.split_whitespace().nth(1).unwrap();
    let outputs = machine.home().join("outputs");
    fs::remove_file(outputs.join(id)).unwrap();
    for name in [id, ".staged-pipe"] {
        let made = std::process::Command::new("mkfifo")
            .arg(outputs.join(name))
            .status();
        assert!(made.unwrap().success());
    }
    let answer = machine.run(&["output", "read", id]);
    assert!(answer.err.contains("is damaged"), "{}", answer.err);
    assert_eq!(
        machine.run(&["output", "prune"]).ok(),
        "Removed 1 output (5,000 bytes).\n"
    );
}
