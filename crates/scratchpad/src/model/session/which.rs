//! Which session a call is about: the one rule. [`SessionFinder`] gathers the facts for it.
//!
//! [`SessionFinder`]: crate::scratchpad::SessionFinder

use crate::model::error::Result;
use crate::model::id::SessionId;
use crate::model::text::message::message;

/// Everything that may name the session of a call; the order of the fields is the order of precedence.
#[derive(Clone, Debug, Default)]
pub struct SessionFacts {
    /// The call's own `session` argument.
    pub argument: Option<SessionId>,
    /// The session that a client named in a header of its request.
    pub header: Option<SessionId>,
    /// `--session`.
    pub flag: Option<String>,
    /// `SCRATCHPAD_SESSION`.
    pub environment: Option<String>,
    /// The session that the host named in the call's metadata.
    pub metadata: Option<String>,
    /// The session that the host's process announced through its hooks.
    pub announced: Option<SessionId>,
    /// The session that the connection took over from an earlier one.
    pub continued: Option<SessionId>,
    /// The host's own variable: its name and value.
    pub host_variable: Option<(&'static str, String)>,
    /// The session assigned to the connection when it was opened.
    pub connection: Option<SessionId>,
}

/// The variable with which a person chooses the session.
pub const VARIABLE: &str = "SCRATCHPAD_SESSION";

/// The session in a call's metadata; `value` looks up a key.
///
/// Codex gives a sub-agent its own thread within its parent's session. The last key is Goose's.
pub fn session_in_metadata(value: impl Fn(&str) -> Option<String>) -> Option<String> {
    ["threadId", "sessionId", "agent-session-id"]
        .into_iter()
        .find_map(value)
}

/// What named the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOrigin {
    /// The call's own argument.
    Argument,
    /// A header of the client's request.
    Header,
    /// `--session`.
    Flag,
    /// `SCRATCHPAD_SESSION`.
    Environment,
    /// The call's metadata.
    Metadata,
    /// The host's process, through its hooks.
    Announced,
    /// The connection, which took over an earlier session.
    Continued,
    /// The host's own variable.
    HostVariable(&'static str),
    /// The connection's own session.
    Connection,
}

impl SessionOrigin {
    /// Whether it takes precedence over what a host's process announced.
    pub fn precedes_announced(self) -> bool {
        self != Self::Announced && !self.may_change()
    }

    /// Whether the connection may take over another session: then nobody has chosen this one for its agent.
    pub fn may_change(self) -> bool {
        matches!(
            self,
            Self::Continued | Self::HostVariable(_) | Self::Connection
        )
    }
}

/// The session of a call: the first fact that is known; `None` if there is none.
///
/// An invalid id is an error if a person gave it. One from a host is skipped, because nobody chose it.
pub fn which_session(facts: &SessionFacts) -> Result<Option<(SessionId, SessionOrigin)>> {
    let ids = [
        (&facts.argument, SessionOrigin::Argument),
        (&facts.header, SessionOrigin::Header),
    ];
    for (id, origin) in ids {
        if let Some(id) = id {
            return Ok(Some((id.clone(), origin)));
        }
    }
    let given = [
        (&facts.flag, SessionOrigin::Flag, "--session"),
        (&facts.environment, SessionOrigin::Environment, VARIABLE),
    ];
    for (id, origin, place) in given {
        if let Some(id) = id {
            return SessionId::new(id.as_str())
                .map(|id| Some((id, origin)))
                .map_err(|error| error.hint(message!("it came from {place}.", place)));
        }
    }
    let valid = |id: &String| SessionId::new(id.as_str()).ok();
    // A host's process may run several conversations: the metadata of this call is more specific than what the
    // process announced.
    let metadata = || {
        let id = facts.metadata.as_ref().and_then(valid)?;
        Some((id, SessionOrigin::Metadata))
    };
    let announced = || Some((facts.announced.clone()?, SessionOrigin::Announced));
    let continued = || Some((facts.continued.clone()?, SessionOrigin::Continued));
    let host_variable = || {
        let (name, id) = facts.host_variable.as_ref()?;
        Some((valid(id)?, SessionOrigin::HostVariable(name)))
    };
    let connection = || Some((facts.connection.clone()?, SessionOrigin::Connection));
    Ok(metadata()
        .or_else(announced)
        .or_else(continued)
        .or_else(host_variable)
        .or_else(connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: &str) -> SessionId {
        SessionId::new(id).unwrap()
    }

    #[test]
    fn the_first_fact_that_is_known_wins() {
        type Forget = fn(&mut SessionFacts);
        let variable = SessionOrigin::HostVariable("CLAUDE_CODE_SESSION_ID");
        let expected: [(&str, SessionOrigin, Forget); 9] = [
            ("argument", SessionOrigin::Argument, |facts| {
                facts.argument = None;
            }),
            ("header", SessionOrigin::Header, |facts| facts.header = None),
            ("flag", SessionOrigin::Flag, |facts| facts.flag = None),
            ("environment", SessionOrigin::Environment, |facts| {
                facts.environment = None;
            }),
            ("metadata", SessionOrigin::Metadata, |facts| {
                facts.metadata = None;
            }),
            ("announced", SessionOrigin::Announced, |facts| {
                facts.announced = None;
            }),
            ("continued", SessionOrigin::Continued, |facts| {
                facts.continued = None;
            }),
            ("variable", variable, |facts| facts.host_variable = None),
            ("connection", SessionOrigin::Connection, |facts| {
                facts.connection = None;
            }),
        ];
        let mut facts = SessionFacts {
            argument: Some(id("argument")),
            header: Some(id("header")),
            flag: Some("flag".to_owned()),
            environment: Some("environment".to_owned()),
            metadata: Some("metadata".to_owned()),
            announced: Some(id("announced")),
            continued: Some(id("continued")),
            host_variable: Some(("CLAUDE_CODE_SESSION_ID", "variable".to_owned())),
            connection: Some(id("connection")),
        };
        for (name, origin, forget) in expected {
            assert_eq!(which_session(&facts).unwrap(), Some((id(name), origin)));
            forget(&mut facts);
        }
        assert_eq!(which_session(&facts).unwrap(), None);
    }

    #[test]
    fn an_invalid_id_from_a_person_is_an_error_and_one_from_a_host_is_skipped() {
        let mut facts = SessionFacts {
            environment: Some("a b".to_owned()),
            ..SessionFacts::default()
        };
        let error = which_session(&facts).unwrap_err();
        assert_eq!(
            error.next_step().map(ToString::to_string).as_deref(),
            Some("it came from SCRATCHPAD_SESSION.")
        );
        facts.environment = None;
        facts.host_variable = Some(("CLAUDE_CODE_SESSION_ID", "a b".to_owned()));
        facts.metadata = Some("a b".to_owned());
        assert_eq!(which_session(&facts).unwrap(), None);
    }

    #[test]
    fn a_sub_agents_thread_wins_over_its_parents_session() {
        let both = |key: &str| (key != "agent-session-id").then(|| key.to_owned());
        assert_eq!(session_in_metadata(both).as_deref(), Some("threadId"));
    }
}
