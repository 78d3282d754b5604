//! Cline.

use serde_json::{Value, json};

use super::Host;
use super::hook::answer::{Answer, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, HostHooks};
use super::install::{MCP_SERVERS, Program, script, server};
use super::instructions::InstructionFiles;
use super::path::{in_home, in_project};

/// As far as was seen, its model only gets text that hooks return after a tool call.
const EVENTS: &[(&str, EventName)] = &[
    ("agent_start", EventName::SessionStart),
    ("agent_resume", EventName::SessionStart),
    ("prompt_submit", EventName::Prompt),
    ("tool_result", EventName::AfterTool),
    ("agent_end", EventName::ReplyEnd),
];

const WIRE: Wire = Wire {
    event: "/hookName",
    // The id that it resumes by. Each start, each sub-agent and each teammate has a task of its own.
    session: "/sessionContext/rootSessionId",
    directory: "/workspaceRoots/0",
    source: "",
    prompt: "/userPromptSubmit/prompt",
    tool: "/tool_result/name",
    input: "/tool_result/input",
    response: "/tool_result/output",
    error: "",
    summary: "",
    call: "",
    reply: "/turn/outputText",
    transcript: "",
    original: "",
    replied_ago: "",
    sub_agent: SubAgent::WithoutTools("/parent_agent_id"),
    first_message: "",
};

/// For payloads that name only the task.
const TASK: Wire = Wire {
    session: "/taskId",
    ..WIRE
};

fn answer(_: &str, answer: &Answer) -> String {
    line(&match answer {
        Answer::Context(text) => json!({"cancel": false, "contextModification": text}),
        _ => json!({"cancel": false}),
    })
}

fn entry(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"], "disabled": false})
}

fn hook(program: &Program) -> String {
    format!(
        "#!/bin/sh\n# Written by `scratchpad install cline`.\nexec {}\n",
        program.hook("cline --tools")
    )
}

pub(super) static HOST: Host = Host {
    name: "cline",
    title: "Cline",
    marks: &[in_home(".cline")],
    project_marks: &[".clinerules"],
    processes: &["cline"],
    server_keys: &[&["mcpServers"]],
    user: &[
        server(
            in_home(".cline/data/settings/cline_mcp_settings.json"),
            MCP_SERVERS,
            entry,
        ),
        script(in_home(".cline/hooks/TaskStart"), hook),
        script(in_home(".cline/hooks/TaskResume"), hook),
        script(in_home(".cline/hooks/PostToolUse"), hook),
        script(in_home(".cline/hooks/TaskComplete"), hook),
    ],
    project: &[
        script(in_project(".clinerules/hooks/TaskStart"), hook),
        script(in_project(".clinerules/hooks/TaskResume"), hook),
        script(in_project(".clinerules/hooks/PostToolUse"), hook),
        script(in_project(".clinerules/hooks/TaskComplete"), hook),
    ],
    hooks: HostHooks {
        wires: &[&WIRE, &TASK],
        events: EVENTS,
        answer,
        delivery: Delivery::AfterTools,
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::in_project(in_project(".clinerules/scratchpad.md")),
    ..super::UNKNOWN
};
