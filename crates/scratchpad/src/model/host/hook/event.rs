//! An event, in one form for all hosts.

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
    /// Its name as the host says it, which some want to hear again.
    pub name: String,
    /// The conversation.
    pub session: SessionId,
    /// Whether it is of a sub-agent, which is a guest in the process of who started it.
    pub is_sub_agent: bool,
    /// Where the agent works.
    pub directory: Option<String>,
    /// The file of the conversation.
    pub transcript: Option<String>,
    /// The conversation that this one is a copy of, where the host says so.
    pub original: Option<String>,
    /// How many seconds ago the agent last replied, in a conversation that goes on.
    pub replied_ago: Option<u64>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug)]
pub enum EventKind {
    /// A conversation begins or goes on.
    Start(StartReason),
    /// The person wrote something.
    Prompt,
    /// The turn goes on, with nothing from the person.
    GoesOn,
    /// The model is about to be asked; with the first message of the request, where it is needed.
    ModelCall(Option<String>),
    /// The conversation is about to be shortened.
    Compaction,
    /// A sub-agent is about to call a tool of ours, with these arguments, which name no session.
    OwnTool(Map<String, Value>),
    /// A tool answered.
    Tool(ToolResult),
    /// The agent finished its reply.
    Reply {
        /// What it said, where the host hands it over.
        text: Option<String>,
    },
    /// The conversation is over, or the process ends.
    End,
}

/// Why a conversation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// It is new, or goes on in a new process, or was cleared.
    Begin,
    /// It is another's copy.
    Fork,
    /// It was shortened.
    Compaction,
}

impl Event {
    /// Reads what a host sent; nothing if it does not concern us. `event_name` is the event's name where the command says it,
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
                Some("fork") => StartReason::Fork,
                _ => StartReason::Begin,
            }),
            // Qwen Code says so before each request to the model, without a text from the second on.
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

/// Whether a tool is one of our server, as `install` and the plugin have hosts call it.
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
