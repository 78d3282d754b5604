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
    /// A sub-agent is about to call one of our tools with these arguments, which name no session.
    OwnTool(Map<String, Value>),
    /// A tool call has returned.
    Tool(ToolResult),
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
        let sub_agent = match wire.sub_agent {
            SubAgent::Id(pointer) => Wire::text(payload, pointer).map(str::to_owned),
            SubAgent::IdWithin(pointer) => {
                Wire::text(payload, pointer).map(|id| format!("{session}.{id}"))
            }
            SubAgent::WithoutTools(pointer) if Wire::text(payload, pointer).is_some() => {
                return Ok(None);
            }
            SubAgent::NotNamed | SubAgent::WithoutTools(_) => None,
        };
        let text = |pointer| Wire::text(payload, pointer).map(str::to_owned);
        let kind = match known_as {
            EventName::SessionStart => EventKind::Start(match text(wire.source).as_deref() {
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
            EventName::BeforeTool => {
                let is_own = text(wire.tool).is_some_and(|tool| is_own_tool(&tool, server));
                match Wire::value(payload, wire.input) {
                    Some(Value::Object(arguments))
                        if sub_agent.is_some() && is_own && !arguments.contains_key("session") =>
                    {
                        EventKind::OwnTool(arguments.clone())
                    }
                    _ => return Ok(None),
                }
            }
            EventName::AfterTool => {
                let (Some(tool), Some(response)) =
                    (text(wire.tool), Wire::value(payload, wire.response))
                else {
                    return Ok(None);
                };
                EventKind::Tool(ToolResult {
                    tool,
                    input: Wire::value(payload, wire.input)
                        .cloned()
                        .unwrap_or_default(),
                    response: response.clone(),
                    call_id: text(wire.call),
                })
            }
            EventName::ReplyEnd => EventKind::Reply {
                text: text(wire.reply),
            },
            EventName::SessionEnd => EventKind::End,
        };
        Ok(Some(Self {
            name: name.to_owned(),
            is_sub_agent: sub_agent.is_some(),
            session: SessionId::new(sub_agent.as_deref().unwrap_or(session))?,
            directory: text(wire.directory),
            transcript: text(wire.transcript),
            original: text(wire.original),
            replied_ago: Wire::value(payload, wire.replied_ago).and_then(Value::as_u64),
            kind,
        }))
    }
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
