//! What we write into the files of hosts.

use serde_json::{Value, json};

use super::{FileContent, InstallPart, PartKind};
use crate::model::error::{Error, Result};
use crate::model::host::hook::EventName;
use crate::model::host::path::HostPath;
use crate::model::host::wrap::{Format, is_us};
use crate::model::text::message::{message, number, quoted};
use crate::model::text::quantity::shortened;

/// The name of our server in the settings of hosts, unless the person chose another one.
pub const NAME: &str = "scratchpad";

/// The option that makes a hook leave large results alone.
pub const NO_OUTPUTS: &str = "--no-outputs";

/// The command that prints the status line.
const STATUS_LINE: &str = "statusline";

/// The longest name of our server. Hosts prefix the names of its tools with it, which may have 64 characters in all.
const MAX_NAME_CHARS: usize = 32;

/// How hosts start this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path.
    pub path: String,
    /// The guidance for agents, for hosts that read it from a file.
    pub guidance: String,
    /// The key of our MCP server in the host's settings.
    pub server: String,
    /// Whether hooks offload large results.
    pub offloads: bool,
    /// Whether the host's status line is to be ours, if it has none.
    pub status_line: bool,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            path: String::new(),
            guidance: String::new(),
            server: NAME.to_owned(),
            offloads: true,
            status_line: false,
        }
    }
}

impl Program {
    /// The command line of a hook, for a shell.
    pub fn hook(&self, arguments: &str) -> String {
        [
            &[self.in_shell().as_str(), "hook", arguments],
            &self.hook_options()[..],
        ]
        .concat()
        .join(" ")
    }

    /// The command line that prints the status line, for a shell.
    pub(in crate::model::host) fn status_line(&self) -> String {
        format!("{} {STATUS_LINE}", self.in_shell())
    }

    /// Its path, quoted where a shell needs it.
    fn in_shell(&self) -> String {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+:\\".contains(char);
        let path = &self.path;
        if path.chars().all(is_plain) {
            path.clone()
        } else if cfg!(windows) {
            format!("\"{path}\"")
        } else {
            format!("'{}'", path.replace('\'', r"'\''"))
        }
    }

    /// The options of a hook that differ from the defaults.
    pub(in crate::model::host) fn hook_options(&self) -> Vec<&str> {
        let mut options = Vec::new();
        if !self.offloads {
            options.push(NO_OUTPUTS);
        }
        if self.server != NAME {
            options.extend(["--name", &self.server]);
        }
        options
    }
}

/// Validates a name for our server.
pub fn checked_name(name: &str) -> Result<String> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    let begins_well = name.starts_with(|char: char| char.is_ascii_alphabetic());
    if begins_well && name.len() <= MAX_NAME_CHARS && name.chars().all(is_plain) {
        return Ok(name.to_owned());
    }
    Err(Error::usage(message!(
        "{name} can't be the name of an MCP server: it takes up to {max} letters, digits, `_` and `-`, and begins with a letter. Nothing was changed.",
        name = quoted(shortened(name, 80)),
        max = number(MAX_NAME_CHARS)
    )))
}

/// The path of this program in the entry of an MCP server that starts it, directly or through a wrapper
/// (`direnv exec . scratchpad mcp`).
pub(super) fn own_path<'a>(entry: &'a Value, program: &Program) -> Option<&'a str> {
    let words = ["command", "cmd", "args"]
        .into_iter()
        .flat_map(|field| match entry.get(field) {
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(word)) => vec![word.as_str()],
            _ => Vec::new(),
        });
    let words: Vec<&str> = words.collect();
    let mut from_us = words.iter().skip_while(|word| !is_us(word, &program.path));
    let path = from_us.next()?;
    from_us.any(|word| *word == "mcp").then_some(path)
}

/// Whether a hook entry is ours, of any version.
pub fn is_ours(item: &Value) -> bool {
    match item {
        Value::String(command) => command.contains(NAME) && command.contains(" hook "),
        Value::Array(items) => items.iter().any(is_ours),
        Value::Object(fields) => fields.values().any(is_ours),
        _ => false,
    }
}

/// Whether the entry of a status line calls us.
pub(super) fn is_our_status_line(entry: &Value) -> bool {
    let command = entry.get("command").and_then(Value::as_str);
    command
        .is_some_and(|command| command.contains(NAME) && command.trim_end().ends_with(STATUS_LINE))
}

pub(in crate::model::host) fn plain_server(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"]})
}

pub(in crate::model::host) fn typed_server(program: &Program) -> Value {
    json!({"type": "stdio", "command": program.path, "args": ["mcp"]})
}

/// Limits a hook that runs before tools to our own tools. Hosts match it against their names for them.
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

/// The key of the servers in most hosts' settings.
pub(in crate::model::host) const MCP_SERVERS: &[&str] = &["mcpServers"];

const fn part(place: HostPath, kind: PartKind) -> InstallPart {
    InstallPart {
        place,
        preferred: &[],
        kind,
    }
}

/// An MCP server in a JSON file.
pub(in crate::model::host) const fn server(
    place: HostPath,
    servers: &'static [&'static str],
    entry: fn(&Program) -> Value,
) -> InstallPart {
    let format = Format::Json;
    part(
        place,
        PartKind::Server {
            format,
            servers,
            entry,
        },
    )
}

/// Hooks under the key `hooks` of a JSON file.
pub(in crate::model::host) const fn hooks(
    place: HostPath,
    events: &'static [(&'static str, EventName)],
    item: fn(&Program, &str) -> Value,
) -> InstallPart {
    let path = &["hooks"];
    part(place, PartKind::Hooks { path, events, item })
}

const fn whole_file(
    place: HostPath,
    text: fn(&Program) -> String,
    holds: FileContent,
) -> InstallPart {
    part(place, PartKind::File { text, holds })
}

/// A file of ours that calls the hooks.
pub(in crate::model::host) const fn file(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    whole_file(place, text, FileContent::Hooks)
}

/// The same as an executable that the host runs.
pub(in crate::model::host) const fn script(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    whole_file(place, text, FileContent::Script)
}

/// An extension of ours in the host's own language, with the tools and the hooks.
pub(in crate::model::host) const fn extension(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    whole_file(place, text, FileContent::Extension)
}

/// What the host reads about an extension.
pub(in crate::model::host) const fn manifest(
    place: HostPath,
    text: fn(&Program) -> String,
) -> InstallPart {
    whole_file(place, text, FileContent::Manifest)
}

/// A file of ours with instructions for using the tools.
pub(in crate::model::host) const fn rule(
    place: HostPath,
    front_matter: &'static str,
) -> InstallPart {
    part(place, PartKind::Rule { front_matter })
}

/// The same as a region in a file of the person's.
pub(in crate::model::host) const fn region(place: HostPath) -> InstallPart {
    part(place, PartKind::Region)
}

/// The host's status line.
pub(in crate::model::host) const fn status_line(
    place: HostPath,
    path: &'static [&'static str],
    entry: fn(&Program) -> Value,
) -> InstallPart {
    part(place, PartKind::StatusLine { path, entry })
}
