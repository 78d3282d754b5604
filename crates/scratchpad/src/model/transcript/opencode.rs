//! `OpenCode`: rows of `message` and `part` in `opencode.db`, or the same as files in `storage`, each as a line of JSON.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{Damaged, Event, ToolName, Usage, parsed};

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(rename = "sessionID", borrow, default)]
    session: Cow<'a, str>,
    #[serde(rename = "modelID", borrow, default)]
    model: Cow<'a, str>,
    #[serde(default)]
    tokens: Option<Tokens>,
    #[serde(default)]
    text: Option<String>,
    #[serde(rename = "callID", borrow, default)]
    call: Cow<'a, str>,
    #[serde(borrow, default)]
    tool: Cow<'a, str>,
    #[serde(default)]
    state: Option<State>,
}

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    input: Value,
    #[serde(default)]
    output: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    input: u64,
    output: u64,
    reasoning: u64,
    cache: Cache,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cache {
    read: u64,
    write: u64,
}

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let row: Row<'a> = parsed(line)?;
    if !row.session.is_empty() {
        event(Event::Conversation(row.session));
    }
    match (row.kind.as_ref(), row.role.as_ref()) {
        (_, "assistant") => {
            let used = row.tokens.unwrap_or_default();
            event(Event::Request(Usage {
                id: row.id,
                model: row.model,
                input: used
                    .input
                    .saturating_add(used.cache.read)
                    .saturating_add(used.cache.write),
                output: used.output.saturating_add(used.reasoning),
            }));
        }
        ("text", _) => event(Event::Said(Cow::Owned(row.text.unwrap_or_default()))),
        ("tool", _) => {
            let Some(state) = row.state else {
                return Ok(());
            };
            let tool = ToolName::own(row.tool);
            event(Event::Call {
                id: row.call.clone(),
                tool: tool.clone(),
                written: Cow::Owned(state.input.to_string()),
            });
            if let Some(text) = state.output {
                event(Event::Result {
                    id: row.call,
                    tool: Some(tool),
                    text: Cow::Owned(text),
                    lost: 0,
                });
            }
        }
        ("compaction", _) => event(Event::Compaction),
        _ => {}
    }
    Ok(())
}
