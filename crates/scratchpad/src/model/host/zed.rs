//! Zed.

use serde_json::{Value, json};

use super::Host;
use super::install::{InstallPart, Program, region, server};
use super::instructions::InstructionFiles;
use super::path::{in_configuration, in_project};

const SERVER: &[&str] = &["context_servers"];

/// Zed reads only the first of these that a project has, so a new file must not shadow an existing one.
const PREFERRED: &[&str] = &[
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

fn entry(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"], "env": {}})
}

pub(super) static HOST: Host = Host {
    name: "zed",
    title: "Zed",
    marks: &[in_configuration("zed")],
    project_marks: &[".zed"],
    server_keys: &[&["context_servers"]],
    user: &[
        server(in_configuration("zed/settings.json"), SERVER, entry),
        region(in_configuration("zed/AGENTS.md")),
    ],
    project: &[
        server(in_project(".zed/settings.json"), SERVER, entry),
        InstallPart {
            preferred: PREFERRED,
            ..region(in_project("AGENTS.md"))
        },
    ],
    instructions: InstructionFiles::new(in_project("AGENTS.md"), in_configuration("zed/AGENTS.md")),
    ..super::UNKNOWN
};
