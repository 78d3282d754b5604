//! Ids that are shortened to what only one has.

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

const UUID: &str = "9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111";

fn with_sessions(names: &[&str]) -> Machine {
    let machine = Machine::new();
    for name in names {
        machine
            .run(&["session", "set-notes", name, "--session", name])
            .ok();
    }
    machine
}

/// The sessions there are, oldest first.
fn sessions(machine: &Machine) -> Vec<String> {
    let listed = machine.run(&["session", "list", "--json"]).json();
    let mut ids: Vec<String> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["session"].as_str().unwrap().to_owned())
        .collect();
    ids.reverse();
    ids
}

#[test]
fn the_beginning_of_a_session_id_names_the_session_in_every_command_that_reads() {
    let machine = with_sessions(&[UUID, "build-2"]);
    let shown = machine.run(&["session", "show", "--session", "9"]);
    assert_eq!(shown.err, format!("Session: {UUID}\n"));
    assert!(
        shown
            .ok()
            .starts_with(&format!("Session {UUID}, revision 1"))
    );
    for arguments in [
        &["session", "show"][..],
        &["session", "history"],
        &["session", "export"],
        &["session", "refs", "list"],
        &["note", "list"],
        &["output", "stats"],
    ] {
        let answer = machine.run(&[arguments, &["--session", "build"]].concat());
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        assert!(
            answer.err.contains("Session: build-2"),
            "{arguments:?}: {answer:?}"
        );
    }
    let copy = ["session", "fork", "9f0f", "--as", "copy"];
    machine.run(&copy).ok();
    assert_eq!(
        machine
            .run(&["session", "show", "--session", "copy", "--json"])
            .json()["notes"],
        UUID
    );
}

#[test]
fn an_exact_id_comes_before_a_longer_one_that_begins_so() {
    let machine = with_sessions(&["one", "one-more"]);
    let shown = machine.run(&["session", "show", "--session", "one", "--json"]);
    assert_eq!(shown.json()["notes"], "one");
}

#[test]
fn an_ambiguous_id_lists_the_candidates() {
    let machine = with_sessions(&["build-1", "build-2"]);
    assert_data_eq!(
        machine
            .run(&["session", "show", "--session", "build"])
            .seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: build is the beginning or end of more than one id: build-1, build-2. Nothing was changed.
Hint: type more of the one you mean.

"#]]
    );
    let deleted = machine.run(&["session", "delete", "buil"]);
    assert_eq!(deleted.code, Some(1));
    assert_eq!(sessions(&machine), ["build-1", "build-2"]);
}

#[test]
fn a_write_takes_a_shortened_id_only_if_it_can_not_be_a_new_name() {
    let machine = with_sessions(&[UUID, "build-2"]);
    let write = |id: &str| {
        machine
            .run(&["session", "set-plan", "go", "--session", id])
            .ok()
    };
    write("9f0f1f");
    assert_eq!(sessions(&machine).len(), 2);
    write("build");
    write("9f0");
    let mut names = sessions(&machine);
    names.sort();
    assert_eq!(names, ["9f0", UUID, "build", "build-2"]);
}

#[test]
fn a_note_goes_to_the_session_that_is_said_once() {
    let machine = with_sessions(&[UUID, "build-2"]);
    let added = machine.run(&["note", "add", "x", "--session", "9f0f1f"]);
    assert_eq!(added.err, format!("Session: {UUID}\n"));
    let added = machine.run(&["note", "add", "x", "--session", "build"]);
    assert_eq!(added.err, "");
    assert_eq!(sessions(&machine).len(), 3);
}

#[test]
fn a_program_that_asks_for_a_prompt_gives_the_whole_id() {
    let machine = with_sessions(&[UUID]);
    let answer = machine.run_with(&["prompt", "--session", "9f0f1f"], b"Go on.\n");
    assert_eq!(answer.ok(), "Go on.\n");
}

#[test]
fn a_session_is_deleted_by_four_characters_that_only_it_begins_with() {
    let machine = with_sessions(&[UUID]);
    assert_eq!(machine.run(&["session", "delete", "9f0"]).code, Some(1));
    let said = machine.run(&["session", "delete", "9f0f"]).ok();
    assert!(
        said.starts_with(&format!("Deleted session {UUID}: ")),
        "{said}"
    );
}

#[test]
fn outputs_and_notes_are_named_by_a_part_of_their_id() {
    let machine = Machine::new();
    let log = "line\n".repeat(2_000);
    let reference = machine
        .run_with(&["output", "put", "--session", "s"], log.as_bytes())
        .ok();
    let id = reference.split_whitespace().nth(1).unwrap();
    assert_eq!(machine.run(&["output", "read", &id[..4]]).ok(), log);
    let part = machine.run(&["output", "read", &id[..5], "--lines", "1"]);
    assert_eq!(part.ok(), "line\n");
    assert_eq!(machine.run(&["output", "read", &id[..3]]).code, Some(1));
    machine.run(&["output", "delete", &id[..6]]).ok();

    let added = machine.run(&["note", "add", "the vpn", "--json"]).json();
    let note = added["note_id"].as_str().unwrap();
    let tail = &note[note.len() - 6..];
    let updated = machine.run(&["note", "update", tail, "--content", "the VPN"]);
    assert!(updated.ok().contains("the VPN"));
    machine.run(&["note", "delete", tail]).ok();
    assert_eq!(machine.run(&["note", "delete", note]).code, Some(1));
}
