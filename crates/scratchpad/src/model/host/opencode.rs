//! `OpenCode`. Its hooks are a plugin of ours, `opencode.js`.

use serde_json::{Value, json};

use super::Transcripts;
use super::hook::{HostHooks, TaskForm, TaskTool, WorkTools};
use super::install::{InstallPart, Program, file, server};
use super::instructions::InstructionFiles;
use super::path::in_home;
use super::path::{in_configuration, in_project};
use super::{Host, Signs, extension};
use crate::model::output::ledger::shown::{Limit, Shown, Shows};
use crate::model::transcript::TranscriptFormat;

const SERVER: &[&str] = &["mcp"];

fn entry(program: &Program) -> Value {
    json!({"type": "local", "command": [program.path, "mcp"], "enabled": true})
}

fn plugin(program: &Program) -> String {
    extension::filled(include_str!("opencode.js"), program).replace(
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
        clients: &["opencode"],
        ..super::UNKNOWN.signs
    },
    passes_instructions: true,
    shows: Shows {
        mcp: Some(Shown {
            most: Limit::Bytes(51_200),
            then: Limit::Bytes(51_200),
        }),
        own: Some(Shown {
            most: Limit::Bytes(51_200),
            then: Limit::Bytes(51_200),
        }),
    },
    transcripts: &[
        Transcripts {
            place: in_home(".local/share/opencode"),
            within: "",
            ends: &["/opencode.db"],
            format: TranscriptFormat::OpenCode,
        },
        Transcripts {
            place: in_home(".local/share/opencode/storage/message"),
            within: "",
            ends: &[".json"],
            format: TranscriptFormat::OpenCode,
        },
        Transcripts {
            place: in_home(".local/share/opencode/storage/part"),
            within: "",
            ends: &[".json"],
            format: TranscriptFormat::OpenCode,
        },
    ],
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
        hides_scripts: true,
        task_tools: &[TaskTool {
            name: "todowrite",
            form: TaskForm::Whole {
                list: "/todos",
                text: "content",
            },
        }],
        work: WorkTools {
            shells: &["bash"],
            edits: &[("edit", "filePath"), ("write", "filePath")],
            ..WorkTools::NONE
        },
        ..extension::HOOKS
    },
    instructions: InstructionFiles::new(
        in_project("AGENTS.md"),
        in_configuration("opencode/AGENTS.md"),
    ),
    ..super::UNKNOWN
};
