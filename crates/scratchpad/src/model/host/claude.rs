//! Claude Code.

use serde_json::{Value, json};

use super::Host;
use super::Signs;
use super::Transcripts;
use super::hook::answer::{Answer, added_context, line, nested};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, Exit, HostHooks, TaskForm, TaskTool, WorkTools};
use super::install::{
    MCP_SERVERS, Program, call_within_seconds, for_own_tools, hooks, server, status_line,
};
use super::instructions::InstructionFiles;
use super::path::{HostDirectory, in_project};
use crate::model::output::ledger::shown::{Limit, Shown, Shows};
use crate::model::transcript::TranscriptFormat;

const HOME: HostDirectory = HostDirectory::Own {
    variable: "CLAUDE_CONFIG_DIR",
    usual: ".claude",
};

/// The directory of `.claude.json`: the home directory, or the one that the variable names.
const ABOVE_HOME: HostDirectory = HostDirectory::Own {
    variable: "CLAUDE_CONFIG_DIR",
    usual: "",
};

/// Its events. Codex, Qwen Code, Copilot CLI and VS Code have adopted their names.
pub(super) const EVENTS: &[(&str, EventName)] = &[
    ("SessionStart", EventName::SessionStart),
    ("UserPromptSubmit", EventName::Prompt),
    ("PreCompact", EventName::BeforeCompaction),
    ("PreToolUse", EventName::BeforeTool),
    ("PostCompact", EventName::AfterCompaction),
    ("PostToolUse", EventName::AfterTool),
    ("PostToolUseFailure", EventName::ToolFailure),
    ("SubagentStop", EventName::SubAgentEnd),
    ("Stop", EventName::ReplyEnd),
    ("SessionEnd", EventName::SessionEnd),
];

pub(super) const WIRE: Wire = Wire {
    event: "/hook_event_name",
    session: "/session_id",
    directory: "/cwd",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool_name",
    input: "/tool_input",
    response: "/tool_response",
    error: "/error",
    summary: "/compact_summary",
    call: "",
    reply: "/last_assistant_message",
    transcript: "/transcript_path",
    original: "",
    replied_ago: "/seconds_since_last_response",
    sub_agent: SubAgent::IdWithin("/agent_id"),
    first_message: "",
};

/// Its task tools: one that sends the whole list and, in newer versions, some for single tasks.
const TASK_TOOLS: &[TaskTool] = &[
    TaskTool {
        name: "TodoWrite",
        form: TaskForm::Whole {
            list: "/todos",
            text: "content",
        },
    },
    TaskTool {
        name: "TaskCreate",
        form: TaskForm::New,
    },
    TaskTool {
        name: "TaskUpdate",
        form: TaskForm::Change,
    },
    TaskTool {
        name: "TaskList",
        form: TaskForm::Listing,
    },
];

/// A command that fails is another event than one that succeeds.
const WORK: WorkTools = WorkTools {
    shells: &["Bash"],
    edits: &[
        ("Edit", "file_path"),
        ("Write", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
    ],
    exit: Exit::ByEvent,
    ..WorkTools::NONE
};

/// What VS Code sends to the same hooks.
const VS_CODE: Wire = Wire {
    event: "/hookEventName",
    session: "/sessionId",
    sub_agent: SubAgent::NotNamed,
    ..WIRE
};

/// Whether VS Code sent this event.
pub(super) fn is_from_vs_code(payload: &Value) -> bool {
    payload.pointer(VS_CODE.event).is_some()
}

fn answer(event: &str, answer: &Answer) -> String {
    match answer {
        // Before a compaction, the output becomes part of the prompt for the summary, even `{}`.
        Answer::Nothing => String::new(),
        Answer::Summary(text) => format!("{text}\n"),
        Answer::Context(text) => added_context(event, text),
        // The answer does not mention permissions: those stay the person's decision.
        Answer::Arguments(arguments) => line(&nested(event, "updatedInput", arguments.clone())),
        Answer::Result { response, .. } => {
            line(&nested(event, "updatedToolOutput", response.clone()))
        }
        Answer::FirstMessage(_) => line(&json!({})),
    }
}

/// Claude Code hides tools behind a search unless it is asked to load them.
pub(super) fn entry(program: &Program) -> Value {
    json!({"type": "stdio", "command": program.path, "args": ["mcp"], "alwaysLoad": true})
}

fn hook(program: &Program, event: &str) -> Value {
    let call = call_within_seconds(&program.hook("claude --tools"), 10);
    for_own_tools(event, &format!("mcp__{}__.*", program.server), call)
}

fn status_line_entry(program: &Program) -> Value {
    json!({"type": "command", "command": program.status_line()})
}

pub(super) static HOST: Host = Host {
    name: "claude",
    aliases: &["claude-code"],
    title: "Claude Code",
    marks: &[HOME.path(""), ABOVE_HOME.path(".claude.json")],
    project_marks: &["CLAUDE.md", ".claude"],
    processes: &["claude"],
    signs: Signs {
        session: Some("CLAUDE_CODE_SESSION_ID"),
        hooks: &["CLAUDECODE"],
        // Other hosts are started from its shell, and some set its variables.
        rank: 9,
        clients: &["claude-code"],
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    shows: Shows {
        mcp: Some(Shown {
            most: Limit::Tokens(25_000),
            then: Limit::Bytes(1_300),
        }),
        own: Some(Shown {
            most: Limit::Bytes(30_000),
            then: Limit::Bytes(30_000),
        }),
    },
    transcripts: &[Transcripts {
        place: HOME.path("projects"),
        within: "",
        ends: &[".jsonl"],
        format: TranscriptFormat::Claude,
    }],
    server_keys: &[&["mcpServers"], &["projects", "*", "mcpServers"]],
    user: &[
        server(ABOVE_HOME.path(".claude.json"), MCP_SERVERS, entry),
        hooks(HOME.path("settings.json"), EVENTS, hook),
        status_line(
            HOME.path("settings.json"),
            &["statusLine"],
            status_line_entry,
        ),
    ],
    project: &[
        server(in_project(".mcp.json"), MCP_SERVERS, entry),
        hooks(in_project(".claude/settings.json"), EVENTS, hook),
    ],
    todo: "VS Code runs these hooks too: don't install others there.",
    hooks: HostHooks {
        wires: &[&WIRE, &VS_CODE],
        events: EVENTS,
        answer,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        hides_scripts: false,
        task_tools: TASK_TOOLS,
        work: WORK,
        notice: Some("systemMessage"),
        stubs: &["Error: result ("],
    },
    instructions: InstructionFiles {
        private_twin: Some("claude-local"),
        ..InstructionFiles::new(in_project("CLAUDE.md"), HOME.path("CLAUDE.md"))
    },
    ..super::UNKNOWN
};

/// Its private instruction file, which is only written if it is selected by name or exists already.
pub(super) static LOCAL: Host = Host {
    name: "claude-local",
    title: "Claude Code, private",
    instructions: InstructionFiles::in_project(in_project("CLAUDE.local.md")),
    ..super::UNKNOWN
};
