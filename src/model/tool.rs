//! Tools as agents see them: a name, a description, a schema; a call, a reply.

use serde_json::{Map, Value, json};

use super::error::Error;

/// What an agent is told about one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name to call it by.
    pub name: &'static str,
    /// What it is for, in few words.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What the agent reads.
    pub text: String,
    /// The same for programs.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Reply {
    /// A reply that says what went well.
    pub fn new(text: impl Into<String>, structured: Value) -> Self {
        Self {
            text: text.into(),
            structured: Some(structured),
            is_error: false,
        }
    }

    /// The reply as MCP gives it.
    pub fn to_json(&self) -> Value {
        let mut reply = Map::new();
        reply.insert(
            "content".to_owned(),
            json!([{"type": "text", "text": self.text}]),
        );
        if let Some(structured) = &self.structured {
            reply.insert("structuredContent".to_owned(), structured.clone());
        }
        reply.insert("isError".to_owned(), Value::Bool(self.is_error));
        Value::Object(reply)
    }
}

impl From<Error> for Reply {
    fn from(error: Error) -> Self {
        let text = match error.next_step() {
            Some(hint) => format!("{error}\nHint: {hint}"),
            None => error.to_string(),
        };
        Self {
            text,
            structured: None,
            is_error: true,
        }
    }
}
