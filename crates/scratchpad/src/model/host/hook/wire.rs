//! Where to find what we need in the JSON that a host sends: a table of JSON pointers for each shape.

use serde_json::Value;

/// Pointers into a payload; an empty one means that the host does not send it.
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
    /// Why a tool call failed.
    pub(in crate::model::host) error: &'static str,
    /// The host's summary of a conversation that was compacted.
    pub(in crate::model::host) summary: &'static str,
    /// The id of the tool call, on hosts where it shows whether the model or a script called.
    pub(in crate::model::host) call: &'static str,
    pub(in crate::model::host) reply: &'static str,
    pub(in crate::model::host) transcript: &'static str,
    pub(in crate::model::host) original: &'static str,
    /// The seconds since the agent's last reply, in a resumed conversation.
    pub(in crate::model::host) replied_ago: &'static str,
    pub(in crate::model::host) sub_agent: SubAgent,
    /// The text of the first message of a model request.
    pub(in crate::model::host) first_message: &'static str,
}

/// How to recognise a sub-agent's event, and which session the sub-agent has.
#[derive(Debug)]
pub(in crate::model::host) enum SubAgent {
    /// Not at all, or not in calls of our tools: the session in the payload counts.
    NotNamed,
    /// By its id, which is its session.
    Id(&'static str),
    /// By its id within its parent's session.
    IdWithin(&'static str),
    /// By its parent's id. It has none of our tools, so its events are ignored.
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
