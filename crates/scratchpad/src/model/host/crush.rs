//! Crush.

use super::Host;
use super::instructions::InstructionFiles;
use super::path::in_project;

pub(super) static HOST: Host = Host {
    name: "crush",
    title: "Crush",
    project_marks: &["CRUSH.md", "crush.json", ".crush"],
    processes: &["crush"],
    server_keys: &[&["mcp"]],
    instructions: InstructionFiles::in_project(in_project("CRUSH.md")),
    ..super::UNKNOWN
};
