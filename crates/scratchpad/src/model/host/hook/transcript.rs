//! An agent's last reply and its time, from the end of a transcript.

use serde_json::Value;

/// The text of the last assistant message in the last lines of a transcript, whichever host wrote it.
pub fn last_reply(lines: &str) -> Option<String> {
    lines.lines().rev().find_map(|line| {
        let entry: Value = serde_json::from_str(line).ok()?;
        let message = match entry.get("type")?.as_str()? {
            // Copilot CLI
            "assistant.message" => entry.pointer("/data/content")?,
            // Claude Code, Qwen Code
            "assistant" => entry
                .pointer("/message/content")
                .or_else(|| entry.pointer("/message/parts"))?,
            // Codex
            "response_item" if entry.pointer("/payload/role")? == "assistant" => {
                entry.pointer("/payload/content")?
            }
            _ => return None,
        };
        let text = text_of(message);
        (!text.trim().is_empty()).then_some(text)
    })
}

/// The time of the last reply in the last lines of a Claude Code transcript.
pub fn last_reply_at(lines: &str) -> Option<String> {
    lines.lines().rev().find_map(|line| {
        let entry: Value = serde_json::from_str(line).ok()?;
        let is_reply = entry.get("type")?.as_str()? == "assistant";
        let at = entry.get("timestamp")?.as_str()?;
        is_reply.then(|| at.to_owned())
    })
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_found_in_each_transcript() {
        let transcripts = [
            r#"half a line","x":1}
{"type":"assistant.message","data":{"content":"old"}}
{"type":"assistant.message","data":{"content":"the reply","toolRequests":[]}}
{"type":"assistant.turn_end","data":{}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"the reply"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"x"}]}}
{"type":"user","message":{"content":"no"}}"#,
            r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"the reply"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"no"}]}}"#,
        ];
        for transcript in transcripts {
            assert_eq!(
                last_reply(transcript).as_deref(),
                Some("the reply"),
                "{transcript}"
            );
        }
        assert_eq!(last_reply("nothing"), None);
    }

    #[test]
    fn the_moment_of_the_last_words_is_that_of_the_assistant() {
        let lines = r#"half a line","timestamp":"2026-11-15T19:25:27.698Z"}
{"type":"assistant","message":{},"timestamp":"2026-11-15T19:25:28.638Z"}
{"type":"system","subtype":"stop_hook_summary","timestamp":"2026-11-15T19:25:28.760Z"}
{"type":"mode","mode":"normal"}"#;
        assert_eq!(
            last_reply_at(lines).as_deref(),
            Some("2026-11-15T19:25:28.638Z")
        );
        assert_eq!(last_reply_at(r#"{"type":"user"}"#), None);
    }
}
