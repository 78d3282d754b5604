//! Hosts wired and unwired, in a home of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::format_push_string,
    reason = "a test fails by panicking, and may be a list of cases"
)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use snapbox::{assert_data_eq, str};
use support::{Answer, Machine};

/// A person with a home that hosts keep their files in.
struct Person {
    machine: Machine,
}

impl Person {
    fn new() -> Self {
        let person = Self {
            machine: Machine::new(),
        };
        std::fs::create_dir_all(person.home()).unwrap();
        person
    }

    fn home(&self) -> PathBuf {
        self.machine
            .project()
            .join("../person")
            .components()
            .collect()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.home().join(path)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        let output = self
            .machine
            .command(arguments)
            .env("HOME", std::fs::canonicalize(self.home()).unwrap())
            .output()
            .unwrap();
        let mut answer = self.machine.answer(output);
        answer.out = answer
            .out
            .replace(env!("CARGO_BIN_EXE_scratchpad"), "[PROGRAM]");
        answer
    }

    /// Every file and directory below the home and in the project.
    fn everything(&self) -> BTreeMap<String, String> {
        fn walk(at: &Path, found: &mut BTreeMap<String, String>) {
            for entry in std::fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    found.insert(path.display().to_string(), String::new());
                    walk(&path, found);
                } else {
                    let text = std::fs::read_to_string(&path).unwrap();
                    found.insert(path.display().to_string(), text);
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(&self.home(), &mut found);
        walk(&self.machine.project(), &mut found);
        found
    }
}

const HOSTS: [&str; 12] = [
    "claude", "codex", "gemini", "qwen", "copilot", "opencode", "cline", "cursor", "vscode",
    "windsurf", "zed", "goose",
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
fn a_host_is_told_what_is_ours_and_the_person_what_is_left_to_do() {
    let person = Person::new();
    settled(&person);
    assert_data_eq!(
        person.run(&["install", "--all"]).seen(),
        str![[r#"
exit 0
--- stdout
wrote [ROOT]/person/.claude.json: MCP server
wrote [ROOT]/person/.claude/settings.json: 6 hooks
wrote [ROOT]/person/.codex/config.toml: MCP server
wrote [ROOT]/person/.codex/hooks.json: 6 hooks
wrote [ROOT]/person/.gemini/settings.json: MCP server, 6 hooks
wrote [ROOT]/person/.config/opencode/opencode.jsonc: MCP server
wrote [ROOT]/person/.config/opencode/plugins/scratchpad.js: hooks
wrote [ROOT]/person/.cursor/mcp.json: MCP server
wrote [ROOT]/person/.codeium/windsurf/mcp_config.json: MCP server
wrote [ROOT]/person/.codeium/windsurf/memories/global_rules.md: instructions
wrote [ROOT]/person/.config/zed/settings.json: MCP server
wrote [ROOT]/person/.config/zed/AGENTS.md: instructions
wrote [ROOT]/person/.config/goose/config.yaml: MCP server
wrote [ROOT]/person/.config/goose/.goosehints: instructions

Claude Code: VS Code runs these hooks too: don't install others there.

Codex: Codex runs no hook before you approve it: start codex, type /hooks, and trust the ones of scratchpad.

Cursor: No hook puts the pad before its agent: it calls the tools itself, as its instructions say. Cursor keeps rules for all projects in no file: paste what `scratchpad guidance` prints into its settings, or run `scratchpad install cursor --project` in a repository.

Windsurf: No hook puts the pad before its agent: it calls the tools itself, as its instructions say.

Zed: No hook puts the pad before its agent: it calls the tools itself, as its instructions say.

Goose: To have the pad before its agent in each turn, start it with a file of its own for that: GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.
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
ok  version: 0.1.0
ok  store: 0 sessions
ok  store, file: [..]scratchpad.db, [..] bytes, schema 5, SQLite [..]
ok  store, integrity: quick check passed
ok  store, disk: [..] bytes are free
ok  server: [PROGRAM] answers with 10 tools
ok  hook log: empty
ok  Claude Code, MCP server: in [ROOT]/person/.claude.json
ok  Claude Code, 6 hooks: in [ROOT]/person/.claude/settings.json
ok  Claude Code, last event: none yet: start it once
ok  Codex, MCP server: in [ROOT]/person/.codex/config.toml
ok  Codex, 6 hooks: in [ROOT]/person/.codex/hooks.json
NOT Codex, approval of hooks: 6 hooks are not approved: start codex, type /hooks, and trust them
ok  Codex, last event: none yet: start it once
ok  Gemini CLI, MCP server: in [ROOT]/person/.gemini/settings.json
ok  Gemini CLI, 6 hooks: in [ROOT]/person/.gemini/settings.json
ok  Gemini CLI, last event: none yet: start it once
ok  OpenCode, MCP server: in [ROOT]/person/.config/opencode/opencode.jsonc
ok  OpenCode, hooks: in [ROOT]/person/.config/opencode/plugins/scratchpad.js
ok  OpenCode, last event: none yet: start it once
ok  Cursor, MCP server: in [ROOT]/person/.cursor/mcp.json
ok  Windsurf, MCP server: in [ROOT]/person/.codeium/windsurf/mcp_config.json
ok  Windsurf, instructions: in [ROOT]/person/.codeium/windsurf/memories/global_rules.md
ok  Zed, MCP server: in [ROOT]/person/.config/zed/settings.json
ok  Zed, instructions: in [ROOT]/person/.config/zed/AGENTS.md
ok  Goose, MCP server: in [ROOT]/person/.config/goose/config.yaml
ok  Goose, instructions: in [ROOT]/person/.config/goose/.goosehints
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
Error: [ROOT]/person/.claude/settings.json: not valid JSON: line 1, column 1: unterminated object. Nothing was changed.

"#]]
    );
    assert_data_eq!(
        person.run(&["install"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: No host was named.
Hint: name some, or give --all for those that are found: claude, codex, gemini, qwen, copilot, opencode, cline, cursor, vscode, windsurf, zed, goose.

"#]]
    );
    assert_data_eq!(
        person.run(&["install", "cluade"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: No host is called "cluade".
Hint: did you mean `claude` or `cline`?

"#]]
    );
}

/// Where a host without hooks reads how to use the tools, and what stands before and after that there.
const INSTRUCTIONS: [(&str, &str, &str, &str, &str); 9] = [
    (
        "cursor",
        "--project",
        ".cursor/rules/scratchpad-tools.mdc",
        "---\nalwaysApply: true\n---\n",
        "",
    ),
    (
        "vscode",
        "",
        ".config/Code/User/prompts/scratchpad-tools.instructions.md",
        "---\napplyTo: \"**\"\n---\n",
        "",
    ),
    (
        "vscode",
        "--project",
        ".github/instructions/scratchpad-tools.instructions.md",
        "---\napplyTo: \"**\"\n---\n",
        "",
    ),
    (
        "windsurf",
        "",
        ".codeium/windsurf/memories/global_rules.md",
        START,
        END,
    ),
    (
        "windsurf",
        "--project",
        ".windsurf/rules/scratchpad-tools.md",
        "---\ntrigger: always_on\n---\n",
        "",
    ),
    ("zed", "", ".config/zed/AGENTS.md", START, END),
    ("zed", "--project", "AGENTS.md", START, END),
    ("goose", "", ".config/goose/.goosehints", START, END),
    ("goose", "--project", ".goosehints", START, END),
];
const START: &str = "<!-- scratchpad:tools:start -->\n";
const END: &str = "<!-- scratchpad:tools:end -->\n";

#[test]
fn a_host_without_hooks_is_told_how_to_use_the_tools() {
    let person = Person::new();
    let guidance = person.run(&["guidance"]).ok();
    for (host, reach, path, head, tail) in INSTRUCTIONS {
        let before = person.everything();
        let flags: &[&str] = if reach.is_empty() { &[] } else { &[reach] };
        let said = person.run(&[&["install", host], flags].concat()).ok();
        assert!(said.contains(&format!("{path}: instructions")), "{said}");
        let base = if reach.is_empty() {
            person.home()
        } else {
            person.machine.project()
        };
        let file = base.join(path);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, [head, &guidance, tail].concat(), "{host} {reach}");
        let found = person.run(&["doctor"]).out;
        assert!(found.contains(", instructions: in "), "{found}");
        std::fs::remove_file(&file).unwrap();
        let found = person.run(&["doctor"]).out;
        let missing = found.contains(", instructions: not in ");
        assert!(missing || reach == "--project", "{found}");
        person.run(&[&["install", host], flags].concat()).ok();
        person.run(&[&["uninstall", host], flags].concat()).ok();
        assert_eq!(person.everything(), before, "{host} {reach}");
    }
}

#[test]
fn instructions_say_nothing_of_tools_that_are_off() {
    let person = Person::new();
    person.run(&["install", "zed"]).ok();
    person
        .run(&["config", "set", "outputs.enabled", "false"])
        .ok();
    let found = person.run(&["doctor"]).out;
    assert!(found.contains("NOT Zed, instructions: in "), "{found}");
    person.run(&["install", "zed"]).ok();
    let text = person.read(".config/zed/AGENTS.md");
    assert!(!text.contains("scratchpad_read"), "{text}");
    assert!(text.contains("session_scratchpad"), "{text}");
}

#[test]
fn what_install_can_not_write_is_left_to_the_person() {
    let person = Person::new();
    let told = |arguments: &[&str]| {
        let said = person.run(arguments).ok();
        let (_, todo) = said.split_once("\n\n").unwrap();
        todo.to_owned()
    };
    assert_data_eq!(
        [
            told(&["install", "cursor"]),
            told(&["install", "cursor", "--project"]),
            told(&["install", "windsurf", "--project"]),
            told(&["install", "zed", "--lang", "de"]),
            told(&["install", "cursor", "--lang", "de"]),
        ]
        .concat(),
        str![[r#"
Cursor: No hook puts the pad before its agent: it calls the tools itself, as its instructions say. Cursor keeps rules for all projects in no file: paste what `scratchpad guidance` prints into its settings, or run `scratchpad install cursor --project` in a repository.
Cursor: No hook puts the pad before its agent: it calls the tools itself, as its instructions say.
Windsurf: No hook puts the pad before its agent: it calls the tools itself, as its instructions say. Windsurf has MCP servers for all projects only: run `scratchpad install windsurf` too.
Zed: Kein Hook stellt das Pad vor seinen Agenten: er ruft die Werkzeuge selbst auf, wie seine Anweisungen sagen.
Cursor: Kein Hook stellt das Pad vor seinen Agenten: er ruft die Werkzeuge selbst auf, wie seine Anweisungen sagen. Cursor hat Regeln für alle Projekte in keiner Datei: fügen Sie in seine Einstellungen ein, was `scratchpad guidance` ausgibt, oder rufen Sie in einem Repository `scratchpad install cursor --project` auf.

"#]]
    );
}

#[test]
fn zed_keeps_reading_the_file_that_it_read() {
    for (there, taken) in [
        (&["CLAUDE.md", "GEMINI.md"][..], "CLAUDE.md"),
        (&[".rules", "AGENTS.md"], ".rules"),
        (&["AGENTS.md", "CLAUDE.md"], "AGENTS.md"),
    ] {
        let person = Person::new();
        let project = person.machine.project();
        for path in there {
            std::fs::write(project.join(path), "# Mine\n").unwrap();
        }
        // A directory of that name is another host's.
        std::fs::create_dir(project.join(".clinerules")).unwrap();
        let before = person.everything();
        person.run(&["install", "zed", "--project"]).ok();
        let text = std::fs::read_to_string(project.join(taken)).unwrap();
        assert!(
            text.starts_with(START) && text.ends_with("\n\n# Mine\n"),
            "{text}"
        );
        // What is ours is found again, whatever came since.
        if taken != ".rules" {
            std::fs::write(project.join(".rules"), "# Since\n").unwrap();
        }
        person.run(&["uninstall", "zed", "--project"]).ok();
        if taken != ".rules" {
            std::fs::remove_file(project.join(".rules")).unwrap();
        }
        assert_eq!(person.everything(), before, "{taken}");
    }
}

#[test]
#[cfg(unix)]
fn doctor_passes_over_a_file_that_leads_out_of_the_project() {
    let person = Person::new();
    person.write("shared.md", "# Ours\n");
    let project = person.machine.project();
    std::os::unix::fs::symlink(person.home().join("shared.md"), project.join("CLAUDE.md")).unwrap();
    let said = person.run(&["doctor"]).out;
    assert!(said.contains("hook log: empty"), "{said}");
    assert_eq!(person.run(&["install", "zed", "--project"]).code, Some(1));
    assert_eq!(person.read("shared.md"), "# Ours\n");
}

#[test]
fn instructions_and_context_stand_side_by_side() {
    let install: &[&str] = &["install", "goose", "--project"];
    let inject: &[&str] = &["inject", "--project", "--tool", "goose"];
    let undo = |of: &[&str]| {
        if of == install {
            vec!["uninstall", "goose", "--project"]
        } else {
            [inject, &["--uninstall"]].concat()
        }
    };
    for (first, second) in [(install, inject), (inject, install)] {
        for there in [None, Some("# Mine\n"), Some("no end")] {
            let person = Person::new();
            let hints = person.machine.project().join(".goosehints");
            let text = || std::fs::read_to_string(&hints).ok();
            if let Some(there) = there {
                std::fs::write(&hints, there).unwrap();
            }
            person.run(first).ok();
            let alone = text();
            person.run(second).ok();
            person.run(&undo(second)).ok();
            assert_eq!(text(), alone);
            person.run(second).ok();
            person.run(&undo(first)).ok();
            person.run(&undo(second)).ok();
            assert_eq!(text().as_deref(), there);
        }
    }
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
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), 6);
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
        let told = person.run(&["doctor", "--prove", host]).ok();
        assert!(told.contains("1. written before the compaction"), "{told}");
    }
}
