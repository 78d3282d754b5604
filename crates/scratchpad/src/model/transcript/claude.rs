//! Claude Code: `projects/PROJECT/SESSION.jsonl`, and those of sub-agents below.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{Damaged, Event, ToolName, Usage, parsed};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    attachment: Option<Attachment<'a>>,
    #[serde(default)]
    shape: Option<Shape>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    usage: Option<Tokens>,
}

/// Each line of one answer repeats its usage, which grows.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    #[serde(rename = "input_tokens")]
    input: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    to_cache: u64,
    #[serde(rename = "cache_read_input_tokens")]
    from_cache: u64,
    #[serde(rename = "output_tokens")]
    output: u64,
}

#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize)]
struct Shape {
    #[serde(default)]
    tools: Vec<Value>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: Option<Cow<'a, str>>,
    #[serde(default)]
    id: Cow<'a, str>,
    #[serde(default)]
    name: Cow<'a, str>,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    tool_use_id: Cow<'a, str>,
    #[serde(default)]
    content: Value,
}

/// Begins what stands in for a result that was too large.
const STUB: &str = "Error: result (";

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let line: Line<'a> = parsed(line)?;
    match line.kind.as_ref() {
        "assistant" => {
            if let Some(message) = line.message {
                assistant(message, event);
            }
        }
        "user" => {
            if let Some(message) = line.message {
                user(message.content, event);
            }
        }
        "system" if line.subtype.as_deref() == Some("compact_boundary") => {
            event(Event::Compaction);
        }
        "attachment" => {
            let attachment = line.attachment;
            let put_in = attachment.filter(|it| it.kind == "hook_additional_context");
            let content = put_in.map(|it| it.content).unwrap_or_default();
            for text in texts(content) {
                event(Event::Added(text));
            }
        }
        "api-request-shape" => {
            if let Some(Shape { tools }) = line.shape {
                event(Event::Listed {
                    tools: tools.len(),
                    text: Cow::Owned(Value::from(tools).to_string()),
                });
            }
        }
        _ => {}
    }
    Ok(())
}

fn assistant<'a>(message: Message<'a>, event: &mut dyn FnMut(Event<'a>)) {
    if let Some(used) = message.usage.filter(|_| message.model != "<synthetic>") {
        event(Event::Request(Usage {
            id: message.id,
            model: message.model,
            input: used
                .input
                .saturating_add(used.to_cache)
                .saturating_add(used.from_cache),
            output: used.output,
        }));
    }
    for block in blocks(message.content) {
        match (block.kind.as_ref(), block.text) {
            ("text", Some(text)) => event(Event::Said(text)),
            ("tool_use", _) => event(Event::Call {
                id: block.id,
                tool: ToolName::joined(block.name),
                written: Cow::Owned(block.input.to_string()),
            }),
            _ => {}
        }
    }
}

fn user<'a>(content: Value, event: &mut dyn FnMut(Event<'a>)) {
    if let Value::String(text) = content {
        event(Event::Added(Cow::Owned(text)));
        return;
    }
    for block in blocks(content) {
        match (block.kind.as_ref(), block.text) {
            ("tool_result", _) => {
                let text = joined(texts(block.content));
                event(Event::Result {
                    id: block.tool_use_id,
                    tool: None,
                    lost: lost(&text),
                    text,
                });
            }
            ("text", Some(text)) => event(Event::Added(text)),
            _ => {}
        }
    }
}

fn blocks<'a>(content: Value) -> impl Iterator<Item = Block<'a>> {
    let Value::Array(blocks) = content else {
        return Vec::new().into_iter().filter_map(block as fn(Value) -> _);
    };
    blocks.into_iter().filter_map(block as fn(Value) -> _)
}

fn block<'a>(block: Value) -> Option<Block<'a>> {
    serde_json::from_value(block).ok()
}

/// The texts of a result: one, or those of its blocks.
fn texts<'a>(content: Value) -> Vec<Cow<'a, str>> {
    match content {
        Value::String(text) => vec![Cow::Owned(text)],
        Value::Array(blocks) => blocks.into_iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

fn text<'a>(block: Value) -> Option<Cow<'a, str>> {
    let text = match block {
        Value::Object(mut block) => block.remove("text")?,
        bare => bare,
    };
    match text {
        Value::String(text) => Some(Cow::Owned(text)),
        _ => None,
    }
}

/// The texts below each other.
pub(super) fn joined(texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    let mut texts = texts;
    match texts.len() {
        0 => Cow::Borrowed(""),
        1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}

/// How much of a result is missing, by the stub that stands in for it.
fn lost(text: &str) -> u64 {
    let size = text
        .strip_prefix(STUB)
        .and_then(|rest| rest.split_once(' '))
        .map(|(size, _)| size.replace([',', '.'], ""));
    let size = size.and_then(|size| size.parse::<u64>().ok()).unwrap_or(0);
    size.saturating_sub(text.len() as u64)
}
