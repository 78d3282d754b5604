//! The hosts that call hooks: one entry each.

use serde::Deserialize;
use serde_json::Value;

use super::answer::Form;
use super::wire::{
    CLAUDE, CLINE, CLINE_TASK, CODEX, COPILOT, COPILOT_PLUGIN, GEMINI, OPENCODE, QWEN, VS_CODE,
    Wire,
};
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::text::nearest::did_you_mean;

/// What an event of a host means to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventName {
    SessionStart,
    Prompt,
    /// Before each request to the model; what is added is not kept.
    ModelCall,
    BeforeCompaction,
    BeforeTool,
    AfterTool,
    ReplyEnd,
    SessionEnd,
}

/// When an agent is given the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At the start, and before a prompt when it changed: the host keeps what is said.
    WithPrompts,
    /// With each request to the model: the host forgets it again.
    WithRequests,
    /// After a tool, when it changed: all else that is said gets lost.
    AfterTools,
}

/// A host and how it speaks.
#[derive(Debug)]
pub struct Host {
    /// Its name in commands, in rules for outputs and in the store.
    pub name: &'static str,
    /// Other names by which it is known.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// The shapes of its payloads; the first that names a session counts.
    pub(super) wires: &'static [&'static Wire],
    /// What its events mean; all others are ignored.
    pub(super) events: &'static [(&'static str, EventName)],
    /// How it wants to be answered.
    pub form: Form,
    /// Whether the model sees the `instructions` of an MCP server.
    pub passes_instructions: bool,
    /// When the block is given.
    pub delivery: Delivery,
    /// Whether a hook may replace the result of a tool: seen in a run of the real program.
    pub replaces_results: bool,
    /// Whether scripts may call MCP tools there, in calls that look like the model's own.
    pub hides_scripts: bool,
}

/// Claude Code's names of events.
const CLAUDE_EVENTS: &[(&str, EventName)] = &[
    ("SessionStart", EventName::SessionStart),
    ("UserPromptSubmit", EventName::Prompt),
    ("PreCompact", EventName::BeforeCompaction),
    ("PreToolUse", EventName::BeforeTool),
    ("PostToolUse", EventName::AfterTool),
    ("Stop", EventName::ReplyEnd),
    ("SessionEnd", EventName::SessionEnd),
];

/// All hosts that have hooks.
pub const HOSTS: &[Host] = &[
    Host {
        name: "claude",
        aliases: &["claude-code"],
        title: "Claude Code",
        wires: &[&CLAUDE, &VS_CODE],
        events: CLAUDE_EVENTS,
        form: Form::Claude,
        passes_instructions: true,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        hides_scripts: false,
    },
    Host {
        name: "codex",
        aliases: &[],
        title: "Codex",
        wires: &[&CODEX],
        events: CLAUDE_EVENTS,
        form: Form::Codex,
        passes_instructions: true,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        hides_scripts: false,
    },
    Host {
        name: "gemini",
        aliases: &["gemini-cli"],
        title: "Gemini CLI",
        wires: &[&GEMINI],
        // Not PreCompress: it comes before every request, compaction or not.
        events: &[
            ("SessionStart", EventName::SessionStart),
            ("BeforeAgent", EventName::Prompt),
            ("BeforeModel", EventName::ModelCall),
            ("AfterTool", EventName::AfterTool),
            ("AfterAgent", EventName::ReplyEnd),
            ("SessionEnd", EventName::SessionEnd),
        ],
        form: Form::Gemini,
        passes_instructions: true,
        delivery: Delivery::WithRequests,
        replaces_results: true,
        hides_scripts: false,
    },
    Host {
        name: "qwen",
        aliases: &["qwen-code"],
        title: "Qwen Code",
        wires: &[&QWEN],
        events: CLAUDE_EVENTS,
        form: Form::Qwen,
        passes_instructions: true,
        delivery: Delivery::WithPrompts,
        replaces_results: false,
        hides_scripts: false,
    },
    Host {
        name: "copilot",
        aliases: &["copilot-cli"],
        title: "Copilot CLI",
        wires: &[&COPILOT, &COPILOT_PLUGIN],
        events: &[
            ("sessionStart", EventName::SessionStart),
            ("userPromptSubmitted", EventName::Prompt),
            ("preCompact", EventName::BeforeCompaction),
            ("preToolUse", EventName::BeforeTool),
            ("postToolUse", EventName::AfterTool),
            ("agentStop", EventName::ReplyEnd),
            ("sessionEnd", EventName::SessionEnd),
            ("SessionStart", EventName::SessionStart),
            ("UserPromptSubmit", EventName::Prompt),
            ("PreCompact", EventName::BeforeCompaction),
            ("PreToolUse", EventName::BeforeTool),
            ("PostToolUse", EventName::AfterTool),
            ("Stop", EventName::ReplyEnd),
            ("SessionEnd", EventName::SessionEnd),
        ],
        form: Form::Copilot,
        passes_instructions: false,
        delivery: Delivery::WithPrompts,
        replaces_results: true,
        hides_scripts: false,
    },
    Host {
        name: "opencode",
        aliases: &[],
        title: "OpenCode",
        wires: &[&OPENCODE],
        events: &[
            ("session.start", EventName::SessionStart),
            ("chat.message", EventName::Prompt),
            ("system.transform", EventName::ModelCall),
            ("session.compacting", EventName::BeforeCompaction),
            ("tool.after", EventName::AfterTool),
            ("text.complete", EventName::ReplyEnd),
        ],
        form: Form::OpenCode,
        passes_instructions: true,
        delivery: Delivery::WithRequests,
        replaces_results: true,
        hides_scripts: true,
    },
    Host {
        name: "cline",
        aliases: &[],
        title: "Cline",
        wires: &[&CLINE, &CLINE_TASK],
        // The only text that its model was seen to get is what follows a tool.
        events: &[
            ("agent_start", EventName::SessionStart),
            ("agent_resume", EventName::SessionStart),
            ("prompt_submit", EventName::Prompt),
            ("tool_result", EventName::AfterTool),
            ("agent_end", EventName::ReplyEnd),
        ],
        form: Form::Cline,
        passes_instructions: false,
        delivery: Delivery::AfterTools,
        replaces_results: false,
        hides_scripts: false,
    },
];

/// An event as a real host sent it.
#[derive(Debug, Deserialize)]
pub struct Recorded {
    host: String,
    /// Its name.
    pub event: String,
    /// What was sent.
    pub stdin: Value,
}

/// The events around a compaction, of each host that has some: before it, and the first after it that is heard.
const COMPACTIONS: &str = include_str!("compactions.jsonl");

impl Host {
    /// What this host sent around a compaction, as if it happened in this directory; and the session.
    pub fn compaction(&self, directory: &str) -> Result<(Vec<Recorded>, SessionId)> {
        let broken = |error: serde_json::Error| Error::store(format!("A recorded event: {error}."));
        let mut events: Vec<Recorded> = Vec::new();
        for line in COMPACTIONS.lines() {
            events.push(serde_json::from_str(line).map_err(broken)?);
        }
        let mut others: Vec<&str> = events.iter().map(|it| it.host.as_str()).collect();
        others.dedup();
        let hint = format!("those that do: {}.", others.join(", "));
        events.retain(|it| it.host == self.name);
        let mut session = None;
        for event in &mut events {
            for wire in self.wires {
                let id = Wire::text(&event.stdin, wire.session).map(str::to_owned);
                session = session.or(id);
                if let Some(place) = event.stdin.pointer_mut(wire.directory) {
                    *place = Value::from(directory);
                }
            }
        }
        let Some(session) = session else {
            let said = format!("{} has no events around a compaction.", self.title);
            return Err(Error::usage(said).hint(hint));
        };
        Ok((events, SessionId::new(session)?))
    }
}

/// The host of that name.
pub fn host(name: &str) -> Result<&'static Host> {
    HOSTS
        .iter()
        .find(|host| host.name == name || host.aliases.contains(&name))
        .ok_or_else(|| {
            let names = HOSTS.iter().map(|host| host.name);
            let all: Vec<&str> = names.clone().collect();
            Error::usage(format!("No host with hooks is called {name:?}.")).hint(
                did_you_mean(name, names)
                    .unwrap_or_else(|| format!("the hosts are {}.", all.join(", "))),
            )
        })
}
