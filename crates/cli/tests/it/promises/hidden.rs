//! `proxy --hide` and `proxy.hide`: tools of a server that agents are not offered.

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{proxy, record};
use serde_json::{Value, json};

const TOOLS: [&str; 4] = ["delete_a", "get", "delete_b", "put"];

/// What is listed of these tools by a proxy with this name and these options, and the answer as it came.
fn listed(machine: &Machine, options: &[&str], tools: &str) -> (Vec<String>, String) {
    let mut command = proxy(machine, &[&["--name"], options].concat());
    command.env("TOOLS", json!([tools]).to_string());
    let mut client = Pipe::start(&mut command);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    let line = client.line();
    client.end();
    let answer: Value = serde_json::from_str(&line).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["name"].as_str().unwrap().to_owned());
    (names.collect(), line)
}

#[test]
fn hidden_tools_are_not_listed_wherever_they_stand() {
    let machine = Machine::new();
    let tools: Vec<String> = (TOOLS.iter())
        .map(|name| format!(r#"{{"outputSchema":{{"type":"object"}}, "name":"{name}","x":1.10}}"#))
        .collect();
    let tools = format!("[ {} ]", tools.join(" , "));
    let own = ["scratchpad_read", "scratchpad_list"];
    for hidden in 0..16_u32 {
        let is_hidden = |at: &usize| hidden & (1 << at) != 0;
        let hide = (0..4)
            .filter(is_hidden)
            .flat_map(|at| ["--hide", TOOLS[at]]);
        let options: Vec<&str> = std::iter::once("told").chain(hide).collect();
        let (names, line) = listed(&machine, &options, &tools);
        let shown = (0..4).filter(|at| !is_hidden(at)).map(|at| TOOLS[at]);
        assert_eq!(names, shown.chain(own).collect::<Vec<_>>(), "{line}");
        assert!(!line.contains("outputSchema"), "{line}");
    }
    let (names, line) = listed(
        &machine,
        &[
            "told",
            "--hide",
            "told/delete_*",
            "--config",
            "outputs.enabled=false",
        ],
        &tools,
    );
    assert_eq!(names, ["get", "put"]);
    assert!(
        line.contains(r#"{"outputSchema":{"type":"object"}, "name":"get","x":1.10}"#),
        "{line}"
    );
}

#[test]
fn a_call_of_a_hidden_tool_is_refused_and_not_sent() {
    let machine = Machine::new();
    machine
        .run(&["config", "set", "proxy.hide", "told/delete_*"])
        .ok();
    let mut client = Pipe::start(&mut proxy(&machine, &["--name", "told"]));
    for padding in [String::new(), "x".repeat(3 << 20)] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_a", "arguments": {"a": padding}}});
        client.send(format!("{call}\n"));
        let answer = client.json();
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "delete_a of told is hidden by the user's settings (proxy.hide, --hide). Nothing was sent."
        );
    }
    client.end();
    assert_eq!(record(&machine), "");
    // Another server's tools are not meant.
    let (names, _) = listed(&machine, &["other"], r#"[{"name":"delete_a"}]"#);
    assert_eq!(names[0], "delete_a");
}
