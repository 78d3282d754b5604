//! The guidance for agents: tools, schemas, guidance, skills, and continuing after a restart.

use std::fs;

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// The tools that the server lists.
fn tools(machine: &Machine, flags: &[&str]) -> Vec<Value> {
    let mut client = Client::greeted(&mut machine.command(&[&["mcp"], flags].concat()));
    let list = client.request("tools/list", json!({}));
    list["tools"].as_array().unwrap().clone()
}

/// The properties of a tool's arguments.
fn properties(tools: &[Value], name: &str) -> serde_json::Map<String, Value> {
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    tool["inputSchema"]["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn every_property_of_every_tool_has_a_line() {
    let machine = Machine::new();
    for tool in tools(&machine, &[]) {
        let name = tool["name"].as_str().unwrap();
        for (property, schema) in properties(std::slice::from_ref(&tool), name) {
            let has_line = schema["description"].as_str().is_some();
            assert!(has_line, "{name}: {property} has no line: {schema}");
        }
    }
}

#[test]
fn descriptions_and_schemas_say_what_fits() {
    let machine = Machine::new();
    let tools = tools(&machine, &[]);
    let pad = properties(&tools, "session_scratchpad");
    assert_eq!(
        pad["content"]["description"],
        "notes 4000 chars, plan 2000; empty clears"
    );
    assert_eq!(pad["ref"]["description"], "path, link or id, 4000 chars");
    assert_eq!(
        pad["items"]["description"],
        "all refs, 50; mark: number or beginning"
    );
    let note = properties(&tools, "add_note");
    assert_eq!(note["content"]["description"], "4000 chars");
    assert_eq!(note["tags"]["description"], "10 of 100 chars");
    assert_eq!(note["sources"]["description"], "path:line-line, 8");
    let tags = &properties(&tools, "update_note")["tags"];
    assert_eq!(tags["description"], "10 of 100 chars");
    for (tool, property) in [
        ("list_notes", "limit"),
        ("search_notes", "limit"),
        ("scratchpad_list", "limit"),
    ] {
        assert_eq!(properties(&tools, tool)[property]["maximum"], 1000);
    }
}

#[test]
fn limits_that_are_set_are_the_ones_that_agents_read() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let settings = "[pad]\nnotes_max_chars = 500\nplan_max_chars = 300\nmax_refs = 5\nref_max_chars = 70\n\
        [notes]\nmax_chars = 900\nmax_tags = 3\n";
    fs::write(machine.home().join("config.toml"), settings).unwrap();
    for flags in [&[] as &[&str], &["--compact"]] {
        let all = Value::from(tools(&machine, flags)).to_string();
        for said in ["notes 500 chars, plan 300", "900 chars"] {
            assert!(all.contains(said), "{said} is not in {all}");
        }
        let guidance = machine.run(&[&["guidance"], flags].concat()).ok();
        for said in ["500", "300 characters", "refs.add, 5", "900 characters"] {
            assert!(guidance.contains(said), "{said} is not in {guidance}");
        }
    }
    let tools = tools(&machine, &[]);
    let pad = properties(&tools, "session_scratchpad");
    assert_eq!(pad["ref"]["description"], "path, link or id, 70 chars");
    assert_eq!(
        pad["items"]["description"],
        "all refs, 5; mark: number or beginning"
    );
    let tags = &properties(&tools, "add_note")["tags"];
    assert_eq!(tags["description"], "3 of 100 chars");
}

#[test]
fn no_bound_in_a_schema_refuses_what_a_tool_would_take_or_breaks_a_grammar() {
    let machine = Machine::new();
    let all = [tools(&machine, &[]), tools(&machine, &["--compact"])].concat();
    for tool in &all {
        for (property, schema) in
            properties(std::slice::from_ref(tool), tool["name"].as_str().unwrap())
        {
            // llama.cpp before August 2026 refuses every call of a request with a larger bound in any tool.
            for bound in [
                &schema["maxLength"],
                &schema["maxItems"],
                &schema["items"]["maxLength"],
            ] {
                let bound = bound.as_u64().unwrap_or(0);
                assert!(bound < 2_000, "{}: {property}: {bound}", tool["name"]);
            }
        }
    }
    // What is too long for the pad is cut and kept whole, so no client may refuse it.
    let pad = properties(&all, "session_scratchpad");
    for property in ["content", "items"] {
        let bounds = [&pad[property]["maxLength"], &pad[property]["maxItems"]];
        assert!(bounds.iter().all(|bound| bound.is_null()), "{property}");
    }
}

#[test]
fn the_old_form_is_in_the_schema() {
    let machine = Machine::new();
    for flags in [&[] as &[&str], &["--compact"]] {
        let tools = tools(&machine, flags);
        let schema = &tools[0]["inputSchema"];
        assert!(schema.get("required").is_none(), "{schema}");
        let pad = properties(&tools, "session_scratchpad");
        assert_eq!(pad["mode"]["enum"], json!(["replace", "append"]));
        assert!(pad["content"]["description"].is_string());
    }
    let pad = properties(&tools(&machine, &[]), "session_scratchpad");
    assert_eq!(
        pad["mode"]["description"],
        "instead of action: content into notes"
    );
}

#[test]
fn the_guidance_says_what_to_write_where_and_what_to_leave_out() {
    let machine = Machine::new();
    assert_data_eq!(
        machine.run(&["guidance"]).ok(),
        str![[r#"
session_scratchpad is your working memory outside the context window: it survives compaction. Keep in it your plan (set_plan, 2,000 characters; steps as `- [ ]` lines), what you found out and decided (append_notes; set_notes to rewrite it, 4,000), and the paths, links and ids you will need again (refs.add, 50). Write after each step that matters, not at the end, and mark the plan's steps as they are active, done or blocked. Leave out file contents and tool output (note where they are), the history of what you did, guesses, and the request itself. When it is full, rewrite it shorter: keep what is still needed. If you don't know where the work stands, call it with action get before you start over.
Single facts to find again go into notes (4,000 characters each). search_notes before you work something out again, and before you add: update_note rather than the same twice, delete_note what is no longer true. add_note with tags; scope project keeps one for later sessions. Name the code a note is about as path:line; of one that says `changed since`, look at the code and update it.
Texts too long for your context are kept whole as outputs, and replaced by a reference: scratchpad_read gives the lines, matches or JSON you need of one, scratchpad_list finds them.

"#]]
    );
    assert_data_eq!(
        machine
            .run(&["guidance", "--compact", "--tools", "notes,outputs"])
            .ok(),
        str![[r#"
Single facts to find again go into notes (4,000 characters each). Search them before you work something out again, and before you add: update rather than the same twice, delete what is no longer true. Add with tags; scope project keeps one for later sessions.
Texts too long for your context are kept whole as outputs, and replaced by a reference: `outputs` with an id gives the lines, matches or JSON you need of one, without an id it finds them.

"#]]
    );
}

#[test]
fn a_prompt_is_bounded_and_says_how_to_get_the_rest() {
    let machine = Machine::new();
    for number in 0..50 {
        let reference = format!("{number}{}", "x".repeat(3_990));
        machine
            .run(&["session", "refs", "add", &reference, "--session", "s"])
            .ok();
    }
    for _ in 0..6 {
        let note = "A line of a note. ".repeat(200);
        machine.run(&["note", "add", &note, "--session", "s"]).ok();
    }
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    for prompt in ["handoff", "recap"] {
        let asked = json!({"name": prompt, "arguments": {"session": "s"}});
        let got = client.request("prompts/get", asked);
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.len() < 40_000, "{}", text.len());
        let rest = "This is not all of it. To get the rest, call session_scratchpad with `action` \"get\", and list_notes, with `session` \"s\".";
        assert!(text.contains(rest), "{text}");
    }
}
