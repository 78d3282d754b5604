//! Instructions for hosts without hooks: how to use the tools.

use crate::support::person::Person;
use snapbox::{assert_data_eq, str};

/// The file in which a host without hooks finds the instructions, and the text before and after them.
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
fn a_host_without_hooks_gets_instructions_for_the_tools() {
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
    assert!(found.contains("FAIL Zed, instructions: in "), "{found}");
    person.run(&["install", "zed"]).ok();
    let text = person.read(".config/zed/AGENTS.md");
    assert!(!text.contains("scratchpad_read"), "{text}");
    assert!(text.contains("session_scratchpad"), "{text}");
}

#[test]
fn what_install_can_not_write_is_left_to_the_person() {
    let person = Person::new();
    let output = |arguments: &[&str]| {
        let said = person.run(arguments).ok();
        let undo = said.find("scratchpad uninstall ").unwrap_or_default();
        said[undo..].split_once('\n').unwrap().1.to_owned()
    };
    assert_data_eq!(
        [
            output(&["install", "cursor"]),
            output(&["install", "cursor", "--project"]),
            output(&["install", "windsurf", "--project"]),
            output(&["install", "zed", "--lang", "de"]),
            output(&["install", "cursor", "--lang", "de"]),
        ]
        .concat(),
        str![[r#"
  Cursor has no file for rules that apply to all projects: paste the output of `scratchpad guidance` into its settings, or run `scratchpad install cursor --project` in a repository.
  Windsurf has no MCP servers for a single project: run `scratchpad install windsurf` too.
  unverändert: [ROOT]/person/.cursor/mcp.json: MCP-Server
  Cursor hat keine Datei für Regeln, die in allen Projekten gelten: die Ausgabe von `scratchpad guidance` in die Einstellungen einfügen oder in einem Repository `scratchpad install cursor --project` ausführen.

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
        // A directory with that name belongs to another host.
        std::fs::create_dir(project.join(".clinerules")).unwrap();
        let before = person.everything();
        person.run(&["install", "zed", "--project"]).ok();
        let text = std::fs::read_to_string(project.join(taken)).unwrap();
        assert!(
            text.starts_with(START) && text.ends_with("\n\n# Mine\n"),
            "{text}"
        );
        // Our entries are recognised again, whatever was added since.
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
fn instructions_and_context_share_a_file() {
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
