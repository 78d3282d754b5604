//! Sessions: lists, history, deletion, export.

use snapbox::{assert_data_eq, str};

use serde_json::json;

use crate::support::Machine;

fn with_sessions(names: &[&str]) -> Machine {
    let machine = Machine::new();
    for name in names {
        machine
            .run(&["session", "set-notes", name, "--session", name])
            .ok();
    }
    machine
}

#[test]
fn a_list_of_sessions_says_that_there_are_more() {
    let machine = with_sessions(&["one", "two", "three"]);
    let some = machine.run(&["session", "list", "--limit", "2"]);
    assert_data_eq!(
        some.err,
        str![[r#"
There are more than 2: a larger --limit shows them.

"#]]
    );
    assert_eq!(machine.run(&["session", "list", "--limit", "3"]).err, "");
    let json = |limit| {
        machine
            .run(&["session", "list", "--limit", limit, "--json"])
            .json()
    };
    assert_eq!(json("2")["has_more"], true);
    assert_eq!(json("3")["has_more"], false);
}

#[test]
fn a_limit_of_zero_is_refused_wherever_there_is_one() {
    let machine = with_sessions(&["one"]);
    for list in [
        &["session", "list"] as &[&str],
        &["session", "history", "--session", "one"],
        &["note", "list"],
        &["note", "search", "x"],
        &["output", "list"],
    ] {
        let answer = machine.run(&[list, &["--limit", "0"]].concat());
        assert_eq!(answer.code, Some(2), "{list:?}");
        assert_eq!(
            answer.err.lines().next(),
            Some("Error: invalid value '0' for '--limit <N>': must be 1 or more")
        );
    }
    let read = machine.run(&["output", "read", "abcdef012345", "--limit", "0"]);
    assert_ne!(read.code, Some(0));
    assert!(read.err.contains("at least 1"), "{}", read.err);
}

#[test]
fn a_deleted_session_goes_with_its_notes_and_the_outputs_that_only_it_keeps() {
    let machine = with_sessions(&["one", "two"]);
    let of_one = |arguments: &[&str]| {
        machine
            .run(&[arguments, &["--session", "one"]].concat())
            .ok()
    };
    of_one(&["note", "add", "the session's"]);
    of_one(&["note", "add", "the project's", "--scope", "project"]);
    // What was cut is pinned by the pad, and goes with it.
    of_one(&["session", "set-notes", &"long ".repeat(1_000)]);
    assert_data_eq!(
        machine.run(&["session", "delete", "one"]).seen(),
        str![[r#"
exit 0
--- stdout
Deleted session one: 2 revisions, 1 note, 1 output.
--- stderr

"#]]
    );
    let listed = machine.run(&["session", "list", "--json"]).json();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["session"], "two");
    assert_eq!(
        machine.run(&["output", "stats", "--json"]).json()["outputs"],
        0
    );
    let notes = machine
        .run(&["note", "list", "--session", "one", "--json"])
        .json();
    assert_eq!(notes["note_count"], 1);
    assert_eq!(notes["notes"][0]["content"], "the project's");
}

#[test]
fn of_several_sessions_each_is_deleted_or_the_answer_says_why_not() {
    let machine = with_sessions(&["one", "two"]);
    let answer = machine.run(&["session", "delete", "one", "ten", "two"]);
    assert_data_eq!(
        answer.seen(),
        str![[r#"
exit 1
--- stdout
Deleted session one: 1 revision, 0 notes, 0 outputs.
Deleted session two: 1 revision, 0 notes, 0 outputs.
--- stderr
Warning: Session ten not found. (`scratchpad session list --all` lists the sessions.)

"#]]
    );
    let json = machine.run(&["session", "delete", "one", "two", "--json"]);
    assert_eq!(json.code, Some(1));
    let answers: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(answers["sessions"][0]["deleted"], json!(false));
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_that_a_running_agent_uses_is_deleted_only_by_force() {
    use crate::hosts::binding::{done, in_host};
    let machine = with_sessions(&["used"]);
    // The host is running when it asks, and has ended afterwards.
    let host = in_host(
        &machine,
        "hook SessionStart used startup >/dev/null; scratchpad session delete used 2>&1; scratchpad session delete used --force",
    );
    assert_data_eq!(
        done(&machine, host),
        str![[r#"
Error: Session used is in use by a running agent (process [..]). Nothing was changed.
Hint: end that agent first, or delete it all the same with --force.
Deleted session used: 1 revision, 0 notes, 0 outputs.

"#]]
    );
    machine
        .run(&["session", "set-notes", "again", "--session", "used"])
        .ok();
    let host = in_host(&machine, "hook SessionStart used startup >/dev/null");
    done(&machine, host);
    machine.run(&["session", "delete", "used"]).ok();
}
