//! Maps tool calls to verbs, in one place for every edge.

use serde_json::Value;

use super::{Kept, Scratchpad};
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::note::reply;
use crate::model::note::reply::Reader;
use crate::model::note::tool::NoteCall;
use crate::model::output::{Origin, tool as output_tool};
use crate::model::pad::tool as pad_tool;
use crate::model::pad::tool::PadCall;
use crate::model::text::message::message;
use crate::model::tool::call::{Request, ToolCall};
use crate::model::tool::surface::Surface;
use crate::model::tool::{Group, Reply, Tool};

/// What rules for outputs call our own tools, as in `scratchpad/list_notes: never`.
const UPSTREAM: &str = "scratchpad";

/// How a model called a tool.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// By this name.
    pub tool: &'a str,
    /// The tool that reads outputs, by its name there.
    pub reader: &'a str,
}

/// The definitions of all tools, in the order in which to list them to a model.
pub fn tools() -> Vec<Tool> {
    Surface::default().tools()
}

impl Scratchpad {
    /// The definitions of the tools that are not switched off, in the order in which to list them to a model.
    pub fn tools(&self) -> Vec<Tool> {
        let mut surface = Surface {
            pad: self.limits.clone(),
            notes: self.note_limits.clone(),
            ..Surface::default()
        };
        surface.groups.retain(|group| self.offers(*group));
        surface.tools()
    }

    /// Runs a tool. An error is a reply too: it says what to do next.
    ///
    /// An argument `session` in the call takes precedence over `session`.
    pub fn call(&self, session: &SessionId, tool: &str, arguments: &Value) -> Reply {
        self.try_call(session, tool, arguments)
            .unwrap_or_else(Reply::from)
    }

    fn try_call(&self, session: &SessionId, tool: &str, arguments: &Value) -> Result<Reply> {
        let call = ToolCall::parse(tool, arguments)?;
        let named = call.session.clone();
        let session = named.as_ref().unwrap_or(session);
        let group = call.group();
        let reply = self.run_tool(session, call)?;
        let window = Window {
            tool,
            reader: output_tool::READ,
        };
        Ok(self.reply_for(group, session, window, reply))
    }

    /// The reply for a model's window: a large text of the note tools is kept as an output, like that of any other tool.
    ///
    /// The data beside the text stays whole, because programs read it. If the text can't be kept, it stays as it is.
    #[doc(hidden)]
    pub fn reply_for(
        &self,
        group: Group,
        session: &SessionId,
        window: Window<'_>,
        reply: Reply,
    ) -> Reply {
        if group != Group::Notes {
            return reply;
        }
        let origin = Origin {
            upstream: UPSTREAM,
            tool: window.tool,
        };
        match self.keep_large(session, origin, reply.text().as_bytes(), window.reader) {
            Ok(Kept::As(reference)) => Reply {
                message: reference.text.into(),
                remark: reply.structured.as_ref().and_then(reply::next_page),
                ..reply
            },
            Ok(Kept::No) | Err(_) => reply,
        }
    }

    /// Runs a call in this session, even if the call names another.
    #[doc(hidden)]
    pub fn run_tool(&self, session: &SessionId, call: ToolCall) -> Result<Reply> {
        self.needs(call.group())?;
        match call.request {
            Request::Pad(call) => self.pad_tool(session, call),
            Request::Note(call) => self.note_tool(session, call, Reader::Agent),
            Request::Output(output) => self.output_tool(session, &output, call.written),
        }
    }

    fn pad_tool(&self, session: &SessionId, call: PadCall) -> Result<Reply> {
        match call {
            PadCall::Write(action) => {
                let written = self.write(session, &action)?;
                Ok(pad_tool::write_reply(
                    &action,
                    &written.outcome,
                    written.revision,
                    written.spilled.as_ref(),
                )
                .without_secrets(&written.marks))
            }
            PadCall::Continue(session) => Err(Error::refused(message!(
                "Only a connection of its own to the MCP server can take over session {session}.",
                session = session.to_string()
            ))
            .hint("add its id as `session` to each call instead.")),
            PadCall::Get => {
                let (pad, revision) = self
                    .session(session)?
                    .map_or_else(Default::default, |found| (found.pad, found.revision));
                Ok(pad_tool::get_reply(&pad, revision, self.limits()))
            }
        }
    }

    /// Runs a note tool whose arguments are already parsed.
    #[doc(hidden)]
    pub fn note_tool(&self, session: &SessionId, call: NoteCall, reader: Reader) -> Result<Reply> {
        Ok(match call {
            NoteCall::Add {
                content,
                tags,
                scope,
                sources,
            } => {
                let (note, totals) =
                    self.add_note_about(session, scope, &content, &tags, &sources)?;
                reply::added(&note, totals).without_secrets(&self.marks_in(&content))
            }
            NoteCall::Update {
                id,
                content,
                tags,
                sources,
            } => {
                let (content, tags) = (content.as_deref(), tags.as_deref());
                let (note, totals) =
                    self.update_note_about(session, id, content, tags, sources.as_deref())?;
                let marks = content.map_or_else(Vec::new, |content| self.marks_in(content));
                reply::updated(&note, totals, reader).without_secrets(&marks)
            }
            NoteCall::Delete { id } => reply::deleted(id, self.delete_note(session, id)?),
            NoteCall::List { tag, page } => reply::listed(
                &self.list_notes(session, tag.as_deref(), page)?,
                tag.as_deref(),
                reader,
            ),
            NoteCall::Search { query, tags, page } => {
                let (found, matched) = self.search_notes(session, query.as_deref(), &tags, page)?;
                reply::searched(&found, query.as_deref(), &tags, matched, reader)
            }
            NoteCall::Tags => reply::tags_listed(&self.list_tags(session)?, reader),
        })
    }
}
