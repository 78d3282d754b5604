//! Kiro.

use super::Host;
use super::instructions::{InstructionFile, InstructionFiles};
use super::path::{HostPath, in_home, in_project};

const STEERING: &str = ".kiro/steering/scratchpad.md";

const fn steering(place: HostPath) -> InstructionFile {
    InstructionFile {
        place,
        front_matter: "---\ninclusion: always\n---\n",
    }
}

pub(super) static HOST: Host = Host {
    name: "kiro",
    title: "Kiro",
    marks: &[in_home(".kiro")],
    project_marks: &[".kiro"],
    server_keys: &[&["mcpServers"]],
    instructions: InstructionFiles {
        project: Some(steering(in_project(STEERING))),
        global: Some(steering(in_home(STEERING))),
        private_twin: None,
    },
    ..super::UNKNOWN
};
