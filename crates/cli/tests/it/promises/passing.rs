//! Passing outputs on by reference: what reaches the server behind the proxy, who may send what where, and what can't be sent.

use std::process::Command;

use crate::support::Machine;
use crate::support::outputs::keep;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, proxy, record, text_result};
use crate::support::upstream::{Upstream, json as json_response};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// The proxy in front of a server that is called `told`.
fn told(machine: &Machine, options: &[&str]) -> Command {
    proxy(machine, &[&["--name", "told"], options].concat())
}

/// Has the server answer with a text, which is kept; returns its id.
fn kept_of(client: &mut Pipe, text: &str) -> String {
    let line = json!({"jsonrpc": "2.0", "id": 1, "result": text_result(text)}).to_string();
    client.send(call("1", json!([{"say": line}])));
    let answer = client.json();
    kept(answer["result"]["content"][0]["text"].as_str().unwrap())
}

const DONE: &str = r#"[{"say":"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}"}]"#;

/// A call that the server answers at once, with these members among its arguments.
fn with(id: u64, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"put","arguments":{{"do":{DONE},{members}}}}}}}"#
    ) + "\n"
}

/// What the server got last.
fn got(machine: &Machine) -> String {
    record(machine).lines().last().unwrap().to_owned() + "\n"
}

fn long(text: &str) -> String {
    format!("{text}\n{}", "a line that makes it long\n".repeat(200))
}

#[test]
fn a_reference_is_replaced_by_the_text_and_every_other_byte_passes() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    for odd in [
        "plain",
        "\"quotes\" \\ and \u{0} and \u{7f} \u{2028} 😀",
        "\r\n\t",
        "ä",
    ] {
        let text = long(odd);
        let id = kept_of(&mut client, &text);
        let members = |all: &str, line: &str| {
            format!(
                r#""n":1.10,  "body":{all},"deep":[{{"x":{line}}},true],"big":12345678901234567890"#
            )
        };
        let by_reference = |slice: &str| format!("\"scratchpad:\\/\\/output/{id}{slice}\"");
        client.send(with(
            7,
            &members(&by_reference(""), &by_reference("?lines=3-3")),
        ));
        assert_eq!(client.json()["id"], 7);
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let expected = members(
            &quoted(&text),
            &quoted(text.split_inclusive('\n').nth(2).unwrap()),
        );
        assert_eq!(got(&machine), with(7, &expected));
    }
    client.end();
}

#[test]
fn a_filter_passes_one_value_of_any_type_and_an_edited_text() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let rows: Vec<Value> = (0..400)
        .map(|row| json!({"id": row, "s": "open"}))
        .collect();
    let id = kept_of(
        &mut client,
        &json!({"rows": rows, "f": "x"})
            .to_string()
            .replace("\"x\"", "1.10"),
    );
    for (slice, expected) in [
        ("json=$.rows[7]", r#"{"id":7,"s":"open"}"#),
        ("json=.rows | length", "400"),
        ("json=.f", "1.10"),
        ("json=.rows[0].s", "\"open\""),
        (
            "json=.rows[0] | .s += \\\"=&?%20\\\" | tojson",
            r#""{\"id\":0,\"s\":\"open=&?%20\"}""#,
        ),
        ("text=.[:9] | sub(\\\"rows\\\"; \\\"ä\\\")", r#""{\"ä\":[""#),
    ] {
        client.send(with(
            3,
            &format!("\"a\":\"scratchpad://output/{id}?{slice}\""),
        ));
        assert_eq!(client.json()["id"], 3, "{slice}");
        assert_eq!(
            got(&machine),
            with(3, &format!("\"a\":{expected}")),
            "{slice}"
        );
    }
    client.end();
}

#[test]
fn what_can_not_be_passed_is_an_error_and_nothing_is_sent() {
    let machine = Machine::new();
    let limit = ["--config", "outputs.pass_max_bytes=6000"];
    let mut client = Pipe::start(&mut told(&machine, &limit));
    let id = kept_of(&mut client, &long("[1,2]"));
    let rows = kept_of(&mut client, &json!(vec![1; 3_000]).to_string());
    let large = kept_of(&mut client, &"x".repeat(6_001));
    let gone = kept_of(&mut client, &long("gone"));
    machine.run(&["output", "delete", &gone]).ok();
    let put = keep(&machine, "t", long("from a pipe").as_bytes());
    let odd = keep(
        &machine,
        "t",
        &[b"\xff".as_slice(), &[b'x'; 5_000]].concat(),
    );
    let allowed = ["--config", "outputs.pass=put -> told"];
    let before = record(&machine);
    let mut said = String::new();
    let mut refused = |client: &mut Pipe, argument: &str| {
        client.send(with(5, &format!("\"in\":{{\"body\":{}}}", json!(argument))));
        let answer = client.json();
        assert_eq!(answer["result"]["isError"], true, "{argument}: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        said.push_str(&format!("{text}\n\n"));
    };
    for (id, slice) in [
        (&gone, ""),
        (&"0".repeat(12), ""),
        (&put, ""),
        (&large, ""),
        (&rows, "?json=$[9999]"),
        (&rows, "?json=.[:3][]"),
        (&rows, "?json=[.[] | tostring * 9] | join(\"\")"),
        (&rows, "?json=.["),
        (&rows, "?text=length"),
        (&id, "?json=."),
        (&id, "?lines=900-901"),
        (&id, "?lines=one"),
        (&id, "?grep=a"),
        (&"0123".to_owned(), ""),
        (&"../../etc/passwd".to_owned(), ""),
    ] {
        refused(&mut client, &format!("scratchpad://output/{id}{slice}"));
    }
    client.end();
    let mut client = Pipe::start(&mut told(&machine, &allowed));
    refused(&mut client, &format!("scratchpad://output/{odd}"));
    client.end();
    assert_eq!(record(&machine), before);
    let said = [
        (&gone, "GONE"),
        (&put, "PUT"),
        (&large, "LARGE"),
        (&odd, "ODD"),
        (&rows, "ROWS"),
        (&id, "ID"),
    ]
    .iter()
    .fold(said, |said, (id, name)| {
        said.replace(id.as_str(), name)
            .replace(&id.to_uppercase(), name)
    });
    assert_data_eq!(
        said,
        str![[r#"
`body`: Output GONE is no longer kept: it was removed at [..]Z. Nothing was sent to told.
Hint: rerun what produced it.

`body`: Output 000000000000 not found: it was never kept here. Nothing was sent to told.

`body`: Output PUT came from put, and may not go to told. Nothing was sent to told.
Hint: ask the user; they allow it with: scratchpad config set outputs.pass 'same; put/* -> told/put'

`body`: That is too much of output LARGE: 6,001 bytes; up to 6,000 are passed on. Nothing was sent to told.
Hint: pass a part: ?json=…, ?lines=….

`body`: `json` gave no value. Nothing was sent to told.
Hint: look at it first: scratchpad_read {"id":"ROWS","json":"…"}

`body`: `json` gave 3 values. Nothing was sent to told.
Hint: put the filter in [ ] to pass them as an array.

`body`: That is too much of output ROWS: 27,002 bytes; up to 6,000 are passed on. Nothing was sent to told.
Hint: pass a part: ?json=…, ?lines=….

`body`: `json` is not a valid jq filter at its end: expected closing bracket. Nothing was changed. Nothing was sent to told.
Hint: JSONPath starts with `$`: $[0:3], $.items[?@.id==7]; a jq filter: length, [.[]|.name]|unique.

`body`: `text` gave no text. Nothing was sent to told.
Hint: end the filter with | tostring, or use ?json=.

`body`: This output is not JSON or JSON Lines (byte offset 6: end of file expected). Nothing was changed. Nothing was sent to told.
Hint: slice it by `grep` or `lines`.

`body`: Output ID has only 201 lines. Nothing was sent to told.

`body`: `lines` must be like "120-180" or "-40" (the last 40); "one" was given. Nothing was changed. Nothing was sent to told.

`body`: ?grep=a is no part of an output. Nothing was sent to told.
Hint: a reference is scratchpad://output/ID, ID having 12 to 64 hex digits, or that with ?lines=A-B, ?json=FILTER or ?text=FILTER.

`body`: "scratchpad://output/0123" names no output. Nothing was sent to told.
Hint: a reference is scratchpad://output/ID, ID having 12 to 64 hex digits, or that with ?lines=A-B, ?json=FILTER or ?text=FILTER.

`body`: "scratchpad://output/../../etc/passwd" names no output. Nothing was sent to told.
Hint: a reference is scratchpad://output/ID, ID having 12 to 64 hex digits, or that with ?lines=A-B, ?json=FILTER or ?text=FILTER.

`body`: Output ODD is not text: it is not UTF-8. Nothing was sent to told.
Hint: its file: [..]/home/outputs/ODD


"#]]
    );
}

#[test]
fn what_is_no_reference_passes_as_it_came() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let id = kept_of(&mut client, &long("text"));
    let uri = format!("scratchpad://output/{id}");
    for members in [
        format!(r#""{uri}":1"#),
        format!(r#""a":"see {uri}""#),
        format!(r#""a":" {uri}""#),
        r#""a":"scratchpad:","b":"scratchpad://other/x""#.to_owned(),
    ] {
        client.send(with(2, &members));
        client.line();
        assert_eq!(got(&machine), with(2, &members));
    }
    // In the metadata, in other requests, and for the pad, which keeps references.
    let lines = [
        with(2, r#""a":1"#).replace(
            "\"arguments\"",
            &format!("\"_meta\":{{\"a\":\"{uri}\"}},\"arguments\""),
        ),
        with(2, &format!(r#""ref":"{uri}""#)).replace("\"put\"", "\"session_scratchpad\""),
        with(2, &format!(r#""a":"{uri}""#)).replace("tools/call", "vendor/do"),
    ];
    for line in lines {
        client.send(&line);
        client.line();
        assert_eq!(got(&machine), line);
    }
    client.end();
    let never = ["--config", "outputs.pass=never"];
    let mut client = Pipe::start(&mut told(&machine, &never));
    let line = with(2, &format!("\"a\":\"{uri}\""));
    client.send(&line);
    client.line();
    assert_eq!(got(&machine), line);
    client.end();
}

#[test]
fn an_output_goes_to_another_server_only_by_a_rule_of_the_user() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let id = kept_of(&mut client, &long("secret"));
    client.end();
    let argument = format!("\"a\":\"scratchpad://output/{id}\"");
    let other = ["--name", "other"];
    let mut client = Pipe::start(&mut proxy(&machine, &other));
    client.send(with(4, &argument));
    let answer = client.json();
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        said.contains(&format!(
            "Output {id} came from told, and may not go to other. Nothing was sent to other."
        )),
        "{said}"
    );
    // Two references, of which one is allowed.
    let own = kept_of(&mut client, &long("own"));
    let before = record(&machine);
    client.send(with(
        5,
        &format!("{argument},\"b\":\"scratchpad://output/{own}\""),
    ));
    assert_eq!(client.json()["result"]["isError"], true);
    assert_eq!(record(&machine), before);
    client.end();
    // What the error proposes is what allows it.
    let (_, setting) = said
        .split_once("scratchpad config set outputs.pass '")
        .unwrap();
    let setting = setting.split_once('\'').unwrap().0;
    assert_eq!(setting, "same; told/* -> other/put");
    machine
        .run(&["config", "set", "outputs.pass", setting])
        .ok();
    let mut client = Pipe::start(&mut proxy(&machine, &other));
    client.send(with(6, &argument));
    assert_eq!(client.json()["id"], 6);
    assert!(got(&machine).contains("secret"));
    client.end();
}

#[test]
fn a_project_may_not_say_where_outputs_go() {
    let machine = Machine::new();
    let refused = machine.run(&["config", "set", "--project", "outputs.pass", "* -> *"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(
        refused.err.contains("it chooses who gets your data"),
        "{}",
        refused.err
    );
}

#[test]
fn servers_that_share_a_name_are_not_the_same_server() {
    let machine = Machine::new();
    // Both are called after their program, python3.
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let id = kept_of(&mut client, &long("of one"));
    client.end();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(with(4, &format!("\"a\":\"scratchpad://output/{id}\"")));
    let answer = client.json();
    let said = answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .replace(&id, "ID");
    client.end();
    assert_data_eq!(
        said,
        str![[r#"
`a`: Output ID came from a server called python3, as many are: it is not known to be this one. Nothing was sent to python3.
Hint: ask the user; they give each server a name: scratchpad proxy --name NAME -- COMMAND.
"#]]
    );
}

#[test]
fn a_call_that_waits_for_its_filter_holds_up_no_other_and_is_never_sent_once_cancelled() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let id = kept_of(&mut client, &json!(vec![1; 3_000]).to_string());
    let endless = format!("\"a\":\"scratchpad://output/{id}?json=def f: f; f\"");
    client.send(with(8, &endless));
    client.send(with(9, "\"a\":1"));
    assert_eq!(client.json()["id"], 9);
    client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}\n");
    // Its id may be used again.
    client.send(with(8, "\"a\":2"));
    assert_eq!(client.json()["id"], 8);
    let (rest, _, _) = client.end();
    assert_eq!(rest, "");
    let record = record(&machine);
    assert!(
        !record.contains("def f") && !record.contains("cancelled"),
        "{record}"
    );
}

#[test]
fn a_call_with_a_reference_in_a_batch_is_sent_after_the_others() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let text = long("in a batch");
    let id = kept_of(&mut client, &text);
    let by_reference = with(4, &format!("\"a\":\"scratchpad://output/{id}\""));
    let ping = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;
    client.send(format!("[{ping}, {}]\n", by_reference.trim_end()));
    assert_eq!(client.json()["id"], 4);
    // The others may be on their way still.
    client.end();
    let record = record(&machine);
    let lines: Vec<&str> = record.lines().collect();
    assert!(lines.contains(&format!("[{ping}]").as_str()), "{record}");
    let sent = with(4, &format!("\"a\":{}", json!(text)));
    assert!(lines.contains(&sent.trim_end()), "{record}");
}

#[test]
fn if_the_server_dies_meanwhile_the_call_is_answered_once() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut told(&machine, &[]));
    let id = kept_of(&mut client, &json!(vec![1; 3_000]).to_string());
    client.send(with(
        8,
        &format!("\"a\":\"scratchpad://output/{id}?json=[limit(200000; repeat(1))] | length\""),
    ));
    client.send(call("9", json!([{"exit": 3}])));
    let (rest, _, status) = client.ended();
    let answers: Vec<Value> = rest
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |id: u64| {
        answers
            .iter()
            .filter(|answer| answer["id"] == id)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(8).len(), 1, "{rest}");
    assert_eq!(of(8)[0]["error"]["code"], -32_000, "{rest}");
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_server_over_http_gets_the_text_too() {
    let machine = Machine::new();
    let text = long("over HTTP");
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": text_result(&text)}).to_string();
    let server = Upstream::start(move |asked| {
        if asked.body.contains("first") {
            return json_response(&result);
        }
        json_response(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#)
    });
    let mut client =
        Pipe::start(&mut machine.command(&["proxy", "--name", "web", "--url", &server.url]));
    client.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"first"}}"#.to_owned()
            + "\n",
    );
    let answer = client.json();
    let id = kept(answer["result"]["content"][0]["text"].as_str().unwrap());
    let line = with(2, &format!("\"a\":\"scratchpad://output/{id}\""));
    client.send(&line);
    assert_eq!(client.json()["id"], 2);
    client.end();
    let asked = server.asked();
    let body = &asked
        .iter()
        .find(|asked| asked.body.contains("\"put\""))
        .unwrap()
        .body;
    assert_eq!(
        body.trim_end(),
        with(2, &format!("\"a\":{}", json!(text))).trim_end()
    );
}

#[test]
fn the_description_of_the_tool_that_reads_says_how_and_only_where_it_works() {
    let machine = Machine::new();
    let described = |options: &[&str]| {
        let mut client = Pipe::start(&mut told(&machine, options));
        client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
        let tools = client.json()["result"]["tools"].clone();
        client.end();
        tools[0]["description"].as_str().unwrap().to_owned()
    };
    assert!(described(&[]).contains("scratchpad://output/ID"));
    assert!(!described(&["--config", "outputs.pass=never"]).contains("scratchpad://"));
}
