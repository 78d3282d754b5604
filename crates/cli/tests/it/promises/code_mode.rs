//! Code mode: what a host passes to a script stays data.

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, proxy};
use serde_json::json;
use snapbox::{assert_data_eq, str};

/// Codex runs scripts that call tools. The metadata of both kinds of calls is as recorded.
#[test]
fn through_the_proxy_a_script_gets_the_whole_result_to_the_byte() {
    let machine = Machine::new();
    let long = "needle\\n".repeat(1_000);
    let answer = format!(
        r#"{{"id":$ID, "result":{{"structuredContent":{{"rows":"{long}"}},"content":[{{"type":"text","text":"{long}"}}]}}}}"#
    );
    let asked = |id: &str, call_id: &str| {
        let beside = format!(
            r#""_meta":{{"callId":"{call_id}","x-codex-turn-metadata":{{"session_id":"01a1f034"}},"threadId":"01a1f034","sessionId":"01a1f034","progressToken":1}},"arguments""#
        );
        call(id, json!([{"say": answer}])).replace("\"arguments\"", &beside)
    };
    let script = "exec-67730789-8b12-48ee-8a28-bfef49d80aee";
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(asked("1", script));
    assert_eq!(client.line(), answer.replace("$ID", "1") + "\n");
    client.send(asked("2", "call_2325ae2dfdca4e5682b0"));
    let direct = client.json();
    let id = kept(direct["result"]["content"][0]["text"].as_str().unwrap());
    assert_eq!(direct["result"].get("structuredContent"), None);
    // A script may read what was kept with our tools.
    client.send("{\"id\":3,\"method\":\"tools/list\"}\n");
    client.line();
    client.send(format!("{{\"id\":4,\"method\":\"tools/call\",\"params\":{{\"_meta\":{{\"callId\":\"{script}\"}},\"name\":\"scratchpad_read\",\"arguments\":{{\"id\":\"{id}\"}}}}}}\n"));
    let read = client.json();
    assert_eq!(
        read["result"]["content"][0]["text"],
        "needle\n".repeat(1_000)
    );
    client.end();

    let options = ["--config", "outputs.code_mode=keep"];
    let mut client = Pipe::start(&mut proxy(&machine, &options));
    client.send(asked("5", script));
    kept(
        client.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap(),
    );
    client.end();
}

/// The hook's answer to a shell result.
fn after_shell(machine: &Machine, host: &str, call: &str, result: &str) -> serde_json::Value {
    let payload = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": result, "tool_use_id": call});
    machine
        .run_with(&["hook", host], payload.to_string().as_bytes())
        .json()
}

#[test]
fn a_hook_leaves_the_result_of_a_scripts_call_alone() {
    let machine = Machine::new();
    let script = "exec-1917fe06-67ae-4f0f-95b7-abf119c1a56d";
    let answer = |call| {
        let large = "first line\n".to_owned() + &"x".repeat(5_000);
        after_shell(&machine, "codex", call, &large)
    };
    assert_eq!(answer(script), json!({}));
    assert_eq!(answer("call_8f5676454fcc462eae42")["decision"], "block");
    machine
        .run(&["config", "set", "outputs.code_mode", "keep"])
        .ok();
    assert_eq!(answer(script)["decision"], "block");
}

#[test]
fn the_reference_says_what_codex_cut_before_we_saw_it_and_what_keeps_all() {
    let machine = Machine::new();
    let cut = format!(
        "Warning: truncated output (original token count: 27224)\nTotal output lines: 20000\n\n{}",
        "1\n2\n3\n".repeat(1_500)
    );
    let answer = after_shell(&machine, "codex", "call_8f5676454fcc462eae42", &cut);
    let reference = answer["reason"].as_str().unwrap();
    assert_data_eq!(
        reference.lines().next().unwrap(),
        str![
            "[Output f813d07b4633 of Bash: 9,083 bytes of about 27,224 tokens: Codex cut the middle before it was kept; `scratchpad run -- COMMAND` keeps all.]"
        ]
    );
}
