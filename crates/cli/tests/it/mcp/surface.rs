//! What the MCP server offers, and what that costs: tools, their hints and schemas, guidance.

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

fn tools(machine: &Machine, flags: &[&str]) -> Vec<Value> {
    let mut arguments = vec!["mcp"];
    arguments.extend(flags);
    let mut client = Client::greeted(&mut machine.command(&arguments));
    let list = client.request("tools/list", json!({}));
    list["tools"].as_array().unwrap().clone()
}

/// What a model pays for the tools: names, descriptions and schemas, as in the list.
fn tokens(tools: &[Value]) -> usize {
    let paid: Vec<Value> = tools
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}))
        .collect();
    let encoder = tiktoken::get_encoding("o200k_base").unwrap();
    encoder.encode(&Value::Array(paid).to_string()).len()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_tools_cost_little() {
    let machine = Machine::new();
    for (flags, count, limit) in [(&[] as &[&str], 10, 900), (&["--compact"], 3, 400)] {
        let tools = tools(&machine, flags);
        assert_eq!(tools.len(), count);
        let cost = tokens(&tools);
        println!("{flags:?}: {cost} tokens");
        assert!(
            cost <= limit,
            "{flags:?}: {cost} tokens, the limit is {limit}"
        );
        for tool in &tools {
            assert!(tool["description"].as_str().unwrap().chars().count() <= 1_000);
        }
    }
}

#[test]
fn names_fit_every_host_unless_dots_are_asked_for() {
    let machine = Machine::new();
    for flags in [&[] as &[&str], &["--compact"]] {
        for name in names(&tools(&machine, flags)) {
            let fits = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
            assert!(
                name.chars().all(fits) && (1..=64).contains(&name.len()),
                "{name}"
            );
        }
    }
    assert_eq!(
        names(&tools(&machine, &["--dotted-names"]))[0],
        "session.scratchpad"
    );
    assert_eq!(
        names(&tools(&machine, &["--tools", "pad,outputs"])),
        ["session_scratchpad", "scratchpad_read", "scratchpad_list"]
    );
    assert_eq!(
        names(&tools(&machine, &["--compact"])),
        ["session_scratchpad", "notes", "outputs"]
    );
}

#[test]
fn hints_tell_hosts_what_a_tool_may_do() {
    let machine = Machine::new();
    let mut all = tools(&machine, &[]);
    all.extend(tools(&machine, &["--compact", "--tools", "notes,outputs"]));
    let hints: Vec<String> = all
        .iter()
        .map(|tool| {
            let name = tool["name"].as_str().unwrap();
            format!("{name} {}\n", tool["annotations"])
        })
        .collect();
    assert_data_eq!(
        hints.concat(),
        str![[r#"
session_scratchpad {"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}
add_note {"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}
scratch_note {"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}
update_note {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}
delete_note {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}
list_notes {"readOnlyHint":true,"openWorldHint":false}
search_notes {"readOnlyHint":true,"openWorldHint":false}
list_tags {"readOnlyHint":true,"openWorldHint":false}
scratchpad_read {"readOnlyHint":true,"openWorldHint":false}
scratchpad_list {"readOnlyHint":true,"openWorldHint":false}
notes {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}
outputs {"readOnlyHint":true,"openWorldHint":false}

"#]]
    );
    assert!(
        all.iter()
            .all(|tool| tool["_meta"] == json!({"anthropic/alwaysLoad": true}))
    );
    assert!(all.iter().all(|tool| tool.get("outputSchema").is_none()));
}

#[test]
fn structure_is_sent_only_where_it_is_wanted_and_fits_its_schema() {
    let machine = Machine::new();
    let tools = tools(&machine, &["--structured"]);
    assert!(
        tools
            .iter()
            .all(|tool| tool["outputSchema"]["type"] == "object")
    );
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--structured"]));
    for (tool, arguments) in [
        (
            "session_scratchpad",
            json!({"action": "set_notes", "content": "a"}),
        ),
        (
            "session_scratchpad",
            json!({"action": "refs.add", "ref": "a"}),
        ),
        ("session_scratchpad", json!({"action": "get"})),
        ("add_note", json!({"content": "a"})),
        ("list_notes", json!({})),
        ("search_notes", json!({"query": "a"})),
        ("list_tags", json!({})),
        ("scratchpad_list", json!({})),
    ] {
        let result = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let data = result["structuredContent"].as_object().unwrap();
        let schema = &tools.iter().find(|listed| listed["name"] == tool).unwrap()["outputSchema"];
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(
                data.contains_key(required.as_str().unwrap()),
                "{tool}: {required}"
            );
        }
        for (name, value) in data {
            let kind = match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(_) => "integer",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            let allowed = schema["properties"][name]["type"].to_string();
            assert!(
                allowed.contains(kind),
                "{tool}: {name} is {kind}, {allowed} is declared"
            );
        }
    }
}

#[test]
fn guidance_is_what_the_server_says() {
    let machine = Machine::new();
    for flags in [
        &[] as &[&str],
        &["--compact"],
        &["--tools", "notes"],
        &["--dotted-names"],
    ] {
        let mut arguments = vec!["mcp"];
        arguments.extend(flags);
        let mut client = Client::start(&mut machine.command(&arguments));
        let greeting = client.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}),
        );
        let mut arguments = vec!["guidance"];
        arguments.extend(flags);
        let printed = machine.run(&arguments).ok();
        assert_eq!(
            greeting["instructions"].as_str().unwrap(),
            printed.trim_end()
        );
        assert!(printed.chars().count() < 2_000);
    }
    assert_data_eq!(
        machine.run(&["guidance", "--tools", "pads"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Unknown group of tools "pads".
Hint: did you mean `pad`?

"#]]
    );
}
