//! Gemini CLI.

use serde_json::{Value, json};

use super::Transcripts;
use super::hook::answer::{Answer, added_context, line, nested};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, Exit, HostHooks, TaskForm, TaskTool, WorkTools};
use super::install::{MCP_SERVERS, Program, call_within_milliseconds, hooks, plain_server, server};
use super::instructions::InstructionFiles;
use super::path::{in_home, in_project};
use super::{Host, Signs, claude};
use crate::model::transcript::TranscriptFormat;

const SETTINGS: &str = ".gemini/settings.json";

/// Without `PreCompress`, which precedes every request, compaction or not.
pub(super) const EVENTS: &[(&str, EventName)] = &[
    ("SessionStart", EventName::SessionStart),
    ("BeforeAgent", EventName::Prompt),
    ("BeforeModel", EventName::ModelCall),
    ("AfterTool", EventName::AfterTool),
    ("AfterAgent", EventName::ReplyEnd),
    ("SessionEnd", EventName::SessionEnd),
];

const WIRE: Wire = Wire {
    reply: "/prompt_response",
    sub_agent: SubAgent::NotNamed,
    first_message: "/llm_request/messages/0/content",
    ..claude::WIRE
};

fn answer(event: &str, answer: &Answer) -> String {
    match answer {
        Answer::Context(text) => added_context(event, text),
        Answer::FirstMessage(text) => line(&nested(
            event,
            "llm_request",
            json!({"messages": [{"role": "user", "content": text}]}),
        )),
        Answer::Result { text, .. } => line(&json!({"decision": "deny", "reason": text})),
        _ => line(&json!({})),
    }
}

pub(super) fn hook(program: &Program, _: &str) -> Value {
    call_within_milliseconds(&program.hook("gemini --tools"))
}

pub(super) static HOST: Host = Host {
    name: "gemini",
    aliases: &["gemini-cli"],
    title: "Gemini CLI",
    marks: &[in_home(".gemini")],
    project_marks: &["GEMINI.md", ".gemini"],
    processes: &["gemini"],
    signs: Signs {
        session: Some("GEMINI_SESSION_ID"),
        hooks: &["GEMINI_SESSION_ID"],
        rank: 2,
        clients: &["gemini-cli"],
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    transcripts: &[Transcripts {
        place: in_home(".gemini/tmp"),
        within: "/chats/",
        ends: &[".jsonl", ".json"],
        format: TranscriptFormat::Gemini,
    }],
    server_keys: &[&["mcpServers"]],
    user: &[
        server(in_home(SETTINGS), MCP_SERVERS, plain_server),
        hooks(in_home(SETTINGS), EVENTS, hook),
    ],
    project: &[
        server(in_project(SETTINGS), MCP_SERVERS, plain_server),
        hooks(in_project(SETTINGS), EVENTS, hook),
    ],
    hooks: HostHooks {
        wires: &[&WIRE],
        events: EVENTS,
        answer,
        delivery: Delivery::WithRequests,
        replaces_results: true,
        task_tools: &[TaskTool {
            name: "write_todos",
            form: TaskForm::Whole {
                list: "/todos",
                text: "description",
            },
        }],
        notice: Some("systemMessage"),
        work: WorkTools {
            shells: &["run_shell_command"],
            edits: &[("write_file", "file_path"), ("replace", "file_path")],
            exit: Exit::UnlessZero("Output: "),
            ..WorkTools::NONE
        },
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::new(in_project("GEMINI.md"), in_home(".gemini/GEMINI.md")),
    ..super::UNKNOWN
};
