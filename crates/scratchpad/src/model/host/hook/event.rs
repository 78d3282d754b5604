//! Events, in one form for all hosts.

use serde_json::{Map, Value};

use super::EventName;
use super::tool_result::ToolResult;
use super::wire::{SubAgent, Wire};
use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::id::SessionId;
use crate::model::text::message::message;

/// An event that we act on.
#[derive(Debug)]
pub struct Event {
    /// The host's name for it, which some hosts require in the answer.
    pub name: String,
    pub session: SessionId,
    /// Whether it is a sub-agent's. A sub-agent runs in the process of its parent.
    pub is_sub_agent: bool,
    /// The agent's working directory.
    pub directory: Option<String>,
    /// The transcript file.
    pub transcript: Option<String>,
    /// The conversation that this one is a fork of, if the host sends it.
    pub original: Option<String>,
    /// The seconds since the agent's last reply, in a resumed conversation.
    pub replied_ago: Option<u64>,
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug)]
pub enum EventKind {
    /// A conversation starts or is resumed.
    Start(StartReason),
    /// The person sent a message.
    Prompt,
    /// The turn continues without a message from the person.
    GoesOn,
    /// A request to the model is about to be sent; with its first message, if needed.
    ModelCall(Option<String>),
    /// The conversation is about to be compacted.
    Compaction,
    /// The conversation was compacted, and this is the host's summary of it.
    Compacted(String),
    /// A sub-agent is about to call one of our tools with these arguments, which name no session.
    OwnTool(Map<String, Value>),
    /// A tool call has returned.
    Tool(ToolResult),
    /// A tool call has failed; the response is the error.
    ToolFailed(ToolResult),
    /// The agent has finished its reply.
    Reply {
        /// The text of the reply, if the host sends it.
        text: Option<String>,
    },
    /// The conversation or the process has ended.
    End,
}

/// How a conversation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// It is new, or was cleared.
    Begin,
    /// It goes on in a new process.
    Resume,
    /// It is a fork.
    Fork,
    /// It was compacted.
    Compaction,
}

impl Event {
    /// Parses what a host sent; `None` if the event is not for us. `event_name` is the event's name where the command says it,
    /// `server` the name of our MCP server there.
    pub fn read(
        host: &Host,
        payload: &Value,
        event_name: Option<&str>,
        server: &str,
    ) -> Result<Option<Self>> {
        let found = host
            .hooks
            .wires
            .iter()
            .find_map(|wire| Some((wire, Wire::text(payload, wire.session)?)));
        let Some((wire, session)) = found else {
            return Err(Error::refused(message!(
                "The event from {title} names no session.",
                title = host.title
            )));
        };
        let Some(name) = Wire::text(payload, wire.event).or(event_name) else {
            return Err(Error::refused(message!(
                "The input from {title} names no event.",
                title = host.title
            )));
        };
        let Some((_, known_as)) = host.hooks.events.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let caller = Caller::of(wire, payload, session);
        let Some(kind) = kind_of(*known_as, wire, payload, &caller, server) else {
            return Ok(None);
        };
        let id = match &caller {
            Caller::Agent => session,
            Caller::SubAgent(id) => id,
            Caller::WithoutTools => return Ok(None),
        };
        let text = |pointer| Wire::text(payload, pointer).map(str::to_owned);
        Ok(Some(Self {
            name: name.to_owned(),
            is_sub_agent: matches!(caller, Caller::SubAgent(_)),
            session: SessionId::new(id)?,
            directory: text(wire.directory),
            transcript: text(wire.transcript),
            original: text(wire.original),
            replied_ago: Wire::value(payload, wire.replied_ago).and_then(Value::as_u64),
            kind,
        }))
    }
}

/// Whose event it is.
enum Caller {
    Agent,
    /// A sub-agent with a session of its own, whose id this is.
    SubAgent(String),
    /// A sub-agent that has none of our tools: its events are ignored.
    WithoutTools,
}

impl Caller {
    fn of(wire: &Wire, payload: &Value, session: &str) -> Self {
        let text = |pointer| Wire::text(payload, pointer);
        match wire.sub_agent {
            SubAgent::Id(pointer) => text(pointer).map(str::to_owned).map(Self::SubAgent),
            SubAgent::IdWithin(pointer) => {
                text(pointer).map(|id| Self::SubAgent(format!("{session}.{id}")))
            }
            SubAgent::WithoutTools(pointer) => text(pointer).map(|_| Self::WithoutTools),
            SubAgent::NotNamed => None,
        }
        .unwrap_or(Self::Agent)
    }
}

/// What happened; `None` for an event that needs no answer.
fn kind_of(
    name: EventName,
    wire: &Wire,
    payload: &Value,
    caller: &Caller,
    server: &str,
) -> Option<EventKind> {
    let text = |pointer| Wire::text(payload, pointer).map(str::to_owned);
    let result = |response| {
        Some(ToolResult {
            tool: text(wire.tool)?,
            input: Wire::value(payload, wire.input)
                .cloned()
                .unwrap_or_default(),
            response: Wire::value(payload, response)?.clone(),
            call_id: text(wire.call),
        })
    };
    Some(match name {
        EventName::SessionStart => EventKind::Start(match Wire::text(payload, wire.source) {
            Some("compact") => StartReason::Compaction,
            Some("resume") => StartReason::Resume,
            Some("fork") => StartReason::Fork,
            _ => StartReason::Begin,
        }),
        // Qwen Code sends it before each request to the model, with a text only before the first.
        EventName::Prompt if text(wire.prompt).is_none() => EventKind::GoesOn,
        EventName::Prompt => EventKind::Prompt,
        EventName::ModelCall => EventKind::ModelCall(text(wire.first_message)),
        EventName::BeforeCompaction => EventKind::Compaction,
        EventName::AfterCompaction => EventKind::Compacted(text(wire.summary)?),
        EventName::BeforeTool => {
            let arguments = Wire::value(payload, wire.input)?.as_object()?;
            let needs_session = matches!(caller, Caller::SubAgent(_))
                && is_own_tool(&text(wire.tool)?, server)
                && !arguments.contains_key("session");
            needs_session.then(|| EventKind::OwnTool(arguments.clone()))?
        }
        EventName::AfterTool => EventKind::Tool(result(wire.response)?),
        EventName::ToolFailure => EventKind::ToolFailed(result(wire.error)?),
        EventName::ReplyEnd => EventKind::Reply {
            text: text(wire.reply),
        },
        EventName::SubAgentEnd if matches!(caller, Caller::Agent) => return None,
        EventName::SubAgentEnd | EventName::SessionEnd => EventKind::End,
    })
}

/// Whether a tool is on our server, under the names that `install` and the plugin give it.
fn is_own_tool(tool: &str, server: &str) -> bool {
    const OF_PLUGIN: &str = "plugin_scratchpad_scratchpad";
    let (tool, separators) = match tool.strip_prefix("mcp__") {
        Some(tool) => (tool, &["__"][..]),
        None => (tool, &["__", "-"][..]),
    };
    [server, OF_PLUGIN].iter().any(|server| {
        tool.strip_prefix(server)
            .is_some_and(|rest| separators.iter().any(|it| rest.starts_with(it)))
    })
}
