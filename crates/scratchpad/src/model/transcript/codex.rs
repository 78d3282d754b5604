//! Codex: `sessions/YEAR/MONTH/DAY/rollout-*.jsonl`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, from_value};

use super::claude::joined;
use super::{Content, Damaged, Event, ToolName, Usage, parsed};
use crate::model::output::cut::Cut;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    payload: Value,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    role: Cow<'a, str>,
    #[serde(default)]
    name: Cow<'a, str>,
    #[serde(default)]
    namespace: Option<Cow<'a, str>>,
    #[serde(default)]
    arguments: Option<Cow<'a, str>>,
    #[serde(default)]
    input: Option<Cow<'a, str>>,
    #[serde(default)]
    call_id: Cow<'a, str>,
    #[serde(default)]
    output: Content<'a, Text<'a>>,
    #[serde(default)]
    content: Content<'a, Text<'a>>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(default)]
    text: Option<Cow<'a, str>>,
}

/// Since 2026: one line for each answer of the model. Forks and sub-agents repeat their parent's.
#[derive(Deserialize)]
struct UsageRecord<'a> {
    #[serde(default)]
    response_id: Cow<'a, str>,
    usage: Tokens,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    #[serde(rename = "input_tokens")]
    input: u64,
    #[serde(rename = "output_tokens")]
    output: u64,
}

/// Before: the sums so far, and those of the last answer. It comes again at the end of a turn.
#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    last_token_usage: Tokens,
    #[serde(default)]
    total_token_usage: Tokens,
}

#[derive(Deserialize)]
struct Turn<'a> {
    #[serde(default)]
    model: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(default)]
    id: Cow<'a, str>,
}

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let line: Line<'a> = parsed(line)?;
    let payload = line.payload;
    match line.kind.as_ref() {
        "response_item" => {
            if let Ok(item) = from_value::<Item<'a>>(payload) {
                response(item, event);
            }
        }
        "token_usage_record" => {
            if let Ok(record) = from_value::<UsageRecord<'a>>(payload) {
                event(Event::Request(usage(record.response_id, &record.usage)));
            }
        }
        "event_msg" if payload.get("type") == Some(&Value::from("token_count")) => {
            if let Ok(counted) = from_value::<Counted>(payload)
                && let Some(info) = counted.info
                && info.last_token_usage.input > 0
            {
                // The sums tell a repetition from another answer of the same size.
                let sums = &info.total_token_usage;
                let id = format!("{OLD}{}-{}", sums.input, sums.output);
                event(Event::Request(usage(
                    Cow::Owned(id),
                    &info.last_token_usage,
                )));
            }
        }
        "turn_context" => {
            if let Ok(turn) = from_value::<Turn<'a>>(payload) {
                event(Event::Model(turn.model));
            }
        }
        "session_meta" => {
            if let Ok(meta) = from_value::<Meta<'a>>(payload) {
                event(Event::Conversation(meta.id));
            }
        }
        "compacted" => event(Event::Compaction),
        _ => {}
    }
    Ok(())
}

/// Begins the ids of requests that have none. Where a transcript has others, these say the same again.
pub(super) const OLD: &str = "sum-";

fn usage<'a>(id: Cow<'a, str>, tokens: &Tokens) -> Usage<'a> {
    Usage {
        id,
        model: Cow::Borrowed(""),
        // Those from the cache are among them.
        input: tokens.input,
        output: tokens.output,
    }
}

fn response<'a>(item: Item<'a>, event: &mut dyn FnMut(Event<'a>)) {
    match item.kind.as_ref() {
        "message" => {
            let text = text_of(item.content);
            event(if item.role == "assistant" {
                Event::Said(text)
            } else {
                Event::Added(text)
            });
        }
        "function_call" | "custom_tool_call" => {
            let server = item.namespace.unwrap_or_default();
            let server = match server.strip_prefix("mcp__") {
                Some(name) => Cow::Owned(name.to_owned()),
                None => server,
            };
            let tool = if server.is_empty() {
                // Older versions join server and tool.
                match item.name.split_once("__") {
                    Some((server, tool)) if !item.name.starts_with("mcp__") => {
                        ToolName::of(server.to_owned(), tool.to_owned())
                    }
                    _ => ToolName::joined(item.name),
                }
            } else {
                ToolName::of(server, item.name)
            };
            event(Event::Call {
                id: item.call_id,
                tool,
                written: item.arguments.or(item.input).unwrap_or_default(),
            });
        }
        "function_call_output" | "custom_tool_call_output" => {
            let text = text_of(item.output);
            event(Event::Result {
                id: item.call_id,
                tool: None,
                lost: lost(&text),
                text,
            });
        }
        _ => {}
    }
}

fn text_of<'a>(content: Content<'a, Text<'a>>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => text,
        Content::Parts(parts) => joined(parts.into_iter().filter_map(|part| part.text).collect()),
        Content::None | Content::Other(_) => Cow::Borrowed(""),
    }
}

/// Stands where the middle of a result was.
const MISSING: [(&str, u64); 2] = [(" chars truncated…", 1), (" tokens truncated…", 4)];

/// How many bytes are missing. Codex says it where they were, or at the start, in tokens of about four bytes.
fn lost(text: &str) -> u64 {
    for (mark, bytes) in MISSING {
        if let Some(at) = text.find(mark)
            && let Some(number) = text.get(..at).and_then(|before| before.rsplit('…').next())
            && let Ok(number) = number.parse::<u64>()
        {
            return number.saturating_mul(bytes);
        }
    }
    let cut = Cut::of(text.as_bytes());
    cut.map_or(0, |cut| {
        let whole = cut.tokens.saturating_mul(4);
        whole.saturating_sub(text.len() as u64)
    })
}
