//! Searches that never end, and ids that are used again.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::attackers::Target;
use crate::support::client::Client;
use crate::support::http::{HttpServer, set_plan};
use crate::support::outputs::keep;
use crate::{PATIENCE, Run, Tried, beside, memory, seconds};

fn output(machine: &Machine) -> String {
    keep(machine, "t", "1\n".repeat(3_000).as_bytes())
}

fn endless_call(number: usize, id: &str) -> Value {
    let arguments = json!({"id": id, "json": "def f: f; f", "session": "flood"});
    json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "scratchpad_read", "arguments": arguments}})
}

fn cancel(number: usize) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
}

pub(crate) fn endless(_: Run) -> Tried {
    let (machine, times) = (Machine::new(), 60);
    let id = output(&machine);
    let server = HttpServer::start(&machine, &[]);
    let (flood, other) = (server.greet(), server.greet());
    let ((_streams, search), slowest) = beside(&server, &[], || {
        let headers = format!("Mcp-Session-Id: {flood}\r\n");
        let target = Target {
            address: &server.address,
            token: None,
        };
        let streams: Vec<TcpStream> = (0..times)
            .map(|number| target.unread(&headers, &endless_call(number, &id)))
            .collect();
        let arguments = json!({"id": id, "grep": "^1$", "limit": 4});
        let started = Instant::now();
        let answer = server.post(
            &[("Mcp-Session-Id", &other)],
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "scratchpad_read", "arguments": arguments}}),
        );
        assert_eq!(
            answer.message()["result"]["content"][0]["text"],
            "1:1\n",
            "{answer:?}"
        );
        (streams, started.elapsed())
    });
    assert!(
        search < PATIENCE,
        "another session's search took {search:?}"
    );
    Tried {
        what: "filters of one session that never end, at once".to_owned(),
        times,
        found: format!(
            "another client's write took {} at most, another session's search {}; {}",
            seconds(slowest),
            seconds(search),
            memory(server.child.id(), 128)
        ),
    }
}

/// A search of a message of 1 MiB.
fn large_search(number: usize, id: &str) -> Value {
    let mut call = endless_call(number, id);
    call["params"]["_meta"] = json!({"padding": "x".repeat(1 << 20)});
    call
}

pub(crate) fn abandoned(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(800, 100));
    let id = output(&machine);
    let server = HttpServer::start(&machine, &[]);
    let target = Target {
        address: &server.address,
        token: None,
    };
    let ((), slowest) = beside(&server, &[], || {
        for number in 0..times {
            let headers = format!("Mcp-Session-Id: {}\r\n", server.greet());
            let search = large_search(number, &id);
            // Every second one hangs up when its search runs or waits, the others as soon as it is sent.
            if number % 2 == 0 {
                drop(target.unread(&headers, &search));
            } else {
                assert!(target.begin_and_leave(&headers, &search, PATIENCE));
            }
        }
    });
    let fresh = server.greet();
    let arguments = json!({"id": id, "grep": "^1$", "limit": 4});
    let started = Instant::now();
    let answer = server.post(
        &[("Mcp-Session-Id", &fresh)],
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "scratchpad_read", "arguments": arguments}}),
    );
    let search = started.elapsed();
    assert_eq!(
        answer.message()["result"]["content"][0]["text"],
        "1:1\n",
        "{answer:?}"
    );
    assert!(search < PATIENCE, "a search took {search:?}");
    Tried {
        what: "searches in messages of 1 MiB whose clients hang up, each in a session of its own"
            .to_owned(),
        times,
        found: format!(
            "another client's write took {} at most, the next search of a new session {}; {}",
            seconds(slowest),
            seconds(search),
            memory(server.child.id(), 256)
        ),
    }
}

pub(crate) fn used_again(run: Run) -> Tried {
    let (machine, times) = (Machine::new(), run.times(500, 50));
    let id = output(&machine);
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    client.call("session_scratchpad", set_plan("go"));
    let arguments = json!({"action": "get"});
    let get = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "session_scratchpad", "arguments": arguments}});
    for _ in 0..times {
        let lines = format!("{}\n{}\n{get}\n", endless_call(7, &id), cancel(7));
        client.send_bytes(lines.as_bytes());
        let answer = client.next();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("go"), "{answer}");
    }
    Tried {
        what: "calls cancelled at once, and their id used again".to_owned(),
        times,
        found: "each got the answer of its own call".to_owned(),
    }
}

pub(crate) fn endless_in_proxy(_: Run) -> Tried {
    let (machine, times) = (Machine::new(), 40);
    let id = output(&machine);
    // `cat` sends each message back.
    let mut client = Client::start(&mut machine.command(&["proxy", "--", "cat"]));
    (0..times).for_each(|number| client.send(&endless_call(number, &id)));
    let mut slowest = Duration::ZERO;
    for number in 0..times {
        let started = Instant::now();
        let ping = json!({"jsonrpc": "2.0", "method": "ping"});
        client.send(&ping);
        assert_eq!(client.next(), ping);
        slowest = slowest.max(started.elapsed());
        client.send(&cancel(number));
    }
    assert!(slowest < PATIENCE, "a message took {slowest:?}");
    let found = client.call(
        "scratchpad_read",
        json!({"id": id, "grep": "^1$", "limit": 4}),
    );
    assert_eq!(found[0], "1:1\n");
    Tried {
        what: "filters that never end, through the proxy, each cancelled later".to_owned(),
        times,
        found: format!(
            "a message to the server and back took {} at most; the next search was answered",
            seconds(slowest)
        ),
    }
}
