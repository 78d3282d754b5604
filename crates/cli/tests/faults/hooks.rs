//! Hooks whose store is in trouble: the prompt goes through.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::report::{Section, percentile};
use super::{Place, Run};

/// A call of a hook, as a real host made it.
struct Event {
    host: &'static str,
    name: String,
    payload: Value,
}

const HOSTS: [(&str, &str); 7] = [
    ("claude", "claude-code-2.1.325"),
    ("codex", "codex-0.166.0"),
    ("gemini", "gemini-cli-0.61.0"),
    ("qwen", "qwen-code-0.24.4"),
    ("copilot", "copilot-cli-1.0.102"),
    ("cline", "cline-3.0.65"),
    ("copilot", "copilot-cli-1.0.102-pascalcase"),
];

fn events(project: &Path) -> Vec<Event> {
    let mut events = Vec::new();
    for (host, file) in HOSTS {
        let text = std::fs::read_to_string(format!("tests/fixtures/hooks/{file}.jsonl")).unwrap();
        for line in text.lines() {
            let recorded: Value = serde_json::from_str(line).unwrap();
            let mut payload = recorded["stdin"].clone();
            if let Some(directory) = payload.get_mut("cwd") {
                *directory = project.to_str().unwrap().into();
            }
            let name = recorded["event"].as_str().unwrap_or_default().to_owned();
            events.push(Event {
                host,
                name,
                payload,
            });
        }
    }
    events
}

pub(crate) fn run(run: &Run) -> Section {
    let mut section = Section {
        title: "Hooks in trouble",
        about: "Every event that seven hosts were recorded to send, against a store that can't be used. The exit code is 0, the \
                answer is empty or one that the host takes, and no prompt is blocked. A hook waits for a locked database for \
                at most 150 ms."
            .to_owned(),
        ..Section::default()
    };
    let rounds = run.times(5, 1);
    let fresh = |name: &str| {
        let place = run.place(&format!("hooks-{name}"));
        let made = place
            .command(&["session", "set-notes", "kept", "--session", "s"])
            .output()
            .unwrap();
        assert!(made.status.success());
        place
    };

    let place = fresh("well");
    met(&mut section, "nothing is wrong", &place, rounds, &|_| {});

    let place = fresh("locked");
    let holder = rusqlite::Connection::open(place.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    met(
        &mut section,
        "another process writes for ever",
        &place,
        rounds,
        &|_| {},
    );
    drop(holder);

    let place = fresh("exclusive");
    let holder = rusqlite::Connection::open(place.database()).unwrap();
    holder
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE session SET notes = 'x'",
        )
        .unwrap();
    met(
        &mut section,
        "another process locks all others out",
        &place,
        rounds,
        &|_| {},
    );
    drop(holder);

    let place = fresh("garbage");
    std::fs::write(place.database(), b"garbage ".repeat(4_096)).unwrap();
    met(
        &mut section,
        "the database is garbage",
        &place,
        rounds,
        &|_| {},
    );

    let place = fresh("damaged");
    let mut bytes = std::fs::read(place.database()).unwrap();
    bytes[4_096..].fill(0x55);
    std::fs::write(place.database(), &bytes).unwrap();
    met(
        &mut section,
        "all pages of the database but the first are damaged",
        &place,
        rounds,
        &|_| {},
    );

    let place = fresh("homeless");
    met(
        &mut section,
        "there is no home",
        &place,
        rounds,
        &|command| {
            command.env_remove("SCRATCHPAD_HOME");
        },
    );
    met(
        &mut section,
        "the home can't be made",
        &place,
        rounds,
        &|command| {
            command.env("SCRATCHPAD_HOME", "/proc/scratchpad");
        },
    );

    for (what, error) in [
        ("every access to the disk fails", "5"),
        ("the disk is full", "28"),
    ] {
        let place = fresh(error);
        met(&mut section, what, &place, rounds, &|command| {
            run.inject(
                command,
                &[
                    ("FAULT_ONE_IN", "1".to_owned()),
                    ("FAULT_ERRNO", error.to_owned()),
                ],
            );
        });
    }
    section
}

/// All events under one condition.
fn met(
    section: &mut Section,
    what: &str,
    place: &Place,
    rounds: usize,
    prepare: &dyn Fn(&mut Command),
) {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..rounds {
        for event in events(&place.project) {
            let mut command = place.command(&["hook", event.host, &event.name]);
            prepare(&mut command);
            let started = Instant::now();
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            // A hook that fails early does not read its event.
            let _ = child
                .stdin
                .take()
                .unwrap()
                .write_all(event.payload.to_string().as_bytes());
            let mut said = String::new();
            child
                .stdout
                .take()
                .unwrap()
                .read_to_string(&mut said)
                .unwrap();
            let status = child.wait().unwrap();
            times.push(started.elapsed());
            let label = format!("{what}, {} {}", event.host, event.name);
            section.must(status.code() == Some(0), || format!("{label}: {status}"));
            let answer = serde_json::from_str::<Value>(&said);
            let is_plain = event.host == "claude" && !said.starts_with('{');
            section.must(answer.is_ok() || is_plain, || format!("{label}: {said}"));
            let answer = answer.unwrap_or_default();
            let is_tool = event.name.to_lowercase().contains("tool");
            let blocks = answer.get("decision").is_some() && !is_tool
                || answer.get("continue") == Some(&Value::Bool(false))
                || answer.get("cancel") == Some(&Value::Bool(true));
            section.must(!blocks, || format!("{label} is blocked: {said}"));
        }
    }
    let slow = times.iter().filter(|time| time.as_millis() > 250).count();
    let found = format!(
        "exit 0, none blocked; median {}, p99 {}, longest {}; {slow} above 250 ms",
        percentile(&mut times, 50),
        percentile(&mut times, 99),
        percentile(&mut times, 100)
    );
    section.row(what, times.len(), found);
}
