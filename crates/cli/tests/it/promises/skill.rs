//! The skill that comes with the plugin.

use std::fs;

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};

const SKILL: &str = "skills/scratchpad/SKILL.md";

/// The skill as `plugin` writes it, with these settings.
fn skill(machine: &Machine, settings: &[&str]) -> String {
    let mut arguments = vec!["plugin", "out"];
    for setting in settings {
        arguments.extend(["--config", setting]);
    }
    let wrote = machine.run(&arguments).ok();
    for path in [SKILL, "gemini-extension/skills/scratchpad/SKILL.md"] {
        assert!(wrote.contains(path), "{wrote}");
    }
    let text = |path| fs::read_to_string(machine.project().join("out").join(path)).unwrap();
    assert_eq!(
        text(SKILL),
        text("gemini-extension/skills/scratchpad/SKILL.md")
    );
    text(SKILL)
}

/// The lines between fences: a tool and its arguments.
fn calls(skill: &str) -> Vec<(String, Value)> {
    let fenced = skill.split("```").skip(1).step_by(2);
    let lines = fenced.flat_map(str::lines).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (tool, arguments) = line.split_once(' ').unwrap();
            (tool.to_owned(), serde_json::from_str(arguments).unwrap())
        })
        .collect()
}

#[test]
fn hosts_find_the_skill_by_its_name_and_description() {
    let text = skill(&Machine::new(), &[]);
    let (front, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("---\n"))
        .unwrap();
    let [name, description] = front.lines().collect::<Vec<_>>()[..] else {
        panic!("a name and a description: {front}");
    };
    assert_eq!(name, "name: scratchpad");
    let description = description.strip_prefix("description: ").unwrap();
    let description: String = serde_json::from_str(description).unwrap();
    assert!((100..=1_024).contains(&description.chars().count()));
    // Loaded as a whole: agents are advised to keep it far below 500 lines.
    assert!(body.lines().count() < 150);
}

#[test]
fn every_call_in_the_skill_works() {
    let machine = Machine::new();
    let call = |tool: &str, arguments: &str| {
        let words = ["call", tool, "-", "--json", "--session", "s"];
        let answer = machine.run_with(&words, arguments.as_bytes());
        assert_eq!(answer.code, Some(0), "{tool} {arguments}: {}", answer.out);
        serde_json::from_str::<Value>(&answer.out).unwrap()
    };
    let put = |text: &str| {
        let words = ["output", "put", "--tool", "bash", "--session", "s"];
        let reference = machine.run_with(&words, text.as_bytes()).ok();
        // [Output ID of bash: …
        reference.split(' ').nth(1).unwrap().to_owned()
    };
    let log = put(&"connection refused\nerror: no route\n".repeat(500));
    let item = json!({"state": "open", "text": "x".repeat(100)});
    let items = put(&json!({"items": vec![item; 100]}).to_string());
    let mut note = String::new();
    for (tool, arguments) in calls(&skill(&machine, &[])) {
        let arguments = arguments
            .to_string()
            .replace("3f9c2a1b7d40", &log)
            .replace("8d85a0ac41b6", &items)
            .replace("note_1700000000000", &note);
        let reply = call(&tool, &arguments);
        if tool == "add_note" {
            note = reply["structuredContent"]["note_id"]
                .as_str()
                .unwrap()
                .to_owned();
        }
    }
}

#[test]
fn the_skill_has_an_example_of_every_tool_and_action() {
    let machine = Machine::new();
    let calls = calls(&skill(&machine, &[]));
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    let list = client.request("tools/list", json!({}));
    for tool in list["tools"].as_array().unwrap() {
        let name = &tool["name"];
        assert!(calls.iter().any(|(it, _)| name == it), "no call of {name}");
        let actions = &tool["inputSchema"]["properties"]["action"]["enum"];
        for action in actions.as_array().into_iter().flatten() {
            // Only for hosts without hooks, and those of the plugin have them: `get` offers it where it helps.
            let is_needed = action != "continue";
            let is_there = calls.iter().any(|(_, given)| given["action"] == *action);
            assert!(is_there || !is_needed, "no call with {action}");
        }
    }
}

#[test]
fn the_skill_promises_nothing_that_is_switched_off() {
    let machine = Machine::new();
    let text = skill(&machine, &["outputs.enabled=false"]);
    for word in ["scratchpad_read", "scratchpad_list", "output", "reference"] {
        let said = text.replace("tool output", "");
        assert!(!said.contains(word), "{word} in {text}");
    }
    assert!(text.contains("session_scratchpad") && text.contains("search_notes"));
}

#[test]
fn the_skill_has_the_limits_that_are_set() {
    let machine = Machine::new();
    let settings = [
        "pad.plan_max_chars=1234",
        "notes.max_tags=3",
        "pad.max_refs=7",
    ];
    let text = skill(&machine, &settings);
    for said in [
        "replaces the plan, 1,234 characters",
        "up to 4,000 characters and 3 tags",
        "beyond 7 the oldest",
    ] {
        assert!(text.contains(said), "{said} is not in {text}");
    }
    let unfilled = [
        "{plan}",
        "{notes}",
        "{refs}",
        "{note}",
        "{tags}",
        "{spilled}",
    ];
    assert!(!unfilled.iter().any(|name| text.contains(name)), "{text}");
}
