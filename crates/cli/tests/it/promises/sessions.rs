//! Sessions: lists, history, deletion, export.

use snapbox::{assert_data_eq, str};

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
