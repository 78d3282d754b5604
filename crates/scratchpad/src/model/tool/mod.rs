//! Tools as agents see them: a name, a description, a schema; a call, a reply.

pub mod guidance;
pub mod prompts;
pub mod surface;
pub mod xml;

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
    /// The JSON Schema of the data in its replies; few hosts want it, and it costs window.
    pub output_schema: Value,
    /// What it works on.
    pub group: Group,
    /// What a call does to what is kept.
    pub effect: Effect,
}

/// What a tool works on: tools are offered by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The pad.
    Pad,
    /// Notes.
    Notes,
    /// Outputs.
    Outputs,
}

impl Group {
    /// All groups, in the order their tools are listed.
    pub const ALL: [Self; 3] = [Self::Pad, Self::Notes, Self::Outputs];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pad => "pad",
            Self::Notes => "notes",
            Self::Outputs => "outputs",
        }
    }
}

/// What a call of a tool does to what is kept. Hosts ask the person before they let some of it happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It adds, and what was there can be had back: each write of the pad is a revision.
    Adds,
    /// What was there is gone; the same call again changes nothing more.
    Replaces,
    /// One of the above, as its arguments say.
    Depends,
}

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
