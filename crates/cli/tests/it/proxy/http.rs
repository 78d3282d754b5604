//! The proxy in front of a scripted server over HTTP.

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::upstream::{Asked, Upstream, events, json, response};
use serde_json::Value;
use snapbox::{assert_data_eq, str};

fn proxy(machine: &Machine, url: &str, options: &[&str]) -> Pipe {
    let mut arguments = vec!["proxy", "--name", "web", "--url", url];
    arguments.extend(options);
    Pipe::start(&mut machine.command(&arguments))
}

fn request(id: &str, method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
}

/// The id in a request, as it came.
fn id(asked: &Asked) -> String {
    serde_json::from_str::<Value>(&asked.body).unwrap()["id"].to_string()
}

fn heads(asked: &[Asked], names: &[&str]) -> Vec<String> {
    asked
        .iter()
        .map(|asked| {
            let headers = names
                .iter()
                .filter_map(|name| Some(format!("{name}={}", asked.header(name)?)));
            format!("{} {}", asked.method, headers.collect::<Vec<_>>().join(" "))
        })
        .collect()
}

#[test]
fn the_older_era_has_a_session_a_stream_and_an_end() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| {
        if asked.method == "GET" {
            return match asked.header("last-event-id") {
                None => events(
                    "id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
                ),
                Some("e1") => events(
                    "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\ndata: \"method\":\"roots/list\"}\n\n",
                ),
                Some(_) => response("405 Method Not Allowed", "", ""),
            };
        }
        if asked.body.contains("\"initialize\"") {
            let body = "{\"jsonrpc\":\"2.0\",\"id\":0,\n \"result\":{\"protocolVersion\":\"2025-11-25\",\"big\":12345678901234567890}}\n";
            return response(
                "200 OK",
                "Content-Type: application/json\nMcp-Session-Id: s-1\n",
                body,
            );
        }
        response("202 Accepted", "", "")
    });
    let mut client = proxy(
        &machine,
        &server.url,
        &["--header", "Authorization: Bearer ${TZ}"],
    );
    client.send(request(
        "0",
        "initialize",
        "{\"protocolVersion\":\"2025-11-25\"}",
    ));
    // A message is a line: its line breaks are blanks.
    assert_eq!(
        client.line(),
        "{\"jsonrpc\":\"2.0\",\"id\":0,  \"result\":{\"protocolVersion\":\"2025-11-25\",\"big\":12345678901234567890}} \n"
    );
    let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\", \"x\":1e2}\n";
    client.send(initialized);
    assert_eq!(
        client.line(),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
    );
    assert_eq!(
        client.line(),
        "{\"jsonrpc\":\"2.0\",\"id\":9, \"method\":\"roots/list\"}\n"
    );
    client.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"roots\":[]}}\n");
    let (rest, said, status) = client.end();
    assert_eq!(
        (rest.as_str(), said.as_str(), status.code()),
        ("", "", Some(0))
    );
    let asked = server.asked();
    assert_eq!(asked[1].body, initialized);
    let mut seen = heads(
        &asked,
        &[
            "mcp-session-id",
            "mcp-protocol-version",
            "last-event-id",
            "authorization",
            "accept",
        ],
    );
    seen.dedup();
    assert_eq!(
        seen[0],
        "POST authorization=Bearer UTC accept=application/json, text/event-stream"
    );
    assert_eq!(
        seen[1],
        "POST mcp-session-id=s-1 mcp-protocol-version=2025-11-25 authorization=Bearer UTC accept=application/json, text/event-stream"
    );
    let expected = [
        "GET mcp-session-id=s-1 mcp-protocol-version=2025-11-25 authorization=Bearer UTC accept=text/event-stream",
        "GET mcp-session-id=s-1 mcp-protocol-version=2025-11-25 last-event-id=e1 authorization=Bearer UTC accept=text/event-stream",
    ];
    for expected in expected {
        assert!(seen.iter().any(|seen| seen == expected), "{seen:?}");
    }
    let last = asked
        .iter()
        .rfind(|asked| asked.method == "DELETE")
        .unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("s-1"));
}

#[test]
fn the_newer_era_repeats_in_headers_what_the_body_says() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| {
        json(&format!(
            "{{\"id\":{},\"result\":{{\"resultType\":\"complete\"}}}}",
            id(asked)
        ))
    });
    let mut client = proxy(&machine, &server.url, &[]);
    let meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}";
    for (method, params) in [
        ("server/discover", format!("{{{meta}}}")),
        ("tools/call", format!("{{\"name\":\"größe\",{meta}}}")),
        (
            "resources/read",
            format!("{{{meta},\"uri\":\"file:///a b\"}}"),
        ),
    ] {
        client.send(request("1", method, &params));
        assert_eq!(
            client.line(),
            "{\"id\":1,\"result\":{\"resultType\":\"complete\"}}\n"
        );
    }
    client.end();
    assert_data_eq!(
        heads(
            &server.asked(),
            &[
                "mcp-protocol-version",
                "mcp-method",
                "mcp-name",
                "mcp-session-id"
            ]
        )
        .join("\n"),
        str![[r#"
POST mcp-protocol-version=2026-07-28 mcp-method=server/discover
POST mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name==?base64?Z3LDtsOfZQ==?=
POST mcp-protocol-version=2026-07-28 mcp-method=resources/read mcp-name=file:///a b
"#]]
    );
}

#[test]
fn every_failure_is_an_answer_to_the_pending_request() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| match id(asked).as_str() {
        "1" => response(
            "503 Service Unavailable",
            "Content-Type: text/html\n",
            "<h1>Come back later</h1>",
        ),
        "2" => response(
            "404 Not Found",
            "Content-Type: application/json\n",
            "{\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
        ),
        "3" => response("400 Bad Request", "Content-Type: application/json\n", "{}"),
        "4" => response("202 Accepted", "", ""),
        "5" => events("data: {\"method\":\"notifications/progress\"}\n\ndata: {\"id\":5,\"res"),
        "6" => response(
            "307 Temporary Redirect",
            "Location: http://127.0.0.1:1/elsewhere\n",
            "",
        ),
        _ => String::new(),
    });
    let mut client = proxy(&machine, &server.url, &[]);
    let mut lines = String::new();
    for id in 1..=7 {
        client.send(request(&id.to_string(), "vendor/x", "{}"));
        lines += &client.line();
        if id == 5 {
            lines += &client.line();
        }
    }
    assert_data_eq!(
        lines,
        str![[r#"
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) answered 503 Service Unavailable: <h1>Come back later</h1>"}}
{"id":2,"error":{"code":-32601,"message":"no"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) answered 400 Bad Request: {}"}}
{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) ended its answer without one."}}
{"method":"notifications/progress"}
{"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) ended its answer without one."}}
{"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) answered 307 Temporary Redirect (to http://127.0.0.1:1/elsewhere): "}}
{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) can't be reached: [..]"}}

"#]]
    );
    client.end();
    let mut nobody = proxy(&machine, "http://127.0.0.1:9/mcp", &[]);
    nobody.send(request("1", "vendor/x", "{}"));
    assert_data_eq!(
        nobody.line(),
        str![[r#"
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) can't be reached: [..]"}}

"#]]
    );
    nobody.end();
}

#[test]
fn an_answer_that_breaks_off_is_taken_up_again() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| match asked.header("last-event-id") {
        None => events(
            "id: a\nretry: 1\ndata:\n\nid: b\ndata: {\"method\":\"notifications/progress\"}\n\n",
        ),
        Some("b") => events("id: c\ndata: {\"method\":\"notifications/more\"}\n\n"),
        Some(_) => events("data: {\"id\":1,\"result\":{}}\n\n"),
    });
    let mut client = proxy(&machine, &server.url, &[]);
    client.send(request("1", "vendor/x", "{}"));
    let lines = [client.line(), client.line(), client.line()].concat();
    assert_data_eq!(
        lines,
        str![[r#"
{"method":"notifications/progress"}
{"method":"notifications/more"}
{"id":1,"result":{}}

"#]]
    );
    client.end();
}

#[test]
fn large_results_are_kept_whichever_way_they_come() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| {
        let text = Value::from("Zeile ä\n".repeat(400_000)).to_string();
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\n\"id\":{},\"result\":{{\"content\":[{{\"type\":\"text\",\n\"text\":{text}}}]}}}}",
            id(asked)
        );
        match id(asked).as_str() {
            "1" => json(&answer),
            _ => events(&format!(
                ": hello\n\ndata: {}\n\n",
                answer.replace('\n', "\ndata:")
            )),
        }
    });
    let mut client = proxy(&machine, &server.url, &[]);
    for id in ["1", "2"] {
        client.send(request(id, "tools/call", "{\"name\":\"log\"}"));
        let answer = client.json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains(" of log: 3,600,000 bytes, 400,000 lines, text]"),
            "{text}"
        );
    }
    client.end();
}

#[test]
fn a_wrong_address_or_header_is_refused_without_telling_secrets() {
    let machine = Machine::new();
    let answers = [
        machine.run(&["proxy", "--url", "example.com/mcp"]),
        machine.run(&[
            "proxy",
            "--url",
            "http://127.0.0.1/",
            "--header",
            "se cret: token",
        ]),
        machine.run(&["proxy", "--header", "a: b", "--", "x"]),
        machine.run(&[
            "proxy",
            "--url",
            "http://127.0.0.1/",
            "--header",
            "a: ${NOWHERE}",
        ]),
    ];
    assert_data_eq!(
        answers.map(|answer| answer.seen()).join("\n"),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: This is not the URL of a server: it needs http:// or https:// and a host.
Hint: use one like https://example.com/mcp.

exit 2
--- stdout
--- stderr
Error: A header must be `NAME: VALUE`.
Hint: for example --header 'Authorization: Bearer ${TOKEN}'.

exit 2
--- stdout
--- stderr
Error: --header needs --url.
Hint: a server that is a command takes its secrets from the environment.

exit 2
--- stdout
--- stderr
Error: A header uses the variable NOWHERE, which is not set.

"#]]
    );
}
