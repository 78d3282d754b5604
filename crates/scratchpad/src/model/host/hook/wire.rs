//! Where a host puts what we need in the JSON that it sends: a table of JSON pointers for each shape.

use serde_json::Value;

/// Pointers into a payload; an empty one means that the host does not say.
#[derive(Debug)]
pub(in crate::model::host) struct Wire {
    pub(in crate::model::host) event: &'static str,
    pub(in crate::model::host) session: &'static str,
    pub(in crate::model::host) directory: &'static str,
    pub(in crate::model::host) source: &'static str,
    pub(in crate::model::host) prompt: &'static str,
    pub(in crate::model::host) tool: &'static str,
    pub(in crate::model::host) input: &'static str,
    pub(in crate::model::host) response: &'static str,
    /// The id of the tool's call, where it tells who called.
    pub(in crate::model::host) call: &'static str,
    pub(in crate::model::host) reply: &'static str,
    pub(in crate::model::host) transcript: &'static str,
    pub(in crate::model::host) original: &'static str,
    /// How many seconds ago the agent last replied, in a conversation that goes on.
    pub(in crate::model::host) replied_ago: &'static str,
    pub(in crate::model::host) sub_agent: SubAgent,
    /// The text of the first message of a model request.
    pub(in crate::model::host) first_message: &'static str,
}

/// How a host tells that an event is a sub-agent's, and which session that has.
#[derive(Debug)]
pub(in crate::model::host) enum SubAgent {
    /// It does not, or not where a call of ours is made: what counts is the session that is named.
    NotNamed,
    /// By an id, which is its session.
    Id(&'static str),
    /// By an id within the session of who started it.
    IdWithin(&'static str),
    /// By who started it. It has no tools of ours, so nothing that happens to it concerns us.
    WithoutTools(&'static str),
}

impl Wire {
    /// The text at a pointer, unless it is empty.
    pub(in crate::model::host) fn text<'a>(payload: &'a Value, pointer: &str) -> Option<&'a str> {
        Self::value(payload, pointer)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    pub(in crate::model::host) fn value<'a>(
        payload: &'a Value,
        pointer: &str,
    ) -> Option<&'a Value> {
        if pointer.is_empty() {
            return None;
        }
        payload.pointer(pointer)
    }
}
