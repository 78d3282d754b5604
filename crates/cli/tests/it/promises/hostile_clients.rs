//! What hostile or broken clients of the server can't do: fill its memory, hold up others, or get answers of others.

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::attackers::Target;
use crate::support::client::Client;
use crate::support::http::{HttpServer, set_plan};
use crate::support::outputs::keep;
#[cfg(target_os = "linux")]
use crate::support::peak_memory;

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
