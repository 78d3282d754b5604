//! What a tool answers.

use serde_json::{Map, Value, json};

use super::error::Error;

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What the agent reads.
    pub text: String,
    /// What there is to say about a text that stands alone and exact.
    pub remark: Option<String>,
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
            remark: None,
            structured: Some(structured),
            is_error: false,
        }
    }

    /// The same reply with a remark beside its text.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Self {
        self.remark = Some(remark.into());
        self
    }

    /// The texts that the agent reads, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &str> {
        [Some(self.text.as_str()), self.remark.as_deref()]
            .into_iter()
            .flatten()
    }

    /// The reply as MCP gives it.
    pub fn to_json(&self) -> Value {
        let mut reply = Map::new();
        let content: Vec<Value> = self
            .blocks()
            .map(|text| json!({"type": "text", "text": text}))
            .collect();
        reply.insert("content".to_owned(), Value::Array(content));
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
            remark: None,
            structured: None,
            is_error: true,
        }
    }
}
