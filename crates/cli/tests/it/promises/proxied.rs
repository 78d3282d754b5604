//! What the proxy changes and what passes, wrapping, and `run`.

use std::fs;

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, kept_file, proxy, record, text_result};
use serde_json::{Value, json};

/// The answer to a call that the upstream answers with this result.
fn answered(client: &mut Pipe, result: &Value) -> Value {
    let line = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
    client.send(call("1", json!([{"say": line}])));
    client.json()
}

#[test]
fn what_is_no_large_text_passes_to_the_byte_both_ways() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let unknown = "{\"method\":\"vendor/x\",\"params\":{\"n\":12345678901234567890.10},\"id\":\"ü\",\"jsonrpc\":\"2.0\"}\n";
    client.send(unknown);
    let small = r#"{"result":{"content":[{"text":"small","type":"text"}],"structuredContent":{"a":1.10}},"id":$ID}"#;
    let request =
        r#"{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"?"}}"#;
    client.send(call("7", json!([{"say": request}, {"say": small}])));
    assert_eq!(client.line(), format!("{request}\n"));
    assert_eq!(client.line(), small.replace("$ID", "7") + "\n");
    client.end();
    assert!(record(&machine).starts_with(unknown));
}

#[test]
fn a_large_text_of_a_result_is_a_reference_and_its_structure_goes() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let text = "a line of it\n".repeat(1_000);
    let answer = answered(
        &mut client,
        &json!({"content": [{"type": "text", "text": text}, {"type": "text", "text": "small"}],
            "structuredContent": {"result": text}}),
    );
    let content = &answer["result"]["content"];
    let reference = content[0]["text"].as_str().unwrap();
    assert_eq!(kept_file(&machine, &kept(reference)), text);
    assert!(reference.contains(" of told: "), "{reference}");
    assert_eq!(content[1]["text"], "small");
    assert_eq!(answer["result"].get("structuredContent"), None);
    client.end();
}

#[test]
fn errors_and_blocks_that_are_no_text_pass_however_large() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let large = "x".repeat(9_000);
    for result in [
        json!({"isError": true, "content": [{"type": "text", "text": large}]}),
        json!({"content": [{"type": "image", "data": large, "mimeType": "image/png"}]}),
        json!({"content": [{"type": "audio", "data": large, "mimeType": "audio/wav"}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": large}}]}),
    ] {
        assert_eq!(answered(&mut client, &result)["result"], result);
    }
    client.end();
}

#[test]
fn the_list_of_tools_gets_the_two_that_read_outputs_and_loses_schemas_of_what_may_be_shortened() {
    let machine = Machine::new();
    let rule = ["--config", "outputs.rules=*/exempt: never"];
    let tools = r#"[{"name":"a","outputSchema":{"type":"object"}},{"name":"exempt","outputSchema":{"type":"object"}}]"#;
    let mut command = proxy(&machine, &rule);
    command.env("TOOLS", json!([tools]).to_string());
    let mut client = Pipe::start(&mut command);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    let listed = client.json()["result"]["tools"].clone();
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "exempt", "scratchpad_read", "scratchpad_list"]);
    assert_eq!(listed[0].get("outputSchema"), None);
    assert!(listed[1]["outputSchema"].is_object());
    client.end();
}

#[test]
fn with_outputs_switched_off_the_proxy_changes_nothing() {
    let machine = Machine::new();
    let off = ["--config", "outputs.enabled=false"];
    let mut client = Pipe::start(&mut proxy(&machine, &off));
    let result = text_result(&"x".repeat(9_000));
    assert_eq!(answered(&mut client, &result)["result"], result);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
    assert_eq!(client.json()["result"]["tools"], json!([]));
    client.end();
}

#[test]
fn if_the_store_fails_results_pass_unchanged_and_stderr_says_why() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(machine.database(), "no database").unwrap();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let result = text_result(&"x".repeat(9_000));
    assert_eq!(answered(&mut client, &result)["result"], result);
    let (_, said, _) = client.end();
    assert!(said.contains("passes unchanged: "), "{said}");
}

#[test]
fn when_the_upstream_dies_pending_calls_get_an_error_and_the_exit_code_is_the_upstreams() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call("5", json!([{"exit": 3}])));
    let answer = client.json();
    assert_eq!(answer["id"], 5);
    let error = answer["error"]["message"].as_str().unwrap();
    assert!(error.contains("ended with exit code 3"), "{error}");
    let (_, _, status) = client.ended();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn wrap_puts_the_servers_of_a_file_behind_the_proxy_and_unwrap_restores_it_to_the_byte() {
    let machine = Machine::new();
    let file = machine.project().join("mcp.json");
    let text = "{ \"mcpServers\" : {\n  \"gh\": {\"command\": \"npx\", \"args\": [\"-y\", \"gh-mcp\"]} , \"web\": {\"url\": \"https://a.example/mcp\"} }, \"x\": 1.10 }\n";
    fs::write(&file, text).unwrap();
    let run = |option: &str| machine.run(&["proxy", option, "mcp.json"]).ok();
    run("--wrap");
    let wrapped: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for server in ["gh", "web"] {
        let words = wrapped["mcpServers"][server]["args"].to_string();
        assert!(words.starts_with("[\"proxy\","), "{wrapped}");
    }
    run("--wrap");
    assert_eq!(
        serde_json::from_str::<Value>(&fs::read_to_string(&file).unwrap()).unwrap(),
        wrapped
    );
    run("--unwrap");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
#[cfg(unix)]
fn run_keeps_a_large_output_and_the_exit_code_of_its_command() {
    let machine = Machine::new();
    let run = |script: &str| {
        let mut command = machine.command(&["run", "--", "/bin/sh", "-c", script]);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        machine.answer(command.output().unwrap())
    };
    let large = run("seq 1 3000; exit 7");
    assert_eq!(large.code, Some(7));
    assert!(large.out.starts_with("[Output "), "{}", large.out);
    let id = kept(&large.out);
    assert!(kept_file(&machine, &id).starts_with("1\n2\n3\n"));
    let small = run("echo small; exit 3");
    assert_eq!((small.code, &*small.out), (Some(3), "small\n"));
}
