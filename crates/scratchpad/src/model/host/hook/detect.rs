//! Which host calls, where the command does not say: one plugin directory serves several.

use serde_json::Value;

/// Variables that a host sets for its hooks. Some set those of others too, so the order matters.
const SIGNS: [(&str, &str); 6] = [
    ("COPILOT_CLI", "copilot"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("QWEN_PROJECT_DIR", "qwen"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("OPENCODE", "opencode"),
    ("CLAUDECODE", "claude"),
];

/// The name of the host that sent this, by what is in its environment and in what it sent.
pub fn detect(is_set: &dyn Fn(&str) -> bool, payload: &Value) -> Option<&'static str> {
    let transcript = payload.get("transcript_path").and_then(Value::as_str);
    // Codex sets nothing of its own, and may run inside Claude Code.
    if payload.get("model").is_some_and(Value::is_string)
        && transcript
            .is_some_and(|path| path.contains("/sessions/") || path.contains("\\sessions\\"))
    {
        return Some("codex");
    }
    let mut signs = SIGNS.iter();
    let sign = signs.find(|(variable, _)| is_set(variable));
    sign.map(|(_, host)| *host)
        .or_else(|| payload.get("hookEventName").map(|_| "claude"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_host_is_known_by_what_only_it_says() {
        let codex =
            json!({"model": "m", "transcript_path": "/home/user/.codex/sessions/2026/x.jsonl"});
        let cases: [(&[&str], Value, Option<&str>); 6] = [
            (&["CLAUDECODE", "COPILOT_CLI"], json!({}), Some("copilot")),
            (
                &["CLAUDECODE", "GEMINI_SESSION_ID"],
                json!({}),
                Some("gemini"),
            ),
            (&["CLAUDECODE"], json!({"model": "m"}), Some("claude")),
            (&["CLAUDECODE"], codex, Some("codex")),
            (
                &[],
                json!({"hookEventName": "Stop", "sessionId": "s"}),
                Some("claude"),
            ),
            (&[], json!({}), None),
        ];
        for (set, payload, expected) in cases {
            assert_eq!(
                detect(&|name| set.contains(&name), &payload),
                expected,
                "{set:?}"
            );
        }
    }
}
