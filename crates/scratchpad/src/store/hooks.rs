//! Hook state and bindings, and how an engine stores them.

use super::{Session, SessionHead, View};
use crate::model::error::Result;
use crate::model::host::hook::{HookState, Receipt};
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::output::ledger::Entry;
use crate::model::pad::revision::Write;
use crate::model::session::process::Process;

#[derive(Clone, Copy, Debug)]
pub struct HookCall<'a> {
    pub host: &'a str,
    /// The event, by the host's name for it.
    pub event: &'a str,
    pub session: &'a SessionId,
    pub at: Millis,
}

/// What happens to the binding of a process to its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// No change.
    Stays,
    /// The process is bound to the session from now on.
    Begins(Process),
    /// The process is no longer bound to the session.
    Ends(Process),
}

/// The last call of a host about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastHookCall {
    pub session: SessionId,
    /// The host, or for a server `mcp` and the name that its client gave.
    pub host: String,
    /// The event, by the host's name for it.
    pub event: String,
    pub at: Millis,
    /// The stored hook state.
    pub hook_state: HookState,
}

/// What a hook call changes, apart from its session.
#[derive(Clone, Debug)]
pub struct Heard {
    pub hook_state: HookState,
    pub binding: Binding,
    /// What it adds to the ledger.
    pub entries: Vec<Entry>,
}

impl From<(HookState, Binding)> for Heard {
    fn from((hook_state, binding): (HookState, Binding)) -> Self {
        Self {
            hook_state,
            binding,
            entries: Vec::new(),
        }
    }
}

/// Computes what a call changes from the session and the old state. May run more than once.
pub type Attend<'a> = dyn FnMut(Option<&Session>, &HookState) -> Heard + 'a;

/// What a hook call changes.
#[derive(Debug)]
pub struct Attended {
    pub heard: Heard,
    /// To the session, which is created if it does not exist.
    pub writes: Vec<Write>,
}

/// Computes the same, and what to write to the session. May run more than once.
pub type AttendWriting<'a> = dyn FnMut(&dyn View, &HookState) -> Result<Attended> + 'a;

/// Stores hook state and bindings. Not durable at once, to keep hooks fast: a power loss may lose the last writes.
pub trait Hooks: Send + Sync {
    /// Handles a hook call in one short transaction.
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()>;

    /// Handles a hook call that may write to its session, in one transaction. `project` is that of a new session.
    fn attend_writing(
        &self,
        call: &HookCall<'_>,
        project: &ProjectId,
        attend: &mut AttendWriting<'_>,
    ) -> Result<()>;

    /// The session of the first of these processes that is bound to one. One short read.
    fn bound(&self, processes: &[Process]) -> Result<Option<SessionId>>;

    /// The processes of this machine that are bound to a session, running or not. Their names are not kept.
    fn bound_to(&self, session: &SessionId) -> Result<Vec<Process>>;

    /// The sessions of a project whose last call on this machine came from this host, most recently written first.
    fn sessions_of_host(
        &self,
        host: &str,
        project: &ProjectId,
        limit: usize,
    ) -> Result<Vec<SessionHead>>;

    /// Whether a session of a project, whose last call on this machine came from this host, was ever written to.
    fn has_written(&self, host: &str, project: &ProjectId) -> Result<bool>;

    /// The last call of a host, if any.
    fn last_hook_call(&self, host: &str) -> Result<Option<LastHookCall>>;

    /// What a host gave back last, in any of its sessions.
    fn last_receipt(&self, host: &str) -> Result<Option<Receipt>>;

    /// The last call about each of these sessions, as far as there was one, in no order.
    fn last_calls_about(&self, sessions: &[SessionId]) -> Result<Vec<LastHookCall>>;
}
