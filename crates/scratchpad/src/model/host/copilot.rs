//! Copilot CLI.

use serde_json::{Value, json};

use super::Transcripts;
use super::hook::answer::{Answer, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, Exit, HostHooks, WorkTools};
use super::install::{MCP_SERVERS, Program, file, for_own_tools, server};
use super::instructions::InstructionFiles;
use super::path::{HostDirectory, in_project};
use super::{Host, Signs, codex};
use crate::model::output::ledger::shown::{Limit, Shown, Shows};
use crate::model::transcript::TranscriptFormat;

const HOME: HostDirectory = HostDirectory::Own {
    variable: "COPILOT_HOME",
    usual: ".copilot",
};

/// First its own names, which `install` uses; then Claude Code's, under which it calls the hooks of a plugin.
const EVENTS: &[(&str, EventName)] = &[
    ("sessionStart", EventName::SessionStart),
    ("userPromptSubmitted", EventName::Prompt),
    ("preCompact", EventName::BeforeCompaction),
    ("preToolUse", EventName::BeforeTool),
    ("postToolUse", EventName::AfterTool),
    ("agentStop", EventName::ReplyEnd),
    ("sessionEnd", EventName::SessionEnd),
    ("SessionStart", EventName::SessionStart),
    ("UserPromptSubmit", EventName::Prompt),
    ("PreCompact", EventName::BeforeCompaction),
    ("PreToolUse", EventName::BeforeTool),
    ("PostToolUse", EventName::AfterTool),
    ("Stop", EventName::ReplyEnd),
    ("SessionEnd", EventName::SessionEnd),
];

/// Payloads with its own event names; the event's name is on the command line, not in the payload.
const WIRE: Wire = Wire {
    event: "",
    session: "/sessionId",
    directory: "/cwd",
    source: "/source",
    prompt: "/prompt",
    tool: "/toolName",
    input: "/toolArgs",
    response: "/toolResult/textResultForLlm",
    error: "",
    summary: "",
    call: "",
    reply: "",
    transcript: "/transcriptPath",
    original: "",
    replied_ago: "",
    sub_agent: SubAgent::Id("/agentId"),
    first_message: "",
};

/// Payloads with Claude Code's event names, as in a plugin.
const PLUGIN: Wire = Wire {
    response: "/tool_result/text_result_for_llm",
    call: "",
    ..codex::WIRE
};

fn answer(_: &str, answer: &Answer) -> String {
    line(&match answer {
        Answer::Context(text) => json!({"additionalContext": text}),
        Answer::Arguments(arguments) => json!({"modifiedArgs": arguments}),
        Answer::Result { text, .. } => {
            json!({"modifiedResult": {"resultType": "success", "textResultForLlm": text}})
        }
        _ => json!({}),
    })
}

fn entry(program: &Program) -> Value {
    json!({"type": "local", "command": program.path, "args": ["mcp"], "tools": ["*"]})
}

fn hooks(program: &Program) -> String {
    let own_names = EVENTS
        .iter()
        .filter(|(event, _)| event.starts_with(|char: char| char.is_ascii_lowercase()));
    let events = own_names.map(|(event, _)| {
        let command = program.hook(&format!("copilot {event} --tools"));
        let call = json!({"type": "command", "bash": command, "powershell": format!("& {command}"), "timeoutSec": 10});
        let call = for_own_tools(event, &format!("{}-.*", program.server), call);
        ((*event).to_owned(), json!([call]))
    });
    let hooks = Value::Object(events.collect());
    format!("{:#}\n", json!({"version": 1, "hooks": hooks}))
}

pub(super) static HOST: Host = Host {
    name: "copilot",
    aliases: &["copilot-cli"],
    title: "Copilot CLI",
    marks: &[HOME.path("")],
    project_marks: &[".github/copilot-instructions.md", ".github/instructions"],
    processes: &["copilot"],
    signs: Signs {
        session: Some("COPILOT_AGENT_SESSION_ID"),
        hooks: &["COPILOT_CLI"],
        rank: 1,
        clients: &["github-copilot"],
        ..super::UNKNOWN.signs
    },
    shows: Shows {
        mcp: Some(Shown {
            most: Limit::Bytes(20_480),
            then: Limit::Bytes(500),
        }),
        own: Some(Shown {
            most: Limit::Bytes(20_480),
            then: Limit::Bytes(500),
        }),
    },
    transcripts: &[Transcripts {
        place: HOME.path("session-state"),
        within: "",
        ends: &["events.jsonl"],
        format: TranscriptFormat::Copilot,
    }],
    server_keys: &[&["mcpServers"]],
    user: &[
        server(HOME.path("mcp-config.json"), MCP_SERVERS, entry),
        file(HOME.path("hooks/scratchpad.json"), hooks),
    ],
    project: &[
        server(in_project(".github/mcp.json"), MCP_SERVERS, entry),
        file(in_project(".github/hooks/scratchpad.json"), hooks),
    ],
    hooks: HostHooks {
        wires: &[&WIRE, &PLUGIN],
        events: EVENTS,
        answer,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        stubs: &["Output too large to read at once"],
        work: WorkTools {
            shells: &["bash"],
            edits: &[("create", "path"), ("edit", "path")],
            exit: Exit::InText,
            ..WorkTools::NONE
        },
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::new(
        in_project(".github/copilot-instructions.md"),
        HOME.path("copilot-instructions.md"),
    ),
    ..super::UNKNOWN
};
