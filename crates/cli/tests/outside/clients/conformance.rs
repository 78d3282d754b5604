//! The server that the conformance suite is run against. The suite itself: `scripts/conformance`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The parameters as a client of the newest revision sends them.
fn newest(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    params
}

/// One request over a connection of its own.
fn posted(address: &str, method: &str, name: &str, params: Value) -> Value {
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": newest(params)}).to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn the_example_asks_in_rounds() {
    let mut server = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--locked", "--example", "conformance"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .trim()
        .strip_prefix("Listening on http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .unwrap_or_else(|| panic!("{line}"));
    let tool = "test_input_required_result_multi_round";
    let call = |more: Value| {
        let mut params = json!({"name": tool, "arguments": {}});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        posted(address, "tools/call", tool, params)
    };

    let first = call(json!({}));
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let second = call(json!({
        "requestState": first["result"]["requestState"],
        "inputResponses": {"step1": {"action": "accept", "content": {"name": "Ada"}}},
    }));
    assert!(
        second["result"]["inputRequests"]["step2"].is_object(),
        "{second}"
    );
    let tampered = format!("{}0", second["result"]["requestState"].as_str().unwrap());
    let refused = call(json!({"requestState": tampered}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let third = call(json!({
        "requestState": second["result"]["requestState"],
        "inputResponses": {"step2": {"action": "accept", "content": {"color": "blue"}}},
    }));
    assert_eq!(
        third["result"]["content"][0]["text"],
        r#"state-ok; step2: {"action":"accept","content":{"color":"blue"}}"#,
        "{third}"
    );

    server.kill().unwrap();
    server.wait().unwrap();
}
