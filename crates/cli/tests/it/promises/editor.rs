//! Notes and pads in a person's own editor.

#![cfg(unix)]

use crate::support::Machine;
use crate::support::terminal::{Terminal, plain};

/// What a person sees whose editor is this command line.
fn edited(machine: &Machine, editor: &str, arguments: &[&str]) -> (String, bool) {
    let mut command = machine.command(arguments);
    command.env("PATH", "/usr/bin:/bin").env("EDITOR", editor);
    let (seen, is_success) = Terminal::start(command, 100, 40).finish();
    (plain(&seen), is_success)
}

fn with_notes() -> Machine {
    let machine = Machine::new();
    let notes = [
        "session",
        "set-notes",
        "API is at /v1\nsecond",
        "--session",
        "s",
    ];
    machine.run(&notes).ok();
    machine
}

fn notes(machine: &Machine) -> String {
    let shown = machine.run(&["session", "show", "--session", "s", "--json"]);
    shown.json()["notes"].as_str().unwrap().to_owned()
}

const SET_NOTES: [&str; 4] = ["session", "set-notes", "--session", "s"];

#[test]
fn set_notes_without_a_text_opens_the_editor_on_a_terminal() {
    let machine = with_notes();
    let (seen, is_success) = edited(&machine, "sed -i s/v1/v2/", &SET_NOTES);
    assert!(is_success && seen.contains("Notes saved"), "{seen}");
    assert_eq!(notes(&machine), "API is at /v2\nsecond");
    let plan = ["session", "set-plan", "--session", "s"];
    let (seen, _) = edited(&machine, "printf '1. go\\n' >", &plan);
    assert!(seen.contains("Plan saved (5 / 2000 chars)."), "{seen}");
}

#[test]
fn an_editor_that_changes_nothing_writes_nothing() {
    let machine = with_notes();
    let (seen, is_success) = edited(&machine, "true", &SET_NOTES);
    assert!(is_success);
    assert_eq!(seen, "Nothing was changed.\n");
    let shown = machine.run(&["session", "show", "--session", "s", "--json"]);
    assert_eq!(shown.json()["revision"], 1);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let machine = with_notes();
    for (editor, why) in [
        ("sed -i d \"$@\"; false", "exit code 1"),
        ("/nowhere/ed", "127"),
    ] {
        let (seen, is_success) = edited(&machine, editor, &SET_NOTES);
        assert!(!is_success && seen.contains(why), "{seen}");
        assert!(seen.contains("set VISUAL or EDITOR"), "{seen}");
    }
    assert_eq!(notes(&machine), "API is at /v1\nsecond");
}

#[test]
fn what_an_agent_writes_meanwhile_is_not_overwritten_and_the_text_is_kept() {
    let machine = with_notes();
    let agent = format!(
        "{} session set-notes theirs --session s >/dev/null; echo mine >",
        env!("CARGO_BIN_EXE_scratchpad")
    );
    let (seen, is_success) = edited(&machine, &agent, &SET_NOTES);
    assert!(
        !is_success && seen.contains("changed by somebody else"),
        "{seen}"
    );
    assert_eq!(notes(&machine), "theirs");
    let path = seen.split("Your text is in ").nth(1).unwrap();
    let path = path
        .split_whitespace()
        .next()
        .unwrap()
        .trim_end_matches('.');
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine\n");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_note_is_shown_and_edited_whole() {
    let machine = Machine::new();
    let long = "a fact. ".repeat(300);
    let added = machine
        .run(&[
            "note",
            "add",
            &long,
            "--tag",
            "db",
            "--session",
            "s",
            "--json",
        ])
        .json();
    let id = added["note_id"].as_str().unwrap().to_owned();
    let of_s = |arguments: &[&str]| machine.run(&[arguments, &["--session", "s"]].concat());
    let shown = of_s(&["note", "show", &id]).ok();
    let head = format!("{id} session [db] just now\n");
    assert_eq!(shown, format!("{head}{long}\n"));
    let json = of_s(&["note", "show", &id, "--json"]).json();
    assert_eq!(json["notes"][0]["content"], long.as_str());

    let edit = ["note", "edit", &id, "--session", "s"];
    let (seen, is_success) = edited(&machine, "printf 'b fact\\n' >", &edit);
    assert!(is_success && seen.contains("b fact"), "{seen}");
    assert_eq!(of_s(&["note", "show", &id]).ok(), format!("{head}b fact\n"));

    let piped = of_s(&["note", "edit", &id]);
    assert_eq!(piped.code, Some(2));
    assert!(
        piped.err.contains("An editor needs a terminal."),
        "{piped:?}"
    );
    let missing = of_s(&["note", "show", "note_7000"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.err.contains("note_7000 not found here"),
        "{missing:?}"
    );
}

#[test]
fn a_followed_pad_is_drawn_again_when_it_changes() {
    let machine = with_notes();
    let show = ["session", "show", "--follow", "--session", "s"];
    let mut terminal = Terminal::start(machine.command(&show), 80, 30);
    terminal.until("API is at /v1");
    let write = ["session", "set-notes", "and now this", "--session", "s"];
    machine.run(&write).ok();
    terminal.until("and now this");
    terminal.stop();
}
