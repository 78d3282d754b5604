//! What hooks know, and how an engine keeps it.

use super::Session;
use crate::model::error::Result;
use crate::model::host::hook::HookState;
use crate::model::id::{Millis, SessionId};
use crate::model::session::process::Process;

/// A call from a host.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'a> {
    /// The host.
    pub host: &'a str,
    /// The event, in the host's words.
    pub event: &'a str,
    /// The session it is about.
    pub session: &'a SessionId,
    /// What becomes of the binding of the host's process.
    pub binding: Binding<'a>,
    /// Now.
    pub at: Millis,
}

/// What becomes of the binding of a process to its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding<'a> {
    /// It stays.
    Stays,
    /// The process speaks for this session from now on.
    Begins(&'a Process),
    /// The process speaks for this session no more.
    Ends(&'a Process),
}

/// The last call of a host about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attended {
    /// The session.
    pub session: SessionId,
    /// The event, in the host's words.
    pub event: String,
    /// When it was.
    pub at: Millis,
    /// What is remembered.
    pub attention: HookState,
}

/// Decides, from the session and what is remembered, what to remember.
pub type Attend<'a> = dyn FnMut(Option<&Session>, &HookState) -> HookState + 'a;

/// Keeps what hooks know. It is not worth a wait: a power cut may lose the last of it.
pub trait Hooks: Send + Sync {
    /// Takes a call of a hook: one short transaction.
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()>;

    /// The session that the first of these processes speaks for that speaks for any: one short read.
    fn bound(&self, processes: &[Process]) -> Result<Option<SessionId>>;

    /// The last call of a host, if there ever was one.
    fn last_attended(&self, host: &str) -> Result<Option<Attended>>;
}
