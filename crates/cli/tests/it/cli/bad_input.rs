//! What can go wrong from outside gets an error that says what, why and what to do.

use std::fs;

use crate::support::Machine;
use snapbox::{IntoData, assert_data_eq, str};

#[test]
fn bad_session_ids() {
    let machine = Machine::new();
    let show = |id: &str| machine.run(&["session", "show", "--session", id]).seen();
    assert_data_eq!(show("a\nb"), str![[r#"
exit 2
--- stdout
--- stderr
Error: The session id "a\nb" has the character '\n': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
Hint: it came from --session.

"#]].raw());
    assert_data_eq!(
        show(&"x".repeat(10 * 1024)),
        str![[r"
exit 2
--- stdout
--- stderr
Error: The session id has 10,240 characters: a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
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
Error: The session id "a b" has the character ' ': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
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
Error: Stdin is larger than the limit of 16,777,216 bytes. Nothing was changed.

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
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Notes not appended: 3,990 characters kept and 11 given make 4,002, the limit is 4,000. Nothing was changed.
Hint: rewrite them shorter with set_notes, or append less.

"#]]
    );
    assert_data_eq!(
        run(&["refs", "add", "  "]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: A ref is empty: give a path, a link or an id. Nothing was changed.
Hint: to clear all refs, set an empty list.

"#]]
    );
    assert_data_eq!(
        run(&["refs", "remove", "nothing"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: No ref equals "nothing"; there are 0 refs. Nothing was changed.
Hint: a ref is removed by its exact text.

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
Hint: pass an object, for example '{"action":"get"}'.

"#]]
    );
    assert_data_eq!(
        run(&["call", "sesion_scratchpad", "{}"]),
        str![[r#"
exit 1
--- stdout
Unknown tool "sesion_scratchpad". Nothing was changed.
Hint: did you mean `session_scratchpad` or `scratchpad_list`?
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
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Output 0123456789ab not found: it was never kept here.

"#]]
    );
}

#[test]
fn reading_and_refused_writes_make_no_session() {
    let machine = Machine::new();
    let get = machine.run(&["call", "session_scratchpad", r#"{"action":"get"}"#]);
    assert_eq!(
        get.ok(),
        "The pad is empty. Write it with set_notes, set_plan or refs.add.\n"
    );
    for refused in [
        vec!["call", "session_scratchpad", r#"{"action":"bogus"}"#],
        vec!["call", "nope"],
        vec!["session", "append-notes", &"x".repeat(4_001)],
        vec!["session", "import", "missing.jsonl"],
        vec!["session", "set-notes"],
        vec!["note", "delete", "note_1"],
        vec!["note", "add", " "],
    ] {
        assert_ne!(machine.run(&refused).code, Some(0), "{refused:?}");
    }
    assert_eq!(
        machine.run(&["session", "list", "--json"]).ok(),
        "{\"sessions\":[],\"has_more\":false}\n"
    );
}

#[test]
fn a_text_may_begin_with_a_dash() {
    let machine = Machine::new();
    let run = |arguments: &[&str]| machine.run(&[arguments, &["--session", "s"]].concat()).ok();
    run(&["session", "set-notes", "- [ ] do it"]);
    run(&["session", "refs", "add", "-x"]);
    assert_eq!(run(&["session", "refs", "list"]), "-x\n");
    run(&["note", "add", "--json", "- a list"]);
    assert!(run(&["note", "search", "- a"]).contains("- a list"));
}

#[test]
fn a_project_cannot_make_us_read_without_end() {
    let machine = Machine::new();
    fs::create_dir_all(machine.project().join(".scratchpad")).unwrap();
    let config = machine.project().join(".scratchpad/config.toml");
    std::os::unix::fs::symlink("/dev/zero", &config).unwrap();
    assert_data_eq!(
        machine.run(&["session", "list"]).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
Warning: [ROOT]/project/.scratchpad/config.toml leads outside the project, by a link to /dev/zero. Nothing was changed. It is ignored. (replace the link with a file, if you want it there.)
No session in [ROOT]/project yet.

"#]]
    );
    fs::remove_file(&config).unwrap();
    fs::write(&config, "#".repeat(1024 * 1024 + 1)).unwrap();
    assert_data_eq!(
        machine.run(&["session", "list"]).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
Warning: [ROOT]/project/.scratchpad/config.toml is larger than the limit of 1,048,576 bytes. It is ignored.
No session in [ROOT]/project yet.

"#]]
    );
}

#[test]
fn a_long_ref_to_remove_is_refused_at_once_and_in_few_words() {
    let machine = Machine::new();
    let refs: Vec<String> = (0..50)
        .map(|number| format!("{number}{}", "r".repeat(3_990)))
        .collect();
    let set = serde_json::json!({"action": "refs.set", "items": refs}).to_string();
    machine
        .run_with(
            &["call", "session_scratchpad", "-", "--session", "s"],
            set.as_bytes(),
        )
        .ok();
    let remove =
        |reference: &str| machine.run(&["session", "refs", "remove", reference, "--session", "s"]);
    assert!(remove(&"r".repeat(100_000)).err.len() < 300);
    assert!(remove(&"r".repeat(4_000)).err.len() < 600);
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
