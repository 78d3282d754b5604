//! Agent hosts: the programs that run agents.

pub mod edit;
pub mod hook;
pub mod install;
pub mod targets;
pub mod wrap;

/// How the names of processes begin that run agents.
pub fn process_names() -> Vec<&'static str> {
    vec![
        "claude", "codex", "copilot", "opencode", "goose", "crush", "gemini", "qwen", "cline",
    ]
}

/// The variables in which hosts name their session, in the order to look: some set another's as well.
pub fn session_variables() -> impl Iterator<Item = &'static str> {
    [
        "COPILOT_AGENT_SESSION_ID",
        "GEMINI_SESSION_ID",
        "QWEN_CODE_SESSION_ID",
        "CLAUDE_CODE_SESSION_ID",
    ]
    .into_iter()
}
