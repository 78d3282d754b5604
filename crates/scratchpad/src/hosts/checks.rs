//! The checks of `doctor`: whether hosts have our parts installed, and whether they work.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::files::{HostFile, files_of, own_server, read};
use super::places::Places;
use crate::child::{Group, spawn};
use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::host::hook::{RecordedEvent, recorded_compaction};
use crate::model::host::install::{
    HookApproval, PartKind, PartState, Program, codex_approval, is_ours,
};
use crate::model::host::path::Reach;
use crate::model::host::wrap::{Format, get};
use crate::model::id::SessionId;
use crate::model::text::message::message;

/// The timeout for each answer of the server.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The state of a part in a host's file.
pub struct CheckedPart {
    pub path: PathBuf,
    pub kind: &'static PartKind,
    pub state: Result<PartState>,
    /// For installed hooks of a host that asks for approval: which of them the person approved.
    pub approval: Option<HookApproval>,
}

/// The state of each part of a host.
pub fn checked_parts(
    host: &'static Host,
    places: &Places,
    reach: Reach,
    program: &Program,
) -> Result<Vec<CheckedPart>> {
    let mut checked = Vec::new();
    let files = files_of(host, places, reach)?;
    let programs = as_installed(&files, program);
    for file in files {
        let text = file.text.as_deref().unwrap_or_default();
        for part in &file.parts {
            if part.kind.is_optional() && !part.kind.is_there(text, program) {
                continue;
            }
            let state = state(&part.kind, text, &programs);
            let are_hooks = part.kind.is_hooks() && state == Ok(PartState::Installed);
            let approval = if are_hooks {
                approval(host, places, &file)?
            } else {
                None
            };
            checked.push(CheckedPart {
                path: file.path.clone(),
                kind: &part.kind,
                state,
                approval,
            });
        }
    }
    Ok(checked)
}

/// Whether a host has any part, of whichever version. Files that can't be read are skipped.
pub fn has_a_part(host: &'static Host, places: &Places, reach: Reach, program: &Program) -> bool {
    let files = files_of(host, places, reach).unwrap_or_default();
    files.iter().any(|file| {
        let text = file.text.as_deref().unwrap_or_default();
        let mut parts = file.parts.iter();
        parts.any(|part| part.kind.is_there(text, program))
    })
}

/// The program in each form in which `install` may have written it: with the name that our server has in these files,
/// with the path there if it leads to the same program, with and without offloading.
fn as_installed(files: &[HostFile], program: &Program) -> Vec<Program> {
    let mut program = program.clone();
    if let Some((server, path)) = own_server(files, &program) {
        let real = |path: &str| Path::new(path).canonicalize().ok();
        if real(&path).is_some_and(|there| real(&program.path) == Some(there)) {
            program.path = path;
        }
        program.server = server;
    }
    let without = Program {
        offloads: false,
        ..program.clone()
    };
    vec![program, without]
}

/// The state of a part that may have been installed in several forms.
fn state(kind: &PartKind, text: &str, programs: &[Program]) -> Result<PartState> {
    let mut states = programs.iter().map(|program| kind.state(text, program));
    let first = states.next().unwrap_or(Ok(PartState::Missing));
    match first {
        Ok(PartState::Different) => states
            .find(|state| *state == Ok(PartState::Installed))
            .unwrap_or(first),
        first => first,
    }
}

fn approval(host: &Host, places: &Places, file: &HostFile) -> Result<Option<HookApproval>> {
    let Some(place) = host.approvals else {
        return Ok(None);
    };
    let config = read(&places.path(place)?)?.unwrap_or_default();
    // The host may record the file by its resolved path.
    let names = [Some(file.path.clone()), file.path.canonicalize().ok()];
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .map(|path| path.display().to_string())
        .collect();
    let hooks = file.text.as_deref().unwrap_or_default();
    codex_approval(hooks, &names, &config).map(Some)
}

/// Starts the server as a host would, and counts the tools that it lists.
pub fn tools_of_server(program: &Program) -> Result<usize> {
    let failed = |error: std::io::Error| {
        Error::store(message!("{path}: {error}.", path = &program.path, error))
    };
    let mut command = Command::new(&program.path);
    command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let (child, pipes) = spawn(command, Group::Shared).map_err(failed)?;
    let (mut stdin, stdout) = (pipes.stdin, pipes.stdout);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stdout.into_iter().flat_map(|it| BufReader::new(it).lines()) {
            if line.is_ok_and(|line| sender.send(line).is_err()) {
                break;
            }
        }
    });
    let mut send = |message: Value| {
        let line = format!("{message}\n");
        stdin
            .as_mut()
            .map_or(Ok(()), |pipe| pipe.write_all(line.as_bytes()))
    };
    // A server that times out lists no tools, which is the finding.
    let receive = || receiver.recv_timeout(TIMEOUT).ok();
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}}))
    .map_err(failed)?;
    receive();
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).map_err(failed)?;
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).map_err(failed)?;
    let answer = receive().and_then(|line| serde_json::from_str::<Value>(&line).ok());
    drop(stdin);
    // It has answered or timed out: how it exits does not matter.
    child.kill();
    let _ = child.wait();
    let tools = answer.and_then(|answer| Some(answer.pointer("/result/tools")?.as_array()?.len()));
    tools.ok_or_else(|| Error::store("the MCP server did not list its tools."))
}

/// A recorded event, and what the host's hook command answered.
pub struct PlayedEvent {
    pub event: String,
    pub command: String,
    pub answer: String,
}

/// A recorded compaction to replay.
pub struct Compaction {
    events: Vec<RecordedEvent>,
    pub session: SessionId,
}

impl Compaction {
    /// What a host sends around a compaction, as if it happened in this directory.
    pub fn of(host: &Host, directory: &str) -> Result<Self> {
        let (events, session) = recorded_compaction(host, directory)?;
        Ok(Self { events, session })
    }

    /// Sends the events to the hook command in a host's settings, with the store in this directory.
    pub fn play(
        self,
        host: &'static Host,
        places: &Places,
        program: &Program,
        store: &Path,
    ) -> Result<Vec<PlayedEvent>> {
        let mut played = Vec::new();
        for RecordedEvent { event, stdin, .. } in self.events {
            let installed = installed_command(host, places, &event).unwrap_or_default();
            let own = program.hook(&format!("{} {event}", host.name));
            let command = installed.unwrap_or(own);
            let (shell, flag) = if cfg!(windows) {
                ("cmd", "/C")
            } else {
                ("sh", "-c")
            };
            let failed = |error: std::io::Error| {
                Error::store(message!("{command}: {error}.", command = &command, error))
            };
            let mut child = Command::new(shell)
                .args([flag, &command])
                .env("SCRATCHPAD_HOME", store)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(failed)?;
            if let Some(mut pipe) = child.stdin.take() {
                // Fails if the command doesn't read all of it, which its answer shows.
                let _ = pipe.write_all(stdin.to_string().as_bytes());
            }
            let output = child.wait_with_output().map_err(failed)?;
            let answer = String::from_utf8_lossy(&output.stdout).into_owned();
            played.push(PlayedEvent {
                event,
                command,
                answer,
            });
        }
        Ok(played)
    }
}

/// The hook command in a host's settings for an event.
fn installed_command(host: &'static Host, places: &Places, event: &str) -> Result<Option<String>> {
    fn ours(value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => is_ours(value).then_some(text),
            Value::Array(items) => items.iter().find_map(ours),
            Value::Object(fields) => fields.values().find_map(ours),
            _ => None,
        }
    }
    for file in files_of(host, places, Reach::Global)? {
        let text = file.text.unwrap_or_default();
        let calls = get(&text, Format::Json, &["hooks", event]).unwrap_or_default();
        if let Some(command) = calls.as_ref().and_then(ours) {
            return Ok(Some(command.to_owned()));
        }
    }
    Ok(None)
}
