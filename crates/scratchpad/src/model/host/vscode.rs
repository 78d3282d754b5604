//! VS Code. It runs the hooks in Claude Code's settings, so it has none of its own here.

use super::Host;
use super::install::{rule, server, typed_server};
use super::path::{HostDirectory, in_project};

const APPLICATION: HostDirectory = HostDirectory::Application;
const SERVER: &[&str] = &["servers"];
const FRONT_MATTER: &str = "---\napplyTo: \"**\"\n---\n";

pub(super) static HOST: Host = Host {
    name: "vscode",
    aliases: &["vs-code", "code"],
    title: "VS Code",
    marks: &[APPLICATION.path("Code/User")],
    project_marks: &[".vscode"],
    server_keys: &[&["servers"]],
    user: &[
        server(APPLICATION.path("Code/User/mcp.json"), SERVER, typed_server),
        rule(
            APPLICATION.path("Code/User/prompts/scratchpad-tools.instructions.md"),
            FRONT_MATTER,
        ),
    ],
    project: &[
        server(in_project(".vscode/mcp.json"), SERVER, typed_server),
        rule(
            in_project(".github/instructions/scratchpad-tools.instructions.md"),
            FRONT_MATTER,
        ),
    ],
    todo: "Hooks come from Claude Code's settings, which VS Code reads: `scratchpad install claude` writes them.",
    ..super::UNKNOWN
};
