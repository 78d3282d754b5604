//! Which session a call is about: one rule over facts that the edges gather.

use crate::model::error::Result;
use crate::model::id::SessionId;

/// Everything that may tell the session, as found; the order of the fields is the order of trust.
#[derive(Clone, Debug, Default)]
pub struct SessionFacts {
    /// The call's own `session` argument.
    pub call: Option<String>,
    /// `--session`.
    pub flag: Option<String>,
    /// `SCRATCHPAD_SESSION`.
    pub environment: Option<String>,
    /// The session that the host named beside the call, in its metadata.
    pub host_call: Option<String>,
    /// The session that this host process announced through its `SessionStart` hook.
    pub bound: Option<SessionId>,
    /// The host's own variable: its name and value.
    pub host_variable: Option<(&'static str, String)>,
}

impl SessionFacts {
    /// The same facts, and what the host says beside a call, in its metadata, as Codex does.
    #[must_use]
    pub fn beside_call(&self, said: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            // Codex gives a sub-agent a thread of its own within the session of who started it.
            // The last is Goose's.
            host_call: said("threadId")
                .or_else(|| said("sessionId"))
                .or_else(|| said("agent-session-id")),
            ..self.clone()
        }
    }
}

/// Who asks: it decides what happens when nobody named a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A person or a script on the command line.
    CommandLine,
    /// The MCP server of one agent.
    Server,
}

/// What told the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOrigin {
    /// The call's own argument.
    Call,
    /// `--session`.
    Flag,
    /// `SCRATCHPAD_SESSION`.
    Environment,
    /// The host named it beside the call.
    HostCall,
    /// The host process announced it.
    Bound,
    /// The host's own variable.
    HostVariable(&'static str),
}

impl SessionOrigin {
    /// Whether it is trusted more than what the host process announced.
    pub fn goes_before_binding(self) -> bool {
        !matches!(self, Self::Bound | Self::HostVariable(_))
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This one.
    Named(SessionId, SessionOrigin),
    /// Nobody named one: the project's newest, if it has any.
    NewestOfProject,
    /// Nobody named one: a new one. Two agents must never share a pad by accident.
    New,
}

/// Chooses the session: the first that is known.
///
/// An id that a person or an agent gave and that can't be one is an error; what a host says
/// and can't be one is passed over, because nobody chose it.
pub fn resolve(facts: &SessionFacts, asker: Asker) -> Result<Choice> {
    let given = [
        (&facts.call, SessionOrigin::Call, "the `session` argument"),
        (&facts.flag, SessionOrigin::Flag, "--session"),
        (
            &facts.environment,
            SessionOrigin::Environment,
            "SCRATCHPAD_SESSION",
        ),
    ];
    for (id, origin, place) in given {
        if let Some(id) = id {
            return SessionId::new(id.as_str())
                .map(|id| Choice::Named(id, origin))
                .map_err(|error| error.hint(format!("it came from {place}.")));
        }
    }
    // One process of a host may hold several conversations: what it says of this call goes before
    // what it said of itself.
    if let Some(id) = &facts.host_call
        && let Ok(id) = SessionId::new(id.as_str())
    {
        return Ok(Choice::Named(id, SessionOrigin::HostCall));
    }
    if let Some(bound) = &facts.bound {
        return Ok(Choice::Named(bound.clone(), SessionOrigin::Bound));
    }
    if let Some((name, id)) = &facts.host_variable
        && let Ok(id) = SessionId::new(id.as_str())
    {
        return Ok(Choice::Named(id, SessionOrigin::HostVariable(name)));
    }
    Ok(match asker {
        Asker::CommandLine => Choice::NewestOfProject,
        Asker::Server => Choice::New,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> SessionFacts {
        SessionFacts {
            call: Some("call".to_owned()),
            flag: Some("flag".to_owned()),
            environment: Some("environment".to_owned()),
            host_call: Some("host-call".to_owned()),
            bound: SessionId::new("bound").ok(),
            host_variable: Some(("CLAUDE_CODE_SESSION_ID", "host".to_owned())),
        }
    }

    #[test]
    fn the_first_that_is_known_wins() {
        type Forget = fn(&mut SessionFacts);
        let forget: [Forget; 6] = [
            |facts| facts.call = None,
            |facts| facts.flag = None,
            |facts| facts.environment = None,
            |facts| facts.host_call = None,
            |facts| facts.bound = None,
            |facts| facts.host_variable = None,
        ];
        let expected = [
            ("call", SessionOrigin::Call),
            ("flag", SessionOrigin::Flag),
            ("environment", SessionOrigin::Environment),
            ("host-call", SessionOrigin::HostCall),
            ("bound", SessionOrigin::Bound),
            (
                "host",
                SessionOrigin::HostVariable("CLAUDE_CODE_SESSION_ID"),
            ),
        ];
        let mut facts = all();
        for ((id, origin), forget) in expected.into_iter().zip(forget) {
            for asker in [Asker::CommandLine, Asker::Server] {
                assert_eq!(
                    resolve(&facts, asker).unwrap(),
                    Choice::Named(SessionId::new(id).unwrap(), origin)
                );
            }
            forget(&mut facts);
        }
        assert_eq!(
            resolve(&facts, Asker::CommandLine).unwrap(),
            Choice::NewestOfProject
        );
        assert_eq!(resolve(&facts, Asker::Server).unwrap(), Choice::New);
    }

    #[test]
    fn a_bad_id_that_somebody_gave_is_an_error_and_a_hosts_is_passed_over() {
        let mut facts = SessionFacts {
            environment: Some("a b".to_owned()),
            ..SessionFacts::default()
        };
        let error = resolve(&facts, Asker::Server).unwrap_err();
        assert_eq!(error.next_step(), Some("it came from SCRATCHPAD_SESSION."));
        facts.environment = None;
        facts.host_variable = Some(("CLAUDE_CODE_SESSION_ID", "a b".to_owned()));
        assert_eq!(resolve(&facts, Asker::Server).unwrap(), Choice::New);
        facts.host_call = Some("a b".to_owned());
        assert_eq!(resolve(&facts, Asker::Server).unwrap(), Choice::New);
    }
}
