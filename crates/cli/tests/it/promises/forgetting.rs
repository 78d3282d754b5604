//! What is deleted or forgotten is in no file any more: database, log, free pages, outputs, logs.

use std::fs;
use std::path::Path;

use crate::support::outputs::put;
use crate::support::{Machine, tree};
use serde_json::{Value, json};

/// It is on a pad, in its past, in notes and in outputs.
const NEEDLE: &str = "needle-51cf-of-nobody-else";
/// It is beside the needle, and stays.
const OTHERS: &str = "what-is-beside-it";

/// The files below a directory that contain a text.
fn holding(directory: &Path, text: &str) -> Vec<String> {
    let has = |bytes: &[u8]| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    let all = tree(directory).into_iter();
    all.filter(|(_, bytes)| has(bytes))
        .map(|(path, _)| path)
        .collect()
}

fn assert_nowhere(machine: &Machine, text: &str) {
    assert_eq!(holding(&machine.home(), text), Vec::<String>::new());
}

/// Writes the needle everywhere: enough of it that pages are freed and reused.
fn write(machine: &Machine, session: &str) -> String {
    for number in 0..30 {
        let text = format!("{OTHERS} {number} {NEEDLE} {}", "x".repeat(200));
        machine
            .run(&["session", "set-notes", &text, "--session", session])
            .ok();
        machine
            .run(&["note", "scratch", &text, "--session", session])
            .ok();
    }
    let plan = format!("1. use {NEEDLE}");
    machine
        .run(&["session", "set-plan", &plan, "--session", session])
        .ok();
    machine
        .run(&["session", "refs", "add", NEEDLE, "--session", session])
        .ok();
    machine
        .run(&["session", "set-notes", OTHERS, "--session", session])
        .ok();
    let kept = put(
        machine,
        "logs",
        format!("{OTHERS}\n{NEEDLE}\n").repeat(400).as_bytes(),
    );
    let id = kept
        .strip_prefix("[Output ")
        .and_then(|rest| rest.split(' ').next());
    id.unwrap().to_owned()
}

fn add_to_project(machine: &Machine, text: &str, tag: &str) {
    let words = ["note", "add", text, "--scope", "project", "--tag", tag];
    machine.run(&words).ok();
}

#[test]
fn nothing_of_a_deleted_session_is_left_in_any_file() {
    let machine = Machine::new();
    let output = write(&machine, "s");
    machine
        .run(&["session", "set-notes", OTHERS, "--session", "stays"])
        .ok();
    machine.run(&["output", "delete", &output]).ok();
    machine.run(&["session", "delete", "s"]).ok();
    assert_nowhere(&machine, NEEDLE);
    assert!(
        machine
            .run(&["session", "show", "--session", "stays"])
            .ok()
            .contains(OTHERS)
    );
}

#[test]
fn nothing_of_cleared_sessions_notes_and_outputs_is_left_in_any_file() {
    let machine = Machine::new();
    write(&machine, "s");
    add_to_project(&machine, NEEDLE, "t");
    assert_eq!(
        machine.run(&["session", "clear"]).code,
        Some(1),
        "nobody said yes"
    );
    let cleared = machine.run(&["session", "clear", "--yes", "--json"]).json();
    assert_eq!(
        (cleared["deleted"].as_u64(), cleared["notes"].as_u64()),
        (Some(1), Some(30))
    );
    machine.run(&["note", "clear", "--project", "--yes"]).ok();
    machine.run(&["output", "clear"]).ok();
    assert_nowhere(&machine, NEEDLE);
    assert!(
        machine.run(&["session", "list", "--json"]).json()["sessions"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_text_is_forgotten_everywhere_and_what_is_beside_it_stays() {
    let machine = Machine::new();
    let output = write(&machine, "s");
    add_to_project(&machine, &format!("{OTHERS} {NEEDLE}"), NEEDLE);
    fs::write(
        machine.home().join("hook.log"),
        format!("a line\nan error: {NEEDLE}\n"),
    )
    .unwrap();

    let list = |words: &[&str]| machine.run(&[&["forget"], words].concat());
    let before = tree(&machine.home()).keys().cloned().collect::<Vec<_>>();
    let dry = list(&[NEEDLE, "--dry-run", "--json"]).json();
    assert_eq!(dry["outputs"], json!([output]));
    assert_eq!(dry["log_lines"], 1);
    let kinds = |kind: &str| {
        let texts = dry["texts"].as_array().unwrap();
        texts.iter().filter(|text| text["kind"] == kind).count()
    };
    assert_eq!(
        (kinds("pad"), kinds("revision"), kinds("note")),
        (1, 32, 31)
    );
    let after = tree(&machine.home()).keys().cloned().collect::<Vec<_>>();
    assert_eq!(before, after);
    assert!(!holding(&machine.home(), NEEDLE).is_empty());

    let refused = list(&[NEEDLE]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("--yes"), "{}", refused.err);

    // Given on stdin, no shell remembers it.
    let said = machine
        .run_with(&["forget", "--yes"], format!("{NEEDLE}\n").as_bytes())
        .ok();
    assert!(
        said.contains("Forgotten. No file of Scratchpad contains it."),
        "{said}"
    );
    assert_nowhere(&machine, NEEDLE);

    let shown = machine.run(&["session", "show", "--session", "s"]).ok();
    assert!(
        shown.contains("use [forgotten]") && shown.contains(OTHERS),
        "{shown}"
    );
    let older = machine
        .run(&["session", "show", "--session", "s", "--revision", "1"])
        .ok();
    assert!(older.contains("[forgotten]"), "{older}");
    let found = machine
        .run(&[
            "note",
            "search",
            OTHERS,
            "--session",
            "s",
            "--all",
            "--json",
        ])
        .json();
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(31));
    let tags: Value = machine
        .run(&["note", "tags", "--session", "s", "--json"])
        .json();
    assert_eq!(tags["tags"], json!([{"tag": "[forgotten]", "count": 1}]));
    assert_eq!(machine.run(&["output", "read", &output]).code, Some(1));
    let log = fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert_eq!(log, "a line\nan error: [forgotten]\n");

    let again = list(&[NEEDLE, "--dry-run"]).ok();
    assert!(again.contains("Nothing here contains it."), "{again}");
}

#[test]
fn what_an_agent_deleted_or_replaced_is_in_no_file_once_its_text_is_forgotten() {
    let machine = Machine::new();
    let words = ["note", "scratch", NEEDLE, "--session", "s", "--json"];
    let id = machine.run(&words).json()["note_id"]
        .as_str()
        .unwrap()
        .to_owned();
    machine.run(&["note", "delete", &id, "--session", "s"]).ok();
    machine.run(&["forget", NEEDLE, "--yes"]).ok();
    assert_nowhere(&machine, NEEDLE);
}

#[test]
fn a_file_of_ours_that_still_has_the_text_is_named() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", NEEDLE, "--session", "s"])
        .ok();
    fs::write(machine.home().join("copy-of-mine.db"), NEEDLE).unwrap();
    let answer = machine.run(&["forget", NEEDLE, "--yes"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("copy-of-mine.db"), "{}", answer.err);
    assert_eq!(holding(&machine.home(), NEEDLE).len(), 1);
}

#[test]
fn too_short_a_text_is_not_forgotten() {
    let machine = Machine::new();
    let answer = machine.run(&["forget", "abc", "--yes"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.err.contains("at least 4 characters"),
        "{}",
        answer.err
    );
}
