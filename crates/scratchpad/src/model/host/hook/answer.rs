//! Answers, in the form that each host expects.

use serde_json::{Value, json};

/// The answer to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Nothing,
    /// Text for the agent.
    Context(String),
    /// Instructions for the summary of the conversation.
    Summary(String),
    /// A new first message of the request to the model.
    FirstMessage(String),
    /// The arguments of a call, with the session added.
    Arguments(Value),
    /// What replaces a tool result: the same shape with shorter texts, and the texts alone.
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

/// Text for the agent, in the form of Claude Code and of hosts with compatible hooks.
pub(in crate::model::host) fn added_context(event: &str, text: &str) -> String {
    line(&nested(event, "additionalContext", Value::from(text)))
}

pub(in crate::model::host) fn line(answer: &Value) -> String {
    format!("{answer}\n")
}
