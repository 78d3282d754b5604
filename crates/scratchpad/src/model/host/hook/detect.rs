//! Detects the calling host where the command does not name it: one plugin directory serves several.

use serde_json::Value;

use crate::model::host::{HOSTS, Host, by_rank, claude};

/// The host that sent this payload, by its environment and the payload.
pub fn detect(is_set: &dyn Fn(&str) -> bool, payload: &Value) -> Option<&'static Host> {
    let known_by_event = HOSTS.into_iter().find(|host| (host.signs.event)(payload));
    known_by_event
        .or_else(|| {
            let mut hosts = by_rank().into_iter();
            hosts.find(|host| host.signs.hooks.iter().any(|name| is_set(name)))
        })
        .or_else(|| claude::is_from_vs_code(payload).then_some(&claude::HOST))
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
                detect(&|name| set.contains(&name), &payload).map(|host| host.name),
                expected,
                "{set:?}"
            );
        }
    }
}
