//! Amp.

use super::Host;
use super::instructions::InstructionFiles;
use super::path::{in_configuration, in_project};

pub(super) static HOST: Host = Host {
    name: "amp",
    title: "Amp",
    marks: &[in_configuration("amp")],
    server_keys: &[&["amp.mcpServers"]],
    instructions: InstructionFiles::new(in_project("AGENTS.md"), in_configuration("amp/AGENTS.md")),
    ..super::UNKNOWN
};
