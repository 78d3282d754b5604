//! What a host told us, whichever host it was.

use serde_json::Value;

use super::hosts::{Host, Moment};
use super::result::ToolResult;
use super::wire::Wire;
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;

/// An event that we act on.
#[derive(Debug)]
pub struct Event {
    /// Its name as the host says it, which some want to hear again.
    pub name: String,
    /// The conversation.
    pub session: SessionId,
    /// Where the agent works.
    pub directory: Option<String>,
    /// The file of the conversation.
    pub transcript: Option<String>,
    /// The conversation that this one is a copy of, where the host says so.
    pub original: Option<String>,
    /// What happened.
    pub happening: Happening,
}

/// What happened.
#[derive(Debug)]
pub enum Happening {
    /// A conversation begins or goes on.
    Start(Source),
    /// The person wrote something.
    Prompt,
    /// The turn goes on, with nothing from the person.
    GoesOn,
    /// The model is about to be asked; with the first message of the request, where it is needed.
    ModelCall(Option<String>),
    /// The conversation is about to be shortened.
    Compaction,
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
pub enum Source {
    /// It is new, or goes on in a new process, or was cleared.
    Begin,
    /// It is another's copy.
    Fork,
    /// It was shortened.
    Compaction,
}

impl Event {
    /// Reads what a host sent; nothing if it does not concern us. `told` is the event's name where the command says it.
    pub fn read(host: &Host, payload: &Value, told: Option<&str>) -> Result<Option<Self>> {
        let found = host
            .wires
            .iter()
            .find_map(|wire| Some((wire, Wire::text(payload, wire.session)?)));
        let Some((wire, session)) = found else {
            return Err(Error::refused(format!(
                "What {} sent names no session.",
                host.title
            )));
        };
        let Some(name) = Wire::text(payload, wire.event).or(told) else {
            return Err(Error::refused(format!(
                "What {} sent names no event.",
                host.title
            )));
        };
        let Some((_, moment)) = host.events.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        // Its tools are those of the process: it shares the pad of who started it, and must not become its owner.
        if Wire::text(payload, wire.parent).is_some() && *moment != Moment::AfterTool {
            return Ok(None);
        }
        let text = |pointer| Wire::text(payload, pointer).map(str::to_owned);
        let happening = match moment {
            Moment::SessionStart => Happening::Start(match text(wire.source).as_deref() {
                Some("compact") => Source::Compaction,
                Some("fork") => Source::Fork,
                _ => Source::Begin,
            }),
            // Qwen Code says so before each request to the model, without a text from the second on.
            Moment::Prompt if text(wire.prompt).is_none() => Happening::GoesOn,
            Moment::Prompt => Happening::Prompt,
            Moment::ModelCall => Happening::ModelCall(text(wire.first_message)),
            Moment::BeforeCompaction => Happening::Compaction,
            Moment::AfterTool => {
                let (Some(tool), Some(response)) =
                    (text(wire.tool), Wire::value(payload, wire.response))
                else {
                    return Ok(None);
                };
                Happening::Tool(ToolResult {
                    tool,
                    input: Wire::value(payload, wire.input)
                        .cloned()
                        .unwrap_or_default(),
                    response: response.clone(),
                })
            }
            Moment::ReplyEnd => Happening::Reply {
                text: text(wire.reply),
            },
            Moment::SessionEnd => Happening::End,
        };
        Ok(Some(Self {
            name: name.to_owned(),
            session: SessionId::new(session)?,
            directory: text(wire.directory),
            transcript: text(wire.transcript),
            original: text(wire.original),
            happening,
        }))
    }
}
