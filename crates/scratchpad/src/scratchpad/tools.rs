//! The tools: names tied to verbs, in one place for every edge.

use serde_json::Value;

use super::Scratchpad;
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::note::reply;
use crate::model::note::reply::Bound;
use crate::model::note::tool as note_tools;
use crate::model::note::tool::NoteCall;
use crate::model::output::tool as output_tools;
use crate::model::pad::tool as pad_tool;
use crate::model::pad::tool::PadCall;
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;
use crate::model::tool::surface::Surface;
use crate::model::tool::{Reply, Tool};

/// What agents are told about the tools, in the order they are listed.
pub fn tools() -> Vec<Tool> {
    Surface::default().tools()
}

impl Scratchpad {
    /// Runs a tool. Every failure is a reply too, one that says what to do.
    ///
    /// An argument `session` in the call goes before the session given here.
    pub fn call(&self, session: &SessionId, tool: &str, arguments: &Value) -> Reply {
        self.try_call(session, tool, arguments)
            .unwrap_or_else(Reply::from)
    }

    fn try_call(&self, session: &SessionId, tool: &str, arguments: &Value) -> Result<Reply> {
        let named = match arguments.get("session") {
            Some(Value::String(id)) => Some(SessionId::new(id.as_str())?),
            None | Some(Value::Null) => None,
            Some(_) => {
                return Err(Error::refused(format!(
                    "{tool}: `session` must be a string."
                )));
            }
        };
        let session = named.as_ref().unwrap_or(session);
        match tool {
            pad_tool::NAME | pad_tool::DOTTED_NAME => self.session_scratchpad(session, arguments),
            _ => {
                if let Some(call) = note_tools::note_call(tool, arguments) {
                    self.note_tool(session, call?, Bound::Window)
                } else if let Some(call) = output_tools::output_call(tool, arguments) {
                    self.output_tool(session, &call?)
                } else {
                    Err(unknown_tool(tool, &tools()))
                }
            }
        }
    }

    fn session_scratchpad(&self, session: &SessionId, arguments: &Value) -> Result<Reply> {
        match pad_tool::pad_call(arguments)? {
            PadCall::Write(action) => {
                let written = self.write(session, &action)?;
                Ok(pad_tool::write_reply(
                    &action,
                    &written.outcome,
                    written.revision,
                    written.spilled.as_ref(),
                ))
            }
            PadCall::Get => {
                let (pad, revision) = self
                    .session(session)?
                    .map_or_else(Default::default, |found| (found.pad, found.revision));
                Ok(pad_tool::get_reply(&pad, revision, self.limits()))
            }
        }
    }

    /// Runs a note tool whose arguments were read.
    pub fn note_tool(&self, session: &SessionId, call: NoteCall, bound: Bound) -> Result<Reply> {
        Ok(match call {
            NoteCall::Add {
                content,
                tags,
                scope,
            } => {
                let (note, totals) = self.add_note(session, scope, &content, &tags)?;
                reply::added(&note, totals)
            }
            NoteCall::Update { id, content, tags } => {
                let (note, totals) =
                    self.update_note(session, id, content.as_deref(), tags.as_deref())?;
                reply::updated(&note, totals)
            }
            NoteCall::Delete { id } => reply::deleted(id, self.delete_note(session, id)?),
            NoteCall::List { tag, limit } => reply::listed(
                &self.list_notes(session, tag.as_deref(), limit)?,
                tag.as_deref(),
                bound,
            ),
            NoteCall::Search { query, tags, limit } => {
                let (found, matched) =
                    self.search_notes(session, query.as_deref(), &tags, limit)?;
                reply::searched(&found, query.as_deref(), &tags, matched, bound)
            }
            NoteCall::Tags => reply::tags_listed(&self.list_tags(session)?, bound),
        })
    }
}

/// What agents are told about one tool, by any of its names.
pub fn tool_named(name: &str) -> Option<Tool> {
    let name = if name == pad_tool::DOTTED_NAME {
        pad_tool::NAME
    } else {
        name
    };
    tools().into_iter().find(|tool| tool.name == name)
}

/// The error for a tool that is not one of these.
pub fn unknown_tool(name: &str, tools: &[Tool]) -> Error {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let shown = shortened(name, 80);
    Error::not_found(format!("There is no tool {shown:?}. Nothing was changed.")).hint(
        did_you_mean(name, names.iter().copied())
            .unwrap_or_else(|| format!("the tools are {}.", names.join(", "))),
    )
}
