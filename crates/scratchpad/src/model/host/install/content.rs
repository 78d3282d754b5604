//! What we write into the files of hosts.

use serde_json::{Value, json};

use super::{InstallPart, PartKind};
use crate::model::host::hook::EventName;
use crate::model::host::path::HostPath;
use crate::model::host::wrap::Format;

/// How our server is called in the settings of hosts.
pub const NAME: &str = "scratchpad";

/// The program as hosts start it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its path.
    pub path: String,
    /// What agents are told about its tools, where that is written into a file.
    pub guidance: String,
}

impl Program {
    /// A command line for a shell.
    pub fn command(&self, arguments: &str) -> String {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+:\\".contains(char);
        let path = &self.path;
        if path.chars().all(is_plain) {
            return format!("{path} {arguments}");
        }
        if cfg!(windows) {
            return format!("\"{path}\" {arguments}");
        }
        format!("'{}' {arguments}", path.replace('\'', r"'\''"))
    }
}

/// Whether a call of a hook is ours, of whichever version.
pub fn is_ours(item: &Value) -> bool {
    match item {
        Value::String(command) => command.contains(NAME) && command.contains(" hook "),
        Value::Array(items) => items.iter().any(is_ours),
        Value::Object(fields) => fields.values().any(is_ours),
        _ => false,
    }
}

pub(in crate::model::host) fn plain_server(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"]})
}

pub(in crate::model::host) fn typed_server(program: &Program) -> Value {
    json!({"type": "stdio", "command": program.path, "args": ["mcp"]})
}

/// What comes before tools is called for those of ours only; hosts match the names that they give them.
pub(in crate::model::host) fn for_own_tools(event: &str, matcher: &str, mut call: Value) -> Value {
    if let (true, Some(fields)) = (
        event.eq_ignore_ascii_case("PreToolUse"),
        call.as_object_mut(),
    ) {
        fields.insert("matcher".to_owned(), Value::from(matcher));
    }
    call
}

pub(in crate::model::host) fn call_within_seconds(command: &str, limit: u64) -> Value {
    json!({"hooks": [{"type": "command", "command": command, "timeout": limit}]})
}

pub(in crate::model::host) fn call_within_milliseconds(command: &str) -> Value {
    json!({"hooks": [{"name": NAME, "type": "command", "command": command, "timeout": 10_000}]})
}

/// Where most hosts have the entry of a server.
pub(in crate::model::host) const MCP_SERVERS: &[&str] = &["mcpServers", NAME];

pub(in crate::model::host) const NO_HOOKS: &str = "No hook shows the pad to its agent: the agent calls the tools itself, as its instructions say.";

const fn part(place: HostPath, kind: PartKind) -> InstallPart {
    InstallPart {
        place,
        preferred: &[],
        kind,
    }
}

/// The MCP server in a JSON file.
pub(in crate::model::host) const fn server(
    place: HostPath,
    path: &'static [&'static str],
    entry: fn(&Program) -> Value,
) -> InstallPart {
    let format = Format::Json;
    part(
        place,
        PartKind::Server {
            format,
            path,
            entry,
        },
    )
}

/// Calls of hooks under `hooks` in a JSON file.
pub(in crate::model::host) const fn hooks(
    place: HostPath,
    events: &'static [(&'static str, EventName)],
    item: fn(&Program, &str) -> Value,
) -> InstallPart {
    let path = &["hooks"];
    part(place, PartKind::Hooks { path, events, item })
}

/// A file of ours that calls the hooks.
pub(in crate::model::host) const fn file(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    let is_executable = false;
    part(
        place,
        PartKind::File {
            text,
            is_executable,
        },
    )
}

/// The same, which the host runs.
pub(in crate::model::host) const fn script(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    let is_executable = true;
    part(
        place,
        PartKind::File {
            text,
            is_executable,
        },
    )
}

/// A file of ours that tells how to use the tools.
pub(in crate::model::host) const fn rule(
    place: HostPath,
    front_matter: &'static str,
) -> InstallPart {
    part(place, PartKind::Rule { front_matter })
}

/// The same in a region of the person's file.
pub(in crate::model::host) const fn region(place: HostPath) -> InstallPart {
    part(place, PartKind::Region)
}
