//! Answers in the form of each host.

use serde_json::{Value, json};

/// The answer to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// Text for the agent.
    Context(String),
    /// What the summary of the conversation should take into account.
    Summary(String),
    /// A new first message of the request to the model.
    FirstMessage(String),
    /// The arguments of a call, with the session added.
    Arguments(Value),
    /// What the agent gets instead of a tool's result: the same shape with shorter texts, and those texts alone.
    Result {
        /// In the shape of the result.
        response: Value,
        /// As one text.
        text: String,
    },
}

/// An answer with a field of this name in `hookSpecificOutput`.
pub(in crate::model::host) fn nested(event: &str, key: &str, value: Value) -> Value {
    let mut inner = json!({"hookEventName": event});
    if let Some(fields) = inner.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
    json!({"hookSpecificOutput": inner})
}

/// Text for the agent, as Claude Code and those that took over its hooks want it.
pub(in crate::model::host) fn added_context(event: &str, text: &str) -> String {
    line(&nested(event, "additionalContext", Value::from(text)))
}

pub(in crate::model::host) fn line(answer: &Value) -> String {
    format!("{answer}\n")
}
