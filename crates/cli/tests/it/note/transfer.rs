//! Notes that move in and out as JSON Lines.

use std::fs;

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

fn note(machine: &Machine, arguments: &[&str]) -> crate::support::Answer {
    machine.run(&[&["note"], arguments, &["--session", "s"]].concat())
}

#[test]
fn export_and_import_move_notes_and_change_nothing() {
    let machine = Machine::new();
    note(&machine, &["add", "first\nsecond line", "--tag", "a"]).ok();
    note(&machine, &["add", "third"]).ok();
    let lines = note(&machine, &["export"]).ok();
    assert_eq!(lines.lines().count(), 2);

    let other = Machine::new();
    fs::write(other.project().join("notes.jsonl"), &lines).unwrap();
    let import = [
        "note",
        "import",
        "notes.jsonl",
        "--scope",
        "project",
        "--session",
        "t",
    ];
    assert_data_eq!(
        other.run(&import).seen(),
        str![[r#"
exit 0
--- stdout
2 notes added to the project.
--- stderr

"#]]
    );
    assert_data_eq!(
        other.run(&import).seen(),
        str![[r#"
exit 0
--- stdout
0 notes added to the project; 2 already existed.
--- stderr

"#]]
    );
    let again = other
        .run(&["note", "export", "--scope", "project", "--session", "t"])
        .ok();
    assert_eq!(
        again,
        lines.replace("\"scope\":\"session\"", "\"scope\":\"project\"")
    );
}

#[test]
fn importing_again_adds_nothing_whatever_the_ids_and_wherever_from() {
    let machine = Machine::new();
    note(&machine, &["add", "twice", "--tag", "A"]).ok();
    note(&machine, &["add", "twice", "--tag", "a"]).ok();
    let lines = note(&machine, &["export"]).ok();
    let graph = "{\"type\":\"entity\",\"name\":\"Ada\",\"observations\":[\"likes tea\"]}\n";
    let both = format!("\u{feff}{lines}{graph}");
    let import = |session: &str, scope: &str| {
        machine
            .run_with(
                &[
                    "note",
                    "import",
                    "-",
                    "--scope",
                    scope,
                    "--session",
                    session,
                ],
                both.as_bytes(),
            )
            .ok()
    };
    // The session has the two notes; the project, and another session, have none of them.
    assert_eq!(
        import("s", "session"),
        "1 note added to the session; 2 already existed.\n"
    );
    assert_eq!(import("s", "project"), "3 notes added to the project.\n");
    assert_eq!(import("t", "session"), "3 notes added to the session.\n");
    for (session, scope) in [("s", "session"), ("s", "project"), ("t", "session")] {
        let again = import(session, scope);
        assert_eq!(
            again,
            format!("0 notes added to the {scope}; 3 already existed.\n")
        );
    }
}

#[test]
fn times_and_ids_of_the_future_do_not_come_in() {
    let machine = Machine::new();
    let line = br#"{"content":"future","id":"note_9223372036854775807","updated":9223372036854775807,"created":-5}"#;
    machine
        .run_with(&["note", "import", "-", "--session", "s"], line)
        .ok();
    note(&machine, &["add", "later"]).ok();
    let listed = note(&machine, &["list", "--json"]).json();
    assert_eq!(listed["notes"][0]["content"], "later");
    assert_eq!(listed["notes"][1]["created"], 0);
}

#[test]
fn a_failed_import_makes_no_session_and_a_slow_one_holds_up_nobody() {
    let machine = Machine::new();
    assert_eq!(
        machine
            .run_with(&["note", "import", "-", "--session", "z"], b"xx")
            .code,
        Some(1)
    );
    assert_eq!(
        machine.run(&["session", "list", "--json"]).ok(),
        "{\"sessions\":[],\"has_more\":false}\n"
    );

    let mut slow = machine.command(&["note", "import", "-", "--session", "slow"]);
    let mut slow = slow.stdin(std::process::Stdio::piped()).spawn().unwrap();
    // While that one waits for its input, another writes without waiting for it.
    let quick = [
        "--config",
        "store.busy_timeout_ms=1000",
        "note",
        "add",
        "quick",
        "--session",
        "q",
    ];
    machine.run(&quick).ok();
    drop(slow.stdin.take());
    slow.wait().unwrap();
}

#[test]
fn one_bad_line_imports_nothing_and_is_named() {
    let machine = Machine::new();
    let lines = b"{\"content\":\"good\"}\n\n{\"content\":\"\"}\n{\"content\":\"good too\"}\n";
    let import = machine.run_with(&["note", "import", "-", "--session", "s"], lines);
    assert_data_eq!(
        import.seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Line 3: Note not saved: the content is blank. Nothing was changed.
Hint: give the fact to keep as `content`.

"#]]
    );
    assert_eq!(note(&machine, &["list", "--json"]).json()["note_count"], 0);
    let broken = machine.run_with(
        &["note", "import", "-", "--session", "s"],
        b"{\"content\":\"a\"}\n{oops\n",
    );
    assert_data_eq!(
        broken.seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Line 2: It is not valid JSON (key must be a string at column 2). Nothing was changed.

"#]]
    );
    assert_data_eq!(
        note(&machine, &["import", "missing.jsonl"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Can't read missing.jsonl: no such file or directory.

"#]]
    );
}

#[test]
fn the_file_of_the_memory_server_comes_in() {
    let machine = Machine::new();
    let graph = br#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea","programs the engine"]}
{"type":"relation","from":"Ada","to":"Engine","relationType":"programs"}
"#;
    let import = machine.run_with(
        &[
            "note",
            "import",
            "-",
            "--scope",
            "project",
            "--session",
            "s",
        ],
        graph,
    );
    assert_data_eq!(
        import.ok(),
        str![[r#"
3 notes added to the project.

"#]]
    );
    assert_data_eq!(
        note(&machine, &["search", "tea", "--tag", "ada"]).ok(),
        str![[r#"
1 note tagged "ada" with "tea":

note_[..] project [Ada, person] [..]
likes tea

"#]]
    );
}
