//! `audit`: transcripts of real hosts, read without telling what they say.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Machine;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/transcripts")
        .join(name)
}

fn audited(machine: &Machine, host: &str, path: &Path) -> Value {
    machine
        .run(&["audit", host, path.to_str().unwrap(), "--json"])
        .json()
}

/// The calls and results of a tool.
fn tool(audit: &Value, server: &str, tool: &str) -> Value {
    let tools = audit["tools"].as_array().unwrap();
    let found = tools
        .iter()
        .find(|it| it["server"] == server && it["tool"] == tool);
    found
        .unwrap_or_else(|| panic!("{server}/{tool}: {audit:#}"))
        .clone()
}

#[test]
fn every_hosts_transcript_has_its_requests_calls_and_results() {
    let machine = Machine::new();
    for (host, file, requests, server, name) in [
        (
            "claude",
            "claude-code-2.1.325.jsonl",
            5,
            "everything",
            "echo",
        ),
        ("codex", "codex-0.166.0.jsonl", 5, "everything", "echo"),
        ("gemini", "gemini-cli-0.61.0.jsonl", 5, "everything", "echo"),
        ("qwen", "qwen-code-0.24.4.jsonl", 4, "everything", "echo"),
        ("copilot", "copilot-cli-1.0.102.jsonl", 8, "probe", "whoami"),
    ] {
        let audit = audited(&machine, host, &fixture(file));
        assert_eq!(audit["damaged_lines"], 0, "{host}");
        assert_eq!(
            (&audit["requests"], &audit["files"]),
            (&json!(requests), &json!(1)),
            "{host}"
        );
        // The scripted model says that each request has 100 tokens.
        assert_eq!(audit["input_tokens"], requests * 100, "{host}");
        assert_eq!(audit["output_tokens"], requests * 20, "{host}");
        let called = tool(&audit, server, name);
        assert_eq!(
            (&called["calls"], &called["results"]),
            (&json!(1), &json!(1)),
            "{host}"
        );
        assert!(
            called["sent"].as_u64().unwrap() >= called["tokens"].as_u64().unwrap(),
            "{host}"
        );
    }
}

#[test]
fn the_sums_of_claude_code_are_those_that_it_wrote_itself() {
    let machine = Machine::new();
    for file in [
        "claude-code-2.1.325.jsonl",
        "claude-code-2.1.325-large.jsonl",
    ] {
        let text = fs::read_to_string(fixture(file)).unwrap();
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let last = lines.rfind(|line| line["type"] == "cost-state").unwrap();
        let models = last["modelUsage"].as_object().unwrap();
        let sum = |keys: &[&str]| -> f64 {
            models
                .values()
                .flat_map(|model| keys.iter().map(|key| model[*key].as_f64().unwrap()))
                .sum()
        };
        let audit = audited(&machine, "claude", &fixture(file));
        let near = |found: &Value, expected: f64| {
            (found.as_f64().unwrap() - expected).abs() <= expected * 0.02
        };
        let input = sum(&[
            "inputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
        ]);
        assert!(near(&audit["input_tokens"], input), "{file}: {audit:#}");
        assert!(
            near(&audit["output_tokens"], sum(&["outputTokens"])),
            "{file}"
        );
    }
}

#[test]
fn what_a_host_cut_is_told_and_what_it_lost() {
    let machine = Machine::new();
    for (host, file, server, lost) in [
        (
            "claude",
            "claude-code-2.1.325-large.jsonl",
            "probe",
            298_000..300_018,
        ),
        (
            "codex",
            "codex-0.166.0-large.jsonl",
            "probe",
            306_102..306_103,
        ),
        (
            "copilot",
            "copilot-cli-1.0.102.jsonl",
            "probe",
            329_000..330_036,
        ),
    ] {
        let audit = audited(&machine, host, &fixture(file));
        let found = tool(&audit, server, "big")["lost_bytes"].as_u64().unwrap();
        assert!(lost.contains(&found), "{host}: {found}");
    }
}

/// A conversation of Claude Code in which `result` is read once, and `said` later.
fn conversation(tool: &str, result: &str, said: &str) -> String {
    let request = |id: &str, input: u64, block: Value| {
        json!({"type": "assistant", "message": {"id": format!("{tool}-{id}"), "model": "claude-x", "content": [block],
            "usage": {"input_tokens": input, "output_tokens": 10}}})
    };
    let id = format!("call-{tool}");
    let call =
        json!({"type": "tool_use", "id": id, "name": format!("mcp__github__{tool}"), "input": {}});
    let answer = json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": result},
    ]}});
    let end = json!({"type": "text", "text": said});
    let lines = [
        request("1", 20_000, call),
        answer,
        request("2", 60_000, end.clone()),
        request("3", 61_000, end),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

fn lines(count: usize) -> String {
    (0..count)
        .map(|n| format!("row {n} of an answer with value {}\n", n * 7_919))
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn what_would_have_been_saved_is_a_range_with_both_ends_and_advice_that_works() {
    let machine = Machine::new();
    let projects = machine.home().join("claude/projects/p");
    fs::create_dir_all(&projects).unwrap();
    let result = lines(3_000);
    let secret = result.lines().nth(1_234).unwrap();
    let said = format!("It is {secret}");
    fs::write(
        projects.join("a.jsonl"),
        conversation("list", &result, &said),
    )
    .unwrap();
    fs::write(
        projects.join("b.jsonl"),
        conversation("get", &lines(300), &lines(300)),
    )
    .unwrap();
    // A resumed conversation repeats the lines of the other, and a host that was killed leaves half a line.
    let again = conversation("list", &result, &said) + "{\"type\":\"assistant\",\"mess";
    fs::write(projects.join("c.jsonl"), again).unwrap();

    let audit = audited(&machine, "claude", &projects);
    assert_eq!(
        (&audit["files"], &audit["requests"]),
        (&json!(3), &json!(6))
    );
    assert_eq!(
        (&audit["damaged_lines"], &audit["damaged_files"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(tool(&audit, "github", "list")["results"], 1, "not twice");
    let range =
        |value: &Value| ["least", "used", "most"].map(|end| value["range"][end].as_i64().unwrap());
    let [least, used, most] = range(&tool(&audit, "github", "list"));
    assert!(
        least < 0 && 0 < used && used < most,
        "{least} {used} {most}"
    );
    let [_, used, most] = range(&tool(&audit, "github", "get"));
    assert!(used < 0 && 0 < most, "{used} {most}");
    assert_eq!(audit["servers"][0]["server"], "github");
    assert_eq!(audit["outputs.rules"], json!(["github/get: never"]));

    let screen = machine
        .run(&["audit", "claude", projects.to_str().unwrap()])
        .ok();
    for part in [
        "Claude Code: 3 files",
        "Skipped: 1 lines",
        "if everything is read again: −",
        "if nothing is read again: ",
        "github/list",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let advice = screen
        .lines()
        .find(|line| line.contains("config set"))
        .unwrap();
    assert_eq!(
        advice.trim(),
        "scratchpad config set outputs.rules 'github/get: never'"
    );
    machine
        .run(&["config", "set", "outputs.rules", "github/get: never"])
        .ok();
    // Nothing of what was said is shown.
    for arguments in [
        &["audit", "claude"][..],
        &["audit", "claude", "--json"],
        &["audit", "--lang", "de"],
    ] {
        let mut command = machine.command(arguments);
        command.env("CLAUDE_CONFIG_DIR", machine.home().join("claude"));
        let answer = machine.answer(command.output().unwrap()).ok();
        assert!(
            answer.contains("github") && !answer.contains("of an answer"),
            "{answer}"
        );
    }
}

#[test]
fn where_no_transcript_is_audit_says_so() {
    let machine = Machine::new();
    assert!(
        machine
            .run(&["audit"])
            .ok()
            .starts_with("No transcripts found")
    );
    let wrong = machine.run(&["audit", "clude"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("did you mean `claude`"), "{}", wrong.err);
    let gone = machine.run(&["audit", "codex", "/nowhere"]);
    assert_eq!(
        (gone.code, gone.err.contains("/nowhere not found.")),
        (Some(1), true),
        "{}",
        gone.err
    );
    assert!(!machine.database().exists(), "it needs no store");
}
