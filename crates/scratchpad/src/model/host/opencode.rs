//! `OpenCode`. Its hooks are a plugin of ours, `opencode.js`.

use serde_json::{Value, json};

use super::hook::answer::{Answer, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, HostHooks, TaskForm, TaskTool};
use super::install::{InstallPart, Program, file, server};
use super::instructions::InstructionFiles;
use super::path::{in_configuration, in_project};
use super::{Host, Signs};

const SERVER: &[&str] = &["mcp"];

const EVENTS: &[(&str, EventName)] = &[
    ("session.start", EventName::SessionStart),
    ("chat.message", EventName::Prompt),
    ("system.transform", EventName::ModelCall),
    ("session.compacting", EventName::BeforeCompaction),
    ("tool.after", EventName::AfterTool),
    ("text.complete", EventName::ReplyEnd),
];

const WIRE: Wire = Wire {
    event: "/event",
    session: "/sessionID",
    directory: "/directory",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool",
    input: "/args",
    response: "/output",
    call: "",
    reply: "/reply",
    transcript: "",
    original: "/original",
    replied_ago: "",
    sub_agent: SubAgent::NotNamed,
    first_message: "",
};

fn answer(_: &str, answer: &Answer) -> String {
    line(&match answer {
        Answer::Context(text) | Answer::Summary(text) => json!({"context": text}),
        Answer::Result { response, .. } => json!({"output": response}),
        _ => json!({}),
    })
}

fn entry(program: &Program) -> Value {
    json!({"type": "local", "command": [program.path, "mcp"], "enabled": true})
}

fn plugin(program: &Program) -> String {
    let options = [&["--tools"], &program.hook_options()[..]].concat();
    let options: Vec<String> = options
        .into_iter()
        .map(|option| Value::from(option).to_string())
        .collect();
    include_str!("opencode.js")
        .replace(
            "\"PROGRAM\"",
            &Value::from(program.path.as_str()).to_string(),
        )
        .replace("\"--tools\"", &options.join(", "))
        .replace(
            "\"scratchpad_\"",
            &Value::from(format!("{}_", program.server)).to_string(),
        )
}

pub(super) static HOST: Host = Host {
    name: "opencode",
    title: "OpenCode",
    marks: &[in_configuration("opencode")],
    project_marks: &["opencode.json", "opencode.jsonc", ".opencode"],
    processes: &["opencode"],
    signs: Signs {
        hooks: &["OPENCODE"],
        rank: 4,
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    server_keys: &[&["mcp"]],
    user: &[
        InstallPart {
            preferred: &["opencode/opencode.json", "opencode/opencode.jsonc"],
            ..server(in_configuration("opencode/opencode.json"), SERVER, entry)
        },
        file(in_configuration("opencode/plugins/scratchpad.js"), plugin),
    ],
    project: &[
        InstallPart {
            preferred: &["opencode.json", "opencode.jsonc"],
            ..server(in_project("opencode.json"), SERVER, entry)
        },
        file(in_project(".opencode/plugins/scratchpad.js"), plugin),
    ],
    hooks: HostHooks {
        wires: &[&WIRE],
        events: EVENTS,
        answer,
        delivery: Delivery::WithRequests,
        replaces_results: true,
        hides_scripts: true,
        task_tools: &[TaskTool {
            name: "todowrite",
            form: TaskForm::Whole {
                list: "/todos",
                text: "content",
            },
        }],
        ..HostHooks::NONE
    },
    instructions: InstructionFiles::new(
        in_project("AGENTS.md"),
        in_configuration("opencode/AGENTS.md"),
    ),
    ..super::UNKNOWN
};
