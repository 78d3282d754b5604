//! Requests of clients that hang up, while the server can do nothing about them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::attackers::Target;
use crate::support::http::{HttpServer, set_plan};
use crate::support::{Machine, peak_memory, wait_until};

/// How long clients try at most.
const TRIED: Duration = Duration::from_secs(30);

fn write(number: usize, bytes: usize) -> Value {
    let arguments = json!({"action": "append_notes", "content": "x".repeat(bytes)});
    json!({"jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {"name": "session_scratchpad", "arguments": arguments}})
}

/// A write with a small text, and thousands of values that no tool asks for.
fn write_of_values(number: usize) -> Value {
    let mut call = write(number, 10);
    call["params"]["_meta"] = json!({"padding": vec![0; 30_000]});
    call
}

/// A server whose database is locked while clients begin calls, several at once, and hang up as soon as each is under way,
/// until so many are or for so long. Returns how many were begun, and the peak of the server's memory.
fn abandoned(
    call: impl Fn(usize) -> Value + Sync,
    enough: usize,
    longest: Duration,
) -> (usize, usize) {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "go", "--session", "s"])
        .ok();
    // Calls wait until the lock is gone.
    let timeout = ["--config", "store.busy_timeout_ms=120000"];
    let server = HttpServer::start(&machine, &timeout);
    let sessions: Vec<String> = (0..8).map(|_| server.greet()).collect();
    let holder = rusqlite::Connection::open(machine.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (until, next, begun) = (
        Instant::now() + longest,
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                while Instant::now() < until && begun.load(Ordering::Relaxed) < enough {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let target = Target {
                        address: &server.address,
                        token: None,
                    };
                    let session = &sessions[number % sessions.len()];
                    let headers = format!("Mcp-Session-Id: {session}\r\n");
                    let left = until.saturating_duration_since(Instant::now());
                    if target.begin_and_leave(&headers, &call(number), left) {
                        begun.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let peak = peak_memory(server.child.id());
    holder.execute_batch("ROLLBACK").unwrap();
    // What was begun ends, and others are served as ever, with large messages too.
    wait_until("others are served", || {
        let answer = server.call_alone(&[("Scratchpad-Session", "s")], set_plan("go"));
        answer.message()["result"]["isError"] != true
    });
    let large = "x".repeat(1 << 20);
    let answer = server.call_alone(&[("Scratchpad-Session", "s")], set_plan(&large));
    assert_eq!(answer.status, 200, "{answer:?}");
    (begun.into_inner(), peak)
}

#[test]
fn large_requests_whose_clients_hung_up_fill_no_memory_while_the_database_is_locked() {
    let (begun, peak) = abandoned(|number| write(number, 8 << 20), 200, TRIED / 5);
    assert!(
        (1..=4).contains(&begun),
        "{begun}: the others wait for a place"
    );
    assert!(peak < 256 << 20, "{peak} bytes for {begun} calls");
}

#[test]
fn requests_of_many_values_whose_clients_hung_up_fill_no_memory_while_the_database_is_locked() {
    let (begun, peak) = abandoned(write_of_values, 200, TRIED / 5);
    assert!(
        (1..=4).contains(&begun),
        "{begun}: the others wait for a place"
    );
    assert!(peak < 128 << 20, "{peak} bytes for {begun} calls");
}

#[test]
#[ignore = "heavy: as many calls as may be under way"]
fn as_many_small_requests_as_may_be_under_way_fill_no_memory_when_their_clients_hang_up() {
    let (begun, peak) = abandoned(|number| write(number, 60_000), 400, TRIED);
    assert!(begun >= 384, "{begun}");
    assert!(peak < 192 << 20, "{peak} bytes for {begun} calls");
}

#[test]
fn what_is_kept_as_long_as_a_session_may_not_be_large() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &[]);
    let begin = |info: Value| {
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"experimental": {"x": info}},
            "clientInfo": {"name": "t", "version": "0"}}})
    };
    for info in [json!({"a": "x".repeat(16_384)}), json!({"a": vec![0; 500]})] {
        let refused = server.post(&[], &begin(info));
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(
            refused.message()["error"]["message"],
            "A message that opens a session or a stream may have 16,384 bytes and 500 values. Nothing was changed."
        );
    }
    let opened = server.post(&[], &begin(json!({"a": "x".repeat(16_000)})));
    assert_eq!(opened.status, 200, "{opened:?}");
}
