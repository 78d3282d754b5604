//! Hooks: recorded payloads of real hosts, and the answers to them.

use std::path::Path;

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file, str};

/// Every recorded payload, answered with a pad that has a plan.
#[test]
fn every_recorded_event_is_answered_in_the_form_of_its_host() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks");
    let mut files: Vec<_> = std::fs::read_dir(&fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    let machine = Machine::new();
    let project = machine.project().to_str().unwrap().to_owned();
    let mut answers = String::new();
    let mut count = 0;
    for path in files {
        let version = path.file_stem().unwrap().to_str().unwrap();
        let host = version.split('-').next().unwrap();
        answers.push_str(&format!("== {version}\n"));
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let recorded: Value = serde_json::from_str(line).unwrap();
            let stdin = &recorded["stdin"];
            let old = ["session_id", "sessionId", "sessionID"]
                .iter()
                .find_map(|key| stdin[*key].as_str())
                .or(stdin["sessionContext"]["rootSessionId"].as_str())
                .unwrap();
            let session = format!("session-{count}");
            count += 1;
            let payload = stdin
                .to_string()
                .replace(old, &session)
                .replace("/home/user/project", &project);
            machine
                .run(&["session", "set-plan", "1. go on", "--session", &session])
                .ok();
            let event = recorded["event"].as_str().unwrap();
            let answer = machine.run_with(&["hook", host, event], payload.as_bytes());
            assert_eq!(answer.err, "", "{version} {event}");
            answers.push_str(&format!(
                "{}: {}\n",
                recorded["file"].as_str().unwrap(),
                answer.ok().trim_end()
            ));
        }
    }
    assert!(count > 90, "only {count} payloads were found");
    assert!(!machine.home().join("hook.log").exists());
    assert_data_eq!(answers, file!["../../fixtures/hooks/answers.txt"].raw());
}

/// What Claude Code sends, with these fields.
fn event(machine: &Machine, name: &str, session: &str, more: &Value) -> String {
    let mut payload = json!({
        "session_id": session,
        "cwd": machine.project(),
        "hook_event_name": name,
    });
    for (key, value) in more.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload.to_string()
}

fn prompted(machine: &Machine, host: &str, session: &str) -> String {
    let payload = event(
        machine,
        "UserPromptSubmit",
        session,
        &json!({"prompt": "go"}),
    );
    machine.run_with(&["hook", host], payload.as_bytes()).ok()
}

#[test]
fn whatever_goes_wrong_the_prompt_passes_and_the_log_says_why() {
    let machine = Machine::new();
    let prompt = event(&machine, "UserPromptSubmit", "s", &json!({"prompt": "go"}));
    let cases: [(&[&str], &str); 8] = [
        (&["hook"], &prompt),
        (&["hook", "netscape"], &prompt),
        (&["hook", "codex", "--loud"], &prompt),
        (&["hook", "codex", "Stop", "Stop"], &prompt),
        (&["hook", "codex"], ""),
        (&["hook", "gemini"], "{\"session_id\": 5}"),
        (
            &["hook", "codex"],
            "{\"session_id\": \"a b\", \"hook_event_name\": \"Stop\"}",
        ),
        (&["hook", "copilot"], "{\"sessionId\": \"s\"}"),
    ];
    for (arguments, stdin) in cases {
        let answer = machine.run_with(arguments, stdin.as_bytes());
        assert_eq!(
            answer.seen(),
            "exit 0\n--- stdout\n{}\n--- stderr\n",
            "{arguments:?}"
        );
    }
    std::fs::write(machine.database(), "not a database").unwrap();
    assert_eq!(prompted(&machine, "claude", "s"), "");
    let log = machine.home().join("hook.log");
    #[cfg(unix)]
    assert_eq!(crate::support::mode(&log), 0o600);
    let lines: Vec<String> = std::fs::read_to_string(&log)
        .unwrap()
        .replace(machine.home().to_str().unwrap(), "[HOME]")
        .lines()
        .map(|line| line.split_once(' ').unwrap().1.to_owned())
        .collect();
    assert_data_eq!(
        lines.join("\n"),
        str![[r#"
? ?: No host was named, and none was detected.
? ?: "netscape" is not a host with hooks.
codex ?: Unknown argument "--loud".
codex Stop: Unknown argument "Stop".
codex ?: The event is not valid JSON: EOF while parsing a value at line 1 column 0. Nothing was changed.
gemini ?: The event from Gemini CLI names no session. Nothing was changed.
codex ?: The session id "a b" has the character ' ': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
copilot ?: The input from Copilot CLI names no event. Nothing was changed.
claude ?: [HOME]/scratchpad.db is not a Scratchpad database. Nothing was changed.
"#]]
    );
}

#[test]
fn the_log_does_not_grow_for_ever() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home()).unwrap();
    let log = machine.home().join("hook.log");
    std::fs::write(&log, "an old line\n".repeat(40_000)).unwrap();
    machine.run_with(&["hook", "netscape"], b"{}").ok();
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.len() < 300_000, "{}", text.len());
    assert!(text.starts_with("an old line\n"));
    assert!(text.lines().last().unwrap().contains("netscape"));
}

#[test]
fn a_prompt_does_not_wait_for_a_store_that_is_locked() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "go", "--session", "s"])
        .ok();
    let holder = rusqlite::Connection::open(machine.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(prompted(&machine, "codex", "s"), "{}\n");
    let log = std::fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert!(log.contains("for more than 150 ms"), "{log}");
    drop(holder);
    assert!(prompted(&machine, "codex", "s").contains("Plan:"));
}

#[test]
fn hints_come_when_they_are_switched_on_and_outlive_the_process() {
    let machine = Machine::new();
    let nothing: Vec<String> = (0..3).map(|_| prompted(&machine, "codex", "s")).collect();
    assert_eq!(nothing, ["{}\n", "{}\n", "{}\n"]);
    machine.run(&["config", "set", "nudgeAfterTurns", "2"]).ok();
    let hinted: Vec<bool> = (0..4)
        .map(|_| prompted(&machine, "codex", "s").contains("[Hint: your scratchpad is empty after"))
        .collect();
    assert_eq!(hinted, [true, false, true, false]);
}

#[test]
fn a_large_result_becomes_a_reference_in_the_shape_that_the_host_wants() {
    let machine = Machine::new();
    let large = format!("first line\n{}\nlast line", "x".repeat(5_000));
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "make"}});
    let with = |response: Value| {
        let mut fields = bash.clone();
        fields["tool_response"] = response;
        fields
    };
    let hook = |host: &str, payload: &str| {
        let answer = machine
            .run_with(&["hook", host, "postToolUse"], payload.as_bytes())
            .ok();
        serde_json::from_str::<Value>(if answer.is_empty() { "null" } else { &answer }).unwrap()
    };
    let claude = hook(
        "claude",
        &event(
            &machine,
            "PostToolUse",
            "s",
            &with(json!({"stdout": large, "stderr": "", "interrupted": false, "isImage": false})),
        ),
    );
    let output = &claude["hookSpecificOutput"]["updatedToolOutput"];
    let reference = output["stdout"].as_str().unwrap();
    assert!(
        reference.starts_with("[Output ") && reference.len() < 1_024,
        "{reference}"
    );
    assert_eq!(output["interrupted"], false);
    let codex = hook(
        "codex",
        &event(&machine, "PostToolUse", "s", &with(json!(large))),
    );
    assert_eq!(codex, json!({"decision": "block", "reason": reference}));
    let gemini = hook(
        "gemini",
        &event(
            &machine,
            "AfterTool",
            "s",
            &with(json!({"llmContent": large})),
        ),
    );
    assert_eq!(gemini, json!({"decision": "deny", "reason": reference}));
    let copilot = json!({"sessionId": "s", "cwd": machine.project(), "toolName": "Bash", "toolArgs": {"command": "make"},
        "toolResult": {"resultType": "success", "textResultForLlm": large}});
    assert_eq!(
        hook("copilot", &copilot.to_string()),
        json!({"modifiedResult": {"resultType": "success", "textResultForLlm": reference}})
    );
    // In hosts where it was never seen to work, it is not tried.
    let qwen = hook(
        "qwen",
        &event(
            &machine,
            "PostToolUse",
            "s",
            &with(json!({"llmContent": large})),
        ),
    );
    assert_eq!(qwen, json!({}));

    let id = reference.split(' ').nth(1).unwrap();
    assert_eq!(
        machine
            .run(&["output", "read", id, "--lines", "-1"])
            .ok()
            .lines()
            .next(),
        Some("last line")
    );

    // An agent gets more of a file that it chose to read; and a host can be exempted.
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_response": {"file": {"content": large}}});
    assert_eq!(
        hook("claude", &event(&machine, "PostToolUse", "s", &read)),
        Value::Null
    );
    machine
        .run(&["config", "set", "outputs.rules", "codex/*: never"])
        .ok();
    assert_eq!(
        hook(
            "codex",
            &event(&machine, "PostToolUse", "s", &with(json!(large)))
        ),
        json!({})
    );
}

#[test]
fn context_notes_come_by_the_hook_and_then_not_by_the_file() {
    let machine = Machine::new();
    let run = |arguments: &[&str], stdin: &str| {
        let child = machine
            .command(arguments)
            .env("HOME", machine.project())
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        machine
            .answer(crate::support::feed(child, stdin.as_bytes()))
            .ok()
    };
    run(&["context", "add", "Deploys are frozen"], "");
    run(&["session", "set-plan", "go", "--session", "s"], "");
    let start = event(&machine, "SessionStart", "s", &json!({"source": "startup"}));
    let said = run(&["hook", "claude"], &start);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_data_eq!(
        said["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap(),
        str![[r#"
## Current Context
- Deploys are frozen

[Session Scratchpad - your persistent working memory]
Plan:
go
[End Scratchpad]
"#]]
    );
    let instructions = || std::fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    run(&["inject", "--tool", "claude"], "");
    assert!(instructions().contains("Deploys are frozen"));
    // Now its hooks are installed, and have run.
    run(&["install", "claude"], "");
    run(&["inject", "--tool", "claude"], "");
    assert!(!instructions().contains("Deploys are frozen"));
}
