//! `inject`: the file of each host, and how a host is found.

use std::fs;

use crate::support::person::{machine, run};
use crate::support::{mode, tree};
use snapbox::{assert_data_eq, str};

#[test]
fn each_hosts_file_is_what_it_reads() {
    let machine = machine();
    run(&machine, &["context", "add", "Deploys are frozen"]).ok();
    let before = [tree(&machine.project()), tree(&machine.home())];
    let project = run(&machine, &["inject", "--all"]).ok();
    let global = run(&machine, &["inject", "--all", "--global"]).ok();
    assert_data_eq!(
        project + &global,
        str![[r#"
CLAUDE.md: created (1,310 bytes, about 321 tokens)
AGENTS.md: created (1,310 bytes, about 321 tokens)
GEMINI.md: created (1,310 bytes, about 321 tokens)
QWEN.md: created (1,310 bytes, about 321 tokens)
.github/copilot-instructions.md: created (1,310 bytes, about 321 tokens)
.clinerules/scratchpad.md: created (1,310 bytes, about 321 tokens)
.cursor/rules/scratchpad.mdc: created (1,310 bytes, about 321 tokens)
.windsurf/rules/scratchpad.md: created (1,310 bytes, about 321 tokens)
.goosehints: created (1,310 bytes, about 321 tokens)
CRUSH.md: created (1,310 bytes, about 321 tokens)
.kiro/steering/scratchpad.md: created (1,310 bytes, about 321 tokens)
[ROOT]/home/.claude/CLAUDE.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.codex/AGENTS.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.gemini/GEMINI.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.qwen/QWEN.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.copilot/copilot-instructions.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.config/opencode/AGENTS.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.pi/agent/AGENTS.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.config/zed/AGENTS.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.config/goose/.goosehints: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.config/amp/AGENTS.md: created (1,213 bytes, about 297 tokens)
[ROOT]/home/.kiro/steering/scratchpad.md: created (1,213 bytes, about 297 tokens)

"#]]
    );
    let text = |path: &str| {
        let text = fs::read_to_string(machine.project().join(path)).unwrap();
        let front = text.find("<!-- scratchpad:start").unwrap();
        text.split_at(front).0.to_owned()
    };
    assert_data_eq!(
        [
            text(".cursor/rules/scratchpad.mdc"),
            text(".windsurf/rules/scratchpad.md"),
            text(".kiro/steering/scratchpad.md"),
            text(".clinerules/scratchpad.md"),
        ]
        .concat(),
        str![[r#"
---
description: Context of this project
alwaysApply: true
---
---
trigger: always_on
---
---
inclusion: always
---

"#]]
    );
    let agents = fs::read_to_string(machine.project().join("AGENTS.md")).unwrap();
    // What follows is the same in every project.
    let (facts, _) = agents.split_once("Scratchpad keeps").unwrap();
    assert_data_eq!(
        facts,
        str![[r#"
<!-- scratchpad:start -->
# Scratchpad

Written by `scratchpad inject`; changes made here are overwritten.

## Current Context
- Deploys are frozen

## Runtime Context
- Project: project
- Version control: git, branch main


"#]]
    );
    for same in [
        "CLAUDE.md",
        "GEMINI.md",
        "QWEN.md",
        ".github/copilot-instructions.md",
        ".cursor/rules/scratchpad.mdc",
        ".clinerules/scratchpad.md",
        ".windsurf/rules/scratchpad.md",
        ".goosehints",
        "CRUSH.md",
        ".kiro/steering/scratchpad.md",
    ] {
        let text = fs::read_to_string(machine.project().join(same)).unwrap();
        assert!(text.ends_with(&agents), "{same}");
    }
    let global = fs::read_to_string(machine.home().join(".claude/CLAUDE.md")).unwrap();
    for private in [
        "Current Context\n",
        "Deploys",
        "Project:",
        "Version control",
    ] {
        assert!(!global.contains(private), "{global}");
    }
    assert_eq!(mode(&machine.project().join("AGENTS.md")) & 0o600, 0o600);
    run(&machine, &["inject", "--uninstall"]).ok();
    run(&machine, &["inject", "--uninstall", "--global"]).ok();
    let mut after = [tree(&machine.project()), tree(&machine.home())];
    after[1].retain(|name, _| !name.starts_with("undo."));
    assert_eq!(after, before);
}

#[test]
fn hosts_are_detected_in_the_project_and_at_home() {
    let machine = machine();
    fs::create_dir_all(machine.home().join(".codex")).unwrap();
    fs::create_dir_all(machine.home().join(".config/zed")).unwrap();
    fs::create_dir_all(machine.project().join(".cursor")).unwrap();
    assert_data_eq!(
        run(&machine, &["inject", "--status"]).ok(),
        str![[r#"
FILE                          STATE   BYTES  TOKENS  TOOLS
AGENTS.md                     absent  -      -       codex, zed
.cursor/rules/scratchpad.mdc  absent  -      -       cursor

"#]]
    );
    // How wide a column is depends on where the home is.
    let global = run(&machine, &["inject", "--status", "--global"]).ok();
    let words: Vec<&str> = global.split_whitespace().collect();
    assert_data_eq!(
        words.join(" "),
        str![
            "FILE STATE BYTES TOKENS TOOLS [ROOT]/home/.codex/AGENTS.md absent - - codex [ROOT]/home/.config/zed/AGENTS.md absent - - zed"
        ]
    );
}

#[test]
fn a_host_whose_directory_was_moved_is_found_there() {
    let machine = machine();
    let moved = machine.home().join("moved");
    fs::create_dir_all(&moved).unwrap();
    fs::write(moved.join("AGENTS.md"), "# Mine\n").unwrap();
    let mut command = machine.command(&["inject", "--global", "--json"]);
    command
        .env("HOME", machine.home())
        .env("CODEX_HOME", &moved)
        .env("CLAUDE_CONFIG_DIR", machine.home().join("new"));
    let data = machine.answer(command.output().unwrap()).json();
    // The other one is not there: it is not used.
    assert_eq!(data["targets"].as_array().unwrap().len(), 1, "{data}");
    assert_eq!(data["targets"][0]["tools"][0], "codex");
    let agents = fs::read_to_string(moved.join("AGENTS.md")).unwrap();
    assert!(agents.starts_with("<!-- scratchpad:start -->"), "{agents}");
    let mut command = machine.command(&["inject", "--global", "--tool", "claude"]);
    command.env("CLAUDE_CONFIG_DIR", machine.home().join("new"));
    machine.answer(command.output().unwrap()).ok();
    assert!(machine.home().join("new/CLAUDE.md").exists());
}
