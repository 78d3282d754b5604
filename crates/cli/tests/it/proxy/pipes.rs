//! The proxy in front of a scripted server: what passes unchanged, and what is replaced.

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, kept_file, proxy, record, text_result};
use serde_json::{Value, json};

#[test]
fn every_message_passes_as_it_came_both_ways() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    // Numbers beyond 2^53, unusual order and whitespace, escapes, unknown fields and methods, and a line that is no message.
    let sent = [
        "{\"method\":\"vendor/x\",\"params\":{\"n\":12345678901234567890.10,\"e\":1E+2},\"id\":12345678901234567890,\"jsonrpc\":\"2.0\"}\n",
        " {\"jsonrpc\" : \"2.0\" , \"method\":\"notifications\\/progress\",\"params\":{\"a\":\"\\u00e4\\ud83e\\udd80\",\"_meta\":{\"x/y\":[ ]}} }\r\n",
        "\n",
        "not json\n",
        "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"srv-1\",\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"\"},\"big\":1e400}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99,\"reason\":\"x\"}}\n",
    ];
    client.send(sent.concat());
    let said = [
        r#"{"result":{"content":[{"text":"small","type":"text"}],"structuredContent":{"n":12345678901234567890,"z":1,"a":1.10},"x":"\u00e4\/"},"id":$ID,"jsonrpc":"2.0"}"#,
        r#" { "jsonrpc":"2.0","method":"notifications/message","params":{"data":123456789012345678901234567890}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.5}}"#,
        "warning: this is no JSON",
        "",
        r#"[{"jsonrpc":"2.0","method":"vendor/a"},{"jsonrpc":"2.0","method":"vendor/b"}]"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{"nobody":"asked"}}"#,
    ];
    let steps: Vec<Value> = said.iter().map(|line| json!({"say": line})).collect();
    let asked = call("7", Value::from(steps));
    client.send(&asked);
    for line in said {
        assert_eq!(client.line(), line.replace("$ID", "7") + "\n");
    }
    let (rest, said, status) = client.end();
    // The one request that the server never answered is answered in the end.
    assert_eq!(
        (rest.as_str(), said.as_str(), status.code()),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"error\":{\"code\":-32000,\"message\":\"The MCP server behind the \
             proxy (python3) ended with exit code 0 before it answered.\"}}\n",
            "",
            Some(0)
        )
    );
    assert_eq!(record(&machine), sent.concat() + &asked);
}

#[test]
fn large_texts_become_references_and_nothing_else_changes() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let long = "Zeile \"ä\"\n\t\u{1F980}\\".repeat(400);
    let raw = Value::from(long.as_str()).to_string();
    let other = "y".repeat(4_097);
    let edge = "z".repeat(4_096);
    let before = r#"{ "result" :{"_meta":{"n":12345678901234567890},"structuredContent": {"a":[1,{"b":"}"}]} , "content":[ {"text":"#;
    let after = r#", "type":"text","annotations":{"priority":1.0}},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"#;
    let end = format!(
        r#"}},{{"type":"text","text":"{edge}"}},{{"type":"resource","resource":{{"uri":"a:b","text":"{other}"}}}}],"z":1e1}},"jsonrpc":"2.0","id":$ID}}"#
    );
    let line = format!("{before}{raw}{after}\"{other}\"{end}");
    client.send(call(r#""ü-1""#, json!([{"say": line}])));
    let answer = client.line();
    let seen: Value = serde_json::from_str(&answer).unwrap();
    let text = |at: usize| seen["result"]["content"][at]["text"].as_str().unwrap();
    for at in [0, 2] {
        assert!(text(at).len() <= 2_200, "{}", text(at));
        assert!(
            text(at).contains("scratchpad_read {\"id\":"),
            "{}",
            text(at)
        );
    }
    // The references are removed again: everything around them is unchanged.
    let (first, second) = (
        Value::from(text(0)).to_string(),
        Value::from(text(2)).to_string(),
    );
    let expected = line
        .replace(&raw, &first)
        .replace(
            &format!("\"text\":\"{other}\"}},{{\"type\":\"text\""),
            &format!("\"text\":{second}}},{{\"type\":\"text\""),
        )
        .replace(",\"structuredContent\": {\"a\":[1,{\"b\":\"}\"}]}", "")
        .replace("$ID", "\"ü-1\"");
    assert_eq!(answer, expected + "\n");
    assert_eq!(kept_file(&machine, &kept(text(0))), long);
    assert_eq!(kept_file(&machine, &kept(text(2))), other);
    // The structure differs from the texts, and is short: it follows the reference.
    let structure = text(0)
        .split("Structured content of the same result: ")
        .nth(1)
        .unwrap();
    assert_eq!(structure, r#"{"a":[1,{"b":"}"}]}"#);
    client.end();
}

#[test]
fn a_structure_that_the_text_tells_is_not_kept_twice() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let data = json!({"rows": (0..900).collect::<Vec<_>>(), "text": "a \" b"});
    let pretty = serde_json::to_string_pretty(&data).unwrap();
    let other = json!({"result": pretty, "more": ""});
    // As it is; as the Python SDK wraps a text; with something beside it.
    let structures = [data, json!({"result": pretty}), other];
    for (structure, is_mentioned) in structures.iter().zip([true, true, false]) {
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
            "content": [{"type": "text", "text": pretty}], "structuredContent": structure, "isError": false}});
        client.send(call("1", json!([{"say": answer.to_string()}])));
        let seen = client.json();
        let text = seen["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(!text.contains("Structured content"), is_mentioned, "{text}");
        if !is_mentioned {
            // It is long, so it is kept too.
            let its_own = text.split("of the same result: ").nth(1).unwrap();
            let kept = kept_file(&machine, &kept(its_own));
            assert_eq!(kept, structure.to_string());
        }
        assert_eq!(seen["result"].get("structuredContent"), None);
        assert_eq!(seen["result"]["isError"], false);
        assert_eq!(kept_file(&machine, &kept(text)), pretty);
    }
    client.end();
}

#[test]
fn errors_steps_on_the_way_and_what_is_no_text_pass_untouched() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(
        &machine,
        &["--config", "outputs.rules=*/never_*: never"],
    ));
    let long = "x".repeat(5_000);
    let surrogate = format!("{long}\\ud800");
    let answers = [
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{long}"}}],"isError":true}}}}"#
        ),
        format!(
            r#"{{"id":$ID,"result":{{"resultType":"input_required","content":[{{"type":"text","text":"{long}"}}]}}}}"#
        ),
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{surrogate}"}},{{"type":"text","text":"{long}"}}]}}}}"#
        ),
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{long}"}}]}},"id":$ID}}"#
        ),
        format!(r#"{{"id":$ID,"error":{{"code":1,"message":"{long}"}}}}"#),
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"audio","data":"{long}"}},{{"type":"resource_link","uri":"{long}"}}]}}}}"#
        ),
        // One byte too few, once its escapes are decoded.
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
            "\\u0041".repeat(4_096)
        ),
        // It is no JSON.
        format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{long}"}}]}},}}"#),
        // The same id, but a request of the server's own.
        format!(
            r#"{{"id":$ID,"method":"vendor/x","result":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#
        ),
    ];
    for (id, answer) in (10..).zip(&answers) {
        client.send(call(&id.to_string(), json!([{"say": answer}])));
        assert_eq!(client.line(), answer.replace("$ID", &id.to_string()) + "\n");
    }
    let exempt =
        format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#);
    client.send(call("50", json!([{"say": exempt}])).replace("\"told\"", "\"never_short\""));
    assert_eq!(client.line(), exempt.replace("$ID", "50") + "\n");
    // An answer to something other than a call is not examined.
    client.send(call("51", json!([{"say": exempt}])).replace("tools/call", "vendor/do"));
    assert_eq!(client.line(), exempt.replace("$ID", "51") + "\n");
    assert!(
        !machine.home().join("outputs").exists()
            || std::fs::read_dir(machine.home().join("outputs"))
                .unwrap()
                .count()
                == 0
    );
    client.end();
}

#[test]
fn a_batch_is_looked_into_message_by_message() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let long = text_result(&"x".repeat(5_000));
    // A batch with calls of our tools and of the server's: ours are answered here and not forwarded.
    let theirs = r#"{"jsonrpc":"2.0","id":1,"method":"ping" }"#;
    let ours =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scratchpad_list"}}"#;
    client.send(format!("[{ours}, {theirs} ,{ours}]\n"));
    for _ in 0..2 {
        let answer = client.json();
        assert_eq!(answer["id"], 2);
        assert_eq!(answer["result"]["isError"], false);
    }
    // A batch of answers: each is examined on its own.
    let asked = [call("3", json!([])), call("4", json!([]))].concat();
    client.send(asked);
    client.send(call("5", json!([{"say": format!(r#"[{{"id":3,"result":{long}}}, {{"id":1,"result":{{}}}},{{"id":4,"result":{long}}}]"#)}])));
    let batch = client.json();
    for at in [0, 2] {
        kept(batch[at]["result"]["content"][0]["text"].as_str().unwrap());
    }
    assert_eq!(batch[1], json!({"id": 1, "result": {}}));
    let (rest, _, _) = client.end();
    // 5 was never answered: it gets an error at the end.
    assert!(rest.contains("\"id\":5,\"error\""), "{rest}");
    assert_eq!(
        record(&machine).lines().next().unwrap(),
        format!("[{theirs}]")
    );
}

#[test]
fn our_tools_are_listed_last_and_read_what_was_kept() {
    let machine = Machine::new();
    let pages = json!([
        r#"[{"name":"a","outputSchema":{"type":"object"},"icons":[],"x":12345678901234567890},{"outputSchema":{},"name":"b"}]"#,
        r#" [ {"name":"never_c" , "outputSchema":{"type":"object"}} ] "#,
    ]);
    let mut client = Pipe::start(
        proxy(&machine, &["--config", "outputs.rules=*/never_*: never"])
            .env("TOOLS", pages.to_string()),
    );
    client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    assert_eq!(
        client.line(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\",\"icons\":[],\"x\":12345678901234567890},{\"name\":\"b\"}],\"nextCursor\":\"1\"}}\n"
    );
    client.send(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"1\"}}\n",
    );
    let line = client.line();
    let start = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\": [ {\"name\":\"never_c\" , \"outputSchema\":{\"type\":\"object\"}} ,{\"name\":\"scratchpad_read\"";
    assert!(line.starts_with(start), "{line}");
    assert!(line.ends_with("] }}\n"), "{line}");
    let long = "needle\n".repeat(1_000);
    client.send(call(
        "3",
        json!([{"say": json!({"id": 3, "result": text_result(&long)}).to_string()}]),
    ));
    let answer = client.json();
    let id = kept(answer["result"]["content"][0]["text"].as_str().unwrap());
    client.send(format!("{{\"id\":4,\"method\":\"tools/call\",\"params\":{{\"name\":\"scratchpad_read\",\"arguments\":{{\"id\":\"{id}\"}}}}}}\n"));
    let read = client.json();
    assert_eq!(read["result"]["content"][0]["text"], long);
    assert_eq!(read["result"].get("resultType"), None);
    // The newer protocol requires the type of a result.
    client.send(format!("{{\"id\":4e0,\"method\":\"tools/call\",\"params\":{{\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}},\"name\":\"scratchpad_read\",\"arguments\":{{\"id\":\"{id}\",\"lines\":\"2\"}}}}}}\n"));
    let line = client.line();
    assert!(
        line.starts_with("{\"jsonrpc\":\"2.0\",\"id\":4e0,"),
        "{line}"
    );
    assert_eq!(
        serde_json::from_str::<Value>(&line).unwrap()["result"]["resultType"],
        "complete"
    );
    client.end();
    assert!(!record(&machine).contains("scratchpad_read"));
}

#[test]
fn ours_take_another_name_where_the_server_has_theirs() {
    let machine = Machine::new();
    let pages = json!([
        r#"[{"name":"scratchpad_read"}]"#,
        r#"[{"name":"sp_scratchpad_list"}]"#
    ]);
    let mut client = Pipe::start(proxy(&machine, &[]).env("TOOLS", pages.to_string()));
    client.send("{\"id\":1,\"method\":\"tools/list\"}\n{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"1\"}}\n");
    client.line();
    let listed = client.json();
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "sp_scratchpad_list",
            "sp2_scratchpad_read",
            "sp2_scratchpad_list"
        ]
    );
    let long = json!({"id": 3, "result": text_result(&"x\n".repeat(4_000))}).to_string();
    client.send(call("3", json!([{"say": long}])));
    let answer = client.json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("sp2_scratchpad_read {"), "{text}");
    client.send(
        "{\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"sp2_scratchpad_list\"}}\n",
    );
    assert_eq!(client.json()["result"]["isError"], false);
    // That name belongs to the server.
    let theirs = call("5", json!([{"say": "{\"id\":5,\"result\":\"theirs\"}"}]))
        .replace("\"told\"", "\"scratchpad_read\"");
    client.send(theirs);
    assert_eq!(client.line(), "{\"id\":5,\"result\":\"theirs\"}\n");
    client.end();
}

#[test]
fn the_session_is_the_one_that_the_host_names_beside_the_call() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &["--name", "demo"]));
    let long = json!({"id": 1, "result": text_result(&"x\n".repeat(4_000))}).to_string();
    client.send(call("1", json!([{"say": long}])).replace(
        "\"arguments\"",
        "\"_meta\":{\"sessionId\":\"codex-1\"},\"arguments\"",
    ));
    let answer = client.json();
    kept(answer["result"]["content"][0]["text"].as_str().unwrap());
    client.end();
    let listed = machine
        .run(&["call", "scratchpad_list", "--session", "codex-1", "--json"])
        .json();
    assert_eq!(listed["structuredContent"]["output_count"], 1, "{listed}");
}
