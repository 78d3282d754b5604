//! What `doctor` and the host's line say was given back: what the agent was shown, no more.

use serde_json::{Value, json};

use crate::support::Machine;

/// Claude Code starts or continues a conversation; what its person is shown.
fn started(machine: &Machine, session: &str, source: &str) -> Option<String> {
    let event = json!({
        "session_id": session, "cwd": machine.project(), "hook_event_name": "SessionStart", "source": source,
    });
    let answer = machine.run_with(&["hook", "claude"], event.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&answer.ok()).unwrap_or_default();
    answer["systemMessage"].as_str().map(str::to_owned)
}

fn wrote(machine: &Machine, command: &[&str]) {
    let session = ["--session", "s"];
    machine
        .run(&[&["session"], command, &session].concat())
        .ok();
}

/// What of the pad the agent was shown, by the block itself.
fn block(machine: &Machine) -> String {
    let event = json!({
        "session_id": "s", "cwd": machine.project(), "hook_event_name": "SessionStart", "source": "resume",
    });
    let answer = machine.run_with(&["hook", "claude"], event.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&answer.ok()).unwrap();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap().to_owned()
}

#[test]
fn only_what_was_shown_is_said_to_be_given_back() {
    let machine = Machine::new();
    for number in 10..40 {
        wrote(
            &machine,
            &[
                "refs",
                "add",
                &format!("src/{number}{}", "/long".repeat(80)),
            ],
        );
    }
    let said = started(&machine, "s", "resume").unwrap();
    let shown = block(&machine).matches("- src/").count();
    assert!((1..30).contains(&shown), "{shown}");
    assert!(said.contains(&format!(": {shown} of 30 refs;")), "{said}");

    // Letters that cost more: the notes are cut too, and no ref is left.
    wrote(&machine, &["set-notes", &"情".repeat(4_000)]);
    let said = started(&machine, "s", "resume").unwrap();
    let shown = block(&machine).matches('情').count();
    assert!((1..4_000).contains(&shown), "{shown}");
    let shown = if shown < 1_000 {
        shown.to_string()
    } else {
        format!("{},{:03}", shown / 1_000, shown % 1_000)
    };
    let wanted = format!("notes {shown} of 4,000 characters, 0 of 30 refs;");
    assert!(said.contains(&wanted), "{wanted}: {said}");
}

#[test]
fn doctor_keeps_saying_what_was_last_given_back_when_another_conversation_begins() {
    let machine = Machine::new();
    wrote(&machine, &["set-plan", "- [x] read\n- [ ] fix"]);
    machine.run(&["install", "claude", "--project"]).ok();
    assert!(started(&machine, "s", "resume").is_some());
    assert_eq!(started(&machine, "another", "startup"), None);
    let doctor = machine.run(&["doctor"]).out;
    let line = doctor.lines().find(|line| line.contains("last given back"));
    assert!(
        line.is_some_and(|line| line.contains("revision 1: plan 1 open of 2")),
        "{doctor}"
    );
}
