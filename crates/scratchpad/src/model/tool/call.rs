//! A tool call, parsed once: what it asks for, which session it names, and whether it writes.

use serde_json::{Value, json};

use super::surface::Surface;
use super::{Group, Tool};
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::note::tool as note_tools;
use crate::model::note::tool::NoteCall;
use crate::model::output::ledger::size::Size;
use crate::model::output::slice::Slice;
use crate::model::output::tool as output_tools;
use crate::model::output::tool::OutputCall;
use crate::model::pad::tool as pad_tool;
use crate::model::pad::tool::PadCall;
use crate::model::text::message::{message, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;

/// A tool call with a valid name and arguments.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// From the `session` argument, which every tool takes.
    pub session: Option<SessionId>,
    pub request: Request,
    /// What it cost the model to write a call of a reading tool; nothing for the others, which are not counted.
    pub written: Size,
}

#[derive(Clone, Debug)]
pub enum Request {
    Pad(PadCall),
    Note(NoteCall),
    Output(OutputCall),
}

impl ToolCall {
    /// Parses a call of any tool under any of its names. The error is the reply for the agent.
    pub fn parse(tool: &str, arguments: &Value) -> Result<Self> {
        let session = match arguments.get("session") {
            Some(Value::String(id)) => Some(SessionId::new(id.as_str())?),
            None | Some(Value::Null) => None,
            Some(_) => {
                return Err(Error::refused(message!(
                    "{tool}: `session` must be a string.",
                    tool
                )));
            }
        };
        let request = if matches!(tool, pad_tool::NAME | pad_tool::DOTTED_NAME) {
            Request::Pad(pad_tool::pad_call(arguments)?)
        } else if let Some(call) = note_tools::note_call(tool, arguments) {
            Request::Note(call?)
        } else if let Some(call) = output_tools::output_call(tool, arguments) {
            Request::Output(call?)
        } else {
            return Err(unknown_tool(tool, &Surface::default().tools()));
        };
        // Its `session` is the one to take over, not the one that the call is about.
        let is_continue = matches!(&request, Request::Pad(PadCall::Continue(_)));
        let session = session.filter(|_| !is_continue);
        let written = match &request {
            Request::Output(_) => {
                Size::of(&json!({"name": tool, "arguments": arguments}).to_string())
            }
            Request::Pad(_) | Request::Note(_) => Size::default(),
        };
        Ok(Self {
            session,
            request,
            written,
        })
    }

    /// The group that the tool belongs to.
    pub fn group(&self) -> Group {
        match &self.request {
            Request::Pad(_) => Group::Pad,
            Request::Note(_) => Group::Notes,
            Request::Output(_) => Group::Outputs,
        }
    }

    /// The name of the search or expression that the call runs, which the agent wrote and may take seconds.
    pub fn probe(&self) -> Option<&'static str> {
        match &self.request {
            Request::Output(OutputCall::Read(call)) => match &call.slice {
                Slice::Probe(probe, _) => Some(probe.name()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the call changes stored data.
    pub fn writes(&self) -> bool {
        match &self.request {
            Request::Pad(call) => matches!(call, PadCall::Write(_) | PadCall::Continue(_)),
            Request::Note(call) => call.writes(),
            Request::Output(OutputCall::Read(_) | OutputCall::List { .. }) => false,
        }
    }
}

/// Looks up a tool by any of its names.
pub fn tool_named(name: &str) -> Option<Tool> {
    let name = if name == pad_tool::DOTTED_NAME {
        pad_tool::NAME
    } else {
        name
    };
    let mut tools = Surface::default().tools().into_iter();
    tools.find(|tool| tool.name == name)
}

/// The error for a name that none of these tools has.
pub fn unknown_tool(name: &str, tools: &[Tool]) -> Error {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let shown = shortened(name, 80);
    Error::not_found(message!(
        "Unknown tool {tool}. Nothing was changed.",
        tool = quoted(&shown)
    ))
    .hint(
        did_you_mean(name, names.iter().copied())
            .unwrap_or_else(|| message!("the tools are {names}.", names = names.join(", "))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_knows_its_session_and_whether_it_writes() {
        let cases = [
            ("session_scratchpad", json!({"action": "get"}), false),
            (
                "session.scratchpad",
                json!({"action": "set_plan", "content": ""}),
                true,
            ),
            ("session_scratchpad", json!({"content": "old form"}), true),
            ("add_note", json!({"content": "x"}), true),
            ("delete_note", json!({"id": "note_1"}), true),
            ("search_notes", json!({"query": "x"}), false),
            ("list_tags", json!({}), false),
            ("notes", json!({"action": "add", "content": "x"}), true),
            ("notes", json!({"action": "search"}), false),
            ("outputs", json!({}), false),
            ("scratchpad_read", json!({"id": "abcdef012345"}), false),
        ];
        for (tool, mut arguments, writes) in cases {
            let call = ToolCall::parse(tool, &arguments).unwrap();
            assert_eq!(call.writes(), writes, "{tool} {arguments}");
            assert_eq!(call.session, None);
            arguments["session"] = json!("s");
            let call = ToolCall::parse(tool, &arguments).unwrap();
            assert_eq!(call.session, SessionId::new("s").ok(), "{tool}");
        }
    }
}
