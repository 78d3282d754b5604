//! The session commands, end to end.

use crate::support::Machine;
use serde_json::json;
use snapbox::{assert_data_eq, str};

/// A pad with all three spaces, in session `demo`.
fn filled() -> Machine {
    let machine = Machine::new();
    let demo = |arguments: &[&str]| {
        machine
            .run(&[arguments, &["--session", "demo"]].concat())
            .ok()
    };
    demo(&["session", "set-notes", "API is at /v2"]);
    demo(&["session", "append-notes", "tests need a database"]);
    demo(&["session", "set-plan", "1. read\n2. write"]);
    demo(&["session", "refs", "add", "src/main.rs:10"]);
    demo(&["session", "refs", "add", "https://example.com"]);
    machine
}

#[test]
fn a_pad_is_shown_with_its_budgets() {
    let machine = filled();
    let seen = machine
        .run(&["session", "show", "--session", "demo"])
        .seen();
    assert_data_eq!(
        seen,
        str![[r"
exit 0
--- stdout
Session demo, revision 5

Notes (35 / 4000 chars)
API is at /v2
tests need a database

Plan (16 / 2000 chars)
1. read
2. write

Refs (2 / 50 items)
- src/main.rs:10
- https://example.com
--- stderr

"]]
    );
    let data = machine
        .run(&["session", "show", "--session", "demo", "--json"])
        .json();
    assert_eq!(data["session"], "demo");
    assert_eq!(data["notes"], "API is at /v2\ntests need a database");
    assert_eq!(
        data["refs"],
        json!(["src/main.rs:10", "https://example.com"])
    );
    assert_eq!(data["revision"], 5);
}

#[test]
fn without_a_name_the_newest_session_of_the_project_is_meant_and_named() {
    let machine = Machine::new();
    assert_data_eq!(
        machine.run(&["session", "show"]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: No session in [..]/project yet.
Hint: start one with `scratchpad session set-notes TEXT`, or name one with --session ID.

"]]
    );
    let first = machine.run(&["session", "set-notes", "first"]);
    assert_data_eq!(
        first.seen(),
        str![[r"
exit 0
--- stdout
Notes saved (5 / 4000 chars).
--- stderr
Session: session_[..] (new)

"]]
    );
    let show = machine.run(&["session", "show"]);
    assert_data_eq!(
        show.seen(),
        str![[r"
exit 0
--- stdout
Session session_[..], revision 1

Notes (5 / 4000 chars)
first
--- stderr
Session: session_[..] (newest of this project)

"]]
    );

    // Another project does not see it.
    let elsewhere = tempfile::tempdir().unwrap();
    let root = elsewhere.path().to_str().unwrap();
    let other = machine.run(&["session", "show", "--project-dir", root]);
    assert_eq!(other.code, Some(1));
}

#[test]
fn the_environment_names_the_session_and_the_flag_goes_before_it() {
    let machine = Machine::new();
    let set = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut command =
            machine.command(&[&["session", "set-notes", "x", "--json"], flags].concat());
        command.envs(variables.iter().copied());
        machine.answer(command.output().unwrap()).json()["session"].clone()
    };
    let host = ("CLAUDE_CODE_SESSION_ID", "from-host");
    let ours = ("SCRATCHPAD_SESSION", "from-env");
    assert_eq!(set(&[host], &[]), "from-host");
    assert_eq!(set(&[host, ours], &[]), "from-env");
    assert_eq!(set(&[host, ours], &["--session", "from-flag"]), "from-flag");
}

#[test]
fn history_undo_and_restore_go_back_without_losing_anything() {
    let machine = filled();
    let demo = |arguments: &[&str]| {
        machine.run(&[&["session"], arguments, &["--session", "demo"]].concat())
    };
    assert_data_eq!(
        demo(&["undo"]).ok(),
        str![[r#"
Undid revision 5 (refs).

"#]]
    );
    assert_data_eq!(
        demo(&["undo"]).ok(),
        str![[r#"
Undid revision 4 (refs).

"#]]
    );
    assert_data_eq!(
        demo(&["restore", "1"]).ok(),
        str![[r"
Back to revision 1 (notes).

"]]
    );
    assert_data_eq!(
        demo(&["history"]).ok(),
        str![[r#"
REV  WHEN      SPACE  ACTION        SIZE
8    just now  notes  restore       13
7    just now  refs   undo of 4     0
6    just now  refs   undo of 5     1
5    just now  refs   refs.add      2
4    just now  refs   refs.add      1
3    just now  plan   set_plan      16
2    just now  notes  append_notes  35
1    just now  notes  set_notes     13

"#]]
    );
    assert_data_eq!(
        demo(&["show"]).ok(),
        str![[r"
Session demo, revision 8

Notes (13 / 4000 chars)
API is at /v2

Plan (16 / 2000 chars)
1. read
2. write

"]]
    );
    assert_data_eq!(
        demo(&["show", "--revision", "2"]).ok(),
        str![[r"
API is at /v2
tests need a database

"]]
    );
    assert_data_eq!(
        demo(&["history", "--limit", "1"]).seen(),
        str![[r#"
exit 0
--- stdout
REV  WHEN      SPACE  ACTION   SIZE
8    just now  notes  restore  13
--- stderr
7 older revisions: --limit 8

"#]]
    );
    assert_data_eq!(
        demo(&["restore", "99"]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: No revision 99: the session has 1 to 8. Nothing was changed.
Hint: `scratchpad session history` lists them.

"]]
    );
}

#[test]
fn a_text_that_is_cut_can_be_read_whole() {
    let machine = Machine::new();
    let long = "Zeile – größer\n".repeat(400);
    let reply = machine
        .run_with(&["session", "set-notes", "--session", "s"], long.as_bytes())
        .ok();
    assert_data_eq!(
        &reply,
        str![[r"
Notes cut to 4000 chars (5999 given): rewrite shorter. All of it is output 1cfbb48b7773 (scratchpad_read, or `scratchpad output read 1cfbb48b7773`).

"]]
    );
    let id = reply
        .split("output ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    // One line break at the end of a piped text is left out, as a shell does.
    assert_eq!(
        machine.run(&["output", "read", id]).ok(),
        long.trim_end_matches('\n')
    );
    let shown = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    assert_eq!(shown["notes"].as_str().unwrap().chars().count(), 4_000);
}

#[test]
fn a_fork_starts_with_a_copy_and_goes_its_own_way() {
    let machine = filled();
    assert_eq!(
        machine
            .run(&["session", "fork", "demo", "--as", "child"])
            .ok(),
        "child\n"
    );
    machine
        .run(&["session", "set-notes", "mine", "--session", "child"])
        .ok();
    let notes = |id: &str| {
        machine
            .run(&["session", "show", "--session", id, "--json"])
            .json()["notes"]
            .clone()
    };
    assert_eq!(notes("child"), "mine");
    assert_eq!(notes("demo"), "API is at /v2\ntests need a database");

    let minted = machine.run(&["session", "fork", "demo"]).ok();
    assert_eq!(notes(minted.trim()), notes("demo"));
    assert_data_eq!(
        machine
            .run(&["session", "fork", "demo", "--as", "child"])
            .seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Session child already exists. Nothing was changed.
Hint: choose another id, or leave it out to get a new one.

"]]
    );
    assert_data_eq!(
        machine.run(&["session", "fork", "dmo"]).seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Session dmo not found.
Hint: the nearest: demo.

"]]
    );

    let list = machine.run(&["session", "list", "--json"]).json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 3);
    let table = machine.run(&["session", "list", "--all"]).ok();
    assert_eq!(table.lines().count(), 4);
}

#[test]
fn export_and_import_carry_the_pad_to_another_home() {
    let machine = filled();
    let lines = machine
        .run(&["session", "export", "--jsonl", "--session", "demo"])
        .ok();
    assert_eq!(lines.lines().count(), 3);

    let other = Machine::new();
    let import = other.run_with(
        &["session", "import", "-", "--session", "copy"],
        format!("{{\"type\":\"message\"}}\nnot json\n{lines}").as_bytes(),
    );
    assert_data_eq!(
        import.seen(),
        str![[r"
exit 0
--- stdout
Notes saved (35 / 4000 chars).
Plan saved (16 / 2000 chars).
Refs saved (2 / 50).
1 line could not be read and was skipped.
--- stderr

"]]
    );
    let pad =
        |machine: &Machine, id: &str| machine.run_with(&["prompt", "--session", id], b"").ok();
    assert_eq!(pad(&other, "copy"), pad(&machine, "demo"));

    let nothing = other.run_with(&["session", "import", "-", "--session", "copy"], b"{}\n");
    assert_data_eq!(
        nothing.seen(),
        str![[r#"
exit 0
--- stdout
The file has no pad entries; nothing was changed.
--- stderr

"#]]
    );
}

#[test]
fn prompt_puts_the_block_before_the_text_and_nothing_before_it_when_empty() {
    let machine = filled();
    let message = machine.run_with(&["prompt", "--session", "demo"], b"Go on.\n");
    assert_data_eq!(
        message.seen(),
        str![[r"
exit 0
--- stdout
[Session Scratchpad - your persistent working memory]
Notes:
API is at /v2
tests need a database

Plan:
1. read
2. write

References:
- src/main.rs:10
- https://example.com
[End Scratchpad]

Go on.
--- stderr

"]]
    );

    // Bytes of the person's text are never touched.
    let odd = "\u{feff}  two\r\n\r\n\tlines \u{0}";
    assert_eq!(
        machine
            .run_with(&["prompt", "--session", "new"], odd.as_bytes())
            .ok(),
        odd
    );
    let fresh = Machine::new().run_with(&["prompt"], odd.as_bytes());
    assert_eq!((fresh.out.as_str(), fresh.err.as_str()), (odd, ""));
}
