//! The digest: one note of a session, made of what hooks saw and of nothing else.

use std::fs;
use std::path::Path;

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// A recorded event of Claude Code, as one of this machine's project and session.
fn recorded(machine: &Machine, version: &str, file: &str) -> Value {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks");
    let lines = fs::read_to_string(fixtures.join(format!("{version}.jsonl"))).unwrap();
    let found = lines.lines().find_map(|line| {
        let recorded: Value = serde_json::from_str(line).unwrap();
        (recorded["file"] == file).then(|| recorded["stdin"].to_string())
    });
    let project = machine.project().display().to_string();
    let stdin = found.unwrap().replace("/home/user/project", &project);
    let mut stdin: Value = serde_json::from_str(&stdin).unwrap();
    stdin["session_id"] = json!("s");
    stdin
}

fn claude(machine: &Machine, file: &str) -> Value {
    recorded(machine, "claude-code-2.1.325", file)
}

/// The same call with another command.
fn running(mut event: Value, command: &str) -> Value {
    event["tool_input"]["command"] = json!(command);
    event
}

fn event(machine: &Machine, name: &str, more: &Value) -> Value {
    let mut event = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": name});
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    event
}

fn hear(machine: &Machine, host: &str, event: &Value) -> String {
    let answer = machine.run_with(&["hook", host, "--tools"], event.to_string().as_bytes());
    assert_eq!(answer.err, "");
    assert_eq!(log(machine), "");
    answer.ok()
}

fn log(machine: &Machine) -> String {
    fs::read_to_string(machine.home().join("hook.log")).unwrap_or_default()
}

fn end(machine: &Machine) {
    hear(
        machine,
        "claude",
        &event(machine, "SessionEnd", &json!({"reason": "exit"})),
    );
}

/// The text that Claude Code gets when a conversation starts so.
fn told(machine: &Machine, source: &str) -> String {
    let answer = hear(
        machine,
        "claude",
        &event(machine, "SessionStart", &json!({"source": source})),
    );
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    text.as_str().unwrap_or_default().to_owned()
}

/// The notes of a session.
fn notes(machine: &Machine, session: &str) -> Vec<(String, Vec<String>)> {
    let listed = machine
        .run(&["note", "list", "--json", "--session", session])
        .json();
    let notes = listed["notes"].as_array().unwrap().iter();
    let text = |note: &Value| note["content"].as_str().unwrap().to_owned();
    let tags = |note: &Value| serde_json::from_value(note["tags"].clone()).unwrap();
    notes.map(|note| (text(note), tags(note))).collect()
}

fn digest(machine: &Machine) -> String {
    let notes = notes(machine, "s");
    let [(text, tags)] = notes.as_slice() else {
        panic!("{notes:?}")
    };
    assert_eq!(tags, &["digest"]);
    text.clone()
}

fn some_work(machine: &Machine) {
    for event in [
        running(claude(machine, "PostToolUseFailure.Bash"), "make test"),
        claude(machine, "PostToolUse.Write"),
        claude(machine, "PostToolUse.Edit"),
        running(claude(machine, "PostToolUse.Bash"), "make test"),
        claude(machine, "PostToolUse.Bash.commit"),
    ] {
        hear(machine, "claude", &event);
    }
}

/// What hooks wrote down for digests, of all sessions.
fn facts(machine: &Machine) -> String {
    let files = fs::read_dir(machine.home().join("facts")).unwrap();
    files
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

#[test]
fn a_secret_in_a_command_is_not_written_down() {
    const TOKEN: &str = "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";
    let machine = Machine::new();
    let push = format!("git push https://{TOKEN}@github.com/acme/shop");
    let event = running(claude(&machine, "PostToolUse.Bash"), &push);
    hear(&machine, "claude", &event);
    let facts = facts(&machine);
    assert!(facts.contains("git push https://"), "{facts}");
    assert!(!facts.contains(TOKEN), "{facts}");
}

#[test]
fn a_text_that_is_forgotten_is_in_no_fact_either() {
    let machine = Machine::new();
    for command in ["make \"the other\" shop", "make test"] {
        let event = running(claude(&machine, "PostToolUse.Bash"), command);
        hear(&machine, "claude", &event);
    }
    machine.run(&["forget", "\"the other\" shop", "--yes"]).ok();
    let facts = facts(&machine);
    assert!(!facts.contains("the other"), "{facts}");
    assert!(facts.contains("make test"), "{facts}");
}

#[test]
fn a_session_that_ends_leaves_a_note_of_what_hooks_saw() {
    let machine = Machine::new();
    let plan = "- [x] read\n- [>] fix the cache\n- [ ] docs";
    machine
        .run(&["session", "set-plan", plan, "--session", "s"])
        .ok();
    some_work(&machine);
    assert_eq!(
        notes(&machine, "s"),
        [],
        "nothing is written before the end"
    );
    let lines: Vec<String> = (0..2_000).map(|line| format!("line {line}\n")).collect();
    let mut large = running(claude(&machine, "PostToolUse.Bash"), "seq");
    large["tool_response"]["stdout"] = json!(lines.concat());
    let answer = hear(&machine, "claude", &large);
    let (_, id) = answer.split_once("[Output ").unwrap();
    end(&machine);
    assert_data_eq!(
        digest(&machine).replace(&id[..12], "3b1a00000000"),
        str![[r"
Digest of this session, from what hooks saw:
Commits:
- c1cc5ba fix the cache key
Open in the plan:
- [>] fix the cache
- [ ] docs
Failed, then passed:
- make test (error: a is not b)
Files changed:
- a.txt (2 times)
Outputs kept:
- 3b1a00000000 Bash: 18,890 bytes, 2,000 lines, text
"]]
    );
    // It is found like any other note.
    let call = json!({"query": "fix the cache key", "session": "s"}).to_string();
    let found = machine.run(&["call", "search_notes", &call]).ok();
    assert!(found.contains("Digest of this session"), "{found}");
}

#[test]
fn without_facts_nothing_is_written() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "- [ ] docs", "--session", "s"])
        .ok();
    told(&machine, "startup");
    hear(
        &machine,
        "claude",
        &event(&machine, "UserPromptSubmit", &json!({"prompt": "go"})),
    );
    hear(
        &machine,
        "claude",
        &claude(&machine, "PostToolUse.mcp__everything__echo"),
    );
    hear(
        &machine,
        "claude",
        &event(&machine, "PreCompact", &json!({"trigger": "auto"})),
    );
    end(&machine);
    assert_eq!(notes(&machine, "s"), []);
    assert!(!machine.home().join("facts").exists());
}

#[test]
fn a_digest_takes_the_place_of_the_one_before() {
    let machine = Machine::new();
    some_work(&machine);
    hear(
        &machine,
        "claude",
        &event(&machine, "PreCompact", &json!({"trigger": "auto"})),
    );
    let first = digest(&machine);
    hear(&machine, "claude", &claude(&machine, "PostToolUse.Edit"));
    end(&machine);
    let second = digest(&machine);
    assert!(first.contains("- a.txt (2 times)") && second.contains("- a.txt (3 times)"));
    // A conversation that goes on has no other digest either.
    told(&machine, "resume");
    hear(&machine, "claude", &claude(&machine, "PostToolUse.Edit"));
    end(&machine);
    assert!(digest(&machine).contains("- a.txt (4 times)"));
}

#[test]
fn a_digest_is_given_only_where_a_conversation_is_resumed() {
    let machine = Machine::new();
    some_work(&machine);
    end(&machine);
    assert_eq!(told(&machine, "startup"), "");
    assert_eq!(told(&machine, "compact"), "");
    assert_eq!(told(&machine, "resume"), digest(&machine));
}

#[test]
fn a_host_that_was_killed_has_its_digest_when_it_is_resumed() {
    let machine = Machine::new();
    some_work(&machine);
    assert!(told(&machine, "resume").contains("- c1cc5ba fix the cache key"));
    assert!(digest(&machine).contains("- c1cc5ba fix the cache key"));
}

#[test]
fn the_summary_of_a_compaction_is_kept_and_named() {
    let machine = Machine::new();
    let summary = claude(&machine, "PostCompact.auto");
    assert_eq!(hear(&machine, "claude", &summary), "");
    let text = digest(&machine);
    let (_, id) = text
        .split_once("Outputs with the host's summaries:\n- ")
        .unwrap();
    let read = machine.run(&["output", "read", id]).ok();
    assert_eq!(read, summary["compact_summary"].as_str().unwrap());
}

#[test]
fn what_a_sub_agent_does_is_in_its_own_digest() {
    let machine = Machine::new();
    let words = ["session", "set-notes", "x", "--session", "s"];
    machine.run(&words).ok();
    some_work(&machine);
    let mut edit = claude(&machine, "PostToolUse.Edit");
    edit["agent_id"] = json!("a1");
    edit["tool_input"]["file_path"] = json!(machine.project().join("part.rs"));
    hear(&machine, "claude", &edit);
    let mut stop = claude(&machine, "SubagentStop");
    stop["agent_id"] = json!("a1");
    hear(&machine, "claude", &stop);
    let [(text, _)] = notes(&machine, "s.a1").try_into().unwrap();
    assert!(text.ends_with("Files changed:\n- part.rs"), "{text}");
    assert_eq!(notes(&machine, "s"), [], "its parent goes on");
    end(&machine);
    assert!(!digest(&machine).contains("part.rs"));
}

#[test]
fn a_digest_can_be_switched_off() {
    for setting in ["notes.digest", "notes.enabled"] {
        let machine = Machine::new();
        machine.run(&["config", "set", setting, "false"]).ok();
        some_work(&machine);
        end(&machine);
        assert_eq!(told(&machine, "resume"), "");
        assert!(!machine.home().join("facts").exists(), "{setting}");
        machine.run(&["config", "set", setting, "true"]).ok();
        assert_eq!(notes(&machine, "s"), []);
    }
}

#[test]
fn an_agents_own_notes_with_that_tag_are_left_alone() {
    let machine = Machine::new();
    let own = json!({"content": "my own", "tags": ["digest"], "session": "s"}).to_string();
    machine.run(&["call", "add_note", &own]).ok();
    some_work(&machine);
    end(&machine);
    end(&machine);
    let texts: Vec<String> = notes(&machine, "s")
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.contains(&"my own".to_owned()));
}

#[test]
fn a_digest_that_was_deleted_is_made_again_at_the_next_end() {
    let machine = Machine::new();
    some_work(&machine);
    end(&machine);
    machine
        .run(&["note", "clear", "--session", "s", "--yes"])
        .ok();
    end(&machine);
    assert!(digest(&machine).contains("c1cc5ba"));
}

#[test]
fn the_facts_of_a_session_go_with_it() {
    let machine = Machine::new();
    some_work(&machine);
    end(&machine);
    assert_eq!(
        fs::read_dir(machine.home().join("facts")).unwrap().count(),
        1
    );
    // Also when there are to be no more of them.
    machine
        .run(&["config", "set", "notes.digest", "false"])
        .ok();
    machine.run(&["session", "delete", "s", "--force"]).ok();
    assert_eq!(
        fs::read_dir(machine.home().join("facts")).unwrap().count(),
        0
    );
}

#[test]
#[cfg(unix)]
fn only_their_owner_can_read_facts() {
    let machine = Machine::new();
    some_work(&machine);
    let facts = machine.home().join("facts");
    assert_eq!(crate::support::mode(&facts), 0o700);
    for file in fs::read_dir(&facts).unwrap() {
        assert_eq!(crate::support::mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn facts_that_can_not_be_written_cost_the_agent_nothing() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(machine.home().join("facts"), "in the way").unwrap();
    let event = claude(&machine, "PostToolUse.Write").to_string();
    let answer = machine.run_with(&["hook", "claude", "--tools"], event.as_bytes());
    assert_eq!(
        (answer.out.as_str(), answer.err.as_str(), answer.code),
        ("", "", Some(0))
    );
    assert!(log(&machine).contains("facts"), "{}", log(&machine));
}

#[test]
fn the_work_of_codex_and_gemini_is_seen_too() {
    let machine = Machine::new();
    for file in ["PostToolUse.apply_patch", "PostToolUse.Bash.commit"] {
        hear(
            &machine,
            "codex",
            &recorded(&machine, "codex-0.166.0", file),
        );
    }
    hear(
        &machine,
        "codex",
        &recorded(&machine, "codex-0.166.0", "SessionEnd"),
    );
    assert_data_eq!(
        digest(&machine),
        str![[r"
Digest of this session, from what hooks saw:
Commits:
- c98ee89 fix the cache key
Files changed:
- b.txt
"]]
    );
    let machine = Machine::new();
    let gemini = |file: &str| recorded(&machine, "gemini-cli-0.61.0", file);
    let (failed, passed) = (
        "AfterTool.run_shell_command.failed",
        "AfterTool.run_shell_command.passed",
    );
    for event in [
        running(gemini(failed), "ls"),
        gemini("AfterTool.write_file"),
        gemini("AfterTool.replace"),
        running(gemini(passed), "ls"),
        gemini("SessionEnd"),
    ] {
        hear(&machine, "gemini", &event);
    }
    assert_data_eq!(
        digest(&machine),
        str![[r"
Digest of this session, from what hooks saw:
Failed, then passed:
- ls (error: a is not b)
Files changed:
- a.txt (2 times)
"]]
    );
}
