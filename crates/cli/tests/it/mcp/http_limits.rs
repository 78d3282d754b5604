//! What a client over HTTP can't do to the server: fill its memory, hold its places, or get no answer.

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;

use crate::support::Machine;
use crate::support::http::{HttpServer, Response, set_plan};
#[cfg(target_os = "linux")]
use crate::support::peak_memory;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

fn post(server: &HttpServer, content_type: &str, body: &str) -> Response {
    server.exchange(&format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: {content_type}\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    ))
}

fn still_works(server: &HttpServer) {
    let answer = server.call_alone(&[("Scratchpad-Session", "s")], set_plan("go"));
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Opens the stream on which a session's client listens, and reads the first line of the response.
fn listen(server: &HttpServer, session: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    (stream, String::from_utf8_lossy(&head).into_owned())
}

fn status_in(server: &HttpServer, session: &str) -> u16 {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    server.post(&[("Mcp-Session-Id", session)], &ping).status
}

#[test]
fn what_is_no_message_gets_an_error_of_the_protocol() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let mut seen = String::new();
    for body in [
        "",
        "not json",
        r#"{"jsonrpc":"2.0","id":1,"#,
        "[]",
        "null",
        r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
    ] {
        let answer = post(&server, "application/json", body);
        seen.push_str(&format!("{body}\n  {} {}\n", answer.status, answer.body));
    }
    assert_data_eq!(
        seen,
        str![[r#"

  400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"The message is not valid JSON."}}
not json
  400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"The message is not valid JSON."}}
{"jsonrpc":"2.0","id":1,
  400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"The message is not valid JSON."}}
[]
  400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is not JSON-RPC 2.0."}}
null
  400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is not JSON-RPC 2.0."}}
[{"jsonrpc":"2.0","id":2,"method":"ping"}]
  400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is not JSON-RPC 2.0."}}
{"jsonrpc":"1.0","id":3,"method":"ping"}
  400 {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"The message is not JSON-RPC 2.0."}}
{"jsonrpc":"2.0","id":{},"method":"ping"}
  400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is not JSON-RPC 2.0."}}
{"jsonrpc":"2.0","method":"notifications/progress","params":[]}
  202 

"#]]
    );
    assert_eq!(post(&server, "text/plain", "{}").status, 415);
    still_works(&server);
}

#[test]
#[ignore = "heavy: a huge message"]
fn a_message_of_many_values_is_refused_by_its_id_in_little_memory() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    let items = "1,".repeat(7_000_000);
    let body =
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":[{items}1],"id":"last"}}"#);
    for headers in ["", &format!("\r\nMcp-Session-Id: {session}")] {
        let answer = post(&server, &format!("application/json{headers}"), &body);
        assert_eq!(
            (answer.status, answer.message()),
            (
                400,
                json!({"jsonrpc": "2.0", "id": "last", "error": {
                    "code": -32600, "message": "The message has 7,000,006 values, the limit is 100,000. Nothing was changed.",
                }})
            )
        );
    }
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory(server.child.id());
        assert!(peak < 96 * 1024 * 1024, "{peak} bytes were used");
    }
    still_works(&server);
}

/// Bodies that are sent but for their end, from many clients: a few are read, the others wait.
#[cfg(target_os = "linux")]
#[test]
fn large_bodies_take_turns() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let size = 12 * 1024 * 1024;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n",
        server.address
    );
    let body = vec![b' '; size - 1];
    let stalled: Vec<TcpStream> = (0..24)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    // Sends as much of each as the server accepts, until it accepts no more of any.
    let mut sent = vec![0; stalled.len()];
    let mut quiet = 0;
    while quiet < 20 {
        quiet += 1;
        for (mut stream, sent) in stalled.iter().zip(&mut sent) {
            while let Ok(taken) = stream.write(&body[*sent..]) {
                *sent += taken;
                if taken == 0 {
                    break;
                }
                quiet = 0;
            }
        }
        still_works(&server);
    }
    // Those that were read first may have lost their places to others by now.
    let whole = sent.iter().filter(|sent| **sent == body.len()).count();
    assert!(whole >= 4, "{sent:?}");
    let peak = peak_memory(server.child.id());
    assert!(peak < 160 * 1024 * 1024, "{peak} bytes were used");
}

#[test]
#[ignore = "heavy: 1,001 sessions"]
fn a_session_too_many_ends_the_one_unused_for_longest() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let (listening, unused, used) = (server.greet(), server.greet(), server.greet());
    let (_stream, head) = listen(&server, &listening);
    assert_eq!(head, "HTTP/1.1 200");
    // With these there are 1,001.
    for _ in 0..998 {
        server.greet();
    }
    let left = [&listening, &unused, &used].map(|session| status_in(&server, session));
    assert_eq!(left, [200, 404, 200]);
}

#[test]
#[ignore = "heavy: 257 streams"]
fn streams_beyond_the_limit_are_refused_and_calls_go_on() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    let open: Vec<(TcpStream, String)> =
        (0..256).map(|_| listen(&server, &server.greet())).collect();
    assert!(open.iter().all(|(_, head)| head == "HTTP/1.1 200"));
    let (mut refused, head) = listen(&server, &session);
    assert_eq!(head, "HTTP/1.1 503");
    let mut rest = [0; 400];
    let length = refused.read(&mut rest).unwrap();
    let rest = String::from_utf8_lossy(&rest[..length]);
    assert!(
        rest.ends_with("256 streams are already open. Close some, or try later.\n"),
        "{rest}"
    );
    assert_eq!(status_in(&server, &session), 200);
    still_works(&server);
}

#[test]
fn a_session_that_nobody_uses_ends_and_one_with_an_open_stream_stays() {
    let machine = Machine::new();
    let mut server = HttpServer::start(&machine, &["--idle-timeout", "1", "--log", "info"]);
    let listening = server.greet();
    let (_stream, head) = listen(&server, &listening);
    assert_eq!(head, "HTTP/1.1 200");
    let unused = server.greet();
    server.call(&unused, set_plan("kept"));
    let ends = format!("closing MCP session {unused}: idle");
    let mut line = String::new();
    while !line.contains(&ends) {
        line.clear();
        assert!(
            server.said.read_line(&mut line).unwrap() > 0,
            "it never ended"
        );
        assert!(!line.contains(&format!("{listening} ends")), "{line}");
    }
    assert_eq!(status_in(&server, &unused), 404);
    assert_eq!(status_in(&server, &listening), 200);
    let kept: Value = machine.run(&["session", "show", "--json"]).json();
    assert_eq!(kept["plan"], "kept");
}

#[test]
fn a_refused_client_is_told_what_is_missing() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &["--allow-host", "pad.example"]);
    let ask =
        |host: &str| server.call_alone(&[("Host", host)], json!({"action": "get", "session": "s"}));
    assert_eq!(ask("pad.example").status, 200);
    let refused = ask("other.example");
    assert_eq!(refused.status, 403);
    assert_data_eq!(
        refused.body,
        str![[r#"
Forbidden: `Host` must be a name of this machine, the address the server listens on, or a name given with --allow-host; `Origin`, where there is one, must be local.
Hint: if you call the server by another name, start it with `--allow-host NAME`.

"#]]
    );
}
