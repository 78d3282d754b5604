//! What doctor finds, survives and proves.

use std::fs;

use serde_json::Value;

use crate::support::Answer;
use crate::support::person::Person;

/// The findings that begin with this mark.
fn marked<'a>(answer: &'a Answer, mark: &str) -> Vec<&'a str> {
    let lines = answer.out.lines();
    lines
        .filter_map(|line| line.strip_prefix(mark)?.strip_prefix(' '))
        .map(str::trim_start)
        .collect()
}

/// A person who has Codex set up.
fn with_codex() -> Person {
    let person = Person::new();
    person.run(&["install", "codex"]).ok();
    person
}

/// Broken parts don't keep doctor from checking the rest.
fn check_that_it_goes_on(person: &Person, named: &str) {
    let answer = person.run(&["doctor"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert_eq!(answer.err, "");
    let failures = marked(&answer, "FAIL").join("\n");
    assert!(failures.contains(named), "{failures}");
    assert!(
        answer.out.contains("Codex, MCP server: in "),
        "{}",
        answer.out
    );
}

#[test]
fn doctor_survives_an_invalid_project_file() {
    for text in ["[", "outputs = 3\n"] {
        let person = with_codex();
        let file = person.machine.project().join(".scratchpad/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        check_that_it_goes_on(&person, ".scratchpad/config.toml");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        check_that_it_goes_on(&person, ".scratchpad/config.toml");
    }
}

#[test]
fn doctor_survives_broken_settings_and_checks_no_other_store() {
    for text in ["[store]\nurl = \"nowhere\"\n", "[store\n"] {
        let person = with_codex();
        fs::write(person.machine.home().join("config.toml"), text).unwrap();
        check_that_it_goes_on(&person, "config.toml");
        let answer = person.run(&["doctor"]);
        let notes = marked(&answer, "note");
        assert!(
            notes.iter().any(|it| it.starts_with("store: not checked")),
            "{}",
            answer.out
        );
    }
}

#[test]
fn doctor_survives_a_data_directory_that_can_not_be_read() {
    let person = with_codex();
    let home = person.machine.home();
    for file in ["scratchpad.db", "hook.log"] {
        let _ = fs::remove_file(home.join(file));
        fs::create_dir(home.join(file)).unwrap();
        check_that_it_goes_on(&person, file);
    }
    let answer = person.run(&["doctor"]);
    assert!(
        marked(&answer, "ok")
            .iter()
            .all(|it| !it.starts_with("hook log")),
        "{}",
        answer.out
    );
}

#[test]
fn doctor_survives_a_project_that_is_not_there_and_a_host_with_broken_files() {
    let person = with_codex();
    let answer = person.run(&["doctor", "--project-dir", "/nowhere"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        marked(&answer, "FAIL").join("\n").contains("/nowhere"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("Codex, MCP server: in "),
        "{}",
        answer.out
    );
    fs::create_dir_all(person.home().join(".gemini/settings.json")).unwrap();
    check_that_it_goes_on(&person, ".gemini/settings.json");
    person.write(".claude.json", "{");
    check_that_it_goes_on(&person, ".claude.json: not valid JSON");
}

#[cfg(unix)]
mod as_root {
    use super::*;

    #[test]
    #[ignore = "needs root: files of another user"]
    fn doctor_says_that_it_ignores_what_belongs_to_another_user() {
        let person = with_codex();
        let mark = person.machine.project().join("../.scratchpad");
        fs::create_dir(&mark).unwrap();
        std::os::unix::fs::chown(&mark, Some(4711), None).unwrap();
        let answer = person.run(&["doctor"]);
        let notes = marked(&answer, "note").join("\n");
        assert!(
            notes.contains(".scratchpad belongs to another user and is ignored"),
            "{notes}"
        );
    }
}

#[test]
fn a_host_that_is_not_wanted_is_left_out_until_it_is_wanted() {
    let person = Person::new();
    person.write(".qwen/settings.json", "{}");
    let answer = person.run(&["doctor"]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(
        marked(&answer, "FAIL"),
        [
            "Qwen Code: not set up: run `scratchpad install qwen`, or `scratchpad doctor --ignore qwen` if you don't want it"
        ]
    );
    let said = person.run(&["doctor", "--ignore", "qwen"]).ok();
    assert_eq!(
        said,
        "Qwen Code is no longer checked. `scratchpad doctor --check qwen` takes that back.\n"
    );
    let answer = person.run(&["doctor"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(
        marked(&answer, "note"),
        ["Qwen Code: ignored; `scratchpad doctor --check qwen` checks it again"]
    );
    let settings = fs::read_to_string(person.machine.home().join("config.toml")).unwrap();
    assert!(settings.contains("ignore = [\"qwen\"]"), "{settings}");
    person
        .run(&["doctor", "--ignore", "zed", "--check", "qwen"])
        .ok();
    assert_eq!(person.run(&["doctor"]).code, Some(1));
    assert_eq!(person.run(&["doctor", "--ignore", "qwne"]).code, Some(2));
}

#[test]
fn what_failed_is_not_listed_as_ok() {
    let person = with_codex();
    let log = "2026-01-01T00:00:00Z codex ?: The event is not valid JSON.\n";
    fs::write(person.machine.home().join("hook.log"), log).unwrap();
    let answer = person.run(&["doctor"]);
    let notes = marked(&answer, "note").join("\n");
    assert!(
        notes.contains("hook log: last failure: 2026-01-01"),
        "{notes}"
    );
    assert!(notes.contains("Codex, last event: none yet"), "{notes}");
    let data: Value = serde_json::from_str(&person.run(&["doctor", "--json"]).out).unwrap();
    let findings = data["findings"].as_array().unwrap();
    let states: Vec<&str> = findings
        .iter()
        .map(|it| it["state"].as_str().unwrap())
        .collect();
    for state in ["ok", "note", "failure"] {
        assert!(states.contains(&state), "{states:?}");
    }
}

#[test]
fn a_proof_is_a_scene_in_five_lines() {
    for (host, after) in [
        ("claude", "SessionStart"),
        ("gemini", "BeforeModel"),
        ("copilot", "userPromptSubmitted"),
    ] {
        let person = Person::new();
        person.run(&["install", host]).ok();
        let said = person.run(&["doctor", "--prove", host]).ok();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 5, "{said}");
        assert!(
            lines[0].ends_with("the agent writes a plan: 1. written before the compaction"),
            "{said}"
        );
        assert!(
            lines[2].contains(after) && lines[2].contains("[PROGRAM] hook"),
            "{said}"
        );
        assert_eq!(
            lines[3],
            "4. The agent gets back: 1. written before the compaction"
        );
        assert_eq!(lines[4], "5. The plan is back after the compaction.");
    }
}

#[test]
fn a_proof_says_that_hooks_are_not_approved_or_not_installed() {
    let person = Person::new();
    let said = person.run(&["doctor", "--prove", "codex"]).ok();
    assert!(
        said.ends_with("5. The plan is back; the hooks of Codex are not installed yet: run `scratchpad install codex`.\n"),
        "{said}"
    );
    person.run(&["install", "codex"]).ok();
    let said = person.run(&["doctor", "--prove", "codex"]).ok();
    assert!(
        said.ends_with("5. The plan is back, but Codex does not run the hooks yet: 6 hooks are not approved: start codex, type /hooks, and trust them.\n"),
        "{said}"
    );
}

/// The names in the parameter's help, up to the end of its paragraph.
fn names_in(help: &str, before: &str) -> Vec<String> {
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, list) = words.split_once(before).unwrap();
    let names = list.split(' ').map(str::to_owned);
    let mut names: Vec<String> = names
        .scan(true, |goes_on, word| {
            let is_one = *goes_on;
            *goes_on = word.ends_with(',');
            is_one.then(|| word.trim_matches([',', '.', '`']).to_owned())
        })
        .collect();
    names.sort();
    names
}

#[test]
fn the_list_of_hosts_is_the_same_everywhere() {
    let person = Person::new();
    let known = |arguments: &[&str]| {
        let answer = person.run(arguments);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        answer.err
    };
    for language in ["en", "de"] {
        let help = |command: &str| person.run(&[command, "--help", "--lang", language]).ok();
        let title = if language == "en" {
            "The hosts: "
        } else {
            "Die Hosts: "
        };
        let all = names_in(&known(&["install"]), "one or more of ");
        assert_eq!(names_in(&help("install"), title), all);
        assert_eq!(names_in(&help("uninstall"), title), all);
        assert!(all.len() >= 12, "{all:?}");
        let several = if language == "en" {
            "several times: "
        } else {
            "mehrfach möglich: "
        };
        let tools = names_in(&help("inject"), several);
        for host in all.iter().filter(|host| *host != "vscode") {
            assert!(tools.contains(host), "{host}: {tools:?}");
        }
        let docs = include_str!("../../../../../docs/hosts.md");
        let documented = names_in(docs, "The hosts: ");
        assert_eq!(documented, all);
    }
}
