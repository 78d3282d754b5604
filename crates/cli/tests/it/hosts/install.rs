//! Hosts wired and unwired, in a home of its own.

use crate::support::person::Person;
use snapbox::{assert_data_eq, str};

const HOSTS: [&str; 14] = [
    "claude", "codex", "gemini", "qwen", "copilot", "opencode", "pi", "cline", "cursor", "vscode",
    "windsurf", "zed", "goose", "openclaw",
];

/// What a person may have in these files before.
fn settled(person: &Person) {
    person.write(".claude.json", "{\"numStartups\": 3, \"mcpServers\": {}}");
    person.write(
        ".claude/settings.json",
        "{\n    // mine\n    \"theme\": \"dark\",\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}, // loud\n        ],\n    },\n}\n",
    );
    person.write(
        ".codex/config.toml",
        "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\" # yes\n",
    );
    person.write(".gemini/settings.json", "{\r\n\t\"theme\": \"x\"\r\n}\r\n");
    person.write(
        ".config/opencode/opencode.jsonc",
        "{\n  // mine\n  \"model\": \"x\"\n}",
    );
    person.write(
        ".config/zed/settings.json",
        "// Zed\n{\n  \"vim_mode\": true,\n}\n",
    );
    person.write(".cursor/mcp.json", "");
    person.write(".codeium/windsurf/memories/global_rules.md", "be brief");
    person.write(".config/goose/.goosehints", "# mine\r\nbe brief\r\n");
    person.write(
        ".config/goose/config.yaml",
        "GOOSE_PROVIDER: openai # mine\nextensions:\n  developer:\n    bundled: true\n    enabled: true\n    name: developer\n    timeout: 300\n    type: builtin\nGOOSE_MODE: smart_approve\n",
    );
}

#[test]
fn doctor_sees_what_a_project_wires() {
    let person = Person::new();
    person.run(&["install", "codex", "--project"]).ok();
    let said = person.run(&["doctor"]).out;
    assert!(said.contains("Codex, MCP server: in "), "{said}");
    assert!(!said.contains("not in "), "{said}");
}

#[test]
fn what_is_installed_is_taken_back_to_the_byte() {
    for (name, prepare) in [("settled", settled as fn(&Person)), ("empty", |_| {})] {
        let person = Person::new();
        prepare(&person);
        for reach in [&["--dry-run"][..], &[], &["--project"]] {
            let before = person.everything();
            person.run(&[&["install"], &HOSTS[..], reach].concat()).ok();
            if reach == ["--dry-run"] {
                assert_eq!(person.everything(), before, "{name}");
                continue;
            }
            let installed = person.everything();
            assert_ne!(installed, before, "{name}");
            let again = person.run(&[&["install"], &HOSTS[..], reach].concat()).ok();
            assert!(!again.contains("wrote"), "{again}");
            assert_eq!(person.everything(), installed, "{name}");
            person
                .run(&[&["uninstall"], &HOSTS[..], reach].concat())
                .ok();
            assert_eq!(person.everything(), before, "{name} {reach:?}");
        }
    }
}

#[test]
fn what_others_wrote_since_stays() {
    let person = Person::new();
    settled(&person);
    person.run(&["install", "claude", "codex"]).ok();
    let file = person.read(".claude/settings.json");
    person.write(
        ".claude/settings.json",
        &file.replace("\"dark\"", "\"light\""),
    );
    let file = person.read(".claude.json");
    person.write(
        ".claude.json",
        &file.replace("3,", "4, \"since\": {\"a\": 1},"),
    );
    let file = person.read(".codex/config.toml");
    person.write(".codex/config.toml", &file.replace("\"x\"", "\"z\""));
    person.run(&["uninstall", "claude", "codex"]).ok();
    assert_data_eq!(
        [
            ".claude.json",
            ".claude/settings.json",
            ".codex/config.toml"
        ]
        .map(|path| person.read(path))
        .join("\n--\n"),
        str![[r#"
{"numStartups": 4, "since": {"a": 1}, "mcpServers": {}}
--
{
    // mine
    "theme": "light",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}, // loud
        ],
    },
}

--
# mine
model = "z"

[mcp_servers.other]
command = "y" # yes

"#]]
    );
}

#[test]
fn install_writes_our_parts_and_says_what_is_left_to_do() {
    let person = Person::new();
    settled(&person);
    assert_data_eq!(
        person.run(&["install", "--all"]).seen(),
        str![[r#"
exit 0
--- stdout
Claude Code
  wrote [ROOT]/person/.claude.json: MCP server
  wrote [ROOT]/person/.claude/settings.json: 10 hooks
  Pad: hooks put it in front of the agent's next message when it changed, and give it back after a compaction or a restart.
  Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.
  Next: restart Claude Code and send a message. `scratchpad doctor` then shows its last event, `scratchpad session show` the pad.
  Undo: scratchpad uninstall claude
  VS Code runs these hooks too: don't install others there.

Codex
  wrote [ROOT]/person/.codex/config.toml: MCP server
  wrote [ROOT]/person/.codex/hooks.json: 6 hooks
  Pad: hooks put it in front of the agent's next message when it changed, and give it back after a compaction or a restart.
  Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.
  Next: restart Codex and send a message. `scratchpad doctor` then shows its last event, `scratchpad session show` the pad.
  Undo: scratchpad uninstall codex
  Codex runs no hook until you approve it: start codex, type /hooks, and trust those of scratchpad.

Gemini CLI
  wrote [ROOT]/person/.gemini/settings.json: MCP server, 6 hooks
  Pad: hooks put it in front of the agent's next message when it changed, and give it back after a compaction or a restart.
  Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.
  Next: restart Gemini CLI and send a message. `scratchpad doctor` then shows its last event, `scratchpad session show` the pad.
  Undo: scratchpad uninstall gemini

OpenCode
  wrote [ROOT]/person/.config/opencode/opencode.jsonc: MCP server
  wrote [ROOT]/person/.config/opencode/plugins/scratchpad.js: hooks
  Pad: hooks put it in front of the agent's next message when it changed, and give it back after a compaction or a restart.
  Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.
  Next: restart OpenCode and send a message. `scratchpad doctor` then shows its last event, `scratchpad session show` the pad.
  Undo: scratchpad uninstall opencode

Cursor
  wrote [ROOT]/person/.cursor/mcp.json: MCP server
  Pad: no hook shows it to the agent, which calls the tools itself, as its instructions say.
  Next: restart Cursor and ask its agent to write a plan to its scratchpad. `scratchpad session show` then shows it.
  Undo: scratchpad uninstall cursor
  Cursor has no file for rules that apply to all projects: paste the output of `scratchpad guidance` into its settings, or run `scratchpad install cursor --project` in a repository.

Windsurf
  wrote [ROOT]/person/.codeium/windsurf/mcp_config.json: MCP server
  wrote [ROOT]/person/.codeium/windsurf/memories/global_rules.md: instructions
  Pad: no hook shows it to the agent, which calls the tools itself, as its instructions say.
  Next: restart Windsurf and ask its agent to write a plan to its scratchpad. `scratchpad session show` then shows it.
  Undo: scratchpad uninstall windsurf

Zed
  wrote [ROOT]/person/.config/zed/settings.json: MCP server
  wrote [ROOT]/person/.config/zed/AGENTS.md: instructions
  Pad: no hook shows it to the agent, which calls the tools itself, as its instructions say.
  Next: restart Zed and ask its agent to write a plan to its scratchpad. `scratchpad session show` then shows it.
  Undo: scratchpad uninstall zed

Goose
  wrote [ROOT]/person/.config/goose/config.yaml: MCP server
  wrote [ROOT]/person/.config/goose/.goosehints: instructions
  Pad: no hook shows it to the agent, which calls the tools itself, as its instructions say.
  Next: restart Goose and ask its agent to write a plan to its scratchpad. `scratchpad session show` then shows it.
  Undo: scratchpad uninstall goose
  To show the pad to its agent in each turn, start each session with its own message file: GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.
--- stderr

"#]]
    );
    assert_data_eq!(
        [
            ".claude/settings.json",
            ".codex/config.toml",
            ".config/opencode/opencode.jsonc"
        ]
        .map(|path| person
            .read(path)
            .replace(env!("CARGO_BIN_EXE_scratchpad"), "[PROGRAM]"))
        .join("\n--\n"),
        str![[r#"
{
    // mine
    "theme": "dark",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}, // loud
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            },
        ],
        "SessionStart": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "UserPromptSubmit": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "PreCompact": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "PreToolUse": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ],
                "matcher": "mcp__scratchpad__.*"
            }
        ],
        "PostCompact": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "PostToolUse": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "PostToolUseFailure": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "SubagentStop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
        "SessionEnd": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "[PROGRAM] hook claude --tools",
                        "timeout": 10
                    }
                ]
            }
        ],
    },
}

--
# mine
model = "x"

[mcp_servers.other]
command = "y" # yes

[mcp_servers.scratchpad]
command = "[PROGRAM]"
args = ["mcp"]

--
{
  // mine
  "model": "x",
  "mcp": {
    "scratchpad": {
      "type": "local",
      "command": ["[PROGRAM]", "mcp"],
      "enabled": true
    }
  }
}
"#]]
    );
    assert_data_eq!(
        person.run(&["doctor"]).seen(),
        str![[r#"
exit 1
--- stdout
ok   version: 0.1.0
ok   store: 0 sessions
ok   store, file: [..]scratchpad.db, [..] bytes, schema [..], SQLite [..]
ok   store, integrity: quick check passed
ok   store, disk: [..] bytes are free
ok   server: [PROGRAM] answers with 10 tools
ok   hook log: empty
ok   Claude Code, MCP server: in [ROOT]/person/.claude.json
ok   Claude Code, 10 hooks: in [ROOT]/person/.claude/settings.json
note Claude Code, last event: none yet: start it once
ok   Codex, MCP server: in [ROOT]/person/.codex/config.toml
ok   Codex, 6 hooks: in [ROOT]/person/.codex/hooks.json
FAIL Codex, approval of hooks: 6 hooks are not approved: start codex, type /hooks, and trust them
note Codex, last event: none yet: start it once
ok   Gemini CLI, MCP server: in [ROOT]/person/.gemini/settings.json
ok   Gemini CLI, 6 hooks: in [ROOT]/person/.gemini/settings.json
note Gemini CLI, last event: none yet: start it once
ok   OpenCode, MCP server: in [ROOT]/person/.config/opencode/opencode.jsonc
ok   OpenCode, hooks: in [ROOT]/person/.config/opencode/plugins/scratchpad.js
note OpenCode, last event: none yet: start it once
note OpenCode, code mode: calls from scripts are not marked there. If you use it, add `SERVER/*: never` to outputs.rules for each server behind the proxy, so that scripts get whole results
ok   Cursor, MCP server: in [ROOT]/person/.cursor/mcp.json
ok   Windsurf, MCP server: in [ROOT]/person/.codeium/windsurf/mcp_config.json
ok   Windsurf, instructions: in [ROOT]/person/.codeium/windsurf/memories/global_rules.md
ok   Zed, MCP server: in [ROOT]/person/.config/zed/settings.json
ok   Zed, instructions: in [ROOT]/person/.config/zed/AGENTS.md
ok   Goose, MCP server: in [ROOT]/person/.config/goose/config.yaml
ok   Goose, instructions: in [ROOT]/person/.config/goose/.goosehints
--- stderr

"#]]
    );
    person.write(".claude/settings.json", "{");
    assert_data_eq!(
        person.run(&["install", "claude"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Claude Code: [ROOT]/person/.claude/settings.json: not valid JSON: line 1, column 1: unterminated object. Nothing was changed.

"#]]
    );
    assert_data_eq!(
        person.run(&["install"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: No host given.
Hint: name one or more, or use --all for those found here: claude, codex, gemini, opencode, cursor, windsurf, zed, goose.

"#]]
    );
    assert_data_eq!(
        person.run(&["install", "cluade"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Unknown host "cluade".
Hint: did you mean `claude` or `cline`?

"#]]
    );
}

#[test]
fn a_script_of_somebody_else_is_not_replaced() {
    let person = Person::new();
    person.write(".cline/hooks/PostToolUse", "#!/bin/sh\necho mine\n");
    let before = person.read(".cline/hooks/PostToolUse");
    assert_eq!(person.run(&["install", "cline"]).code, Some(1));
    assert_eq!(person.read(".cline/hooks/PostToolUse"), before);
    person.run(&["uninstall", "cline"]).ok();
    assert_eq!(person.read(".cline/hooks/PostToolUse"), before);
}

#[test]
fn the_plugin_directory_is_written_whole() {
    let person = Person::new();
    person.run(&["plugin", "out"]).ok();
    let hooks = std::fs::read(person.machine.project().join("out/hooks/hooks.json")).unwrap();
    let hooks: serde_json::Value = serde_json::from_slice(&hooks).unwrap();
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), 10);
    let before_tools = &hooks["hooks"]["PreToolUse"][0]["matcher"];
    assert_eq!(
        before_tools,
        "mcp__plugin_scratchpad_scratchpad__.*|scratchpad-.*"
    );
}

/// Copilot CLI starts the server of a plugin in the plugin's own directory.
#[test]
#[cfg(target_os = "linux")]
fn what_is_started_in_the_plugin_works_where_its_host_does() {
    let person = Person::new();
    person.run(&["plugin", "../plugin"]).ok();
    let write =
        "cd ../plugin && COPILOT_PLUGIN_ROOT=$PWD exec \"$0\" session set-plan here --session s";
    let program = env!("CARGO_BIN_EXE_scratchpad");
    // `run` stands for the host.
    person.run(&["run", "--", "sh", "-c", write, program]).ok();
    let listed = person.run(&["session", "list", "--json"]).ok();
    assert!(
        listed.contains("\"project\":\"[ROOT]/project\""),
        "{listed}"
    );
}

#[test]
fn a_compaction_is_played_and_the_plan_comes_back() {
    let person = Person::new();
    for host in ["claude", "codex", "gemini", "qwen", "copilot", "opencode"] {
        let proof = person.run(&["doctor", "--prove", host]).ok();
        assert!(
            proof.contains("1. written before the compaction"),
            "{proof}"
        );
    }
}
