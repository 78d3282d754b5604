//! Codex.

use serde_json::{Value, json};

use super::Transcripts;
use super::hook::answer::{Answer, added_context, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, HostHooks, TaskForm, TaskTool, WorkTools};
use super::install::{InstallPart, PartKind, Program, call_within_seconds, hooks, plain_server};
use super::instructions::InstructionFiles;
use super::path::{HostDirectory, HostPath, in_project};
use super::wrap::Format;
use super::{Host, Signs, claude};
use crate::model::output::ledger::shown::{Limit, Shown, Shows};
use crate::model::transcript::TranscriptFormat;

const HOME: HostDirectory = HostDirectory::Own {
    variable: "CODEX_HOME",
    usual: ".codex",
};

/// No text may be returned before a tool call.
pub(super) const EVENTS: &[(&str, EventName)] = &[
    ("SessionStart", EventName::SessionStart),
    ("UserPromptSubmit", EventName::Prompt),
    ("PreCompact", EventName::BeforeCompaction),
    ("PostToolUse", EventName::AfterTool),
    ("Stop", EventName::ReplyEnd),
    ("SessionEnd", EventName::SessionEnd),
];

/// A sub-agent's id is unique across agents, and the ids of calls show which of them a script made.
pub(super) const WIRE: Wire = Wire {
    call: "/tool_use_id",
    sub_agent: SubAgent::Id("/agent_id"),
    ..claude::WIRE
};

/// Codex sets no variable of its own, and may run inside Claude Code.
fn is_sender(payload: &Value) -> bool {
    let transcript = payload.get("transcript_path").and_then(Value::as_str);
    payload.get("model").is_some_and(Value::is_string)
        && transcript
            .is_some_and(|path| path.contains("/sessions/") || path.contains("\\sessions\\"))
}

/// An unknown field invalidates the answer, and an answer before a compaction is ignored.
fn answer(event: &str, answer: &Answer) -> String {
    match answer {
        Answer::Context(text) => added_context(event, text),
        Answer::Result { text, .. } => line(&json!({"decision": "block", "reason": text})),
        _ => line(&json!({})),
    }
}

const fn codex_server(place: HostPath) -> InstallPart {
    InstallPart {
        place,
        preferred: &[],
        kind: PartKind::Server {
            format: Format::Toml,
            servers: &["mcp_servers"],
            entry: plain_server,
        },
    }
}

fn hook(program: &Program, event: &str) -> Value {
    // At the end of a session, it waits no longer than three seconds.
    let limit = if event == "SessionEnd" { 3 } else { 10 };
    call_within_seconds(&program.hook("codex --tools"), limit)
}

pub(super) static HOST: Host = Host {
    name: "codex",
    title: "Codex",
    marks: &[HOME.path("")],
    project_marks: &[".codex"],
    processes: &["codex"],
    signs: Signs {
        event: is_sender,
        clients: &["codex"],
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    shows: Shows {
        mcp: Some(Shown {
            most: Limit::Bytes(12_000),
            then: Limit::Bytes(12_000),
        }),
        own: Some(Shown {
            most: Limit::Tokens(10_000),
            then: Limit::Tokens(10_000),
        }),
    },
    transcripts: &[
        Transcripts {
            place: HOME.path("sessions"),
            within: "",
            ends: &[".jsonl"],
            format: TranscriptFormat::Codex,
        },
        Transcripts {
            place: HOME.path("archived_sessions"),
            within: "",
            ends: &[".jsonl"],
            format: TranscriptFormat::Codex,
        },
    ],
    server_keys: &[&["mcp_servers"]],
    user: &[
        codex_server(HOME.path("config.toml")),
        hooks(HOME.path("hooks.json"), EVENTS, hook),
    ],
    project: &[
        codex_server(in_project(".codex/config.toml")),
        hooks(in_project(".codex/hooks.json"), EVENTS, hook),
    ],
    todo: "Codex runs no hook until you approve it: start codex, type /hooks, and trust those of scratchpad.",
    approvals: Some(HOME.path("config.toml")),
    hooks: HostHooks {
        wires: &[&WIRE],
        events: EVENTS,
        answer,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        task_tools: &[TaskTool {
            name: "update_plan",
            form: TaskForm::Whole {
                list: "/plan",
                text: "step",
            },
        }],
        notice: Some("systemMessage"),
        // How a command ended is not told to hooks.
        work: WorkTools {
            shells: &["Bash"],
            patches: &[("apply_patch", "command")],
            ..WorkTools::NONE
        },
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::new(in_project("AGENTS.md"), HOME.path("AGENTS.md")),
    ..super::UNKNOWN
};
