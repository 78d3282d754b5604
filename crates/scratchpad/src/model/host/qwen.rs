//! Qwen Code.

use serde_json::{Value, json};

use super::Transcripts;
use super::hook::answer::{Answer, added_context, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, Exit, HostHooks, TaskForm, TaskTool, WorkTools};
use super::install::{MCP_SERVERS, Program, call_within_milliseconds, hooks, plain_server, server};
use super::instructions::InstructionFiles;
use super::path::{in_home, in_project};
use super::{Host, Signs, claude, codex};
use crate::model::output::ledger::shown::{Limit, Shown, Shows};
use crate::model::transcript::TranscriptFormat;

const SETTINGS: &str = ".qwen/settings.json";

/// The payload names the sub-agent, but hooks can't change a call.
const WIRE: Wire = Wire {
    sub_agent: SubAgent::NotNamed,
    ..claude::WIRE
};

fn answer(event: &str, answer: &Answer) -> String {
    match answer {
        Answer::Context(text) => added_context(event, text),
        _ => line(&json!({})),
    }
}

fn hook(program: &Program, _: &str) -> Value {
    call_within_milliseconds(&program.hook("qwen --tools"))
}

pub(super) static HOST: Host = Host {
    name: "qwen",
    aliases: &["qwen-code"],
    title: "Qwen Code",
    marks: &[in_home(".qwen")],
    project_marks: &["QWEN.md", ".qwen"],
    processes: &["qwen"],
    signs: Signs {
        session: Some("QWEN_CODE_SESSION_ID"),
        hooks: &["QWEN_PROJECT_DIR", "QWEN_CODE_SESSION_ID"],
        rank: 3,
        clients: &["qwen"],
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    shows: Shows {
        mcp: Some(Shown {
            most: Limit::Bytes(25_000),
            then: Limit::Bytes(2_048),
        }),
        own: Some(Shown {
            most: Limit::Bytes(25_000),
            then: Limit::Bytes(2_048),
        }),
    },
    transcripts: &[Transcripts {
        place: in_home(".qwen/projects"),
        within: "/chats/",
        ends: &[".jsonl"],
        format: TranscriptFormat::Qwen,
    }],
    server_keys: &[&["mcpServers"]],
    user: &[
        server(in_home(SETTINGS), MCP_SERVERS, plain_server),
        hooks(in_home(SETTINGS), codex::EVENTS, hook),
    ],
    project: &[
        server(in_project(SETTINGS), MCP_SERVERS, plain_server),
        hooks(in_project(SETTINGS), codex::EVENTS, hook),
    ],
    todo: "Qwen Code hides tools behind a search; `tools.toolSearch.enabled: false` in its settings shows them at once.",
    hooks: HostHooks {
        wires: &[&WIRE],
        events: codex::EVENTS,
        answer,
        delivery: Delivery::WithPrompts,
        stubs: &["<persisted-output>"],
        task_tools: &[TaskTool {
            name: "todo_write",
            form: TaskForm::Whole {
                list: "/todos",
                text: "content",
            },
        }],
        work: WorkTools {
            shells: &["run_shell_command"],
            edits: &[("write_file", "file_path"), ("edit", "file_path")],
            exit: Exit::InText,
            ..WorkTools::NONE
        },
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::new(in_project("QWEN.md"), in_home(".qwen/QWEN.md")),
    ..super::UNKNOWN
};
