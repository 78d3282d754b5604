//! A session-log file as the home of a session.

use std::fs;
use std::io::Write;

use crate::support::{Machine, mode};
use snapbox::{assert_data_eq, str};

const FOREIGN: &str = "{\"type\":\"session\",\"id\":\"x\",\"version\":3}\n{\"type\":\"message\",\"text\":\"openclaw:scratchpad:notes\"}\n";

fn session(machine: &Machine, arguments: &[&str]) -> crate::support::Answer {
    machine.run(&[&["session", "--journal", "log.jsonl"], arguments].concat())
}

#[test]
fn writes_are_appended_and_every_other_line_stays() {
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    fs::write(&log, FOREIGN).unwrap();
    session(&machine, &["set-notes", "first"]).ok();
    session(&machine, &["append-notes", "second"]).ok();
    session(&machine, &["refs", "add", "a.rs"]).ok();
    session(&machine, &["undo"]).ok();

    let text = fs::read_to_string(&log).unwrap();
    let own = text
        .strip_prefix(FOREIGN)
        .expect("other lines are untouched");
    assert_data_eq!(
        own.to_owned(),
        str![[r#"
{"type":"custom","customType":"openclaw:scratchpad:notes","data":"first","id":"[..]","parentId":null,"timestamp":"[..]","action":"set_notes"}
{"type":"custom","customType":"openclaw:scratchpad:notes","data":"first/nsecond","id":"[..]","parentId":"[..]","timestamp":"[..]","action":"append_notes"}
{"type":"custom","customType":"openclaw:scratchpad:refs","data":["a.rs"],"id":"[..]","parentId":"[..]","timestamp":"[..]","action":"refs.add"}
{"type":"custom","customType":"openclaw:scratchpad:refs","data":[],"id":"[..]","parentId":"[..]","timestamp":"[..]","action":"undo","undoes":3}

"#]]
    );
    assert_data_eq!(
        session(&machine, &["show"]).ok(),
        str![[r"
Session journal_[..], revision 4

Notes (12 / 4000 chars)
first
second

"]]
    );
    assert_data_eq!(
        session(&machine, &["history", "--limit", "1"]).ok(),
        str![[r#"
REV  WHEN      SPACE  ACTION     SIZE
4    just now  refs   undo of 3  0

"#]]
    );

    // Nothing is stored in the database, but it exists.
    assert_eq!(
        machine.run(&["session", "list", "--json"]).ok(),
        "{\"sessions\":[],\"has_more\":false}\n"
    );
    let message = machine
        .run_with(&["prompt", "--journal", "log.jsonl"], b"Go.")
        .ok();
    assert_data_eq!(
        message,
        str![[r"
[Session Scratchpad - your persistent working memory]
Notes:
first
second
[End Scratchpad]

Go.
"]]
    );
}

#[test]
fn a_torn_last_line_stays_and_the_next_write_starts_its_own() {
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    let torn = r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":"half"#;
    session(&machine, &["set-notes", "whole"]).ok();
    let before = fs::read_to_string(&log).unwrap() + torn;
    fs::write(&log, &before).unwrap();

    assert_eq!(
        session(&machine, &["show", "--json"]).json()["notes"],
        "whole"
    );
    session(&machine, &["set-plan", "next"]).ok();
    let after = fs::read_to_string(&log).unwrap();
    let added = after
        .strip_prefix(&before)
        .expect("the torn line is untouched");
    assert!(added.starts_with("\n{"), "{added}");
    let shown = session(&machine, &["show", "--json"]).json();
    assert_eq!(
        (&shown["notes"], &shown["plan"]),
        (&"whole".into(), &"next".into())
    );
}

#[test]
fn a_new_journal_is_for_its_owner_alone() {
    let machine = Machine::new();
    session(&machine, &["set-notes", "private"]).ok();
    assert_eq!(mode(&machine.project().join("log.jsonl")), 0o600);
}

#[test]
fn a_host_that_appends_at_the_same_time_loses_nothing_and_breaks_nothing() {
    const LINES: usize = 200;
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    fs::write(&log, "").unwrap();
    let host = {
        let log = log.clone();
        std::thread::spawn(move || {
            let mut file = fs::OpenOptions::new().append(true).open(log).unwrap();
            for number in 0..LINES {
                let line = format!(
                    "{{\"type\":\"message\",\"number\":{number},\"text\":\"{}\"}}\n",
                    "x".repeat(number)
                );
                file.write_all(line.as_bytes()).unwrap();
            }
        })
    };
    let ours: Vec<_> = (0..4)
        .map(|writer| {
            let text = format!("note of {writer}");
            machine
                .command(&["session", "--journal", "log.jsonl", "append-notes", &text])
                .spawn()
                .unwrap()
        })
        .collect();
    host.join().unwrap();
    for child in ours {
        machine.answer(child.wait_with_output().unwrap()).ok();
    }
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), LINES + 4);
    let numbers: Vec<u64> = lines
        .iter()
        .filter_map(|line| line["number"].as_u64())
        .collect();
    assert_eq!(numbers, (0..LINES as u64).collect::<Vec<_>>());
    let notes = session(&machine, &["show", "--json"]).json()["notes"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut notes: Vec<&str> = notes.lines().collect();
    notes.sort_unstable();
    assert_eq!(notes, ["note of 0", "note of 1", "note of 2", "note of 3"]);
}

#[test]
fn notes_under_the_old_key_can_be_brought_back() {
    let machine = Machine::new();
    let old =
        "{\"type\":\"custom\",\"customType\":\"openclaw:scratchpad\",\"data\":\"from before\"}\n";
    fs::write(machine.project().join("log.jsonl"), old).unwrap();
    session(&machine, &["set-plan", "a plan"]).ok();
    assert_eq!(
        session(&machine, &["append-notes", "more", "--json"]).json()["revision"],
        3
    );
    assert_eq!(
        session(&machine, &["show", "--json"]).json()["notes"],
        "from before\nmore"
    );
    session(&machine, &["undo"]).ok();
    assert_eq!(
        session(&machine, &["show", "--json"]).json()["notes"],
        "from before"
    );
}

#[test]
fn a_refused_write_makes_no_journal_and_other_sessions_stay_in_the_store() {
    let machine = Machine::new();
    assert_eq!(
        session(&machine, &["append-notes", &"x".repeat(4_001)]).code,
        Some(1)
    );
    assert!(!machine.project().join("log.jsonl").exists());

    machine
        .run(&["session", "set-notes", "stored", "--session", "s"])
        .ok();
    session(&machine, &["set-notes", "journalled"]).ok();
    assert_eq!(session(&machine, &["fork", "s", "--as", "t"]).ok(), "t\n");
    let copy = machine
        .run(&["session", "show", "--session", "t", "--json"])
        .json();
    assert_eq!(copy["notes"], "stored");
    assert_eq!(
        session(&machine, &["show", "--json"]).json()["notes"],
        "journalled"
    );
}

#[test]
fn a_journal_needs_no_store() {
    let machine = Machine::new();
    fs::write(machine.home(), "a file where the data directory should be").unwrap();
    session(&machine, &["set-notes", "still works"]).ok();
    let message = machine
        .run_with(&["prompt", "--journal", "log.jsonl"], b"Go.")
        .ok();
    assert!(message.contains("still works"), "{message}");
}

#[test]
fn a_full_disk_leaves_the_journal_as_it_was() {
    let machine = Machine::new();
    session(&machine, &["set-notes", "before"]).ok();
    let log = machine.project().join("log.jsonl");
    let before = fs::read(&log).unwrap();
    let lines = ["notes", "plan"].map(|space| {
        format!("{{\"type\":\"custom\",\"customType\":\"openclaw:scratchpad:{space}\",\"data\":\"{}\"}}\n", "x".repeat(500))
    });
    fs::write(machine.project().join("import.jsonl"), lines.concat()).unwrap();

    // No file may grow beyond 1 KiB: the write stops in the second of its two lines.
    let answer = machine.answer(limited(
        &machine,
        "session --journal log.jsonl import import.jsonl",
    ));
    assert_eq!(answer.code, Some(1));
    assert_data_eq!(
        answer.err,
        str![[r#"
Error: Can't write the journal log.jsonl: only [..] of [..] bytes could be written. Nothing was changed.
Hint: free some space, then try again.

"#]]
    );
    assert_eq!(fs::read(&log).unwrap(), before);
    assert_eq!(
        session(&machine, &["show", "--json"]).json()["notes"],
        "before"
    );
}

/// Runs the program with files limited to 1 KiB; writing beyond is an error, not a signal.
fn limited(machine: &Machine, arguments: &str) -> std::process::Output {
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} {arguments}",
        env!("CARGO_BIN_EXE_scratchpad")
    );
    std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(machine.project())
        .env_clear()
        .env("SCRATCHPAD_HOME", machine.home())
        .output()
        .unwrap()
}

#[test]
fn what_a_journal_cannot_be_is_refused() {
    let machine = Machine::new();
    fs::create_dir(machine.project().join("directory")).unwrap();
    let run = |arguments: &[&str]| machine.run(arguments).seen();
    assert_data_eq!(
        run(&["session", "--journal", "directory", "show"]),
        str![[r"
exit 1
--- stdout
--- stderr
Error: The journal directory is a directory. Nothing was changed.
Hint: name a file; it is created if it does not exist.

"]]
    );
    assert_data_eq!(
        run(&["session", "--journal", "/dev/null", "show"]),
        str![[r"
exit 1
--- stdout
--- stderr
Error: The journal /dev/null is not a regular file. Nothing was changed.
Hint: name a file; it is created if it does not exist.

"]]
    );
    assert_data_eq!(
        run(&[
            "session",
            "--journal",
            "missing/log.jsonl",
            "set-notes",
            "x"
        ]),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Can't write the journal missing/log.jsonl: no such file or directory. Nothing was changed.

"]]
    );
    assert_data_eq!(
        run(&["session", "--journal", "log.jsonl", "list"]),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: A journal holds one session; journals can't be listed.
Hint: leave out --journal to list the sessions in the store.

"#]]
    );
    assert_data_eq!(
        run(&["session", "--journal", "a", "--session", "b", "show"]),
        str![[r"
exit 2
--- stdout
--- stderr
Error: --journal and --session can't be used together: the journal is the session.

"]]
    );
    assert_data_eq!(
        run(&["session", "--journal", "absent.jsonl", "show"]),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Session journal_[..] not found.
Hint: `scratchpad session list --all` lists the sessions.

"]]
    );
}
