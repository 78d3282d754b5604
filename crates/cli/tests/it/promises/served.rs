//! The MCP server: what it lists and costs, what a call belongs to, and its options.

use std::fs;

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};

fn server(machine: &Machine, options: &[&str]) -> Client {
    Client::greeted(&mut machine.command(&[&["mcp"], options].concat()))
}

fn listed(machine: &Machine, options: &[&str]) -> Vec<Value> {
    let list = server(machine, options).request("tools/list", json!({}));
    list["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

/// What a model pays for a list of tools.
fn tokens(tools: &[Value]) -> usize {
    let paid: Vec<Value> = tools
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}))
        .collect();
    let encoder = tiktoken::get_encoding("o200k_base").unwrap();
    encoder.encode(&Value::Array(paid).to_string()).len()
}

#[test]
fn all_ten_tools_cost_at_most_900_tokens_and_the_compact_three_400() {
    let machine = Machine::new();
    for (options, count, most) in [(&[] as &[&str], 10, 900), (&["--compact"], 3, 400)] {
        let tools = listed(&machine, options);
        assert_eq!(tools.len(), count);
        let cost = tokens(&tools);
        assert!(cost <= most, "{options:?}: {cost}");
    }
}

#[test]
fn tools_are_offered_by_group_and_under_a_dotted_name_where_asked_for() {
    let machine = Machine::new();
    assert_eq!(
        names(&listed(&machine, &["--tools", "pad,outputs"])),
        ["session_scratchpad", "scratchpad_read", "scratchpad_list"]
    );
    let dotted = listed(&machine, &["--dotted-names"]);
    assert_eq!(names(&dotted)[0], "session.scratchpad");
    let wrong = machine.run(&["mcp", "--tools", "note"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("did you mean `notes`"), "{wrong:?}");
}

#[test]
fn structure_and_its_schema_are_sent_only_with_structured() {
    let machine = Machine::new();
    let call = json!({"name": "list_tags", "arguments": {}});
    let reply = server(&machine, &[]).request("tools/call", call.clone());
    assert_eq!(reply.get("structuredContent"), None);
    assert!(
        listed(&machine, &[])
            .iter()
            .all(|tool| tool.get("outputSchema").is_none())
    );
    let reply = server(&machine, &["--structured"]).request("tools/call", call);
    assert_eq!(reply["structuredContent"], json!({"tags": []}));
    assert!(
        listed(&machine, &["--structured"])
            .iter()
            .all(|tool| tool["outputSchema"].is_object())
    );
}

#[test]
fn the_servers_instructions_are_the_guidance() {
    let machine = Machine::new();
    let mut client = Client::start(&mut machine.command(&["mcp"]));
    let hello = client.request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}),
    );
    let said = hello["instructions"].as_str().unwrap();
    assert_eq!(format!("{said}\n"), machine.run(&["guidance"]).ok());
}

/// What a call of `get` sees, by the plan of the session it belongs to.
fn plan_seen(client: &mut Client, arguments: &Value, meta: &Value) -> String {
    let call = json!({"name": "session_scratchpad", "arguments": arguments, "_meta": meta});
    let reply = client.request("tools/call", call);
    let text = reply["content"][0]["text"].as_str().unwrap().to_owned();
    text.lines()
        .skip_while(|line| *line != "Plan:")
        .nth(1)
        .unwrap_or("none")
        .to_owned()
}

#[test]
fn a_call_belongs_to_the_first_session_that_is_known() {
    let machine = Machine::new();
    for name in ["argument", "flag", "environment", "metadata", "variable"] {
        machine
            .run(&["session", "set-plan", name, "--session", name])
            .ok();
    }
    let get = json!({"action": "get"});
    let of_argument = json!({"action": "get", "session": "argument"});
    let none = json!({});
    let metadata = json!({"threadId": "metadata"});
    let started = |flag: bool, environment: bool| {
        let options: &[&str] = if flag {
            &["mcp", "--session", "flag"]
        } else {
            &["mcp"]
        };
        let mut command = machine.command(options);
        command.env("CLAUDE_CODE_SESSION_ID", "variable");
        if environment {
            command.env("SCRATCHPAD_SESSION", "environment");
        }
        Client::greeted(&mut command)
    };
    let mut all = started(true, true);
    assert_eq!(plan_seen(&mut all, &of_argument, &metadata), "argument");
    assert_eq!(plan_seen(&mut all, &get, &metadata), "flag");
    let mut environment = started(false, true);
    assert_eq!(plan_seen(&mut environment, &get, &metadata), "environment");
    let mut host = started(false, false);
    assert_eq!(plan_seen(&mut host, &get, &metadata), "metadata");
    assert_eq!(plan_seen(&mut host, &get, &none), "variable");
    assert_eq!(plan_seen(&mut server(&machine, &[]), &get, &none), "none");
}

#[test]
fn two_agents_of_one_project_see_each_others_pad_only_by_its_id() {
    let machine = Machine::new();
    let (mut one, mut two) = (server(&machine, &[]), server(&machine, &[]));
    one.call(
        "session_scratchpad",
        json!({"action": "set_plan", "content": "of one"}),
    );
    let get = json!({"action": "get"});
    assert_eq!(plan_seen(&mut two, &get, &json!({})), "none");
    let sessions = machine.run(&["session", "list", "--json"]).json();
    let id = &sessions["sessions"][0]["session"];
    let of_one = json!({"action": "get", "session": id});
    assert_eq!(plan_seen(&mut two, &of_one, &json!({})), "of one");
}

#[test]
fn a_journal_is_the_home_of_the_servers_session() {
    let machine = Machine::new();
    let file = machine.project().join("talk.jsonl");
    fs::write(&file, "{\"type\":\"message\"}\n").unwrap();
    let mut client = server(&machine, &["--journal", "talk.jsonl"]);
    client.call(
        "session_scratchpad",
        json!({"action": "set_plan", "content": "go"}),
    );
    client.end();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("{\"type\":\"message\"}\n{"), "{text}");
    let mut again = server(&machine, &["--journal", "talk.jsonl"]);
    assert_eq!(
        plan_seen(&mut again, &json!({"action": "get"}), &json!({})),
        "go"
    );
    assert_eq!(machine.run(&["session", "list"]).ok(), "");
}

#[test]
fn a_tool_can_be_called_as_xml_without_mcp() {
    let machine = Machine::new();
    let call = "<tool><server_name>scratchpad</server_name><tool_name>add_note</tool_name>\
        <arguments><content>Deploys &amp; VPN</content><tags><tag>a</tag><tag>b</tag></tags></arguments></tool>";
    let words = ["call", "--xml", "--session", "s"];
    machine.run_with(&words, call.as_bytes()).ok();
    let listed = machine
        .run(&["note", "list", "--session", "s", "--json"])
        .json();
    assert_eq!(listed["notes"][0]["content"], "Deploys & VPN");
    assert_eq!(listed["notes"][0]["tags"], json!(["a", "b"]));
}
