//! pi. Its tools and hooks are an extension of ours, `pi.js`.

use super::hook::HostHooks;
use super::install::{Program, extension};
use super::instructions::InstructionFiles;
use super::path::{HostDirectory, in_project};
use super::{Host, Signs, extension as own};

const HOME: HostDirectory = HostDirectory::Own {
    variable: "PI_CODING_AGENT_DIR",
    usual: ".pi/agent",
};

fn text(program: &Program) -> String {
    own::whole("pi", include_str!("pi.js"), program)
}

pub(super) static HOST: Host = Host {
    name: "pi",
    title: "pi",
    marks: &[HOME.path("")],
    project_marks: &[".pi"],
    signs: Signs {
        hooks: &["PI_CODING_AGENT"],
        rank: 5,
        ..super::UNKNOWN.signs
    },
    user: &[extension(HOME.path("extensions/scratchpad.js"), text)],
    project: &[extension(in_project(".pi/extensions/scratchpad.js"), text)],
    hooks: HostHooks {
        notice: Some("notice"),
        ..own::HOOKS
    },
    instructions: InstructionFiles::new(in_project("AGENTS.md"), HOME.path("AGENTS.md")),
    ..super::UNKNOWN
};
