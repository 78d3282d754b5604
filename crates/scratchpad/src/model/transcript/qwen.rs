//! Qwen Code: `projects/PROJECT/chats/SESSION.jsonl`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::gemini::Answer;
use super::{Damaged, Event, ToolName, Usage, parsed};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uuid: Cow<'a, str>,
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(rename = "usageMetadata", default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(default)]
    text: Option<String>,
    #[serde(rename = "functionCall", borrow, default)]
    call: Option<Call<'a>>,
    #[serde(rename = "functionResponse", default)]
    response: Option<Answer>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(default)]
    args: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    /// With those from the cache.
    #[serde(rename = "promptTokenCount")]
    prompt: u64,
    #[serde(rename = "candidatesTokenCount")]
    answer: u64,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: u64,
}

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let line: Line<'a> = parsed(line)?;
    if line.subtype.as_deref() == Some("chat_compression") {
        event(Event::Compaction);
    }
    if let Some(used) = line.usage {
        event(Event::Request(Usage {
            id: line.uuid,
            model: line.model,
            input: used.prompt,
            output: used.answer.saturating_add(used.thoughts),
        }));
    }
    let is_assistant = line.kind == "assistant";
    for part in line.message.map(|it| it.parts).unwrap_or_default() {
        if let Some(text) = part.text {
            let text = Cow::Owned(text);
            event(if is_assistant {
                Event::Said(text)
            } else {
                Event::Added(text)
            });
        }
        if let Some(call) = part.call {
            event(Event::Call {
                id: call.id,
                tool: ToolName::joined(call.name),
                written: Cow::Owned(call.args.to_string()),
            });
        }
        if let Some(answer) = part.response {
            let text = answer.text();
            event(Event::Result {
                tool: Some(ToolName::joined(Cow::Owned(answer.name))),
                id: Cow::Owned(answer.id),
                lost: lost(&text),
                text: Cow::Owned(text),
            });
        }
    }
    Ok(())
}

/// Begins the preview of a result that was too large.
const STUB: &str = "<persisted-output>";

/// How much is missing is said in kilobytes: `Output too large (293.0KB)`.
fn lost(text: &str) -> u64 {
    let size = text
        .strip_prefix(STUB)
        .and_then(|rest| rest.split_once('(')?.1.split_once("KB"));
    let kilobytes = size.and_then(|(size, _)| size.trim().parse::<f64>().ok());
    let whole = kilobytes.filter(|size| (0.0..1e9).contains(size));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within these bounds"
    )]
    whole.map_or(0, |size| {
        ((size * 1024.0) as u64).saturating_sub(text.len() as u64)
    })
}
