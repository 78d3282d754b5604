//! Copilot CLI: `session-state/SESSION/events.jsonl`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{Damaged, Event, ToolName, Usage, parsed};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(default)]
    tool_call_id: Cow<'a, str>,
    #[serde(default)]
    tool_name: Cow<'a, str>,
    #[serde(default)]
    mcp_server_name: Option<Cow<'a, str>>,
    #[serde(default)]
    mcp_tool_name: Option<Cow<'a, str>>,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    transformed_content: Option<String>,
    #[serde(default)]
    result: Option<Outcome>,
    #[serde(default)]
    tool_telemetry: Option<Telemetry>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    session_id: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    content: Option<String>,
}

#[derive(Deserialize)]
struct Telemetry {
    #[serde(default)]
    metrics: Metrics,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metrics {
    /// Above zero if the result was cut.
    large_output_original_token_estimate: f64,
    mcp_result_content_bytes: u64,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Tokens {
    model: String,
    /// With those from the cache.
    #[serde(rename = "inputTokens")]
    input: u64,
    #[serde(rename = "outputTokens")]
    output: u64,
    api_call_id: String,
}

/// The host's estimate has about this many bytes for a token.
const BYTES_A_TOKEN: f64 = 4.0;

impl Metrics {
    /// The size of a result that was cut; 0 if none was.
    fn whole(&self) -> u64 {
        let estimate = self.large_output_original_token_estimate;
        if estimate <= 0.0 {
            return 0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts of floats saturate"
        )]
        match self.mcp_result_content_bytes {
            0 => (estimate * BYTES_A_TOKEN) as u64,
            bytes => bytes,
        }
    }
}

pub(super) fn read<'a>(line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
    let line: Line<'a> = parsed(line)?;
    let Ok(data) = serde_json::from_value::<Data<'a>>(line.data) else {
        return Ok(());
    };
    match line.kind.as_ref() {
        "session.start" => event(Event::Conversation(data.session_id)),
        "session.usage_record" => {
            if let Some(used) = data.usage {
                event(Event::Request(Usage {
                    id: Cow::Owned(used.api_call_id),
                    model: Cow::Owned(used.model),
                    input: used.input,
                    output: used.output,
                }));
            }
        }
        "user.message" | "system.message" => {
            if let Some(text) = data.transformed_content.or(data.content) {
                event(Event::Added(Cow::Owned(text)));
            }
        }
        "assistant.message" => {
            if let Some(text) = data.content.filter(|text| !text.is_empty()) {
                event(Event::Said(Cow::Owned(text)));
            }
        }
        "tool.execution_start" => {
            let tool = match (data.mcp_server_name, data.mcp_tool_name) {
                (Some(server), Some(tool)) => ToolName::of(server, tool),
                _ => ToolName::own(data.tool_name),
            };
            event(Event::Call {
                id: data.tool_call_id,
                tool,
                written: Cow::Owned(data.arguments.to_string()),
            });
        }
        "tool.execution_complete" => {
            let text = data.result.and_then(|it| it.content).unwrap_or_default();
            let metrics = data.tool_telemetry.map(|it| it.metrics).unwrap_or_default();
            let lost = metrics.whole().saturating_sub(text.len() as u64);
            event(Event::Result {
                id: data.tool_call_id,
                tool: None,
                text: Cow::Owned(text),
                lost,
            });
        }
        "session.compaction_complete" => event(Event::Compaction),
        _ => {}
    }
    Ok(())
}
