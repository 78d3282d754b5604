//! Factory's droid.

use super::Host;
use super::instructions::InstructionFiles;
use super::path::{in_home, in_project};

pub(super) static HOST: Host = Host {
    name: "droid",
    title: "Factory droid",
    marks: &[in_home(".factory")],
    project_marks: &[".factory"],
    server_keys: &[&["mcpServers"]],
    instructions: InstructionFiles::in_project(in_project("AGENTS.md")),
    ..super::UNKNOWN
};
