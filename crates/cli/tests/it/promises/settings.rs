//! Settings: names, origins, switches.

use std::fs;

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// A machine whose person has these settings.
fn with_settings(text: &str) -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(machine.home().join("config.toml"), text).unwrap();
    machine
}

/// A setting's value and origin, as `config show` says them.
fn shown(machine: &Machine, key: &str) -> (Value, String) {
    let answer = machine.run(&["config", "show", "--json"]).json();
    let all = answer["settings"].as_array().unwrap().clone();
    let found = all.into_iter().find(|it| it["key"] == key).unwrap();
    (
        found["value"].clone(),
        found["origin"].as_str().unwrap().to_owned(),
    )
}

fn claude(machine: &Machine, event: &str, session: &str) -> String {
    let payload = json!({"session_id": session, "cwd": machine.project(), "hook_event_name": event,
        "source": "startup", "prompt": "go on"});
    machine
        .run_with(&["hook", "claude"], payload.to_string().as_bytes())
        .ok()
}

#[test]
fn settings_are_known_by_the_names_that_users_of_similar_tools_have_for_them() {
    for (line, key, value) in [
        ("nudgeOnPlanDetected = 1", "nudge_on_plan", json!(1)),
        ("nudgeOnPlan = 2", "nudge_on_plan", json!(2)),
        ("nudgeAfterTurns = 3", "nudge_after_turns", json!(3)),
        (
            "nudgeAfterCompaction = 1",
            "nudge_after_compaction",
            json!(1),
        ),
        (
            "nudgeTurnsSinceLastUse = 4",
            "nudge_turns_since_last_use",
            json!(4),
        ),
        ("maxTokens = 500", "pad.token_budget", json!(500)),
        ("pad.maxTokens = 500", "pad.token_budget", json!(500)),
        ("thresholdBytes = 8192", "outputs.threshold", json!(8192)),
        (
            "outputs.thresholdBytes = 8192",
            "outputs.threshold",
            json!(8192),
        ),
        ("maxAgeMs = 3_600_000", "outputs.max_age", json!("1h")),
        (
            "outputs.maxAgeMs = 3_600_000",
            "outputs.max_age",
            json!("1h"),
        ),
        (
            "maxCacheSizeBytes = 1000",
            "outputs.max_total_bytes",
            json!(1000),
        ),
        (
            "outputs.previewLength = 100",
            "outputs.preview_length",
            json!(100),
        ),
        ("previewLength = 100", "outputs.preview_length", json!(100)),
    ] {
        for written in [
            line.to_owned(),
            format!("scratchpad.{line}"),
            format!("[scratchpad]\n{line}"),
        ] {
            let machine = with_settings(&written);
            let (found, origin) = shown(&machine, key);
            assert_eq!(
                (found, origin.as_str()),
                (value.clone(), "[ROOT]/home/config.toml"),
                "{written}"
            );
        }
    }
}

#[test]
fn the_names_of_others_are_taken_on_the_command_line_too() {
    let machine = Machine::new();
    assert_data_eq!(
        machine
            .run(&["config", "set", "scratchpad.nudgeOnPlanDetected", "1"])
            .ok(),
        str![[r#"
nudge_on_plan = 1 in [ROOT]/home/config.toml

"#]]
    );
    machine
        .run(&["config", "show", "--config", "maxAgeMs=7200000"])
        .ok();
}

#[test]
fn an_unknown_key_in_a_file_is_one_warning_that_names_the_nearest() {
    let machine = with_settings("[pad]\nnote_max_chars = 5\nmax_refs = 7\n");
    assert_data_eq!(
        machine
            .run(&["session", "set-plan", "go", "--session", "s"])
            .seen(),
        str![[r#"
exit 0
--- stdout
Plan saved (2 / 2000 chars).
--- stderr
Warning: [ROOT]/home/config.toml: Unknown setting "pad.note_max_chars". It is ignored. (did you mean `pad.notes_max_chars` or `pad.ref_max_chars`?)

"#]]
    );
    let show = machine.run(&["config", "show"]);
    assert_eq!(
        show.err.matches("pad.note_max_chars").count(),
        1,
        "{}",
        show.err
    );
    assert!(show.ok().contains("pad.max_refs                    7 "));
    let problems = machine.run(&["config", "show", "--json"]).json()["problems"].clone();
    assert!(problems[0].as_str().unwrap().contains("pad.note_max_chars"));
}

#[test]
fn an_unreadable_key_never_takes_the_pad_from_an_agent() {
    let machine = with_settings("nudge_after_turn = 3\n[pad]\nmax_refs = \"x\"\n");
    machine
        .run(&["session", "set-plan", "go on", "--session", "s"])
        .ok();
    assert!(claude(&machine, "SessionStart", "s").contains("go on"));
    let log = fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert!(
        log.contains("nudge_after_turn") && log.contains("pad.max_refs"),
        "{log}"
    );
    // Once for a conversation, not at every prompt.
    claude(&machine, "UserPromptSubmit", "s");
    assert_eq!(
        fs::read_to_string(machine.home().join("hook.log")).unwrap(),
        log
    );
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--session", "s"]));
    let get = json!({"name": "session_scratchpad", "arguments": {"action": "get"}});
    assert!(
        client
            .request("tools/call", get)
            .to_string()
            .contains("go on")
    );
}

#[test]
fn doctor_names_the_keys_that_are_ignored() {
    let machine = with_settings("colour = \"red\"\n[pad]\nmax_refs = 0\n");
    let answer = machine.run(&["doctor"]);
    let lines: Vec<&str> = answer
        .out
        .lines()
        .filter(|line| line.contains("settings"))
        .collect();
    assert_data_eq!(
        lines.join("\n"),
        str![[r#"
FAIL settings: [ROOT]/home/config.toml: Unknown setting "colour". It is ignored. (`scratchpad config show` lists the settings.)
FAIL settings: [ROOT]/home/config.toml: `pad.max_refs` takes a whole number from 1 to 10,000; 0 was given. It is ignored.
"#]]
    );
    assert_eq!((answer.code, answer.err.as_str()), (Some(1), ""));
}

#[test]
fn a_file_that_is_no_toml_is_ignored_unless_it_may_say_where_the_data_is() {
    let machine = with_settings("[pad]\nmax_refs = \n");
    assert_data_eq!(
        machine.run(&["session", "list"]).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
Warning: [ROOT]/home/config.toml is not valid TOML: line 2, column 12: string values must be quoted, expected literal string. It is ignored.
No session in [ROOT]/project yet.

"#]]
    );
    let machine = with_settings("[store]\nurl = sqlite:/elsewhere.db\n");
    assert_data_eq!(
        machine.run(&["session", "list"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: [ROOT]/home/config.toml is not valid TOML: line 2, column 7: string values must be quoted, expected literal string.

"#]]
    );
}

#[test]
fn a_store_that_is_not_understood_is_not_replaced_by_another_one() {
    let machine = with_settings("[store]\nurl = \"mysql://host/db\"\n");
    let answer = machine.run(&["session", "set-plan", "go", "--session", "s"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    let mut command = machine.command(&["session", "list"]);
    command.env("SCRATCHPAD_STORE_URL", "mysql://host/db");
    assert_eq!(machine.answer(command.output().unwrap()).code, Some(2));
    assert!(!machine.database().exists());
}

#[test]
fn config_set_refuses_an_unknown_key() {
    let machine = Machine::new();
    assert_data_eq!(
        machine.run(&["config", "set", "pad.max_ref", "7"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Unknown setting "pad.max_ref".
Hint: did you mean `pad.max_refs` or `pad.ref_max_chars`?

"#]]
    );
    assert!(!machine.home().join("config.toml").exists());
}

#[test]
fn a_project_may_raise_a_budget_to_ten_times_the_default_and_no_further() {
    let machine = Machine::new();
    let directory = machine.project().join(".scratchpad");
    std::fs::create_dir_all(&directory).unwrap();
    let value_of = |key: &str| {
        let shown = machine.run(&["config", "show", "--json"]);
        let (said, all) = (shown.err.clone(), shown.json());
        let settings = all["settings"]
            .as_array()
            .unwrap_or_else(|| panic!("{all}"))
            .clone();
        let found = settings.into_iter().find(|setting| setting["key"] == key);
        (found.unwrap()["value"].clone(), said)
    };
    for (key, default) in [
        ("pad.notes_max_chars", 4_000),
        ("notes.max_chars", 4_000),
        ("outputs.threshold", 4_096),
        ("outputs.read_max_bytes", 32_768),
        ("inject.max_bytes", 16_384),
    ] {
        let set = |value: u64| {
            std::fs::write(directory.join("config.toml"), format!("{key} = {value}\n")).unwrap();
        };
        set(default * 10);
        let (value, said) = value_of(key);
        assert_eq!((&value, said.as_str()), (&json!(default * 10), ""), "{key}");
        set(default * 10 + 1);
        let (value, said) = value_of(key);
        assert_eq!(value, default, "{key}");
        assert!(
            said.contains("ten times the default") && said.contains("It is ignored."),
            "{said}"
        );
    }
    std::fs::remove_file(directory.join("config.toml")).unwrap();
    let refused = machine.run(&["config", "set", "--project", "pad.notes_max_chars", "40001"]);
    assert!(
        refused.code == Some(2) && refused.err.contains("to 40,000 at most"),
        "{refused:?}"
    );
    // For oneself there is no such limit.
    machine
        .run(&["config", "set", "pad.notes_max_chars", "50000"])
        .ok();
    assert_eq!(value_of("pad.notes_max_chars").0, 50_000);
}

#[test]
fn a_variable_that_is_no_setting_is_told_once_with_the_one_that_was_meant() {
    let machine = Machine::new();
    let run = |words: &[&str], stdin: &str| {
        let mut command = machine.command(words);
        command.env("SCRATCHPAD_MAXTOKENS", "500");
        command.env("SCRATCHPAD_SESSION", "s");
        command.stdin(std::process::Stdio::piped());
        machine.answer(crate::support::feed(
            command.spawn().unwrap(),
            stdin.as_bytes(),
        ))
    };
    let told = "Warning: Unknown setting \"SCRATCHPAD_MAXTOKENS\". It is ignored. (did you mean `SCRATCHPAD_PAD_TOKEN_BUDGET`?)\n";
    assert_eq!(run(&["session", "set-plan", "go"], "").err, told);
    assert_eq!(run(&["mcp"], "").err, told);
    assert_eq!(run(&["config", "show"], "").err, told);
    let event = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": "SessionStart", "source": "startup"});
    let hooked = run(&["hook", "claude"], &event.to_string());
    assert!(!hooked.out.contains("MAXTOKENS"), "{hooked:?}");
    assert_eq!(hooked.err, "");
}
