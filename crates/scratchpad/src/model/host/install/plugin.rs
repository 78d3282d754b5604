//! A directory that Claude Code, Codex and Copilot CLI install as a plugin, and one for Gemini CLI.

use serde_json::{Map, Value, json};

use super::content::{NAME, Program, for_own_tools, plain_server};
use crate::model::host::hook::EventName;
use crate::model::host::{claude, gemini};

/// The files, each with its path in the directory. If the skill is empty, there is no file for it.
pub fn plugin_files(
    program: &Program,
    version: &str,
    about: &str,
    skill: &str,
) -> Vec<(&'static str, String)> {
    let plugin = json!({"name": NAME, "version": version, "description": about, "author": {"name": "Scratchpad"}});
    let market = json!({"name": NAME, "description": about, "owner": {"name": "Scratchpad"}, "plugins": [{"name": NAME, "source": "./", "description": about}]});
    // One command for three hosts: it detects which of them called it.
    let call =
        json!({"hooks": [{"type": "command", "command": program.hook("--tools"), "timeout": 10}]});
    // The names that Claude Code and Copilot CLI give to the tools of a plugin.
    let own_tools = "mcp__plugin_scratchpad_scratchpad__.*|scratchpad-.*";
    let for_each = |events: &[(&str, EventName)], item: &dyn Fn(&str) -> Value| {
        let events = events
            .iter()
            .map(|(event, _)| ((*event).to_owned(), json!([item(event)])));
        json!({"hooks": Value::Object(events.collect::<Map<_, _>>())})
    };
    let extension = json!({"name": NAME, "version": version, "description": about, "mcpServers": {NAME: plain_server(program)}});
    let skills = [
        "skills/scratchpad/SKILL.md",
        "gemini-extension/skills/scratchpad/SKILL.md",
    ]
    .into_iter()
    .filter(|_| !skill.is_empty())
    .map(|path| (path, skill.to_owned()));
    [
        (".claude-plugin/plugin.json", plugin.clone()),
        (".claude-plugin/marketplace.json", market),
        (".codex-plugin/plugin.json", plugin),
        (
            ".mcp.json",
            json!({"mcpServers": {NAME: claude::entry(program)}}),
        ),
        (
            "hooks/hooks.json",
            for_each(claude::EVENTS, &|event| {
                for_own_tools(event, own_tools, call.clone())
            }),
        ),
        ("gemini-extension/gemini-extension.json", extension),
        (
            "gemini-extension/hooks/hooks.json",
            for_each(gemini::EVENTS, &|event| gemini::hook(program, event)),
        ),
    ]
    .map(|(path, value)| (path, format!("{value:#}\n")))
    .into_iter()
    .chain(skills)
    .collect()
}
