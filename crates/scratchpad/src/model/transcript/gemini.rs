//! Gemini CLI: `tmp/PROJECT/chats/session-*.jsonl`. Before: one JSON of the whole conversation in `session-*.json`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{Damaged, Event, ToolName, Usage, parsed};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(rename = "sessionId", borrow, default)]
    session: Option<Cow<'a, str>>,
    #[serde(rename = "$set", borrow, default)]
    set: Option<Whole<'a>>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
}

/// One is written again under its id when its calls are answered.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tokens: Option<Tokens>,
    #[serde(rename = "toolCalls", borrow, default)]
    calls: Vec<Call<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    /// With those from the cache.
    input: u64,
    output: u64,
    thoughts: u64,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    result: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(rename = "functionResponse", default)]
    response: Option<Answer>,
}

#[derive(Deserialize)]
pub(super) struct Answer {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) response: Value,
}

impl Answer {
    /// What the model is given.
    pub(super) fn text(&self) -> String {
        let output = self.response.get("output").or(self.response.get("error"));
        match output.and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None if self.response.is_null() => String::new(),
            None => self.response.to_string(),
        }
    }
}

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let text = line;
    let _: serde::de::IgnoredAny = parsed(text)?;
    let line: Line<'a> = match parsed(text) {
        Ok(line) => line,
        // JSON, but of another kind.
        Err(Damaged) => return Ok(()),
    };
    if let Some(session) = line.session {
        event(Event::Conversation(session));
    }
    let set = line.set.map(|set| set.messages).unwrap_or_default();
    for message in set.into_iter().chain(line.messages) {
        self::message(message, event);
    }
    if !line.kind.is_empty()
        && let Ok(message) = parsed(text)
    {
        self::message(message, event);
    }
    Ok(())
}

fn message<'a>(message: Message<'a>, event: &mut dyn FnMut(Event<'a>)) {
    let texts: Vec<String> = texts(message.content);
    match message.kind.as_ref() {
        "user" => {
            for text in texts {
                event(Event::Added(Cow::Owned(text)));
            }
        }
        "gemini" => {
            if let Some(used) = message.tokens {
                event(Event::Request(Usage {
                    id: message.id,
                    model: message.model,
                    input: used.input,
                    output: used.output.saturating_add(used.thoughts),
                }));
            }
            for text in texts {
                event(Event::Said(Cow::Owned(text)));
            }
            for call in message.calls {
                let tool = tool_name(&call.name);
                let id = call.id;
                event(Event::Call {
                    id: id.clone(),
                    tool: tool.clone(),
                    written: Cow::Owned(call.args.to_string()),
                });
                for answer in call.result.into_iter().filter_map(|part| part.response) {
                    event(Event::Result {
                        id: id.clone(),
                        tool: Some(tool.clone()),
                        text: Cow::Owned(answer.text()),
                        lost: 0,
                    });
                }
            }
        }
        _ => {}
    }
}

/// `mcp_SERVER_TOOL`, where the server's name may not have an underscore.
fn tool_name(name: &str) -> ToolName<'static> {
    let parts = name.strip_prefix("mcp_").and_then(|it| it.split_once('_'));
    match parts {
        Some((server, tool)) => ToolName::of(server.to_owned(), tool.to_owned()),
        None => ToolName::own(name.to_owned()),
    }
}

/// The texts of a content. Results that a person's message repeats stand with their calls already.
fn texts(content: Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .into_iter()
            .filter_map(|part| serde_json::from_value::<Part>(part).ok()?.text)
            .collect(),
        _ => Vec::new(),
    }
}
