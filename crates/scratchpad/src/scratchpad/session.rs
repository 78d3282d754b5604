//! Which session is meant: gathers the facts for the rule in `model/session/which.rs`.
//!
//! The command line, the MCP server, the proxy and the hooks all ask here, and pass only what they know.

use std::sync::OnceLock;

use super::{Hooked, NamedSession, Scratchpad};
use crate::ancestry;
use crate::model::error::{ErrorKind, Result};
use crate::model::host::{process_names, session_variables};
use crate::model::id::SessionId;
use crate::model::session::announce::private_ancestors;
use crate::model::session::process::{Process, that_may_be_bound};
use crate::model::session::which::{SessionFacts, VARIABLE, which_session};

/// What a process knows about its session before any call.
#[derive(Debug)]
pub struct SessionFinder {
    known: SessionFacts,
    announcers: Announcers,
}

/// The processes whose announced session applies to this one, nearest first.
#[derive(Debug)]
enum Announcers {
    /// This process serves clients other than the one that started it.
    None,
    /// The ancestors of this process, looked up on first use.
    Above(OnceLock<Vec<Process>>),
}

/// What a single call says about its session.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    /// Its `session` argument.
    pub argument: Option<SessionId>,
    /// The session named in a header of the request.
    pub header: Option<SessionId>,
    /// The session named in the call's metadata.
    pub metadata: Option<String>,
    /// The session that the connection took over.
    pub continued: Option<SessionId>,
    /// The session of the connection that the call arrived on.
    pub connection: Option<SessionId>,
}

impl SessionFinder {
    /// For a process that serves the host or person that started it: uses `--session` and the environment.
    ///
    /// Fails if either names an invalid session id.
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

    /// For a server with network clients: the session of whoever started it is not theirs.
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

    /// Looks up the ancestor processes now instead of at the first call.
    ///
    /// For long-running processes: one between them and the host, such as a shell, may exit before the first call.
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
    /// The session that a call is about, if anything names one.
    ///
    /// Ask for every call: a person may start another conversation in the same host process. Reads the store (one
    /// indexed lookup) only if nothing that outranks an announcement names the session.
    pub fn session_of(&self, finder: &SessionFinder, call: CallFacts) -> Result<Option<SessionId>> {
        let named = self.named_session(finder, call)?;
        Ok(named.map(|named| named.session))
    }

    /// The same, with what names it.
    pub fn named_session(
        &self,
        finder: &SessionFinder,
        call: CallFacts,
    ) -> Result<Option<NamedSession>> {
        let mut facts = SessionFacts {
            argument: call.argument,
            header: call.header,
            metadata: call.metadata,
            continued: call.continued,
            connection: call.connection,
            ..finder.known.clone()
        };
        let named = which_session(&facts)?;
        let is_certain = matches!(&named, Some((_, origin)) if origin.precedes_announced());
        if is_certain || finder.processes().is_empty() {
            return Ok(named.map(NamedSession::from));
        }
        facts.announced = self.store()?.bound(finder.processes())?;
        Ok(which_session(&facts)?.map(NamedSession::from))
    }

    /// The most recently written session of this project: the default on the command line.
    pub fn newest_session(&self) -> Result<Option<SessionId>> {
        Ok(self.sessions_of_project(1)?.pop().map(|head| head.id))
    }

    /// The conversation that a fork is a copy of: the one the host names, else the last one its process announced, else
    /// (in a new process) the one on its command line.
    pub(super) fn original_session(&self, hooked: &Hooked<'_>) -> Result<Option<SessionId>> {
        if let Some(original) = hooked.original {
            return Ok(Some(original.clone()));
        }
        let above = private_ancestors(hooked.ancestors, hooked.host.processes, &process_names());
        let announced = self
            .store()?
            .bound(that_may_be_bound(&above, hooked.host.processes))?;
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
