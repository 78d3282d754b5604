//! Clients over HTTP that do not read, do not finish, do not come back, or are not let in.

use std::net::TcpStream;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::attackers::Target;
use crate::support::http::{HttpServer, set_plan, write_private};
use crate::support::outputs::keep;
use crate::{Run, Tried, beside, memory, seconds};

fn target(server: &HttpServer) -> Target<'_> {
    Target {
        address: &server.address,
        token: None,
    }
}

/// An output of 6 MiB, as a resource.
fn large_resource(machine: &Machine) -> Value {
    let id = keep(
        machine,
        "t",
        "a line of an output\n".repeat(320_000).as_bytes(),
    );
    json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": format!("scratchpad://output/{id}")}})
}

pub(crate) fn unread(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(400, 130));
    let server = HttpServer::start(&machine, &[]);
    let session = format!("Mcp-Session-Id: {}\r\n", server.greet());
    let request = large_resource(&machine);
    let (_, slowest) = beside(&server, &[], || -> Vec<TcpStream> {
        (0..times)
            .map(|number| {
                let mut request = request.clone();
                request["id"] = json!(number);
                target(&server).unread(&session, &request)
            })
            .collect()
    });
    Tried {
        what: "clients that ask for an output of 6 MiB and do not read the answer".to_owned(),
        times,
        found: format!(
            "another client's write took {} at most; {}",
            seconds(slowest),
            memory(server.child.id(), 200)
        ),
    }
}

pub(crate) fn half_requests(_: Run) -> Tried {
    let machine = Machine::new();
    let token = "0123456789abcdef0123";
    write_private(&machine.project().join("token"), token);
    let server = HttpServer::start(&machine, &["--token-file", "token"]);
    let bearer = format!("Bearer {token}");
    let times = 600;
    let headers = [("Authorization", bearer.as_str())];
    let (_, slowest) = beside(&server, &headers, || -> Vec<TcpStream> {
        (0..times).map(|_| target(&server).half_request()).collect()
    });
    Tried {
        what: "requests without the token whose head does not end, on connections of their own"
            .to_owned(),
        times,
        found: format!(
            "the write of a client with the token took {} at most",
            seconds(slowest)
        ),
    }
}

pub(crate) fn dripping(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(100, 24));
    let server = HttpServer::start(&machine, &[]);
    let (_slow, slowest) = beside(&server, &[], || -> Vec<TcpStream> {
        let sent = |number| if number % 2 == 0 { 1_000 } else { 100_000 };
        (0..times)
            .map(|number| target(&server).half_body(sent(number)))
            .collect()
    });
    let large = set_plan(&"x".repeat(1 << 20));
    let started = Instant::now();
    let answer = server.call_alone(&[("Scratchpad-Session", "s")], large);
    assert_eq!(answer.status, 200, "{answer:?}");
    Tried {
        what: "bodies of 12 MiB that stop after 1 or 100 kB".to_owned(),
        times,
        found: format!(
            "another client's write took {} at most, one of 1 MiB was through after {}; {}",
            seconds(slowest),
            seconds(started.elapsed()),
            memory(server.child.id(), 200)
        ),
    }
}

pub(crate) fn hanging_up(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(8_000, 1_200));
    let server = HttpServer::start(&machine, &[]);
    let session = server.greet();
    let ((), slowest) = beside(&server, &[], || {
        (0..times).for_each(|_| target(&server).begin_and_hang_up());
    });
    assert_eq!(
        server.call(&session, set_plan("go")),
        "Plan saved (2 / 2000 chars)."
    );
    Tried {
        what: "clients that begin an MCP session and hang up".to_owned(),
        times,
        found: format!(
            "a session from before went on; another client's write took {} at most; {}",
            seconds(slowest),
            memory(server.child.id(), 128)
        ),
    }
}

pub(crate) fn garbage(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(5_000, 500));
    let server = HttpServer::start(&machine, &[]);
    let whole = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"content":"x"}}}"#;
    let ((), slowest) = beside(&server, &[], || {
        let mut state = 7_u64;
        for _ in 0..times {
            let mut body = whole.as_bytes().to_vec();
            for _ in 0..3 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize % body.len();
                body[at] = b"\0{}[]\",:\xff\\9e"[(state >> 20) as usize % 12];
            }
            let text = String::from_utf8_lossy(&body);
            let answer = server.exchange(&format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{text}",
                text.len()
            ));
            assert!((200..500).contains(&answer.status), "{text}: {answer:?}");
        }
    });
    Tried {
        what: "calls with three bytes changed".to_owned(),
        times,
        found: format!(
            "each was answered, none with an internal error; another client's write took {} at most",
            seconds(slowest)
        ),
    }
}

pub(crate) fn strangers(_: Run) -> Tried {
    let machine = Machine::new();
    let token = "0123456789abcdef0123";
    write_private(&machine.project().join("token"), token);
    let server = HttpServer::start(&machine, &["--token-file", "token"]);
    let right = format!("Bearer {token}");
    let wrong = [
        "",
        "Bearer",
        "Bearer 0123456789abcdef012",
        "Basic 0123456789abcdef0123",
        "0123456789abcdef0123",
    ];
    let mut all: Vec<Vec<(&str, &str)>> =
        wrong.map(|value| vec![("Authorization", value)]).to_vec();
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "[::2]",
    ] {
        all.push(vec![("Authorization", &right), ("Host", host)]);
    }
    for origin in [
        "http://evil.example",
        "null",
        "http://localhost.evil.example",
        "file://",
        "https://127.0.0.1",
    ] {
        all.push(vec![("Authorization", &right), ("Origin", origin)]);
    }
    for headers in &all {
        let arguments = json!({"action": "get", "session": "s"});
        let answer = server.call_alone(headers, arguments);
        assert!(
            [401, 403].contains(&answer.status),
            "{headers:?}: {answer:?}"
        );
    }
    Tried {
        what: "calls without the token, or with it from pages and names of others".to_owned(),
        times: all.len(),
        found: "none was let in".to_owned(),
    }
}
