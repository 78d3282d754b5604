//! Events around a compaction, recorded from real hosts, to be replayed.

use serde::Deserialize;
use serde_json::Value;

use super::wire::Wire;
use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::id::SessionId;
use crate::model::text::message::message;

/// A recorded event.
#[derive(Debug, Deserialize)]
pub struct RecordedEvent {
    host: String,
    pub event: String,
    pub stdin: Value,
}

/// For each recorded host: an event before a compaction, and the first after it that its hooks handle.
const COMPACTIONS: &str = include_str!("compactions.jsonl");

/// Whether events around a compaction of this host are recorded, so that one can be replayed.
pub fn has_recorded_compaction(host: &Host) -> bool {
    recorded().is_ok_and(|events| events.iter().any(|it| it.host == host.name))
}

fn recorded() -> Result<Vec<RecordedEvent>> {
    let broken = |error: serde_json::Error| {
        Error::store(message!(
            "A recorded event: {error}.",
            error = error.to_string()
        ))
    };
    let lines = COMPACTIONS.lines();
    lines
        .map(|line| serde_json::from_str(line).map_err(broken))
        .collect()
}

/// The recorded events of this host, as if they happened in this directory; and their session.
pub fn recorded_compaction(
    host: &Host,
    directory: &str,
) -> Result<(Vec<RecordedEvent>, SessionId)> {
    let mut events = recorded()?;
    let mut others: Vec<&str> = events.iter().map(|it| it.host.as_str()).collect();
    others.dedup();
    let hint = message!("those that do: {hosts}.", hosts = others.join(", "));
    events.retain(|it| it.host == host.name);
    let mut session = None;
    for event in &mut events {
        for wire in host.hooks.wires {
            let id = Wire::text(&event.stdin, wire.session).map(str::to_owned);
            session = session.or(id);
            if let Some(field) = event.stdin.pointer_mut(wire.directory) {
                *field = Value::from(directory);
            }
        }
    }
    let Some(session) = session else {
        let reason = message!(
            "{host} sends no events around a compaction.",
            host = host.title
        );
        return Err(Error::usage(reason).hint(hint));
    };
    Ok((events, SessionId::new(session)?))
}
