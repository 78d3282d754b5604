//! Every host that reads `AGENTS.md`, known by name or not.

use super::Host;
use super::instructions::InstructionFiles;
use super::path::in_project;

pub(super) static HOST: Host = Host {
    name: "agents",
    title: "Any host that reads AGENTS.md",
    project_marks: &["AGENTS.md"],
    instructions: InstructionFiles::in_project(in_project("AGENTS.md")),
    ..super::UNKNOWN
};
