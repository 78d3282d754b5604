//! Pinned notes, and what a conversation is told of its project's notes when it starts.

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// The text that Claude Code gets when a conversation starts.
fn told(machine: &Machine, source: &str, flags: &[&str]) -> String {
    let event = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": "SessionStart", "source": source});
    let words = [&["hook", "claude"], flags].concat();
    let answer = machine.run_with(&words, event.to_string().as_bytes()).ok();
    if answer.is_empty() {
        return answer;
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str();
    context.unwrap().to_owned()
}

/// Adds a note to the project, and returns its id.
fn add(machine: &Machine, text: &str, tags: &[&str]) -> String {
    let mut words = vec!["note", "add", text, "--json", "--scope", "project"];
    for tag in tags {
        words.extend(["--tag", tag]);
    }
    let added: Value = serde_json::from_str(&machine.run(&words).ok()).unwrap();
    added["note_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_new_conversation_is_told_in_one_line_that_its_project_has_notes() {
    let machine = Machine::new();
    assert_eq!(told(&machine, "startup", &["--tools"]), "");
    add(&machine, "Deploys need the VPN", &["deploy"]);
    add(&machine, "Tokens expire", &["auth", "deploy"]);
    let line = "Project notes: 2 (deploy 2, auth 1). search_notes finds them.";
    assert_eq!(told(&machine, "startup", &["--tools"]), line);
    assert_eq!(told(&machine, "compact", &["--tools"]), line);
    // It is in the conversation that goes on.
    assert_eq!(told(&machine, "resume", &["--tools"]), "");
    // Its agent has no tool to look for them.
    assert_eq!(told(&machine, "startup", &[]), "");
}

#[test]
fn notes_of_other_sessions_and_projects_are_not_counted() {
    let machine = Machine::new();
    machine
        .run(&["note", "scratch", "mine", "--session", "other"])
        .ok();
    assert_eq!(told(&machine, "startup", &["--tools"]), "");
}

#[test]
fn a_pinned_note_is_given_whole_and_comes_before_the_line() {
    let machine = Machine::new();
    let first = add(&machine, "Deploys need the VPN:\nask first", &[]);
    let second = add(&machine, "Tokens expire", &[]);
    for id in [&second, &first] {
        machine.run(&["note", "pin", id]).ok();
    }
    let shown = told(&machine, "startup", &["--tools"])
        .replace(&first, "note_1")
        .replace(&second, "note_2");
    assert_data_eq!(
        shown,
        str![[r"
Pinned notes:
- note_2: Tokens expire
- note_1: Deploys need the VPN:
  ask first

Project notes: 2. search_notes finds them.
"]]
    );
    machine.run(&["note", "unpin", &second]).ok();
    assert!(!told(&machine, "startup", &["--tools"]).contains("Tokens expire"));
    let listed = machine.run(&["note", "pin"]).ok();
    assert!(
        listed.contains("Deploys need") && !listed.contains("Tokens"),
        "{listed}"
    );
}

#[test]
fn at_most_five_notes_with_a_thousand_characters_are_pinned() {
    let machine = Machine::new();
    for number in 0..5 {
        let id = add(&machine, &format!("note number {number}"), &[]);
        machine.run(&["note", "pin", &id]).ok();
    }
    let sixth = add(&machine, "one too many", &[]);
    let refused = machine.run(&["note", "pin", &sixth]);
    assert_data_eq!(
        refused.seen(),
        str![[r"
exit 1
--- stdout
--- stderr
Error: Not pinned: 5 notes are pinned, and no more fit before a conversation. Nothing was changed.
Hint: `scratchpad note pin` lists the pinned notes, `note unpin ID` makes room.

"]]
    );
    let machine = Machine::new();
    let long = add(&machine, &"x".repeat(1_001), &[]);
    let refused = machine.run(&["note", "pin", &long, "--lang", "de"]);
    assert_eq!(
        refused.err.lines().next().unwrap(),
        "Fehler: Nicht angeheftet: Die Notiz hat 1.001 Zeichen, die angehefteten 0; zusammen dürfen es 1.000 sein. Es wurde nichts geändert."
    );
}

#[test]
fn a_note_of_a_session_is_moved_to_the_project_before_it_is_pinned() {
    let machine = Machine::new();
    let added = machine
        .run(&["note", "scratch", "mine", "--session", "s", "--json"])
        .ok();
    let added: Value = serde_json::from_str(&added).unwrap();
    let id = added["note_id"].as_str().unwrap();
    let pin = |words: &[&str]| machine.run(&[&["note"], words, &[id, "--session", "s"]].concat());
    let refused = pin(&["pin"]).err;
    assert!(
        refused.contains("belongs to its session") && refused.contains("note promote"),
        "{refused}"
    );
    pin(&["promote"]).ok();
    pin(&["pin"]).ok();
}

#[test]
fn with_notes_switched_off_none_is_mentioned() {
    let machine = Machine::new();
    let id = add(&machine, "Deploys need the VPN", &[]);
    machine.run(&["note", "pin", &id]).ok();
    std::fs::write(
        machine.home().join("config.toml"),
        "[notes]\nenabled = false\n",
    )
    .unwrap();
    assert_eq!(told(&machine, "startup", &["--tools"]), "");
}
