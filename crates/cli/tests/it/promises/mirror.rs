//! The host's own task list, kept as the plan while the agent has none.

use std::fs;
use std::path::Path;

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// What a host sent after calls of its task tool, as events of this machine's project.
fn recorded(machine: &Machine, version: &str, tools: &[&str]) -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks");
    let lines = fs::read_to_string(fixtures.join(format!("{version}.jsonl"))).unwrap();
    let events = lines.lines().filter_map(|line| {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let (_, tool) = recorded["file"].as_str()?.split_once('.')?;
        let tool = tool.trim_start_matches("after.");
        let tool = tool.split('.').next().unwrap_or_default();
        if !tools.contains(&tool) {
            return None;
        }
        let mut stdin = recorded["stdin"].clone();
        for key in ["session_id", "sessionID"] {
            if stdin.get(key).is_some() {
                stdin[key] = json!("s");
            }
        }
        for key in ["cwd", "directory"] {
            if stdin.get(key).is_some() {
                stdin[key] = json!(machine.project());
            }
        }
        Some(stdin)
    });
    events.collect()
}

fn hear(machine: &Machine, host: &str, event: &Value) -> String {
    let answer = machine.run_with(&["hook", host], event.to_string().as_bytes());
    assert_eq!(answer.err, "");
    answer.ok()
}

/// An event of Claude Code.
fn event(machine: &Machine, name: &str, more: &Value) -> Value {
    let mut event = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": name});
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    event
}

fn todos(machine: &Machine, list: &Value) -> Value {
    let call = json!({"tool_name": "TodoWrite", "tool_input": {"todos": list}, "tool_response": {"newTodos": list}});
    event(machine, "PostToolUse", &call)
}

fn started(machine: &Machine, source: &str) -> String {
    let answer = hear(
        machine,
        "claude",
        &event(machine, "SessionStart", &json!({"source": source})),
    );
    if answer.is_empty() {
        return answer;
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    let text = context.as_str().unwrap_or_default().to_owned();
    // The time of day.
    let Some((head, rest)) = text.split_once("task list, ") else {
        return text;
    };
    format!("{head}task list, 14:02{}", &rest[5..])
}

fn plan(machine: &Machine) -> String {
    let shown = machine.run(&["session", "show", "--session", "s", "--json"]);
    if shown.code != Some(0) {
        return String::new();
    }
    let shown: Value = serde_json::from_str(&shown.out).unwrap();
    shown["plan"].as_str().unwrap().to_owned()
}

#[test]
fn the_task_list_of_each_host_is_kept_as_the_plan() {
    let three = "- [x] Read the parser\n- [>] Fix the cache key\n- [ ] Write the docs";
    let cases: [(&str, &str, &str, String); 5] = [
        (
            "claude",
            "claude-code-2.1.325",
            "TodoWrite",
            three.to_owned(),
        ),
        ("codex", "codex-0.166.0", "update_plan", three.to_owned()),
        (
            "gemini",
            "gemini-cli-0.61.0",
            "write_todos",
            format!("{three}\n- [!] Ask about ports\n- [-] Old idea"),
        ),
        ("qwen", "qwen-code-0.24.4", "todo_write", three.to_owned()),
        (
            "opencode",
            "opencode-1.18.33",
            "todowrite",
            format!("{three}\n- [-] Old idea"),
        ),
    ];
    for (host, version, tool, expected) in cases {
        let machine = Machine::new();
        let events = recorded(&machine, version, &[tool]);
        hear(&machine, host, &events[0]);
        assert_eq!(plan(&machine), expected, "{host}");
    }
}

#[test]
fn single_tasks_of_claude_code_are_kept_as_the_plan() {
    let machine = Machine::new();
    let events = recorded(
        &machine,
        "claude-code-2.1.325",
        &["TaskCreate", "TaskUpdate"],
    );
    assert_eq!(events.len(), 8);
    for event in &events {
        hear(&machine, "claude", event);
    }
    assert_eq!(
        plan(&machine),
        "- [x] Read the parser\n- [>] Fix the cache key and its test\n- [-] Write the docs"
    );
}

#[test]
fn a_plan_is_the_agents_own_from_its_first_write_on_whatever_else_is_written() {
    let machine = Machine::new();
    let list = |states: [&str; 2]| {
        let items = ["read", "fix"].into_iter().zip(states);
        let items = items.map(|(text, state)| json!({"content": text, "status": state}));
        todos(&machine, &items.collect::<Vec<_>>().into())
    };
    let write = |command: &str, text: &str| {
        let words = ["session", command, text, "--session", "s"];
        machine.run(&words).ok()
    };
    hear(&machine, "claude", &list(["in_progress", "pending"]));
    // Notes of the agent come between: the plan is still the mirror's.
    write("set-notes", "a note");
    hear(&machine, "claude", &list(["completed", "pending"]));
    hear(&machine, "claude", &list(["completed", "in_progress"]));
    assert_eq!(plan(&machine), "- [x] read\n- [>] fix");
    let mark = ["session", "mark", "fix", "done", "--session", "s"];
    machine.run(&mark).ok();
    let marked = plan(&machine);
    write("set-notes", "another note");
    hear(&machine, "claude", &list(["completed", "pending"]));
    assert_eq!(plan(&machine), marked);
}

#[test]
fn a_plan_that_the_agent_wrote_is_never_touched() {
    let machine = Machine::new();
    let list = json!([{"content": "theirs", "status": "pending"}]);
    let write = |text: &str| {
        machine
            .run(&["session", "set-plan", text, "--session", "s"])
            .ok()
    };
    write("1. mine");
    hear(&machine, "claude", &todos(&machine, &list));
    assert_eq!(plan(&machine), "1. mine");
    write("");
    hear(&machine, "claude", &todos(&machine, &list));
    assert_eq!(plan(&machine), "- [ ] theirs");
    // What the agent changes in it makes it the agent's own.
    machine
        .run(&["session", "mark", "1", "done", "--session", "s"])
        .ok();
    hear(&machine, "claude", &todos(&machine, &list));
    assert_eq!(plan(&machine), "- [x] theirs");
}

#[test]
fn an_equal_list_writes_nothing_and_an_emptied_one_marks_and_does_not_clear() {
    let machine = Machine::new();
    let list = json!([{"content": "read", "status": "completed"}, {"content": "fix", "status": "in_progress"}]);
    for list in [&list, &list, &json!([]), &json!([])] {
        hear(&machine, "claude", &todos(&machine, list));
    }
    assert_eq!(plan(&machine), "- [x] read\n- [-] fix");
    let history = machine
        .run(&["session", "history", "--session", "s", "--json"])
        .ok();
    assert_eq!(history.matches("\"mirror\"").count(), 2, "{history}");
}

#[test]
fn a_mirrored_plan_is_given_back_after_a_compaction_and_not_before_a_prompt() {
    let machine = Machine::new();
    let list = json!([{"content": "read", "status": "completed"}, {"content": "fix", "status": "in_progress"}]);
    hear(&machine, "claude", &todos(&machine, &list));
    let prompt = event(&machine, "UserPromptSubmit", &json!({"prompt": "go"}));
    assert_eq!(hear(&machine, "claude", &prompt), "");
    hear(
        &machine,
        "claude",
        &event(&machine, "PreCompact", &json!({"trigger": "auto"})),
    );
    assert_data_eq!(
        started(&machine, "compact"),
        str![[r"
[Session Scratchpad - your persistent working memory]
Plan (from your task list, 14:02):
- [>] fix
(1 done: not shown; action get shows all)
[End Scratchpad]
"]]
    );
    assert_eq!(hear(&machine, "claude", &prompt), "");
    let done = json!([{"content": "read", "status": "completed"}, {"content": "fix", "status": "completed"}]);
    hear(&machine, "claude", &todos(&machine, &done));
    assert_eq!(started(&machine, "compact"), "");
}

#[test]
fn a_fork_goes_on_with_the_mirrored_list() {
    let machine = Machine::new();
    let list = json!([{"content": "fix", "status": "in_progress"}]);
    hear(&machine, "claude", &todos(&machine, &list));
    machine.run(&["session", "fork", "s", "--as", "t"]).ok();
    let mut after = todos(
        &machine,
        &json!([{"content": "fix", "status": "completed"}]),
    );
    after["session_id"] = json!("t");
    hear(&machine, "claude", &after);
    let shown = machine.run(&["session", "show", "--session", "t"]).ok();
    assert!(shown.contains("- [x] fix"), "{shown}");
    assert_eq!(plan(&machine), "- [>] fix");
}

#[test]
fn the_list_of_a_sub_agent_goes_to_its_own_pad() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "of the agent", "--session", "s"])
        .ok();
    let mut part = todos(
        &machine,
        &json!([{"content": "a part", "status": "pending"}]),
    );
    part["agent_id"] = json!("part");
    hear(&machine, "claude", &part);
    assert_eq!(plan(&machine), "");
    let shown = machine
        .run(&["session", "show", "--session", "s.part"])
        .ok();
    assert!(shown.contains("- [ ] a part"), "{shown}");
}

#[test]
fn with_plan_mirror_off_and_without_a_pad_nothing_is_mirrored() {
    for setting in ["[plan]\nmirror = false\n", "[pad]\nenabled = false\n"] {
        let machine = Machine::new();
        fs::create_dir_all(machine.home()).unwrap();
        fs::write(machine.home().join("config.toml"), setting).unwrap();
        hear(
            &machine,
            "claude",
            &todos(&machine, &json!([{"content": "fix", "status": "pending"}])),
        );
        assert_eq!(plan(&machine), "", "{setting}");
    }
}

#[test]
fn after_a_compaction_or_a_resume_the_person_is_shown_what_was_given_back() {
    let machine = Machine::new();
    machine
        .run(&[
            "session",
            "set-plan",
            "- [x] read\n- [ ] fix",
            "--session",
            "s",
        ])
        .ok();
    let start = |host: &str, source: &str| {
        let mut event = event(&machine, "SessionStart", &json!({"source": source}));
        event["transcript_path"] = json!("/home/user/.codex/sessions/x.jsonl");
        let answer: Value = serde_json::from_str(&hear(&machine, host, &event)).unwrap();
        answer["systemMessage"].as_str().map(str::to_owned)
    };
    let shown =
        Some("Scratchpad gave back revision 1: plan 1 open of 2; about 43 tokens.".to_owned());
    for host in ["claude", "codex", "gemini"] {
        assert_eq!(start(host, "startup"), None, "{host}");
        assert_eq!(start(host, "resume"), shown, "{host}");
    }
    assert_eq!(start("claude", "compact"), shown);
    // Without the time in brackets.
    machine.run(&["install", "claude", "--project"]).ok();
    let doctor = machine.run(&["doctor"]).out;
    let line = doctor.lines().find(|line| line.contains("last given back"));
    assert!(
        line.is_some_and(
            |line| line.contains("revision 1: plan 1 open of 2; about 43 tokens. (SessionStart, ")
        ),
        "{doctor}"
    );
    fs::write(machine.home().join("config.toml"), "language = \"de\"\n").unwrap();
    assert_eq!(
        start("claude", "compact").as_deref(),
        Some("Scratchpad hat Revision 1 zurückgegeben: Plan 1 offen von 2; etwa 43 Tokens.")
    );
}
