//! The undo record: one for all that is written into files of hosts.

use std::fs;

use crate::support::person::Person;
use serde_json::{Value, json};

/// The undo record, as JSON.
fn record(person: &Person, file: &str) -> Value {
    let text = fs::read(person.machine.home().join(file)).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn installed(person: &Person, host: &str) -> Value {
    let data = person.run(&["install", host, "--json"]).ok();
    serde_json::from_str(&data).unwrap()
}

/// Restores the two records that earlier versions kept: one of `install`, one of `inject`.
fn write_as_before(person: &Person) {
    let record = record(person, "undo.json");
    let directories: Vec<&str> = record["directories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    let files = record["files"].as_object().unwrap();
    let files: serde_json::Map<String, Value> = files
        .iter()
        .map(|(path, file)| {
            let of_file: Vec<&&str> = directories
                .iter()
                .filter(|directory| path.starts_with(**directory))
                .collect();
            let file =
                json!({"before": file["before"], "after": file["after"], "directories": of_file});
            (path.clone(), file)
        })
        .collect();
    let home = person.machine.home();
    fs::write(
        home.join("installed.json"),
        Value::Object(files).to_string(),
    )
    .unwrap();
    let injected = json!({"made": directories, "warned": record["warned"]});
    fs::write(home.join("injected.json"), injected.to_string()).unwrap();
    fs::remove_file(home.join("undo.json")).unwrap();
}

#[test]
fn what_an_older_version_installed_is_taken_back_to_the_byte() {
    let person = Person::new();
    person.write(".codex/config.toml", "# mine\nmodel = \"x\"\n");
    let before = person.everything();
    person.run(&["context", "add", "Deploys are frozen"]).ok();
    let with_notes = person.everything();
    for host in ["codex", "zed", "cline"] {
        installed(&person, host);
    }
    person.run(&["inject", "--global", "--tool", "zed"]).ok();
    person.run(&["inject", "--tool", "kiro"]).ok();
    write_as_before(&person);
    // A warning is not repeated.
    let again = person.run(&["inject", "--tool", "kiro"]);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    person.run(&["inject", "--global", "--uninstall"]).ok();
    person.run(&["inject", "--uninstall"]).ok();
    person.run(&["uninstall", "codex", "zed", "cline"]).ok();
    assert_eq!(person.everything(), with_notes);
    person.run(&["context", "clear"]).ok();
    let left: Vec<_> = person.everything().into_keys().collect();
    let first: Vec<_> = before.into_keys().collect();
    assert!(first.iter().all(|path| left.contains(path)));
    for older in ["installed.json", "injected.json"] {
        assert!(!person.machine.home().join(older).exists(), "{older}");
    }
}

#[test]
fn a_directory_that_one_command_made_and_another_used_goes_with_the_last() {
    let orders = [
        [
            &["inject", "--global", "--uninstall"][..],
            &["uninstall", "zed"],
        ],
        [
            &["uninstall", "zed"],
            &["inject", "--global", "--uninstall"],
        ],
    ];
    for order in orders {
        let person = Person::new();
        let before = person.everything();
        person.run(&["inject", "--global", "--tool", "zed"]).ok();
        person.run(&["install", "zed"]).ok();
        for arguments in order {
            person.run(arguments).ok();
        }
        assert_eq!(person.everything(), before, "{order:?}");
        assert!(!person.machine.home().join("undo.json").exists());
    }
}

#[test]
fn a_damaged_record_is_named_and_left_alone() {
    let person = Person::new();
    person.run(&["install", "codex"]).ok();
    let file = person.machine.home().join("undo.json");
    fs::write(&file, "{").unwrap();
    let before = person.everything();
    for arguments in [
        &["install", "zed"][..],
        &["uninstall", "codex"],
        &["inject", "--tool", "zed"],
    ] {
        let answer = person.run(arguments);
        assert_eq!(answer.code, Some(1), "{answer:?}");
        assert!(answer.err.contains("undo.json"), "{answer:?}");
        assert_eq!(person.everything(), before);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
}
