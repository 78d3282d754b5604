//! `doctor --prove`: a compaction, played through the hook command of a host.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::files;
use super::files::Reach;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, env, ui};
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::hook::{Recorded, host};
use scratchpad::model::host::install::{Program, Wiring, is_ours, wiring};
use scratchpad::model::host::wrap::{Format, get};

/// The command that a host's settings have for an event.
fn installed_command(wiring: &'static Wiring, event: &str) -> Result<Option<String>> {
    fn ours(value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => is_ours(value).then_some(text),
            Value::Array(items) => items.iter().find_map(ours),
            Value::Object(fields) => fields.values().find_map(ours),
            _ => None,
        }
    }
    for file in files::of(wiring, &Reach::User)? {
        let text = file.text.unwrap_or_default();
        let calls = get(&text, Format::Json, &["hooks", event]).unwrap_or_default();
        if let Some(command) = calls.as_ref().and_then(ours) {
            return Ok(Some(command.to_owned()));
        }
    }
    Ok(None)
}

/// Plays a recorded compaction through the hook command that a host would run, in a store of its own.
pub(super) fn prove(name: &str, global: &Global) -> Result<Done> {
    let host = host(name)?;
    let here = env::project(global)?.root;
    let (events, session) = host.compaction(&here.to_string_lossy())?;
    let home = tempfile::tempdir()
        .map_err(|error| Error::store(format!("Can't make a directory: {error}.")))?;
    let pad = Scratchpad::open(home.path())?;
    let plan = json!({"action": "set_plan", "content": "1. written before the compaction"});
    pad.call(&session, "session_scratchpad", &plan);
    let program = Program {
        path: env::own_path()?,
        ..Program::default()
    };
    let mut shown = Vec::new();
    for Recorded { event, stdin, .. } in events {
        let installed = installed_command(wiring(host.name)?, &event).unwrap_or_default();
        let own = program.command(&format!("hook {} {event}", host.name));
        let command = installed.unwrap_or(own);
        let (shell, flag) = if cfg!(windows) {
            ("cmd", "/C")
        } else {
            ("sh", "-c")
        };
        let failed = |error: std::io::Error| Error::store(format!("{command}: {error}."));
        let mut child = Command::new(shell)
            .args([flag, &command])
            .env("SCRATCHPAD_HOME", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut pipe) = child.stdin.take() {
            // What it does not read shows in its answer.
            let _ = pipe.write_all(stdin.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        shown.push((event, command, answer));
    }
    let is_well = shown
        .last()
        .is_some_and(|(_, _, answer)| answer.contains("written before"));
    if global.json {
        let events: Vec<Value> = shown
            .iter()
            .map(|(event, command, answer)| json!({"event": event, "command": command, "answer": answer}))
            .collect();
        ui::print_json(&json!({"ok": is_well, "events": events}))?;
    } else {
        for (event, command, answer) in &shown {
            ui::show(&format!("{event}: {command}\n{}\n", answer.trim_end()))?;
        }
        let verdict = if is_well {
            text!("doctor-proved")
        } else {
            text!("doctor-lost")
        };
        ui::show(&format!("{verdict}\n"))?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}
