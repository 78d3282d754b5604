//! Calls of our own tools, which the upstream never sees.

use std::sync::Arc;

use serde_json::Value;

use super::{Relay, UPSTREAM_GONE, lock};
use crate::proxy::id::Id;
use crate::proxy::local_tools::{self, Era};
use crate::proxy::message::Message;
use scratchpad::model::error::{Error, ErrorKind};
use scratchpad::model::id::SessionId;
use scratchpad::model::session::which::session_in_metadata;
use scratchpad::model::tool::Reply;
use scratchpad::model::tool::call::ToolCall;
use scratchpad::{CallFacts, Cancel};

/// JSON-RPC's code for invalid parameters.
const INVALID_PARAMS: i64 = -32_602;

impl Relay {
    /// The session of a call, from its metadata and its arguments.
    pub(super) fn session(
        &self,
        session_id: Option<&String>,
        thread_id: Option<&String>,
        argument: Option<SessionId>,
    ) -> Result<SessionId, Error> {
        let own = &self.proxy.session;
        let call = CallFacts {
            argument,
            metadata: session_in_metadata(|key| match key {
                "sessionId" => session_id.cloned(),
                "threadId" => thread_id.cloned(),
                _ => None,
            }),
            connection: Some(own.clone()),
            ..CallFacts::default()
        };
        let found = self.proxy.scratchpad.session_of(&self.proxy.finder, call)?;
        Ok(found.unwrap_or_else(|| own.clone()))
    }

    /// Which local tool a message calls.
    pub(in crate::proxy) fn local_tool(&self, message: &Message) -> Option<&'static str> {
        let name = message.params.name.as_deref()?;
        (message.method.as_deref() == Some("tools/call") && self.proxy.scratchpad.offload().enabled)
            .then(|| lock(&self.names).local(name))
            .flatten()
    }

    /// Whether the client is not offered a tool of the upstream.
    pub(super) fn hides(&self, tool: &str) -> bool {
        let mut hidden = self.proxy.hidden.iter();
        hidden.any(|hidden| hidden.hides(&self.proxy.upstream, tool))
    }

    /// Whether a message calls such a tool.
    pub(in crate::proxy) fn hides_call(&self, message: &Message) -> bool {
        let name = message.params.name.as_deref();
        message.method.as_deref() == Some("tools/call") && name.is_some_and(|tool| self.hides(tool))
    }

    /// Answers a call of a tool that is hidden; false if it is not such a call.
    pub(super) fn refuses_hidden(&self, message: &Message, id: &Id) -> bool {
        if !self.hides_call(message) {
            return false;
        }
        let tool = message.params.name.as_deref().unwrap_or_default();
        let text = format!(
            "{tool} of {} is hidden by the user's settings (proxy.hide, --hide). Nothing was sent.",
            self.upstream()
        );
        let reply = Reply::from(Error::new(ErrorKind::Refused, text));
        self.send(&local_tools::answer(Era::of(&message.params), id, &reply));
        true
    }

    pub(super) fn answer_locally(
        self: &Arc<Self>,
        message: &Message,
        id: &Id,
        tool: &'static str,
        part: Option<&[u8]>,
    ) {
        let params = part
            .and_then(|part| serde_json::from_slice::<Value>(part).ok())
            .and_then(|mut call| call.get_mut("params").map(Value::take));
        let Some(mut params) = params else {
            let text = format!("{tool}: the call is too large.");
            self.send(&local_tools::error(id, INVALID_PARAMS, &text));
            return;
        };
        let arguments = match params.get_mut("arguments").map(Value::take) {
            None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
            Some(arguments) => arguments,
        };
        let (session_id, thread_id) = (
            message.params.session_id.clone(),
            message.params.thread_id.clone(),
        );
        let era = Era::of(&message.params);
        let (number, cancel) = self.local_calls.begin(id.clone());
        let (relay, call) = (self.clone(), id.clone());
        let work = move || {
            let who = (session_id.as_ref(), thread_id.as_ref());
            let reply = relay.reply(tool, &arguments, who, cancel);
            if relay.local_calls.answers(number) {
                relay.send(&local_tools::answer(era, &call, &reply));
            }
            relay.local_calls.end();
        };
        // A separate thread, because a slow search must not block other messages.
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.local_calls.answers(number);
            self.local_calls.end();
            let text = format!("{tool} can't be answered: {error}.");
            self.send(&local_tools::error(id, UPSTREAM_GONE, &text));
        }
    }

    /// Runs a call of a local tool for the session and the thread that it names.
    fn reply(
        &self,
        tool: &str,
        arguments: &Value,
        (session_id, thread_id): (Option<&String>, Option<&String>),
        cancel: Cancel,
    ) -> Reply {
        let scratchpad = self.proxy.scratchpad.clone().cancelled_by(cancel);
        local_tools::guarded(|| {
            let call = ToolCall::parse(tool, arguments)?;
            let session = self.session(session_id, thread_id, call.session.clone())?;
            scratchpad.run_tool(&session, call)
        })
    }
}
