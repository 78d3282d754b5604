//! Malformed input to the MCP server: each message gets an answer, and the server keeps running.

use crate::support::Machine;
use crate::support::client::Client;
#[cfg(target_os = "linux")]
use crate::support::{peak_memory, wait_until};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

fn server(machine: &Machine) -> Client {
    Client::greeted(&mut machine.command(&["mcp", "--session", "s"]))
}

fn still_works(client: &mut Client) {
    let texts = client.call(
        "session_scratchpad",
        json!({"action": "set_plan", "content": "go"}),
    );
    assert_eq!(texts, ["Plan saved (2 / 2000 chars)."]);
}

#[test]
fn every_bad_message_gets_the_right_error_and_the_next_one_is_served() {
    let machine = Machine::new();
    let mut client = server(&machine);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":11,"method":"ping","params":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let messages = [
        "not json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,",
        "[]",
        "null",
        "7",
        "{}",
        r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
        r#"{"id":4,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/nothing"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"add_note","arguments":[]}}"#,
        &deep,
        r#"{"jsonrpc":"2.0","id":12,"method":"resources/subscribe","params":{"uri":"scratchpad://session/pad"}}"#,
        r#"{"jsonrpc":"2.0","id":13,"method":"logging/setLevel","params":{"level":"debug"}}"#,
        r#"{"jsonrpc":"2.0","id":"14","method":"tools/call","params":{"name":"add_note","arguments":{"content":7}}}"#,
    ];
    let mut seen = String::new();
    for message in messages {
        client.send_bytes(format!("{message}\n").as_bytes());
        let answer = client.next();
        let said = match answer.get("error") {
            Some(error) => format!("{} {}", error["code"], error["message"].as_str().unwrap()),
            None => format!(
                "isError {}: {}",
                answer["result"]["isError"], answer["result"]["content"][0]["text"]
            ),
        };
        let shown: String = message.chars().take(100).collect();
        let id = answer
            .get("id")
            .map_or("no id".to_owned(), Value::to_string);
        seen.push_str(&format!("{shown}\n  {id}: {said}\n"));
    }
    assert_data_eq!(
        seen,
        str![[r#"
not json
  no id: -32700 The message is not valid JSON.
{"jsonrpc":"2.0","id":1,
  no id: -32700 The message is not valid JSON.
[]
  no id: -32600 The message is not JSON-RPC 2.0.
null
  no id: -32600 The message is not JSON-RPC 2.0.
7
  no id: -32600 The message is not JSON-RPC 2.0.
{}
  no id: -32600 The message is not JSON-RPC 2.0.
[{"jsonrpc":"2.0","id":2,"method":"ping"}]
  no id: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"1.0","id":3,"method":"ping"}
  3: -32600 The message is not JSON-RPC 2.0.
{"id":4,"method":"ping"}
  4: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":5}
  5: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":null,"method":"ping"}
  no id: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":1.5,"method":"ping"}
  no id: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}
  no id: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":6,"method":7}
  6: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":7,"method":"tools/nothing"}
  7: -32601 Method not found: tools/nothing
{"jsonrpc":"2.0","id":8,"method":"tools/call"}
  8: -32602 tools/call: wrong parameters.
{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7}}
  9: -32602 tools/call: wrong parameters.
{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"add_note","arguments":[]}}
  10: -32602 tools/call: wrong parameters.
{"jsonrpc":"2.0","id":11,"method":"ping","params":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  11: -32600 The message is not JSON-RPC 2.0.
{"jsonrpc":"2.0","id":12,"method":"resources/subscribe","params":{"uri":"scratchpad://session/pad"}}
  12: -32601 Method not found: resources/subscribe
{"jsonrpc":"2.0","id":13,"method":"logging/setLevel","params":{"level":"debug"}}
  13: -32601 Method not found: logging/setLevel
{"jsonrpc":"2.0","id":"14","method":"tools/call","params":{"name":"add_note","arguments":{"content":
  "14": isError true: "add_note: `content` must be a string; the number 7 was given. Nothing was changed."

"#]]
    );
    client.send_bytes(b"\xff\xfe{\"jsonrpc\":\"2.0\"}\n");
    assert_eq!(client.next()["error"]["code"], -32700);
    still_works(&mut client);
}

#[test]
fn what_needs_no_answer_gets_none() {
    let machine = Machine::new();
    let mut client = server(&machine);
    for message in [
        "",
        "   \r",
        r#"{"jsonrpc":"2.0","method":"notifications/nothing"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":"roots-1","result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":77,"error":{"code":-1,"message":"no"}}"#,
    ] {
        client.send_bytes(format!("{message}\n").as_bytes());
    }
    still_works(&mut client);
    let (rest, status) = client.end();
    assert_eq!(rest, [] as [Value; 0]);
    assert!(status.success());
}

#[test]
fn a_client_that_begins_wrongly_may_begin_again() {
    let machine = Machine::new();
    let mut client = Client::start(&mut machine.command(&["mcp"]));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    let early = client.ask("tools/list", json!({}));
    assert_eq!(early["error"]["code"], -32602);
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    assert_eq!(client.request("ping", json!({})), json!({}));
    let odd = client.ask("initialize", json!({"protocolVersion": 7}));
    assert!(odd.get("error").is_some(), "{odd}");
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {}});
    let future = client.ask("tools/list", json!({"_meta": meta}));
    assert_eq!(future["error"]["code"], -32022);
    assert!(
        future["error"]["data"]["supported"]
            .to_string()
            .contains("2026-07-28")
    );
    let greeting = client.request(
        "initialize",
        json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}),
    );
    assert_eq!(greeting["protocolVersion"], "2025-11-25");
    still_works(&mut client);
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let machine = Machine::new();
    let mut client = Client::start(&mut machine.command(&["mcp"]));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    // This one is only answered when the server ends.
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": {"_meta": meta, "notifications": {"toolsListChanged": true}}}));
    assert_eq!(
        client.next()["method"],
        "notifications/subscriptions/acknowledged"
    );
    client.send(
        &json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": meta}}),
    );
    let refused = client.next();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(5), &json!(-32600))
    );
    let (rest, status) = client.end();
    assert_eq!(rest.len(), 1);
    assert_eq!(
        (&rest[0]["id"], &rest[0]["result"]["resultType"]),
        (&json!(5), &json!("complete"))
    );
    assert!(status.success());
}

#[test]
#[ignore = "heavy: a huge line"]
fn a_huge_line_is_refused_by_its_id_in_little_memory() {
    let machine = Machine::new();
    let mut client = server(&machine);
    let content = vec![b'x'; 64 * 1024 * 1024];
    client.send_bytes(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"name":"add_note","arguments":{"content":""#);
    client.send_bytes(&content);
    client.send_bytes(b"\"}},\"id\":\"last\"}\n");
    let answer = client.next();
    assert_eq!(
        answer,
        json!({"jsonrpc": "2.0", "id": "last", "error": {
            "code": -32600, "message": "The message is larger than 16,777,216 bytes. Nothing was changed.",
        }})
    );
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory(client.process());
        assert!(peak < 64 * 1024 * 1024, "{peak} bytes were used");
    }
    still_works(&mut client);
}

#[test]
#[ignore = "heavy: a huge message"]
fn a_message_of_many_values_is_refused_by_its_id_in_little_memory() {
    let machine = Machine::new();
    let mut client = server(&machine);
    let items = "1,".repeat(7_000_000);
    let head = r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"session_scratchpad","arguments":{"action":"refs.set","items":["#;
    client.send_bytes(format!("{head}{items}1]}}}},\"id\":\"last\"}}\n").as_bytes());
    // 7,000,001 items in a list, in three objects with six more values.
    assert_eq!(
        client.next(),
        json!({"jsonrpc": "2.0", "id": "last", "error": {
            "code": -32600, "message": "The message has 7,000,010 values, the limit is 100,000. Nothing was changed.",
        }})
    );
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory(client.process());
        assert!(peak < 64 * 1024 * 1024, "{peak} bytes were used");
    }
    still_works(&mut client);
}

#[test]
fn a_last_line_without_its_break_is_answered() {
    let machine = Machine::new();
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(
        machine.run_with(&["mcp"], ping).ok(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
    );
}

#[test]
#[ignore = "heavy: 2,000 requests"]
fn many_requests_at_once_are_all_answered_once() {
    let machine = Machine::new();
    let mut client = server(&machine);
    for id in 0..2_000 {
        let params = json!({"name": "session_scratchpad", "arguments": {"action": "get"}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    let (answers, status) = client.end();
    let mut ids: Vec<i64> = answers
        .iter()
        .map(|answer| answer["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert!(
        ids == (0..2_000).collect::<Vec<i64>>(),
        "{} answers",
        ids.len()
    );
    assert!(status.success());
}

#[test]
fn writes_sent_at_once_are_done_in_their_order_and_reads_see_them() {
    let machine = Machine::new();
    let mut client = server(&machine);
    let mut ask = |id: i64, name: &str, arguments: serde_json::Value| {
        let params = json!({"name": name, "arguments": arguments});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    };
    for id in 0..100 {
        ask(
            id,
            "session_scratchpad",
            json!({"action": "append_notes", "content": id.to_string()}),
        );
        ask(
            1_000 + id,
            "session_scratchpad",
            json!({"action": "set_plan", "content": id.to_string()}),
        );
    }
    ask(2_000, "add_note", json!({"content": "one"}));
    ask(2_001, "list_notes", json!({}));
    ask(2_002, "session_scratchpad", json!({"action": "get"}));
    let (answers, _) = client.end();
    let text = |id: i64| {
        let answer = answers.iter().find(|answer| answer["id"] == id).unwrap();
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(text(2_001).starts_with("1 note"), "{}", text(2_001));
    let lines: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let block = format!("Notes:\n{}\n\nPlan:\n99\n", lines.join("\n"));
    assert!(text(2_002).contains(&block), "{}", text(2_002));
}

/// How often the threads of a process were switched; `None` while one of them is running.
#[cfg(target_os = "linux")]
fn switches_if_asleep(process: u32) -> Option<u64> {
    let mut switches = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let status = std::fs::read_to_string(thread.unwrap().path().join("status")).ok()?;
        for line in status.lines() {
            let (name, value) = line.split_once(":\t")?;
            match name {
                "State" if !value.starts_with('S') => return None,
                "voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches" => {
                    switches += value.parse::<u64>().unwrap();
                }
                _ => {}
            }
        }
    }
    Some(switches)
}

/// A client that sends requests without end and never reads is made to wait, and the server stays small.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_never_reads_is_made_to_wait() {
    use std::io::Write;
    // Their answers would take 100 MB.
    const REQUESTS: usize = 20_000;
    let machine = Machine::new();
    let mut command = machine.command(&["mcp"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let pipe = std::os::fd::AsFd::as_fd(&stdin)
        .try_clone_to_owned()
        .unwrap();
    let writer = std::thread::spawn(move || {
        let hello = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
        writeln!(stdin, "{hello}").unwrap();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        writeln!(stdin, "{initialized}").unwrap();
        let list = |id: &usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        // The pipe breaks when the server is killed.
        (0..REQUESTS)
            .take_while(|id| writeln!(stdin, "{}", list(id)).is_ok())
            .count()
    });
    // It has stopped reading when its stdin is full and all of its threads sleep.
    let mut before = None;
    wait_until("the server stops reading", || {
        assert!(!writer.is_finished(), "the server took everything in");
        let now = switches_if_asleep(child.id());
        let is_full = rustix::io::ioctl_fionread(&pipe).unwrap() > 60_000;
        let is_stuck = is_full && now.is_some() && now == before;
        before = now;
        is_stuck
    });
    let peak = peak_memory(child.id());
    assert!(peak < 64 * 1024 * 1024, "{peak} bytes were used");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(writer.join().unwrap() < REQUESTS);
}

#[test]
fn a_client_that_goes_loses_no_write_that_it_sent() {
    let machine = Machine::new();
    let mut client = server(&machine);
    let params = json!({"name": "session_scratchpad", "arguments": {"action": "set_plan", "content": "last words"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    client.send_bytes(br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"session_scratchpad","arguments":{"action":"set_notes","content":"torn"#);
    let (answers, status) = client.end();
    let torn = answers
        .iter()
        .find(|answer| answer.get("id").is_none_or(Value::is_null));
    assert_eq!(
        (answers.len(), &torn.unwrap()["error"]["code"]),
        (2, &json!(-32700))
    );
    assert!(status.success());
    let shown = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    assert_eq!(
        (&shown["plan"], &shown["notes"]),
        (&json!("last words"), &json!(""))
    );
}

#[test]
fn a_client_that_reads_nothing_more_does_not_stop_the_work() {
    let machine = Machine::new();
    let mut child = machine
        .command(&["mcp", "--session", "s"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let params = json!({"name": "session_scratchpad", "arguments": {"action": "set_plan", "content": "unheard"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let output = crate::support::feed(child, format!("{greeting}\n{call}\n").as_bytes());
    // It could not answer: whether that ends it at once or at the end of its input, it does not crash.
    assert!(output.status.code().is_some(), "{:?}", output.status);
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn without_a_word_the_server_ends_well() {
    let machine = Machine::new();
    let answer = machine.run_with(&["mcp"], b"");
    assert_eq!(
        (answer.out.as_str(), answer.err.as_str(), answer.code),
        ("", "", Some(0))
    );
    // Nothing was kept, so nothing was made.
    assert!(!machine.database().exists());
}
