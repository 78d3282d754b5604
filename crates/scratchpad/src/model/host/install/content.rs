//! What we write into the files of hosts.

use serde_json::{Value, json};

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

pub(super) fn plain_server(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"]})
}

/// Claude Code hides tools behind a search unless it is told to load them.
pub(super) fn claude_server(program: &Program) -> Value {
    json!({"type": "stdio", "command": program.path, "args": ["mcp"], "alwaysLoad": true})
}

pub(super) fn typed_server(program: &Program) -> Value {
    json!({"type": "stdio", "command": program.path, "args": ["mcp"]})
}

pub(super) fn copilot_server(program: &Program) -> Value {
    json!({"type": "local", "command": program.path, "args": ["mcp"], "tools": ["*"]})
}

pub(super) fn cline_server(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"], "disabled": false})
}

pub(super) fn opencode_server(program: &Program) -> Value {
    json!({"type": "local", "command": [program.path, "mcp"], "enabled": true})
}

pub(super) fn zed_server(program: &Program) -> Value {
    json!({"command": program.path, "args": ["mcp"], "env": {}})
}

pub(super) fn goose_extension(program: &Program) -> Value {
    json!({
        "enabled": true, "type": "stdio", "name": NAME, "description": "Working memory that survives compaction",
        "cmd": program.path, "args": ["mcp"], "timeout": 300,
    })
}

pub(super) fn claude_hook(program: &Program, event: &str) -> Value {
    let call = seconds(&program.command("hook claude --tools"), 10);
    for_own_tools(event, "mcp__scratchpad__.*", call)
}

/// What comes before tools is called for those of ours only; hosts match the names that they give them.
pub(super) fn for_own_tools(event: &str, matcher: &str, mut call: Value) -> Value {
    if let (true, Some(fields)) = (
        event.eq_ignore_ascii_case("PreToolUse"),
        call.as_object_mut(),
    ) {
        fields.insert("matcher".to_owned(), Value::from(matcher));
    }
    call
}

pub(super) fn codex_hook(program: &Program, event: &str) -> Value {
    // At the end it takes no more than three seconds.
    let limit = if event == "SessionEnd" { 3 } else { 10 };
    seconds(&program.command("hook codex --tools"), limit)
}

fn seconds(command: &str, limit: u64) -> Value {
    json!({"hooks": [{"type": "command", "command": command, "timeout": limit}]})
}

pub(super) fn gemini_hook(program: &Program, _: &str) -> Value {
    milliseconds(&program.command("hook gemini --tools"))
}

pub(super) fn qwen_hook(program: &Program, _: &str) -> Value {
    milliseconds(&program.command("hook qwen --tools"))
}

fn milliseconds(command: &str) -> Value {
    json!({"hooks": [{"name": NAME, "type": "command", "command": command, "timeout": 10_000}]})
}

/// Copilot CLI's events, as it names them.
pub(super) const COPILOT_EVENTS: [&str; 7] = [
    "sessionStart",
    "userPromptSubmitted",
    "preCompact",
    "preToolUse",
    "postToolUse",
    "agentStop",
    "sessionEnd",
];

pub(super) fn copilot_hooks(program: &Program) -> String {
    let events = COPILOT_EVENTS.map(|event| {
        let command = program.command(&format!("hook copilot {event} --tools"));
        let call = json!({"type": "command", "bash": command, "powershell": format!("& {command}"), "timeoutSec": 10});
        let call = for_own_tools(event, "scratchpad-.*", call);
        (event.to_owned(), json!([call]))
    });
    let hooks = Value::Object(events.into_iter().collect());
    format!("{:#}\n", json!({"version": 1, "hooks": hooks}))
}

pub(super) fn cline_hook(program: &Program) -> String {
    format!(
        "#!/bin/sh\n# Written by `scratchpad install cline`.\nexec {}\n",
        program.command("hook cline --tools")
    )
}

pub(super) fn opencode_plugin(program: &Program) -> String {
    include_str!("opencode.js").replace(
        "\"PROGRAM\"",
        &Value::from(program.path.as_str()).to_string(),
    )
}
