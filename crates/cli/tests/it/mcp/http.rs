//! The MCP server over HTTP: both eras, sessions, and who is let in.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::Machine;
use crate::support::http::{HttpServer, Response, pad_call, set_plan, text, write_private};
use serde_json::json;
#[test]
fn each_session_of_the_older_kind_has_a_pad_of_its_own() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let (one, two) = (server.greet(), server.greet());
    assert_eq!(
        server.call(&one, set_plan("mine")),
        "Plan saved (4 / 2000 chars)."
    );
    assert!(server.call(&one, json!({"action": "get"})).contains("mine"));
    assert!(
        server
            .call(&two, json!({"action": "get"}))
            .starts_with("The pad is empty.")
    );
    // One is asked for by name.
    let named = json!({"action": "set_plan", "content": "named", "session": "talk"});
    server.call(&two, named);
    assert_eq!(
        machine
            .run(&["session", "show", "--session", "talk", "--json"])
            .json()["plan"],
        "named"
    );

    let goodbye = format!(
        "DELETE /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nMcp-Session-Id: {one}\r\n\r\n",
        server.address
    );
    assert_eq!(server.exchange(&goodbye).status, 204);

    let gone = server.post(&[("Mcp-Session-Id", "nothing")], &pad_call(set_plan("x")));
    assert_eq!(gone.status, 404, "{gone:?}");
    let none = server.post(&[], &pad_call(set_plan("x")));
    assert!((400..500).contains(&none.status), "{none:?}");
}

#[test]
fn who_started_the_server_does_not_name_the_session_of_its_clients() {
    let machine = Machine::new();
    let variables = [
        ("SCRATCHPAD_SESSION", "of-the-shell"),
        ("CLAUDE_CODE_SESSION_ID", "of-the-host"),
    ];
    let server = HttpServer::start_with(&machine, &[], &variables);
    let (one, two) = (server.greet(), server.greet());
    server.call(&one, set_plan("mine"));
    assert!(
        server
            .call(&two, json!({"action": "get"}))
            .starts_with("The pad is empty.")
    );
}

#[test]
fn requests_with_one_id_are_each_answered_and_only_those_that_are_taken_are_done() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let call = pad_call(json!({"action": "append_notes", "content": "x"}));
    let answers: Vec<Response> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| server.post(&headers, &call)))
            .collect();
        asked
            .into_iter()
            .map(|asked| asked.join().unwrap())
            .collect()
    });
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(
            (refused.status, &refused.message()["error"]["code"]),
            (400, &json!(-32600))
        );
    }
    let pad = server.call(&session, json!({"action": "get"}));
    assert_eq!(
        pad.lines().filter(|line| *line == "x").count(),
        taken,
        "{pad}"
    );
}

#[test]
fn a_sessionless_request_names_its_session() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let response = server.call_alone(&[], set_plan("nobody's"));
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    let result = &response.message()["result"];
    assert_eq!(
        (&result["isError"], &result["resultType"]),
        (&json!(true), &json!("complete"))
    );
    let text_of = |response: &Response| text(response);
    let said = text_of(&response);
    assert!(said.starts_with("No session: the call names none, and this connection has none. Nothing was changed.\nHint: add \"session\""), "{said}");

    let saved = "Plan saved (4 / 2000 chars).";
    let named = json!({"action": "set_plan", "content": "mine", "session": "by-argument"});
    assert_eq!(text(&server.call_alone(&[], named)), saved);
    assert_eq!(
        text(&server.call_alone(&[("Scratchpad-Session", "by-header")], set_plan("mine"))),
        saved
    );
    for session in ["by-argument", "by-header"] {
        let shown = machine
            .run(&["session", "show", "--session", session, "--json"])
            .json();
        assert_eq!(shown["plan"], "mine");
    }
    // The newest revision has no MCP sessions: the header of the older ones says nothing there.
    let said = text_of(&server.call_alone(&[("Mcp-Session-Id", "abc")], set_plan("nobody's")));
    assert!(
        said.starts_with("No session: the call names none"),
        "{said}"
    );
    let odd = server.call_alone(&[("Scratchpad-Session", "no id")], set_plan("x"));
    assert!(
        text(&odd).ends_with("Hint: it came from the header Scratchpad-Session."),
        "{odd:?}"
    );

    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let discover =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "server/discover"),
    ];
    let response = server.post(&headers, &discover);
    assert!(
        response.message()["result"]["supportedVersions"]
            .to_string()
            .contains("2026-07-28")
    );
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"_meta": meta, "uri": "scratchpad://session/pad"}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "scratchpad://session/pad"),
    ];
    let pad = server.post(&headers, &read).message();
    assert!(
        pad["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("No session"),
        "{pad}"
    );
    let old = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"_meta": meta}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "initialize"),
    ];
    let removed = server.post(&headers, &old);
    assert_eq!(
        (removed.status, &removed.message()["error"]["code"]),
        (404, &json!(-32601))
    );
    let mismatch = server.post(
        &[
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/list"),
        ],
        &discover,
    );
    assert_eq!(
        (mismatch.status, &mismatch.message()["error"]["code"]),
        (400, &json!(-32020))
    );
}

#[test]
fn strangers_are_not_served() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let status = |headers: &[(&str, &str)]| {
        let mut all = vec![("Scratchpad-Session", "s")];
        all.extend(headers);
        server.call_alone(&all, json!({"action": "get"})).status
    };
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Origin", "http://localhost:5173")]), 200);
    assert_eq!(status(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", "localhost")]), 200);

    let elsewhere = server.exchange(&format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.address
    ));
    assert_eq!(elsewhere.status, 404);
    let size = 17 * 1024 * 1024;
    let huge = server.call_alone(
        &[],
        json!({"action": "set_plan", "content": "x".repeat(size)}),
    );
    assert!(huge.status == 413 || huge.status == 0, "{}", huge.status);
    assert_eq!(status(&[]), 200);
}

#[test]
fn a_token_is_asked_for_where_there_is_one() {
    let machine = Machine::new();
    let file = machine.project().join("token");
    write_private(&file, "0123456789abcdef0123\n");
    let server = HttpServer::start(&machine, &["--token-file", "token"]);
    let call = |headers: &[(&str, &str)]| {
        server.call_alone(headers, json!({"action": "get", "session": "s"}))
    };
    let refused = call(&[]);
    assert_eq!(
        (refused.status, refused.header("www-authenticate")),
        (401, Some("Bearer"))
    );
    assert_eq!(
        call(&[("Authorization", "Bearer 0123456789abcdef012")]).status,
        401
    );
    assert_eq!(
        call(&[("Authorization", "Bearer 0123456789abcdef0123")]).status,
        200
    );

    let open = machine.run(&["mcp", "--http", "0.0.0.0:0", "--no-token"]);
    assert_eq!(open.code, Some(2));
    assert_eq!(
        open.err,
        "Error: 0.0.0.0:0 can be reached from other machines: that needs a token.\n\
         Hint: leave out --no-token, or listen on 127.0.0.1.\n"
    );
    write_private(&file, "short\n");
    let short = machine.run(&["mcp", "--http", "127.0.0.1:0", "--token-file", "token"]);
    assert_eq!(short.code, Some(2));
    assert!(
        short.err.contains("5 characters; it needs at least 16"),
        "{}",
        short.err
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_cleanly_even_with_a_stream_open() {
    let machine = Machine::new();
    let mut server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    server.call(&session, set_plan("kept"));
    // A stream that the client never closes.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 15];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    server.tell_to_end();
    let status = server.child.wait().unwrap();
    assert!(status.success(), "{status}");
    let mut rest = String::new();
    server.said.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_after_the_answers_to_requests_in_flight() {
    let machine = Machine::new();
    let mut server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    server.call(&session, set_plan("before"));
    // Another connection holds the database, so that the call must wait.
    let other = rusqlite::Connection::open(machine.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let calls: Vec<TcpStream> = ["older", "newer"]
        .iter()
        .map(|era| {
            let mut call =
                pad_call(json!({"action": "append_notes", "content": era, "session": "s"}));
            let request = if *era == "older" {
                server.request(&headers, &call)
            } else {
                call["params"]["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
                let headers = [
                    ("MCP-Protocol-Version", "2026-07-28"),
                    ("Mcp-Method", "tools/call"),
                    ("Mcp-Name", "session_scratchpad"),
                ];
                server.request(&headers, &call)
            };
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    // One that came later and waits for nothing: those before have begun by then.
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    assert_eq!(server.post(&headers, &ping).status, 200);
    server.tell_to_end();
    other.execute_batch("COMMIT").unwrap();
    for call in calls {
        let response = HttpServer::response(call);
        assert!(text(&response).starts_with("Notes saved"), "{response:?}");
    }
    assert!(server.child.wait().unwrap().success());
    let shown = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    assert_eq!(shown["notes"].as_str().unwrap().lines().count(), 2);
}
