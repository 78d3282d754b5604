//! Cursor.

use super::Host;
use super::install::{MCP_SERVERS, plain_server, rule, server};
use super::instructions::{InstructionFile, InstructionFiles};
use super::path::{in_home, in_project};

pub(super) static HOST: Host = Host {
    name: "cursor",
    title: "Cursor",
    marks: &[in_home(".cursor")],
    project_marks: &[".cursor"],
    server_keys: &[&["mcpServers"]],
    user: &[server(
        in_home(".cursor/mcp.json"),
        MCP_SERVERS,
        plain_server,
    )],
    project: &[
        server(in_project(".cursor/mcp.json"), MCP_SERVERS, plain_server),
        rule(
            in_project(".cursor/rules/scratchpad-tools.mdc"),
            "---\nalwaysApply: true\n---\n",
        ),
    ],
    instructions: InstructionFiles {
        project: Some(InstructionFile {
            place: in_project(".cursor/rules/scratchpad.mdc"),
            front_matter: "---\ndescription: Context of this project\nalwaysApply: true\n---\n",
        }),
        ..InstructionFiles::NONE
    },
    ..super::UNKNOWN
};
