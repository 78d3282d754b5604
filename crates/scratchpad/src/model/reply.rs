//! The result of a tool call.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::error::Error;
use super::text::message::{Message, message};

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The text: in English for agents, in the user's language for people.
    pub message: Message,
    /// What there is to say about a text that is returned verbatim, such as its range.
    pub remark: Option<Message>,
    /// The same data for programs.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Reply {
    /// A reply to a call that succeeded.
    pub fn new(message: impl Into<Message>, structured: Value) -> Self {
        Self {
            message: message.into(),
            remark: None,
            structured: Some(structured),
            is_error: false,
        }
    }

    /// Adds a remark.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<Message>) -> Self {
        self.remark = Some(remark.into());
        self
    }

    /// Says what stands in place of secrets that were not stored.
    #[must_use]
    pub fn without_secrets(mut self, marks: &[String]) -> Self {
        if marks.is_empty() {
            return self;
        }
        let all = marks.join(", ");
        self.message = self.message.and(match marks {
            [_] => message!(
                "{all} stands in place of a secret, which is not stored; the rest is as given.",
                all
            ),
            _ => message!(
                "{all} stand in place of secrets, which are not stored; the rest is as given.",
                all
            ),
        });
        if let Some(Value::Object(fields)) = &mut self.structured {
            fields.insert("secrets".to_owned(), json!(marks));
        }
        self
    }

    /// The text for agents, in English.
    pub fn text(&self) -> Cow<'_, str> {
        self.message.english()
    }

    /// The texts for agents, in order.
    pub fn blocks(&self) -> impl Iterator<Item = Cow<'_, str>> {
        [Some(&self.message), self.remark.as_ref()]
            .into_iter()
            .flatten()
            .map(Message::english)
    }

    /// The reply as an MCP tool result.
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
        Self {
            message: error.explained("\n"),
            remark: None,
            structured: None,
            is_error: true,
        }
    }
}
