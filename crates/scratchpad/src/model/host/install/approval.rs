//! Whether the person approved our hooks. Codex runs no others.

use serde_json::{Value, json};

use super::content::is_ours;
use crate::model::error::Result;
use crate::model::host::wrap::{Format, get};
use crate::model::text::hash::sha256_hex;

/// How many of our hooks are approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookApproval {
    /// Approved in their current form.
    pub approved: usize,
    /// Not approved, or approved in another form.
    pub open: usize,
    /// Disabled by the person.
    pub off: usize,
}

/// Compares our hooks in Codex's `hooks.json` with the approvals in its `config.toml`.
///
/// `paths` are the possible names of `hooks.json`: its path as given, and with links resolved.
pub fn codex_approval(hooks: &str, paths: &[String], config: &str) -> Result<HookApproval> {
    let mut found = HookApproval::default();
    let events = get(hooks, Format::Json, &["hooks"])?;
    for (event, groups) in events.iter().filter_map(Value::as_object).flatten() {
        let event = snake_case(event);
        for (group_index, group) in items(groups).enumerate() {
            let handlers = group.get("hooks").unwrap_or(&Value::Null);
            for (index, handler) in items(handlers).enumerate() {
                if !is_ours(handler) {
                    continue;
                }
                let state = paths.iter().find_map(|path| {
                    let key = format!("{path}:{event}:{group_index}:{index}");
                    get(config, Format::Toml, &["hooks", "state", &key])
                        .ok()
                        .flatten()
                });
                let field = |name: &str| state.as_ref().and_then(|state| state.get(name));
                if field("enabled") == Some(&Value::Bool(false)) {
                    found.off += 1;
                } else if field("trusted_hash") == Some(&Value::from(hash(&event, handler))) {
                    found.approved += 1;
                } else {
                    found.open += 1;
                }
            }
        }
    }
    Ok(found)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Codex's hash of a hook that we wrote: of compact JSON with sorted keys.
fn hash(event: &str, handler: &Value) -> String {
    let identity = json!({
        "event_name": event,
        "hooks": [{
            "async": false,
            "command": handler.get("command"),
            "timeout": handler.get("timeout"),
            "type": "command",
        }],
    });
    format!("sha256:{}", sha256_hex(identity.to_string().as_bytes()))
}

/// `SessionStart` → `session_start`.
fn snake_case(event: &str) -> String {
    let mut snake = String::new();
    for char in event.chars() {
        if char.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(char.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOKS: &str = r#"{"hooks": {
        "PostToolUse": [{"hooks": [{"type": "command", "command": "their own"}]}, {"hooks": [OURS]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "/usr/bin/scratchpad hook codex --tools", "timeout": 3}]}]
    }}"#;
    const OURS: &str = r#"{"type": "command", "command": "/usr/bin/scratchpad hook codex --tools", "timeout": 10}"#;
    /// What Codex 0.166.0 reports about these two hooks, and writes when they are approved.
    const POST_TOOL_USE: &str =
        "sha256:2a1b9973a6c32f67e510258e5cb88453b02993e1146799148db1a10ba51532a0";
    const SESSION_END: &str =
        "sha256:0bf955af69076714ea705347169836777f3b876164f9b12d9d6362058ae82746";

    fn state(key: &str, fields: &str) -> String {
        format!("[hooks.state.\"/home/user/.codex/hooks.json:{key}\"]\n{fields}\n")
    }

    #[test]
    fn what_codex_wrote_when_hooks_were_approved_is_understood() {
        let hooks = HOOKS.replace("OURS", OURS);
        let paths = [
            "/home/link/.codex/hooks.json".to_owned(),
            "/home/user/.codex/hooks.json".to_owned(),
        ];
        let approval = |config: &str| {
            let found = codex_approval(&hooks, &paths, config).unwrap();
            (found.approved, found.open, found.off)
        };
        let trusted = |hash: &str| format!("trusted_hash = {hash:?}");
        let one = state("post_tool_use:1:0", &trusted(POST_TOOL_USE));
        let two = state("session_end:0:0", &trusted(SESSION_END));
        assert_eq!(approval(""), (0, 2, 0));
        assert_eq!(approval(&one), (1, 1, 0));
        assert_eq!(approval(&(one.clone() + &two)), (2, 0, 0));
        // At another position in the list, or with another hash, it is another hook.
        assert_eq!(
            approval(&state("post_tool_use:0:0", &trusted(POST_TOOL_USE))),
            (0, 2, 0)
        );
        assert_eq!(
            approval(&state("session_end:0:0", &trusted(POST_TOOL_USE))),
            (0, 2, 0)
        );
        let off = state("session_end:0:0", "enabled = false");
        assert_eq!(approval(&(one + &off)), (1, 0, 1));
    }
}
