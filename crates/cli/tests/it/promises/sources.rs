//! Sources of notes: lines of files that a note names, and what became of them.

use std::fs;

use crate::support::{Machine, wait_until};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

const FILE: &str = "fn main() {\n    retry(3);\n    wait();\n}\n";

fn with_file() -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.project().join("src")).unwrap();
    fs::write(machine.project().join("src/main.rs"), FILE).unwrap();
    machine
}

fn change(machine: &Machine, text: &str) {
    fs::write(machine.project().join("src/main.rs"), text).unwrap();
}

/// Adds a note to the project, and returns its id.
fn add(machine: &Machine, text: &str) -> String {
    let added = machine
        .run(&["note", "add", text, "--scope", "project", "--json"])
        .ok();
    let added: Value = serde_json::from_str(&added).unwrap();
    added["note_id"].as_str().unwrap().to_owned()
}

/// What the head of the note that a search finds says of its sources.
fn said(machine: &Machine, query: &str) -> String {
    let call = json!({"query": query}).to_string();
    let found = machine.run(&["call", "search_notes", &call]).ok();
    let head = found
        .lines()
        .find(|line| line.starts_with("note_"))
        .unwrap();
    let (_, said) = head.split_once(" (").unwrap_or_default();
    said.trim_end_matches(')').to_owned()
}

/// What it says in the end: a search takes a few milliseconds at most for sources, and says nothing of those it had no time for.
fn assert_soon_said(machine: &Machine, query: &str, expected: &str) {
    wait_until(expected, || said(machine, query) == expected);
}

#[test]
fn lines_that_a_note_names_are_its_sources_by_themselves() {
    let machine = with_file();
    add(&machine, "Retries are in src/main.rs:2-3, by design.");
    assert_eq!(said(&machine, "Retries"), "");
    change(&machine, &format!("// new\n{FILE}"));
    assert_eq!(said(&machine, "Retries"), "src/main.rs:2-3: moved to 3");
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    assert_eq!(said(&machine, "Retries"), "src/main.rs:2-3: changed since");
    fs::remove_file(machine.project().join("src/main.rs")).unwrap();
    assert_eq!(said(&machine, "Retries"), "src/main.rs:2-3: gone");
    // Whatever became of it, the note is found.
    assert!(machine.run(&["note", "list"]).ok().contains("by design"));
}

#[test]
fn a_note_whose_source_changed_comes_after_those_that_match_as_well() {
    let machine = with_file();
    add(&machine, "retry once, it is a rule");
    add(&machine, "retry thrice: src/main.rs:2");
    add(&machine, "when to retry: src/main.rs:3");
    let order = || {
        let found = machine.run(&["note", "search", "retry"]).ok();
        let lines = found
            .lines()
            .filter(|line| line.contains("retry ") || line.contains("retry:"));
        let words = lines.filter(|line| !line.starts_with(|char: char| char.is_ascii_digit()));
        words
            .map(|line| line.split(' ').nth(1).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // By the place of the word, then the newest first.
    assert_eq!(order(), ["thrice:", "once,", "to"]);
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    assert_eq!(order(), ["once,", "thrice:", "to"]);
}

#[test]
fn a_change_of_other_lines_and_of_blanks_at_the_ends_of_lines_is_none() {
    let machine = with_file();
    add(&machine, "See src/main.rs:2");
    change(
        &machine,
        "fn start() {\r\n    retry(3);  \r\n    waited();\r\n}\r\n",
    );
    assert_eq!(said(&machine, "See"), "");
}

#[test]
fn an_updated_note_speaks_of_the_lines_as_they_are_now() {
    let machine = with_file();
    let id = add(&machine, "Three: src/main.rs:2");
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    assert_eq!(
        said(&machine, "src/main.rs"),
        "src/main.rs:2: changed since"
    );
    machine.run(&["note", "update", &id, "--tag", "retry"]).ok();
    assert_eq!(
        said(&machine, "src/main.rs"),
        "src/main.rs:2: changed since"
    );
    machine
        .run(&["note", "update", &id, "--content", "Five: src/main.rs:2"])
        .ok();
    assert_eq!(said(&machine, "src/main.rs"), "");
    machine
        .run(&["note", "update", &id, "--content", "Five times"])
        .ok();
    let checked = machine.run(&["note", "check", "--json"]).ok();
    assert_eq!(checked, "{\"checked\":0,\"sources\":[]}\n");
}

#[test]
fn an_agent_can_name_sources_beside_the_text() {
    let machine = with_file();
    let call = |tool: &str, arguments: &Value| {
        machine
            .run(&["call", tool, &arguments.to_string(), "--json"])
            .out
    };
    let note = json!({"content": "Three times", "scope": "project", "sources": ["src/main.rs:2", "./src/main.rs:3"]});
    let added: Value = serde_json::from_str(&call("add_note", &note)).unwrap();
    let id = added["structuredContent"]["note_id"].as_str().unwrap();
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    assert_eq!(said(&machine, "Three"), "src/main.rs:2: changed since");
    // Sources alone: the text stays.
    call(
        "update_note",
        &json!({"id": id, "sources": ["src/main.rs:1"]}),
    );
    assert_eq!(said(&machine, "Three"), "");
    change(&machine, "// new\n");
    assert_eq!(said(&machine, "Three"), "src/main.rs:1: changed since");
    // On the command line too.
    machine
        .run(&["note", "update", id, "--source", "src/main.rs:1"])
        .ok();
    assert_eq!(said(&machine, "Three"), "");
    machine
        .run(&[
            "note",
            "add",
            "Four",
            "--scope",
            "project",
            "--source",
            "src/main.rs:1",
        ])
        .ok();
    change(&machine, "// old\n");
    assert_eq!(said(&machine, "Four"), "src/main.rs:1: changed since");
}

#[test]
fn a_source_that_is_no_lines_of_the_project_is_refused() {
    let machine = with_file();
    for source in [
        "src/main.rs",
        "src/none.rs:1",
        "src/main.rs:99",
        "../x.rs:1",
        "https://a.b:80",
        "",
    ] {
        let call = json!({"content": "x", "sources": [source]}).to_string();
        let refused = machine.run(&["call", "add_note", &call]);
        let expected = format!(
            "Note not saved: {source:?} names no lines of a file in the project. Nothing was changed.\n"
        );
        assert!(refused.out.starts_with(&expected), "{refused:?}");
    }
    let call = json!({"content": "x", "sources": vec!["src/main.rs:1"; 9]}).to_string();
    let refused = machine.run(&["call", "add_note", &call]).out;
    assert!(
        refused.starts_with("Note not saved: 9 sources, the limit is 8."),
        "{refused}"
    );
    assert!(machine.run(&["note", "list"]).ok().contains("No notes"));
}

#[test]
fn lines_are_found_in_a_file_that_was_moved_or_renamed() {
    let machine = with_file();
    let project = machine.project();
    fs::write(project.join("src/other.rs"), "fn other() {}\n").unwrap();
    add(&machine, "Retries are in src/main.rs:1-2");
    add(&machine, "A brace, see src/main.rs:4");
    let moved = |to: &str| {
        let to = project.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(&to, format!("// new\n{FILE}")).unwrap();
    };
    fs::remove_file(project.join("src/main.rs")).unwrap();
    assert_soon_said(&machine, "Retries", "src/main.rs:1-2: gone");
    moved("src/begin.rs");
    assert_soon_said(
        &machine,
        "Retries",
        "src/main.rs:1-2: moved to src/begin.rs:2",
    );
    fs::remove_file(project.join("src/begin.rs")).unwrap();
    moved("crates/cli/main.rs");
    let expected = "src/main.rs:1-2: moved to crates/cli/main.rs:2";
    assert_soon_said(&machine, "Retries", expected);
    // What could be anywhere is not looked for.
    assert_soon_said(&machine, "brace", "src/main.rs:4: gone");
    let checked = machine.run(&["note", "check"]).ok();
    assert!(
        checked.contains(" src/main.rs:1-2: moved to crates/cli/main.rs:2\n"),
        "{checked}"
    );
    let checked = machine.run(&["note", "check", "--json"]).ok();
    assert!(
        checked.contains(r#""now":"moved","line":2,"file":"crates/cli/main.rs""#),
        "{checked}"
    );
}

#[test]
fn a_note_of_another_branch_says_so_where_its_lines_differ() {
    let machine = with_file();
    let check_out = |branch: &str| {
        let head = format!("ref: refs/heads/{branch}\n");
        fs::write(machine.project().join(".git/HEAD"), head).unwrap();
    };
    check_out("feature-x");
    add(&machine, "Retries: src/main.rs:2");
    check_out("main");
    assert_eq!(said(&machine, "Retries"), "");
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    let expected = "src/main.rs:2: changed since, noted on branch feature-x";
    assert_eq!(said(&machine, "Retries"), expected);
    let checked = machine.run(&["note", "check", "--lang", "de"]).ok();
    assert!(
        checked.contains("seitdem geändert, notiert auf dem Zweig feature-x\n"),
        "{checked}"
    );
    check_out("feature-x");
    assert_eq!(said(&machine, "Retries"), "src/main.rs:2: changed since");
}

#[test]
fn files_outside_the_project_are_no_sources() {
    let machine = with_file();
    let outside = machine.project().parent().unwrap().join("secret.txt");
    fs::write(&outside, "one\n").unwrap();
    add(
        &machine,
        &format!("See ../secret.txt:1 and {}:1", outside.display()),
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, machine.project().join("link.txt")).unwrap();
        add(&machine, "And link.txt:1");
    }
    let checked = machine.run(&["note", "check", "--json"]).ok();
    assert_eq!(checked, "{\"checked\":0,\"sources\":[]}\n");
}

#[test]
fn note_check_says_what_became_of_all_sources() {
    let machine = with_file();
    let (same, changed) = (
        add(&machine, "Wait: src/main.rs:3"),
        add(&machine, "Retry: src/main.rs:2"),
    );
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    let check = |words: &[&str]| {
        let mut answer = machine.run(&[&["note", "check"], words].concat());
        answer.out = answer
            .out
            .replace(&same, "note_1")
            .replace(&changed, "note_2");
        answer.seen()
    };
    assert_data_eq!(
        check(&[]),
        str![[r"
exit 0
--- stdout
note_2 src/main.rs:2: changed since
note_1 src/main.rs:3: as it was
2 sources of 2 notes: 1 as they were, 0 moved, 1 changed, 0 gone.
--- stderr

"]]
    );
    assert_data_eq!(
        check(&["--stale", "--fail", "--lang", "de"]),
        str![[r"
exit 1
--- stdout
note_2 src/main.rs:2: seitdem geändert
2 Quellen von 2 Notizen: 1 wie damals, 0 verschoben, 1 geändert, 0 nicht mehr da.
--- stderr

"]]
    );
    assert!(check(&["--stale", "--json"]).contains(
        r#"{"path":"src/main.rs","first":2,"last":2,"now":"changed","note_id":"note_2"}"#
    ));
}

#[test]
fn a_new_conversation_is_told_how_many_notes_have_a_source_that_changed() {
    let machine = with_file();
    add(&machine, "Wait: src/main.rs:3");
    add(&machine, "Retry: src/main.rs:2");
    change(&machine, &FILE.replace("retry(3)", "retry(5)"));
    let start = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": "SessionStart", "source": "startup"});
    let told = machine
        .run_with(&["hook", "claude", "--tools"], start.to_string().as_bytes())
        .ok();
    assert!(
        told.contains("Project notes: 2 (1 changed at the source). search_notes finds them."),
        "{told}"
    );
}

#[test]
fn the_sources_of_a_note_go_with_it() {
    let machine = with_file();
    let id = add(&machine, "See src/main.rs:1");
    machine.run(&["note", "delete", &id]).ok();
    let checked = machine.run(&["note", "check", "--json"]).ok();
    assert_eq!(checked, "{\"checked\":0,\"sources\":[]}\n");
}
