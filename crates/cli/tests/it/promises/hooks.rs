//! Hooks: whatever is in their way, the prompt goes through.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Machine;
use crate::support::outputs::keep;
use serde_json::{Value, json};

/// Generous: a hook takes a quarter of a second at most, and the machine may be busy.
const BOUND: Duration = Duration::from_secs(5);

fn prompt(machine: &Machine) -> Value {
    json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Go.", "cwd": machine.project()})
}

/// A machine whose session has a pad.
fn machine() -> Machine {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "kept", "--session", "s"])
        .ok();
    machine
}

/// What a hook answers that is given this text on stdin, which stays open. It must exit with 0, and soon.
fn answer_of(command: &mut Command, stdin: &str) -> String {
    let since = Instant::now();
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(stdin.as_bytes()).unwrap();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < BOUND, "it never ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(pipe);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    said
}

fn put_pipe(path: &Path) {
    // It may be there already.
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn an_event_is_answered_although_stdin_stays_open() {
    let machine = machine();
    let mut hook = machine.command(&["hook", "claude"]);
    let said = answer_of(&mut hook, &prompt(&machine).to_string());
    assert!(said.contains("kept"), "{said}");
    // Half an event, or none.
    for half in ["{\"session_id\":", ""] {
        let said = answer_of(&mut hook, half);
        assert!(!said.contains("kept"), "{said}");
    }
    let log = std::fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert!(log.contains("did not arrive whole within 200 ms"), "{log}");
}

#[test]
fn an_event_that_arrives_byte_by_byte_holds_up_no_prompt() {
    let machine = machine();
    let since = Instant::now();
    let mut hook = machine.command(&["hook", "claude"]);
    let mut child = hook.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < BOUND, "it never ended");
        // It may just have ended.
        let _ = pipe.write_all(b" ");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_pipe_in_the_place_of_a_file_blocks_no_hook() {
    let in_home = |name: &'static str| move |machine: &Machine| machine.home().join(name);
    let places: [&dyn Fn(&Machine) -> PathBuf; 8] = [
        &in_home("scratchpad.db"),
        &in_home("scratchpad.db-wal"),
        &in_home("scratchpad.db-shm"),
        &in_home("hook.log"),
        &in_home("config.toml"),
        &|machine| machine.project().join(".scratchpad/config.toml"),
        &|machine| machine.project().join(".scratchpad/scratch.yaml"),
        &|machine| machine.project().join("transcript.jsonl"),
    ];
    for place in places {
        let machine = machine();
        std::fs::create_dir_all(machine.project().join(".scratchpad")).unwrap();
        let path = place(&machine);
        put_pipe(&path);
        for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
            let mut payload = prompt(&machine);
            payload["hook_event_name"] = event.into();
            payload["source"] = "resume".into();
            payload["transcript_path"] = machine.project().join("transcript.jsonl").to_str().into();
            let mut hook = machine.command(&["hook", "claude"]);
            hook.env("SCRATCHPAD_NUDGE_ON_PLAN", "1");
            answer_of(&mut hook, &payload.to_string());
        }
    }
    // The lock is taken by whoever makes the database.
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home()).unwrap();
    put_pipe(&machine.home().join("scratchpad.lock"));
    let mut hook = machine.command(&["hook", "claude"]);
    answer_of(&mut hook, &prompt(&machine).to_string());
}

#[test]
fn a_limit_of_nothing_for_files_ends_no_hook() {
    let machine = machine();
    let program = machine.command(&[]).get_program().to_owned();
    let mut shell = Command::new("sh");
    let plain = machine.command(&[]);
    shell
        .args(["-c", "ulimit -f 0; exec \"$0\" hook claude"])
        .arg(program)
        .current_dir(machine.project())
        .env_clear()
        .envs(
            plain
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    answer_of(&mut shell, &prompt(&machine).to_string());
}

/// The event of a tool that returned this.
fn tool_event(machine: &Machine, response: Value) -> String {
    let mut event = prompt(machine);
    event["hook_event_name"] = "PostToolUse".into();
    event["tool_name"] = "mcp__demo__get".into();
    event["tool_input"] = json!({});
    event["tool_response"] = response;
    event.to_string()
}

/// The texts that replace the result of a tool.
fn replaced(machine: &Machine, texts: &[String]) -> Vec<String> {
    let blocks: Vec<Value> = texts
        .iter()
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    let event = tool_event(machine, Value::from(blocks));
    let said = machine.run_with(&["hook", "claude"], event.as_bytes()).ok();
    if said.trim().is_empty() || said.trim() == "{}" {
        return texts.to_vec();
    }
    let answer: Value = serde_json::from_str(&said).unwrap();
    let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
    let blocks = output.as_array().unwrap_or_else(|| panic!("{said}"));
    blocks
        .iter()
        .map(|block| block["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn of_more_than_128_large_texts_the_rest_passes() {
    let machine = machine();
    let texts: Vec<String> = (0..150)
        .map(|number| format!("{number} ").repeat(3_000))
        .collect();
    let seen = replaced(&machine, &texts);
    assert_eq!(seen.len(), 150);
    let passed: Vec<usize> = (0..150).filter(|at| seen[*at] == texts[*at]).collect();
    assert_eq!(passed, (128..150).collect::<Vec<_>>());
    // They were written at once: one transaction for each would have written megabytes.
    let log = machine.home().join("scratchpad.db-wal");
    let written = std::fs::metadata(log).unwrap().len();
    assert!(written < 1 << 20, "{written}");
}

#[test]
fn only_a_text_that_names_a_kept_output_is_left_alone() {
    let machine = machine();
    let kept = keep(&machine, "t", &[b'x'; 5_000]);
    let long = "y".repeat(6_000);
    let ours = format!("[Output {kept} of t: 5,000 bytes]\n{long}");
    let forged = format!("[Output 0123456789ab of t: 5,000 bytes]\n{long}");
    let odd = format!("[Output of the day]\n{long}");
    let seen = replaced(&machine, &[ours.clone(), forged, odd]);
    assert_eq!(seen[0], ours);
    for text in &seen[1..] {
        assert!(
            text.starts_with("[Output ") && text.len() <= 1_024,
            "{text}"
        );
    }
}
