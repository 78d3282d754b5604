//! Going on with an earlier session: for connections whose host announces none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::Scratchpad;
use crate::ancestry;
use crate::model::error::{Error, Result};
use crate::model::host::hook::HookState;
use crate::model::id::SessionId;
use crate::model::pad::earlier::{Earlier, continued_reply, with_earlier};
use crate::model::pad::tool::PadCall;
use crate::model::session::process::Process;
use crate::model::session::which::SessionOrigin;
use crate::model::text::message::message;
use crate::model::tool::Reply;
use crate::model::tool::call::{Request, ToolCall};
use crate::store::{Binding, HookCall};

/// The event under which a server records that it serves a session.
const SERVED: &str = "served";
/// How many earlier sessions to look at: running processes use the newest.
const MOST_EARLIER: usize = 50;

/// The connection of a process to the one client that started it.
#[derive(Debug)]
pub struct Connection {
    own: SessionId,
    state: Mutex<State>,
    process: OnceLock<Option<Process>>,
    has_called: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The session that it took over.
    continued: Option<SessionId>,
    /// The session that this process is recorded to serve.
    recorded: Option<SessionId>,
}

impl Connection {
    /// A connection with a session of its own, for when nothing names one.
    pub fn new(own: SessionId) -> Self {
        Self {
            own,
            state: Mutex::default(),
            process: OnceLock::new(),
            has_called: AtomicBool::new(false),
        }
    }

    pub fn own(&self) -> &SessionId {
        &self.own
    }

    /// Whether this call is the first one.
    pub fn calls_first(&self) -> bool {
        !self.has_called.swap(true, Ordering::Relaxed)
    }

    /// The session that it took over, if any.
    pub fn continued(&self) -> Option<SessionId> {
        self.state().continued.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn process(&self) -> Option<&Process> {
        self.process.get_or_init(ancestry::this_process).as_ref()
    }
}

/// A call's session, and what named it.
#[derive(Clone, Debug)]
pub struct NamedSession {
    pub session: SessionId,
    pub origin: SessionOrigin,
}

impl From<(SessionId, SessionOrigin)> for NamedSession {
    fn from((session, origin): (SessionId, SessionOrigin)) -> Self {
        Self { session, origin }
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// Runs a call that came over this connection. `client` is the name that the client gave.
    pub fn run_on(
        &self,
        connection: &Connection,
        client: &str,
        named: &NamedSession,
        call: ToolCall,
    ) -> Result<Reply> {
        let host = format!("mcp {client}");
        let NamedSession { session, origin } = named;
        match &call.request {
            Request::Pad(PadCall::Continue(target)) if origin.may_change() => {
                self.take_over(connection, &host, target)
            }
            Request::Pad(PadCall::Continue(_)) => Err(fixed(*origin)),
            Request::Pad(PadCall::Get) if origin.may_change() => {
                let reply = self.run_tool(session, call)?;
                Ok(match self.earlier(connection, &host, session)? {
                    Some(earlier) => with_earlier(reply, &earlier),
                    None => reply,
                })
            }
            _ => {
                if call.writes() && origin.may_change() {
                    self.record(connection, &host, session)?;
                }
                self.run_tool(session, call)
            }
        }
    }

    /// The newest session of this host in this project that no running process uses; `None` unless this one's pad is empty.
    fn earlier(
        &self,
        connection: &Connection,
        host: &str,
        session: &SessionId,
    ) -> Result<Option<Earlier>> {
        if !self.pad(session)?.is_empty() {
            return Ok(None);
        }
        let found = self
            .store()?
            .sessions_of_host(host, &self.project, MOST_EARLIER)?;
        for head in found {
            if head.id != *session
                && !head.pad.is_empty()
                && self.user_of(connection, &head.id)?.is_none()
            {
                return Ok(Some(Earlier {
                    session: head.id,
                    age: self.now() - head.updated,
                    pad: head.pad,
                }));
            }
        }
        Ok(None)
    }

    fn take_over(&self, connection: &Connection, host: &str, target: &SessionId) -> Result<Reply> {
        let found = self.existing_session(target)?;
        if found.project.is_some_and(|project| project != self.project) {
            return Err(Error::refused(message!(
                "Session {session} belongs to another project.",
                session = target.to_string()
            ))
            .hint("only sessions of this project can be continued; `get` names the newest."));
        }
        self.check_free(connection, target)?;
        self.record(connection, host, target)?;
        // Another process may have taken it over meanwhile: then neither has it.
        if let Err(error) = self.check_free(connection, target) {
            self.forget(connection, host, target)?;
            return Err(error);
        }
        connection.state().continued = Some(target.clone());
        Ok(continued_reply(
            target,
            &found.pad,
            found.revision,
            self.limits(),
        ))
    }

    fn check_free(&self, connection: &Connection, session: &SessionId) -> Result<()> {
        let Some(process) = self.user_of(connection, session)? else {
            return Ok(());
        };
        Err(Error::refused(message!(
            "Session {session} is in use by another running agent (process {process}).",
            session = session.to_string(),
            process = process.id.to_string()
        ))
        .hint("end that agent first; to read its pad only, call get with that `session`."))
    }

    /// A running process other than this one that uses a session.
    fn user_of(&self, connection: &Connection, session: &SessionId) -> Result<Option<Process>> {
        let own = connection.process().map(|process| process.id);
        self.process_with(session, own)
    }

    /// Records that this process serves the session, once.
    fn record(&self, connection: &Connection, host: &str, session: &SessionId) -> Result<()> {
        if connection.state().recorded.as_ref() == Some(session) {
            return Ok(());
        }
        if let Some(process) = connection.process() {
            self.bind_server(host, session, &Binding::Begins(process.clone()))?;
        }
        connection.state().recorded = Some(session.clone());
        Ok(())
    }

    fn forget(&self, connection: &Connection, host: &str, session: &SessionId) -> Result<()> {
        connection.state().recorded = None;
        match connection.process() {
            Some(process) => self.bind_server(host, session, &Binding::Ends(process.clone())),
            None => Ok(()),
        }
    }

    fn bind_server(&self, host: &str, session: &SessionId, binding: &Binding) -> Result<()> {
        let call = HookCall {
            host,
            event: SERVED,
            session,
            at: self.now(),
        };
        let (branch, worktree) = self.checkout();
        self.store()?.attend(&call, &mut |_, state| {
            let state = HookState {
                branch: branch.clone(),
                worktree: worktree.clone(),
                ..state.clone()
            };
            (state, binding.clone()).into()
        })
    }
}

/// The error for a connection whose session is named by somebody else.
fn fixed(origin: SessionOrigin) -> Error {
    let error = match origin {
        SessionOrigin::Announced | SessionOrigin::Metadata => Error::refused(
            "This host names the session of each conversation itself: resume the conversation there.",
        ),
        _ => Error::refused("The session of this connection is fixed by whoever started it."),
    };
    error.hint("to work on another session's pad, add its id as `session` to each call.")
}
