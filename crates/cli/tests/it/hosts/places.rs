//! One answer to where a host's file is, whichever command asks.

use crate::support::Answer;
use crate::support::person::Person;

fn run_with(person: &Person, variables: &[(&str, &str)], arguments: &[&str]) -> Answer {
    let home = std::fs::canonicalize(person.home()).unwrap();
    let mut command = person.machine.command(arguments);
    command.env("HOME", &home);
    for (name, below) in variables {
        command.env(name, home.join(below));
    }
    person.machine.answer(command.output().unwrap())
}

#[test]
fn a_variable_that_moves_a_host_moves_it_for_every_command() {
    let moved = [
        (
            "claude",
            "CLAUDE_CONFIG_DIR",
            ".claude",
            "CLAUDE.md",
            "settings.json",
        ),
        ("codex", "CODEX_HOME", ".codex", "AGENTS.md", "hooks.json"),
        (
            "copilot",
            "COPILOT_HOME",
            ".copilot",
            "copilot-instructions.md",
            "mcp-config.json",
        ),
    ];
    for (host, variable, usual, instructions, settings) in moved {
        let person = Person::new();
        let variables = [(variable, "moved")];
        run_with(&person, &variables, &["inject", "--global", "--tool", host]).ok();
        run_with(&person, &variables, &["install", host]).ok();
        for file in [instructions, settings] {
            let file = person.home().join("moved").join(file);
            assert!(file.exists(), "{}", file.display());
        }
        assert!(!person.home().join(usual).exists(), "{host}");
        let said = run_with(&person, &variables, &["doctor"]).out;
        assert!(said.contains("/moved/"), "{said}");
        run_with(&person, &variables, &["uninstall", host]).ok();
        let arguments = ["inject", "--global", "--uninstall"];
        run_with(&person, &variables, &arguments).ok();
        let left: Vec<_> = person.home().read_dir().unwrap().collect();
        assert!(left.is_empty(), "{host}: {left:?}");
    }
}

#[test]
fn a_directory_of_configurations_that_was_moved_counts_for_every_command() {
    let person = Person::new();
    let variables = [("XDG_CONFIG_HOME", "xdg")];
    for host in ["goose", "zed", "opencode"] {
        run_with(&person, &variables, &["inject", "--global", "--tool", host]).ok();
        run_with(&person, &variables, &["install", host]).ok();
    }
    for file in [
        "goose/.goosehints",
        "goose/config.yaml",
        "zed/AGENTS.md",
        "zed/settings.json",
        "opencode/AGENTS.md",
        "opencode/opencode.json",
    ] {
        assert!(person.home().join("xdg").join(file).exists(), "{file}");
    }
    assert!(!person.home().join(".config").exists());
}

#[test]
fn a_host_is_known_by_its_other_names_to_every_command() {
    let person = Person::new();
    person.run(&["install", "claude-code"]).ok();
    person.run(&["inject", "--tool", "claude-code"]).ok();
    assert!(person.machine.project().join("CLAUDE.md").exists());
    person.run(&["doctor", "--prove", "claude-code"]).ok();
    person.run(&["uninstall", "claude-code"]).ok();
}
