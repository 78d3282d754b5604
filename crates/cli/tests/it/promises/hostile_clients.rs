//! What hostile or broken clients of the server can't do: fill its memory, hold up others, or get answers of others.

use std::io::Write;
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use super::searches::children;
use crate::support::attackers::{Target, is_closed};
use crate::support::client::Client;
use crate::support::http::{HttpServer, set_plan, write_private};
use crate::support::outputs::keep;
#[cfg(target_os = "linux")]
use crate::support::peak_memory;
use crate::support::{Machine, wait_until};

fn target(server: &HttpServer) -> Target<'_> {
    Target {
        address: &server.address,
        token: None,
    }
}

#[test]
fn an_id_used_again_after_a_cancel_gets_the_answer_of_its_own_request() {
    let machine = Machine::new();
    let output = keep(&machine, "t", "1\n".repeat(3_000).as_bytes());
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    client.call("session_scratchpad", set_plan("go"));
    let call = |tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let first = call(
        "scratchpad_read",
        json!({"id": output, "json": "def f: f; f"}),
    );
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    let second = call("session_scratchpad", json!({"action": "get"}));
    for _ in 0..20 {
        client.send_bytes(format!("{first}\n{cancel}\n{second}\n").as_bytes());
        let answer = client.next();
        assert_eq!(answer["id"], 7);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("go"), "{answer}");
    }
}

/// A text of this size in lines, kept as an output.
fn large_output(machine: &Machine, bytes: usize) -> String {
    let line = "All work and no play makes Jack a dull boy.\n";
    keep(machine, "t", line.repeat(bytes / line.len()).as_bytes())
}

fn read_resource(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}})
}

const ALONE: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\n";

/// A request of the newest revision, which belongs to no session.
fn alone(mut request: Value) -> (String, Value) {
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let uri = request["params"]["uri"].as_str().unwrap();
    (format!("{ALONE}Mcp-Name: {uri}\r\n"), request)
}

/// Whether another client's write is answered soon.
fn still_serves(server: &HttpServer, headers: &[(&str, &str)]) {
    let headers = [headers, &[("Scratchpad-Session", "s")]].concat();
    let started = Instant::now();
    let answer = server.call_alone(&headers, set_plan("go"));
    assert_eq!(answer.status, 200, "{answer:?}");
    let took = started.elapsed();
    // A third of the time limits that others exhaust.
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn an_output_is_read_as_a_resource_in_pages_that_are_its_exact_text() {
    let machine = Machine::new();
    let lines: Vec<String> = (0..60_000).map(|line| format!("{line} größer\n")).collect();
    let text = lines.concat();
    let id = keep(&machine, "t", text.as_bytes());
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    let (mut whole, mut uri, mut pages) = (String::new(), format!("scratchpad://output/{id}"), 0);
    loop {
        let read = client.request("resources/read", json!({"uri": uri}));
        let contents = read["contents"].as_array().unwrap();
        assert_eq!(contents[0]["uri"], uri);
        whole.push_str(contents[0]["text"].as_str().unwrap());
        pages += 1;
        let Some(more) = contents.get(1) else { break };
        let said = more["text"].as_str().unwrap();
        uri = more["uri"].as_str().unwrap().to_owned();
        assert!(
            said.starts_with("Bytes ") && said.ends_with(&format!("Read on: {uri}")),
            "{said}"
        );
    }
    assert!(
        whole == text && pages == text.len().div_ceil(256 * 1024),
        "{pages}"
    );
    for (uri, error) in [
        (
            format!("scratchpad://output/{id}?offset=9999999"),
            "Out of range: output",
        ),
        (
            format!("scratchpad://output/{id}?offset=x"),
            "`offset` must be a number of bytes.",
        ),
    ] {
        let answer = client.ask("resources/read", json!({"uri": uri}));
        let said = answer["error"]["message"].as_str().unwrap();
        assert!(said.contains(error), "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "heavy: 400 clients, and waits for a time limit"]
fn answers_that_nobody_reads_hold_up_no_call_and_fill_no_memory() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let uri = format!("scratchpad://output/{}", large_output(&machine, 6 << 20));
    let session = server.greet();
    let (headers, alone) = alone(read_resource(&uri));
    // Half of them in a session, where answers are streams, and half without.
    let unread: Vec<TcpStream> = (0..400)
        .map(|number| {
            let mut in_session = read_resource(&uri);
            in_session["id"] = json!(number);
            let session = format!("Mcp-Session-Id: {session}\r\n");
            match number % 2 {
                0 => target(&server).unread(&headers, &alone),
                _ => target(&server).unread(&session, &in_session),
            }
        })
        .collect();
    still_serves(&server, &[]);
    // Whoever reads gets all of it.
    let answer = server.post(
        &[("Mcp-Session-Id", &session)],
        &json!({"jsonrpc": "2.0", "id": "read", "method": "resources/read", "params": {"uri": uri}}),
    );
    let text = answer.message()["result"]["contents"][0]["text"].clone();
    assert!(text.as_str().unwrap().len() > 250_000);
    let peak = peak_memory(server.child.id());
    assert!(peak < 160 << 20, "{peak} bytes were used");
    wait_until("all are given up", || unread.iter().all(is_given_up));
    still_serves(&server, &[]);
}

/// Whether the server has given up a client that read nothing: what is left in its socket ends.
#[cfg(target_os = "linux")]
fn is_given_up(stream: &TcpStream) -> bool {
    let address = stream.local_addr().unwrap();
    let all = std::fs::read_to_string("/proc/net/tcp").unwrap();
    // 127.0.0.1, as the kernel writes it.
    let own = format!("0100007F:{:04X}", address.port());
    // An established connection is state 01.
    let server_side = all
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(&own));
    server_side.is_none_or(|line| line.split_whitespace().nth(3) != Some("01"))
}

#[cfg(target_os = "linux")]
#[test]
fn answers_that_nobody_reads_over_stdio_fill_no_memory() {
    let machine = Machine::new();
    let id = large_output(&machine, 6 << 20);
    let uri = format!("scratchpad://output/{id}");
    let mut child = machine
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It stops reading, so not all of them may get through.
    let writer = std::thread::spawn(move || {
        for number in 0..2_000 {
            let mut request = read_resource(&uri);
            request["id"] = json!(number);
            if stdin.write_all(format!("{request}\n").as_bytes()).is_err() {
                break;
            }
        }
    });
    let used = || peak_memory(child.id());
    let (mut before, mut quiet) = (used(), 0);
    wait_until("it takes no more", || {
        quiet = if used() == before { quiet + 1 } else { 0 };
        before = used();
        quiet > 100
    });
    assert!(before < 160 << 20, "{before} bytes were used");
    child.kill().unwrap();
    child.wait().unwrap();
    writer.join().unwrap();
}

#[test]
fn half_requests_without_the_token_do_not_keep_those_who_have_it_waiting() {
    let machine = Machine::new();
    let token = "0123456789abcdef0123";
    let file = machine.project().join("token");
    write_private(&file, token);
    let server = HttpServer::start(&machine, &["--token-file", "token"]);
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str())];
    let half: Vec<TcpStream> = (0..600).map(|_| target(&server).half_request()).collect();
    for _ in 0..20 {
        still_serves(&server, &headers);
    }
    // The newest of them are still there: nobody is cut off without need.
    assert!(!is_closed(&half[599]));
    wait_until("the first is closed", || is_closed(&half[0]));
}

#[test]
fn bodies_that_drip_do_not_keep_others_waiting() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    // Those that have sent less than 64 KiB hold no place; those that have sent more lose theirs.
    let _slow: Vec<TcpStream> = (0..24)
        .map(|number| target(&server).half_body(if number < 16 { 1_000 } else { 100_000 }))
        .collect();
    still_serves(&server, &[]);
    let started = Instant::now();
    let large = "x".repeat(1 << 20);
    let answer = server.call_alone(&[("Scratchpad-Session", "s")], set_plan(&large));
    assert_eq!(answer.status, 200, "{answer:?}");
    let took = started.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn a_log_that_nobody_reads_holds_up_no_call() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &["--log", "trace"]);
    let session = server.greet();
    for _ in 0..100 {
        // Each is logged several times, and a pipe holds 64 KiB.
        let said = server.call(&session, set_plan(&"x".repeat(1_000)));
        assert_eq!(said, "Plan saved (1000 / 2000 chars).");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "heavy: 8,000 sessions"]
fn sessions_that_nobody_comes_back_to_fill_no_memory_and_end_no_others() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    for _ in 0..8_000 {
        target(&server).begin_and_hang_up();
    }
    assert_eq!(
        server.call(&session, set_plan("go")),
        "Plan saved (2 / 2000 chars)."
    );
    let peak = peak_memory(server.child.id());
    assert!(peak < 100 * 1024 * 1024, "{peak} bytes were used");
}

/// A search in an output.
#[cfg(target_os = "linux")]
fn search(number: usize, id: &str, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments["id"] = json!(id);
    json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
        "name": "scratchpad_read", "arguments": arguments, "_meta": {"padding": "x".repeat(100_000)},
    }})
}

#[cfg(target_os = "linux")]
#[test]
fn searches_whose_clients_hung_up_are_killed_and_hold_up_no_other() {
    let machine = Machine::new();
    let id = keep(&machine, "t", "1\n".repeat(3_000).as_bytes());
    let server = HttpServer::start(&machine, &[]);
    let sessions: Vec<String> = (0..8).map(|_| server.greet()).collect();
    let process = server.child.id();
    let endless = json!({"json": "def f: f; f"});
    let begin = |number: usize| {
        let session = &sessions[number % sessions.len()];
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        target(&server).unread(&headers, &search(number, &id, &endless))
    };
    // Some run, and many wait.
    let streams: Vec<TcpStream> = (0..48).map(begin).collect();
    wait_until("some run", || children(process).len() >= 3);
    drop(streams);
    wait_until("none runs", || children(process).is_empty());
    for number in 0..200 {
        let stream = begin(number);
        if number % 10 == 0 {
            wait_until("it runs", || !children(process).is_empty());
        }
        drop(stream);
    }
    let fresh = server.greet();
    let started = Instant::now();
    let answer = server.post(
        &[("Mcp-Session-Id", &fresh)],
        &search(1, &id, &json!({"grep": "^1$", "limit": 4})),
    );
    let said = &answer.message()["result"]["content"][0]["text"];
    assert_eq!(*said, "1:1\n", "{answer:?}");
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    wait_until("none is left", || children(process).is_empty());
    let peak = peak_memory(process);
    assert!(peak < 128 << 20, "{peak} bytes were used");
}
