//! Hooks: what each event of a host is answered, within which bounds, and whatever goes wrong.

use crate::support::Machine;
use serde_json::{Value, json};

/// What Claude Code's hook answers to an event of session `s`, with these fields.
fn event(machine: &Machine, name: &str, more: &Value) -> Value {
    let mut payload = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": name});
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let hook = ["hook", "claude", "--tools"];
    let answer = machine.run_with(&hook, payload.to_string().as_bytes());
    assert_eq!(answer.err, "", "{name}");
    serde_json::from_str(&answer.ok()).unwrap_or_default()
}

/// What the agent is told.
fn told(answer: &Value) -> &str {
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    text.as_str().unwrap_or_default()
}

fn started(machine: &Machine, source: &str) -> Value {
    event(machine, "SessionStart", &json!({"source": source}))
}

fn prompted(machine: &Machine) -> Value {
    event(machine, "UserPromptSubmit", &json!({"prompt": "go on"}))
}

fn plan(machine: &Machine, text: &str) {
    let set = ["session", "set-plan", text, "--session", "s"];
    machine.run(&set).ok();
}

#[test]
fn at_start_resume_and_after_compaction_the_agent_gets_context_notes_and_the_block() {
    let machine = Machine::new();
    machine.run(&["context", "add", "Deploys are frozen"]).ok();
    plan(&machine, "1. read");
    for source in ["startup", "resume", "compact"] {
        let answer = started(&machine, source);
        let said = told(&answer);
        assert!(said.contains("- Deploys are frozen"), "{source}: {said}");
        assert!(said.contains("Plan:\n1. read\n"), "{source}: {said}");
    }
}

#[test]
fn before_a_prompt_the_agent_gets_the_block_only_if_it_changed() {
    let machine = Machine::new();
    started(&machine, "startup");
    assert_eq!(told(&prompted(&machine)), "");
    plan(&machine, "1. read");
    assert!(told(&prompted(&machine)).contains("Plan:\n1. read\n"));
    assert_eq!(told(&prompted(&machine)), "");
    plan(&machine, "2. write");
    assert!(told(&prompted(&machine)).contains("Plan:\n2. write\n"));
}

#[test]
fn after_a_tool_its_large_result_is_a_reference_and_a_small_one_is_left_alone() {
    let machine = Machine::new();
    let after = |stdout: String| {
        let result = json!({"tool_name": "Bash", "tool_input": {"command": "seq"},
            "tool_response": {"stdout": stdout}});
        event(&machine, "PostToolUse", &result).to_string()
    };
    let large = after("line\n".repeat(2_000));
    assert!(large.contains("[Output "), "{large}");
    assert!(!large.contains("line\\nline\\nline\\n"), "{large}");
    assert!(!after("line\n".to_owned()).contains("[Output "));
}

#[test]
fn a_compaction_and_a_plan_in_a_reply_are_marked_for_the_nudge_of_the_next_prompt() {
    let machine = Machine::new();
    for key in ["nudge_after_compaction", "nudge_on_plan"] {
        machine.run(&["config", "set", key, "1"]).ok();
    }
    event(&machine, "PreCompact", &json!({"trigger": "auto"}));
    let reply = json!({"last_assistant_message": "1. read\n2. write\n3. test"});
    event(&machine, "Stop", &reply);
    let answer = prompted(&machine);
    let hints: Vec<&str> = told(&answer)
        .lines()
        .filter(|line| line.starts_with("[Hint: "))
        .collect();
    assert_eq!(hints.len(), 2, "{answer}");
    assert!(hints.iter().any(|hint| hint.contains("just compacted")));
    assert!(hints.iter().any(|hint| hint.contains("was a plan")));
}

#[test]
fn an_answer_is_at_most_9500_characters_and_counts_the_refs_that_are_left_out() {
    let machine = Machine::new();
    let refs: Vec<String> = (0..50)
        .map(|number| format!("src/{number}/{}.rs", "long".repeat(200)))
        .collect();
    for arguments in [
        json!({"action": "set_notes", "content": "n".repeat(4_000)}),
        json!({"action": "set_plan", "content": "p".repeat(2_000)}),
        json!({"action": "refs.set", "items": refs}),
    ] {
        let call = ["call", "session_scratchpad", "-", "--session", "s"];
        let arguments = arguments.to_string();
        machine.run_with(&call, arguments.as_bytes()).ok();
    }
    for number in 0..20 {
        let note = format!("{number} {}", "note ".repeat(300));
        machine.run(&["context", "add", &note]).ok();
    }
    let answer = started(&machine, "compact");
    let said = told(&answer);
    assert!(said.chars().count() <= 9_500, "{}", said.chars().count());
    assert!(said.ends_with("[End Scratchpad]"), "{said}");
    assert!(said.contains("\n- (50 older refs not shown: "), "{said}");
}

#[test]
fn a_hook_never_fails_and_what_went_wrong_is_in_the_log() {
    let machine = Machine::new();
    let prompt = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit"}).to_string();
    for (arguments, stdin) in [
        (&["hook", "claude"][..], "no JSON"),
        (&["hook", "claude", "--nope"], &prompt),
        (&["hook", "netscape"], &prompt),
        (&["hook"], "{}"),
    ] {
        let answer = machine.run_with(arguments, stdin.as_bytes());
        assert_eq!((answer.code, &*answer.err), (Some(0), ""), "{arguments:?}");
        assert!(["", "{}\n"].contains(&&*answer.out), "{answer:?}");
    }
    std::fs::write(machine.database(), "no database").unwrap();
    assert_eq!(prompted(&machine), Value::Null);
    let log = std::fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert_eq!(log.lines().count(), 5, "{log}");
}

#[test]
fn guidance_is_given_by_hook_only_where_the_tools_are_there_and_the_host_does_not_show_it_itself() {
    let machine = Machine::new();
    let payload = json!({"session_id": "s", "sessionId": "s", "cwd": machine.project(),
        "hook_event_name": "SessionStart", "source": "startup"});
    let is_said = |host: &str, options: &[&str]| {
        let arguments = [&["hook", host, "SessionStart"], options].concat();
        let said = machine.run_with(&arguments, payload.to_string().as_bytes());
        said.ok().contains("is your working memory")
    };
    // Copilot CLI does not show the instructions of MCP servers.
    assert!(is_said("copilot", &["--tools"]));
    assert!(!is_said("copilot", &[]));
    for host in ["claude", "codex", "gemini", "qwen", "opencode"] {
        assert!(!is_said(host, &["--tools"]), "{host}");
    }
}
