//! Answers in the form of each host.

use serde_json::{Value, json};

/// How a host wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `hookSpecificOutput`; plain text before a compaction.
    Claude,
    /// The same, but an unknown field voids the answer, and nothing is heard before a compaction.
    Codex,
    /// JSON and nothing else; a request to the model may be rewritten.
    Gemini,
    /// `hookSpecificOutput`.
    Qwen,
    /// Fields at the top.
    Copilot,
    /// `contextModification`.
    Cline,
    /// What our own plugin reads.
    OpenCode,
}

/// What we say to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// Text for the agent.
    Context(String),
    /// What the summary of the conversation should heed.
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

impl Form {
    /// The bytes for stdout.
    pub fn write(self, event: &str, answer: &Answer) -> String {
        let nested = |key: &str, value: Value| {
            let mut inner = json!({"hookEventName": event});
            if let Some(fields) = inner.as_object_mut() {
                fields.insert(key.to_owned(), value);
            }
            json!({"hookSpecificOutput": inner})
        };
        let answer = match (self, answer) {
            // Its text goes into the prompt for the summary as it is: here even `{}` would be said.
            (Self::Claude, Answer::Nothing) => return String::new(),
            (Self::Claude, Answer::Summary(text)) => return format!("{text}\n"),
            (Self::Cline, Answer::Context(text)) => {
                json!({"cancel": false, "contextModification": text})
            }
            (Self::Cline, _) => json!({"cancel": false}),
            (Self::Copilot, Answer::Context(text)) => json!({"additionalContext": text}),
            (Self::OpenCode, Answer::Context(text) | Answer::Summary(text)) => {
                json!({"context": text})
            }
            (_, Answer::Context(text)) => nested("additionalContext", Value::from(text.as_str())),
            (Self::Gemini, Answer::FirstMessage(text)) => nested(
                "llm_request",
                json!({"messages": [{"role": "user", "content": text}]}),
            ),
            // Without a word about permission: that stays the person's.
            (Self::Claude, Answer::Arguments(arguments)) => {
                nested("updatedInput", arguments.clone())
            }
            (Self::Copilot, Answer::Arguments(arguments)) => json!({"modifiedArgs": arguments}),
            (Self::Claude, Answer::Result { response, .. }) => {
                nested("updatedToolOutput", response.clone())
            }
            (Self::Codex, Answer::Result { text, .. }) => {
                json!({"decision": "block", "reason": text})
            }
            (Self::Gemini, Answer::Result { text, .. }) => {
                json!({"decision": "deny", "reason": text})
            }
            (Self::Copilot, Answer::Result { text, .. }) => {
                json!({"modifiedResult": {"resultType": "success", "textResultForLlm": text}})
            }
            (Self::OpenCode, Answer::Result { response, .. }) => json!({"output": response}),
            (
                _,
                Answer::Nothing
                | Answer::Summary(_)
                | Answer::FirstMessage(_)
                | Answer::Arguments(_),
            )
            | (Self::Qwen, Answer::Result { .. }) => json!({}),
        };
        format!("{answer}\n")
    }
}
