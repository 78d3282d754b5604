//! Windsurf.

use super::Host;
use super::install::{MCP_SERVERS, plain_server, region, rule, server};
use super::instructions::{InstructionFile, InstructionFiles};
use super::path::{in_home, in_project};

const FRONT_MATTER: &str = "---\ntrigger: always_on\n---\n";

pub(super) static HOST: Host = Host {
    name: "windsurf",
    title: "Windsurf",
    marks: &[in_home(".codeium/windsurf")],
    project_marks: &[".windsurf"],
    server_keys: &[&["mcpServers"]],
    user: &[
        server(
            in_home(".codeium/windsurf/mcp_config.json"),
            MCP_SERVERS,
            plain_server,
        ),
        region(in_home(".codeium/windsurf/memories/global_rules.md")),
    ],
    project: &[rule(
        in_project(".windsurf/rules/scratchpad-tools.md"),
        FRONT_MATTER,
    )],
    instructions: InstructionFiles {
        project: Some(InstructionFile {
            place: in_project(".windsurf/rules/scratchpad.md"),
            front_matter: FRONT_MATTER,
        }),
        ..InstructionFiles::NONE
    },
    ..super::UNKNOWN
};
