//! Context notes for all projects of a person.

use std::fs;
use std::path::Path;

use crate::support::mode;
use crate::support::person::Person;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// What Claude Code's hook tells the agent of session `s` at an event in this directory.
fn told(person: &Person, directory: &Path, event: &str) -> String {
    let payload = json!({"session_id": "s", "cwd": directory, "hook_event_name": event,
        "source": "startup", "prompt": "go on"});
    let child = person
        .machine
        .command(&["hook", "claude"])
        .env("HOME", person.home())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = crate::support::feed(child, payload.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    text.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_context_note_for_all_projects_reaches_agents_in_each_by_hook() {
    let person = Person::new();
    person.run(&["install", "claude"]).ok();
    person.run(&["context", "add", "of the project"]).ok();
    person.run(&["context", "add", "for all", "--global"]).ok();
    let elsewhere = person.home().join("elsewhere");
    fs::create_dir_all(elsewhere.join(".git")).unwrap();
    let project = person.machine.project();
    let begun = told(&person, &project, "SessionStart");
    assert!(begun.contains("- for all\n- of the project"), "{begun}");
    let begun = told(&person, &elsewhere, "SessionStart");
    assert!(
        begun.contains("- for all") && !begun.contains("of the project"),
        "{begun}"
    );
    // To an agent that runs, with its next prompt, once.
    person
        .run(&["context", "add", "new for all", "--global"])
        .ok();
    let prompted = || told(&person, &elsewhere, "UserPromptSubmit");
    assert_eq!(prompted(), "## Current Context (new)\n- new for all");
    assert_eq!(prompted(), "");
    person.run(&["context", "clear", "--global"]).ok();
    assert_eq!(
        prompted(),
        "## Current Context (cleared: earlier notes no longer hold)"
    );
}

#[test]
fn context_notes_for_all_projects_are_in_the_files_for_all_and_in_no_projects() {
    let person = Person::new();
    person.run(&["context", "add", "for all", "--global"]).ok();
    person.run(&["inject", "--global", "--tool", "gemini"]).ok();
    person.run(&["inject", "--tool", "gemini"]).ok();
    let of_project = person.machine.project().join("GEMINI.md");
    assert!(!fs::read_to_string(of_project).unwrap().contains("for all"));
    assert!(
        person
            .read(".gemini/GEMINI.md")
            .contains("## Current Context\n- for all\n")
    );
    let said = person.run(&["context", "add", "and this", "--global"]).ok();
    assert!(said.contains("\nAlso updated: "), "{said}");
    assert!(
        person
            .read(".gemini/GEMINI.md")
            .contains("- for all\n- and this\n")
    );
}

#[test]
fn context_notes_for_all_projects_are_listed_removed_and_cleared_by_themselves() {
    let person = Person::new();
    person.run(&["context", "add", "of the project"]).ok();
    for note in ["one", "two"] {
        person.run(&["context", "add", note, "--global"]).ok();
    }
    let file = person.machine.home().join("scratch.yaml");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "notes:\n- \"one\"\n- \"two\"\n"
    );
    assert_eq!(mode(&file), 0o600);
    let seen: String = [
        &["context"][..],
        &["context", "--global"],
        &["context", "remove", "1", "--global"],
        &["context", "--lang", "de"],
        &["context", "clear", "--global"],
        &["context", "list", "--global"],
        &["context", "list", "--global", "--lang", "de"],
        &["context", "list"],
    ]
    .iter()
    .map(|arguments| person.run(arguments).seen())
    .collect();
    assert_data_eq!(
        seen,
        str![[r#"
exit 0
--- stdout
## Current Context
- 1. of the project
--- stderr
2 more notes are for all projects: `scratchpad context --global`.
exit 0
--- stdout
## Current Context
- 1. one
- 2. two
--- stderr
exit 0
--- stdout
Context note 1 removed: one
--- stderr
No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject --global`.
exit 0
--- stdout
## Aktueller Kontext
- 1. of the project
--- stderr
1 weitere Notiz gilt für alle Projekte: `scratchpad context --global`.
exit 0
--- stdout
One context note removed.
--- stderr
exit 0
--- stdout
--- stderr
No context notes for all projects. Add one: `scratchpad context add --global TEXT`.
exit 0
--- stdout
--- stderr
Keine Kontextnotizen für alle Projekte. Eine hinzufügen: `scratchpad context add --global TEXT`.
exit 0
--- stdout
## Current Context
- 1. of the project
--- stderr

"#]]
    );
}

#[test]
fn a_corrupt_file_of_one_kind_leaves_agents_the_notes_of_the_other() {
    let person = Person::new();
    person.run(&["install", "claude"]).ok();
    person.run(&["context", "add", "of the project"]).ok();
    fs::write(person.machine.home().join("scratch.yaml"), "notes: [").unwrap();
    let listed = person.run(&["context", "--global"]);
    assert_eq!(listed.code, Some(1));
    assert!(listed.err.contains("context clear --global"), "{listed:?}");
    let project = person.machine.project();
    assert!(told(&person, &project, "SessionStart").contains("- of the project"));
    assert_eq!(told(&person, &project, "UserPromptSubmit"), "");
}
