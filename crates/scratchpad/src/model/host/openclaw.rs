//! `OpenClaw`. Its tools and hooks are a plugin of ours, `openclaw.js`.

use serde_json::{Value, json};

use super::install::{InstallPart, PartKind, Program, extension, manifest, region};
use super::instructions::InstructionFiles;
use super::path::{HostDirectory, in_project};
use super::{Host, extension as own};
use crate::model::tool::surface::Surface;

const HOME: HostDirectory = HostDirectory::Own {
    variable: "OPENCLAW_STATE_DIR",
    usual: ".openclaw",
};

/// Where its settings have what is about a plugin.
const ENTRY: &[&str] = &["plugins", "entries", "scratchpad"];

/// Without the second it keeps what is said from a plugin of somebody else.
const ALLOWED: &[&[&str]] = &[&["enabled"], &["hooks", "allowConversationAccess"]];

fn plugin(program: &Program) -> String {
    own::whole("openclaw", include_str!("openclaw.js"), program)
}

/// What it reads of the plugin without running it: the tools, and the settings of the pad's first design.
fn about(_: &Program) -> String {
    let names: Vec<&str> = Surface::default()
        .tools()
        .iter()
        .map(|it| it.name)
        .collect();
    let number = json!({"type": ["integer", "boolean"], "minimum": 0});
    let properties: Value = json!({
        "enabled": {"type": "boolean"},
        "maxTokens": {"type": "integer", "minimum": 1},
        "nudgeAfterTurns": number,
        "nudgeOnPlanDetected": number,
        "nudgeAfterCompaction": number,
        "nudgeTurnsSinceLastUse": number,
    });
    let manifest = json!({
        "id": "scratchpad",
        "name": "Scratchpad",
        "description": "Working memory that survives compaction",
        "activation": {"onStartup": true},
        "contracts": {"tools": names, "agentToolResultMiddleware": ["openclaw"]},
        "configSchema": {"type": "object", "additionalProperties": false, "properties": properties},
    });
    format!("{manifest:#}\n")
}

pub(super) static HOST: Host = Host {
    name: "openclaw",
    title: "OpenClaw",
    marks: &[HOME.path("")],
    server_keys: &[&["mcp", "servers"]],
    user: &[
        InstallPart {
            place: HOME.path("openclaw.json"),
            preferred: &[],
            kind: PartKind::Entry {
                path: ENTRY,
                allowed: ALLOWED,
            },
        },
        manifest(
            HOME.path("extensions/scratchpad/openclaw.plugin.json"),
            about,
        ),
        extension(HOME.path("extensions/scratchpad/index.js"), plugin),
    ],
    project: &[region(in_project("AGENTS.md"))],
    todo: "If openclaw.json has a list `plugins.allow`, add scratchpad to it.",
    hooks: own::HOOKS,
    instructions: InstructionFiles::in_project(in_project("AGENTS.md")),
    ..super::UNKNOWN
};
