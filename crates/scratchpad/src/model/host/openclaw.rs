//! `OpenClaw`.

use super::Host;
use super::instructions::InstructionFiles;
use super::path::{in_home, in_project};

pub(super) static HOST: Host = Host {
    name: "openclaw",
    title: "OpenClaw",
    marks: &[in_home(".openclaw")],
    server_keys: &[&["mcp", "servers"]],
    instructions: InstructionFiles::in_project(in_project("AGENTS.md")),
    ..super::UNKNOWN
};
