//! Which session is meant: gathers the facts for the rule in `model/session/which.rs`.
//!
//! The command line, the MCP server, the proxy and the hooks all ask here and pass only what they know.

use std::slice;
use std::sync::OnceLock;

use super::{Hooked, Scratchpad};
use crate::ancestry;
use crate::model::error::{ErrorKind, Result};
use crate::model::host::{process_names, session_variables};
use crate::model::id::SessionId;
use crate::model::session::process::{Process, host_of, that_may_be_bound};
use crate::model::session::which::{SessionFacts, VARIABLE, which_session};

/// What a process knows of its session before any call.
#[derive(Debug)]
pub struct SessionFinder {
    known: SessionFacts,
    announcers: Announcers,
}

/// The processes that may announce a session for this one, nearest first.
#[derive(Debug)]
enum Announcers {
    /// This process serves others than the one that started it.
    None,
    /// Those above this process, looked up at first use.
    Above(OnceLock<Vec<Process>>),
}

/// What a single call says of its session.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    /// Its `session` argument.
    pub argument: Option<SessionId>,
    /// The session named in a header of the request.
    pub header: Option<SessionId>,
    /// The session named in the call's metadata.
    pub metadata: Option<String>,
    /// The session of the connection that the call came by.
    pub connection: Option<SessionId>,
}

impl SessionFinder {
    /// For a process that works for the host or the person that started it: with `--session` and its environment.
    ///
    /// Fails if the person gave an invalid id.
    pub fn new(flag: Option<String>, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let valid = |id: &String| SessionId::new(id.as_str()).is_ok();
        let known = SessionFacts {
            flag,
            environment: variable(VARIABLE),
            host_variable: session_variables()
                .find_map(|name| Some((name, variable(name).filter(valid)?))),
            ..SessionFacts::default()
        };
        Self::with(known, Announcers::Above(OnceLock::new()))
    }

    /// For a server whose clients come over the network: whoever started it does not speak for them.
    pub fn for_network(flag: Option<String>) -> Result<Self> {
        let known = SessionFacts {
            flag,
            ..SessionFacts::default()
        };
        Self::with(known, Announcers::None)
    }

    fn with(known: SessionFacts, announcers: Announcers) -> Result<Self> {
        which_session(&known).map_err(|error| error.as_kind(ErrorKind::Usage))?;
        Ok(Self { known, announcers })
    }

    /// Looks up the processes above this one now, not at the first call.
    ///
    /// For processes that stay: one between them and the host, such as a shell, may end meanwhile.
    #[must_use]
    pub fn with_processes(self) -> Self {
        self.processes();
        self
    }

    fn processes(&self) -> &[Process] {
        match &self.announcers {
            Announcers::None => &[],
            Announcers::Above(found) => {
                let above = found.get_or_init(ancestry::ancestors);
                that_may_be_bound(above, &process_names())
            }
        }
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// The session that a call is about; nothing if nothing names one.
    ///
    /// Ask for each call: a person may start another conversation in the same host process. The store is read only
    /// if nothing more exact than an announcement names the session: one read by index.
    pub fn session_of(&self, finder: &SessionFinder, call: CallFacts) -> Result<Option<SessionId>> {
        let mut facts = SessionFacts {
            argument: call.argument,
            header: call.header,
            metadata: call.metadata,
            connection: call.connection,
            ..finder.known.clone()
        };
        let named = which_session(&facts)?;
        let is_certain = matches!(&named, Some((_, origin)) if origin.precedes_announced());
        if is_certain || finder.processes().is_empty() {
            return Ok(named.map(|(session, _)| session));
        }
        facts.announced = self.store()?.bound(finder.processes())?;
        Ok(which_session(&facts)?.map(|(session, _)| session))
    }

    /// The session of this project that was written last: what a person on the command line means who names none.
    pub fn newest_session(&self) -> Result<Option<SessionId>> {
        Ok(self.sessions_of_project(1)?.pop().map(|head| head.id))
    }

    /// The conversation that a forked one is a copy of: the one that the host names, else the one that its process
    /// announced last, else, in a new process, the one that it was started with.
    pub(super) fn original_session(&self, hooked: &Hooked<'_>) -> Result<Option<SessionId>> {
        if let Some(original) = hooked.original {
            return Ok(Some(original.clone()));
        }
        let announced = match host_of(hooked.ancestors) {
            Some(process) => self.store()?.bound(slice::from_ref(process))?,
            None => None,
        };
        Ok(announced.or_else(|| hooked.original_at_start.cloned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_variables_of_hosts_the_first_with_a_valid_id_counts() {
        let finder = SessionFinder::new(None, |name| match name {
            "GEMINI_SESSION_ID" => Some("a b".to_owned()),
            "CLAUDE_CODE_SESSION_ID" => Some("c".to_owned()),
            _ => None,
        });
        let found = finder.unwrap().known.host_variable;
        assert_eq!(found, Some(("CLAUDE_CODE_SESSION_ID", "c".to_owned())));
    }
}
