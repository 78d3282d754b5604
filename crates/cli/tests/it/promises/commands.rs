//! What a person does on the command line with sessions, notes, outputs and settings.

use std::fs;

use crate::support::Machine;
use crate::support::outputs::keep;
use serde_json::{Value, json};

fn in_session(machine: &Machine, arguments: &[&str]) -> String {
    machine.run(&[arguments, &["--session", "s"]].concat()).ok()
}

/// The pad of session `s`, as `session show` has it.
fn pad(machine: &Machine) -> Value {
    serde_json::from_str(&in_session(machine, &["session", "show", "--json"])).unwrap()
}

#[test]
fn a_person_writes_a_pad_by_argument_or_by_pipe() {
    let machine = Machine::new();
    in_session(&machine, &["session", "set-notes", "one"]);
    let piped = ["session", "append-notes", "--session", "s"];
    machine.run_with(&piped, b"two\n").ok();
    in_session(&machine, &["session", "set-plan", "1. read"]);
    in_session(&machine, &["session", "refs", "set", "a", "b"]);
    in_session(&machine, &["session", "refs", "add", "c"]);
    in_session(&machine, &["session", "refs", "remove", "a"]);
    let pad = pad(&machine);
    assert_eq!(
        (&pad["notes"], &pad["plan"], &pad["refs"]),
        (&json!("one\ntwo"), &json!("1. read"), &json!(["b", "c"]))
    );
    assert_eq!(in_session(&machine, &["session", "refs", "list"]), "b\nc\n");
    // A program that runs us without input clears nothing.
    let silent = machine.run(&["session", "set-notes", "--session", "s"]);
    assert_eq!(silent.code, Some(2), "{silent:?}");
}

#[test]
fn without_a_name_the_projects_newest_session_is_meant_and_named() {
    let machine = Machine::new();
    for session in ["older", "newer"] {
        let set = ["session", "set-plan", session, "--session", session];
        machine.run(&set).ok();
    }
    let shown = machine.run(&["session", "show"]);
    assert!(shown.out.contains("\nnewer\n"), "{shown:?}");
    assert_eq!(shown.err, "Session: newer (newest of this project)\n");
}

#[test]
fn a_fork_begins_with_a_copy_of_the_pad_and_goes_its_own_way() {
    let machine = Machine::new();
    in_session(&machine, &["session", "set-plan", "first"]);
    let fork = ["session", "fork", "s", "--as", "copy"];
    machine.run(&fork).ok();
    let set = ["session", "set-plan", "second", "--session", "copy"];
    machine.run(&set).ok();
    assert_eq!(pad(&machine)["plan"], "first");
    let history = ["session", "history", "--session", "copy", "--json"];
    let revisions = machine.run(&history).json()["revisions"].clone();
    assert_eq!(revisions.as_array().unwrap().len(), 2, "{revisions}");
    // One that has a pad is not overwritten.
    let refused = machine.run(&fork);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let unnamed = machine.run(&["session", "fork", "copy"]).ok();
    let show = ["session", "show", "--session", unnamed.trim_end(), "--json"];
    assert_eq!(machine.run(&show).json()["plan"], "second");
}

#[test]
fn a_revision_is_shown_as_it_was() {
    let machine = Machine::new();
    for text in ["one", "two"] {
        in_session(&machine, &["session", "set-notes", text]);
    }
    let shown = in_session(&machine, &["session", "show", "--revision", "1"]);
    assert!(shown == "one\n", "{shown}");
}

#[test]
fn a_person_does_with_notes_what_agents_do() {
    let machine = Machine::new();
    let added = in_session(
        &machine,
        &["note", "add", "Deploys need the VPN", "--tag", "ops"],
    );
    let id = added.split(' ').nth(1).unwrap();
    in_session(&machine, &["note", "scratch", "quick"]);
    in_session(
        &machine,
        &["note", "update", id, "--content", "Deploys need no VPN"],
    );
    let found = in_session(&machine, &["note", "search", "vpn", "--tag", "ops"]);
    assert!(found.contains("Deploys need no VPN"), "{found}");
    assert_eq!(in_session(&machine, &["note", "tags"]), "ops 1\n");
    in_session(&machine, &["note", "delete", id]);
    let left = in_session(&machine, &["note", "list"]);
    assert!(
        left.starts_with("1 note, newest first:") && left.contains("quick"),
        "{left}"
    );
}

#[test]
fn outputs_are_read_on_the_command_line_by_the_same_slices() {
    let machine = Machine::new();
    let lines: String = (1..=3_000)
        .map(|number| number.to_string() + "\n")
        .collect();
    let id = keep(&machine, "seq", lines.as_bytes());
    let read = |slice: &[&str]| {
        machine
            .run(&[&["output", "read", &id], slice].concat())
            .ok()
    };
    assert_eq!(read(&[]), lines);
    assert_eq!(read(&["--lines", "2-3"]), "2\n3\n");
    assert_eq!(read(&["--lines=-1"]), "3000\n");
    assert_eq!(read(&["--grep", "^299[89]$"]), "2998:2998\n2999:2999\n");
    assert_eq!(read(&["--offset", "2", "--limit", "2"]), "2\n");
    let rows = json!((0..900).map(|row| json!({"id": row})).collect::<Vec<_>>());
    let id = keep(&machine, "rows", rows.to_string().as_bytes());
    let read = machine.run(&["output", "read", &id, "--expr", "$[7].id"]);
    assert_eq!(read.ok(), "7\n");
    let gone = machine.run(&["output", "read", &id, "--lines", "9-10"]);
    assert_eq!((gone.code, &*gone.out), (Some(0), ""));
    assert!(gone.err.starts_with("Out of range: "), "{gone:?}");
}

#[test]
fn put_keeps_what_is_piped_in_and_clear_deletes_what_a_project_keeps() {
    let machine = Machine::new();
    let put = ["output", "put", "--always", "--tool", "t"];
    let reference = machine.run_with(&put, b"small").ok();
    assert!(reference.starts_with("[Output "), "{reference}");
    let cleared = machine.run(&["output", "clear"]).ok();
    assert_eq!(cleared, "Deleted 1 output (5 bytes).\n");
    let list = machine.run(&["output", "list", "--json"]).json();
    assert_eq!(list["output_count"], 0);
}

/// The value of a setting and where it comes from.
fn shown(
    machine: &Machine,
    key: &str,
    variable: Option<&str>,
    flag: Option<&str>,
) -> (Value, String) {
    let flags: Vec<&str> = flag.iter().flat_map(|flag| ["--config", flag]).collect();
    let mut command = machine.command(&[&["config", "show", "--json"], &flags[..]].concat());
    if let Some(value) = variable {
        let name = key.to_uppercase().replace('.', "_");
        command.env(format!("SCRATCHPAD_{name}"), value);
    }
    let answer = machine.answer(command.output().unwrap()).json();
    let all = answer["settings"].as_array().unwrap();
    let found = all.iter().find(|it| it["key"] == key).unwrap();
    let origin = found["origin"].as_str().unwrap();
    (found["value"].clone(), origin.to_owned())
}

#[test]
fn default_user_file_project_file_environment_and_flag_win_in_that_order() {
    let machine = Machine::new();
    let key = "pad.max_refs";
    assert_eq!(
        shown(&machine, key, None, None),
        (json!(50), "default".to_owned())
    );
    machine.run(&["config", "set", key, "1"]).ok();
    let of_user = "[ROOT]/home/config.toml".to_owned();
    assert_eq!(shown(&machine, key, None, None), (json!(1), of_user));
    machine.run(&["config", "set", key, "2", "--project"]).ok();
    let of_project = "[ROOT]/project/.scratchpad/config.toml".to_owned();
    assert_eq!(shown(&machine, key, None, None), (json!(2), of_project));
    let variable = "SCRATCHPAD_PAD_MAX_REFS".to_owned();
    assert_eq!(shown(&machine, key, Some("3"), None), (json!(3), variable));
    let flag = Some("pad.max_refs=4");
    assert_eq!(
        shown(&machine, key, Some("3"), flag),
        (json!(4), "--config".to_owned())
    );
}

#[test]
fn a_projects_file_may_not_say_where_the_data_is() {
    let machine = Machine::new();
    let file = machine.project().join(".scratchpad/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for line in [
        "store.url = \"sqlite:/tmp/theirs.db\"",
        "store.outputs = \"file:///tmp/theirs\"",
    ] {
        fs::write(&file, line).unwrap();
        let answer = machine.run(&["config", "show"]);
        assert!(
            answer.err.contains("A project may not set `store."),
            "{answer:?}"
        );
        assert!(!answer.out.contains("theirs"), "{answer:?}");
    }
    let set = machine.run(&[
        "config",
        "set",
        "store.url",
        "sqlite:/tmp/x.db",
        "--project",
    ]);
    assert_eq!(set.code, Some(2), "{set:?}");
}

#[test]
fn one_directory_can_hold_data_and_settings() {
    let machine = Machine::new();
    in_session(&machine, &["session", "set-plan", "go"]);
    let path = machine.run(&["config", "path", "--json"]).json();
    assert_eq!(
        (&path["data"], &path["user"]),
        (&json!("[ROOT]/home"), &json!("[ROOT]/home/config.toml"))
    );
    assert!(machine.database().exists());
}

#[test]
fn every_setting_is_in_the_schema_with_its_meaning() {
    let machine = Machine::new();
    let schema = machine.run(&["config", "schema"]).json();
    let settings = machine.run(&["config", "show", "--json"]).json();
    for setting in settings["settings"].as_array().unwrap() {
        let key = setting["key"].as_str().unwrap();
        let about = setting["about"].as_str().unwrap_or_default();
        assert!(about.len() > 10, "{key}: {about}");
        let name = key.rsplit('.').next().unwrap();
        assert!(
            schema.to_string().contains(&format!("\"{name}\":")),
            "{key}"
        );
    }
}
