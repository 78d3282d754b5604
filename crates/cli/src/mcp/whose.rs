//! Which session a request is about, and running its call for that session.

use std::sync::Arc;

use rmcp::service::{RequestContext, RoleServer};

use super::http;
use super::requests::is_sessionless;
use super::shared::Shared;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::session::which::session_in_metadata;
use scratchpad::model::text::message::message;
use scratchpad::model::tool::Reply;
use scratchpad::model::tool::call::ToolCall;
use scratchpad::scratchpad::OWN;
use scratchpad::{CallFacts, Connection, NamedSession, Scratchpad, Window};

/// What a request says about its session, apart from the `session` argument.
#[derive(Clone)]
pub(super) struct Whose {
    header: Option<Result<SessionId>>,
    metadata: Option<String>,
    own: Option<SessionId>,
    /// The connection, and the client's name for itself, if the process serves just one client.
    connection: Option<(Arc<Connection>, String)>,
    shared: Shared,
}

impl Whose {
    /// What a request says, and whose it is if it says nothing.
    pub(super) fn of(own: &Own, shared: &Shared, context: &RequestContext<RoleServer>) -> Self {
        let value = |key: &str| context.meta.0.get(key)?.as_str().map(str::to_owned);
        Self {
            header: http::named_session(&context.extensions),
            metadata: session_in_metadata(value),
            own: match own {
                Own::OfProcess(connection) => Some(connection.own().clone()),
                Own::OfMcpSession(session) => (http::has_session(&context.extensions)
                    && !is_sessionless(context))
                .then(|| session.clone()),
            },
            connection: match own {
                Own::OfProcess(connection) => {
                    let client = context.client_info();
                    let name = client.map(|client| client.name).unwrap_or_default();
                    Some((connection.clone(), name))
                }
                Own::OfMcpSession(_) => None,
            },
            shared: shared.clone(),
        }
    }

    /// The session of the request.
    pub(super) fn session(
        self,
        scratchpad: &Scratchpad,
        argument: Option<SessionId>,
    ) -> Result<SessionId> {
        let named = self.named_session(scratchpad, argument)?;
        Ok(named.session)
    }

    /// Runs a tool call. Its reply is for this window, unless something else reads it.
    pub(super) fn run(
        self,
        scratchpad: &Scratchpad,
        call: ToolCall,
        window: Option<Window<'_>>,
    ) -> Result<Reply> {
        let (connection, shared) = (self.connection.clone(), self.shared.clone());
        let named = self.named_session(scratchpad, call.session.clone())?;
        let group = call.group();
        let reply = match connection {
            Some((connection, client)) => {
                scratchpad.learn_client(&client);
                if connection.calls_first() {
                    scratchpad.book_listed(&named.session, OWN, &shared.inner.tools);
                }
                scratchpad.run_on(&connection, &client, &named, call)
            }
            None => scratchpad.run_tool(&named.session, call),
        }?;
        Ok(match window {
            Some(window) => scratchpad.reply_for(group, &named.session, window, reply),
            None => reply,
        })
    }

    fn named_session(
        self,
        scratchpad: &Scratchpad,
        argument: Option<SessionId>,
    ) -> Result<NamedSession> {
        let header = match (&argument, self.header) {
            (None, Some(header)) => Some(header?),
            _ => None,
        };
        let call = CallFacts {
            argument,
            header,
            metadata: self.metadata,
            continued: self.connection.and_then(|(it, _)| it.continued()),
            connection: self.own,
        };
        scratchpad
            .named_session(&self.shared.inner.finder, call)?
            .ok_or_else(|| no_session(scratchpad))
    }
}

/// The error for a request without a session: it must not share a pad with others.
fn no_session(scratchpad: &Scratchpad) -> Error {
    let new = scratchpad.new_session_id();
    Error::refused("No session: the call names none, and this connection has none.").hint(
        message!("add \"session\" to the arguments of each call (\"{new}\" for a new one), or have the client send the header {header}.", new = new.to_string(), header = http::SESSION_HEADER),
    )
}

/// The session of calls that name none.
pub(super) enum Own {
    /// This process's one connection.
    OfProcess(Arc<Connection>),
    /// The MCP session's own, for requests that belong to an MCP session.
    OfMcpSession(SessionId),
}
