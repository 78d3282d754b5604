//! Goose.

use serde_json::{Value, json};

use super::Host;
use super::install::{InstallPart, PartKind, Program, region};
use super::instructions::InstructionFiles;
use super::path::{HostPath, in_configuration, in_project};

/// Its directory in the configuration directory. On Windows its maker's name comes first.
#[cfg(windows)]
macro_rules! directory {
    ($file:literal) => {
        in_configuration(concat!("Block/goose/config", $file))
    };
}
#[cfg(not(windows))]
macro_rules! directory {
    ($file:literal) => {
        in_configuration(concat!("goose", $file))
    };
}

const DIRECTORY: HostPath = directory!("");
const SETTINGS: HostPath = directory!("/config.yaml");
const HINTS: HostPath = directory!("/.goosehints");

fn extension(program: &Program) -> Value {
    json!({
        "enabled": true, "type": "stdio", "name": program.server, "description": "Working memory that survives compaction",
        "cmd": program.path, "args": ["mcp"], "timeout": 300,
    })
}

pub(super) static HOST: Host = Host {
    name: "goose",
    title: "Goose",
    marks: &[DIRECTORY],
    project_marks: &[".goosehints"],
    processes: &["goose"],
    user: &[
        InstallPart {
            place: SETTINGS,
            preferred: &[],
            kind: PartKind::Extension {
                servers: "extensions",
                entry: extension,
            },
        },
        region(HINTS),
    ],
    project: &[region(in_project(".goosehints"))],
    todo: "To show the pad to its agent in each turn, start each session with its own message file: \
           GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.",
    instructions: InstructionFiles::new(in_project(".goosehints"), HINTS),
    ..super::UNKNOWN
};
