//! Searches and filters that agents write: what a slow one may take, and what waits for it.

use std::fs;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::outputs::keep;
use crate::support::{Machine, wait_until};

const ENDLESS: &str = "def f: f; f";

fn endless(number: usize, id: &str, session: &str) -> Value {
    let arguments = json!({"id": id, "json": ENDLESS, "session": session});
    json!({"jsonrpc": "2.0", "id": format!("endless {number}"), "method": "tools/call",
        "params": {"name": "scratchpad_read", "arguments": arguments}})
}

fn cancelled(number: usize) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": format!("endless {number}")}})
}

/// The processes that a process has started, each with the limit of its memory.
pub(super) fn children(of: u32) -> Vec<u64> {
    let mut limits = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let directory = entry.unwrap().path();
        // Each of them may end at any time.
        let status = fs::read_to_string(directory.join("status")).unwrap_or_default();
        let parent = format!("PPid:\t{of}\n");
        if !status.contains(&parent) || status.contains("State:\tZ") {
            continue;
        }
        let all = fs::read_to_string(directory.join("limits")).unwrap_or_default();
        let memory = all
            .lines()
            .find(|line| line.starts_with("Max address space"));
        let soft = memory.and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
        limits.push(soft.unwrap_or(u64::MAX));
    }
    limits
}

/// A proxy that has been sent filters that never end, and the id of the output that they read.
fn flooded_proxy(machine: &Machine, count: usize) -> (Client, String) {
    let id = keep(machine, "t", "1\n".repeat(3_000).as_bytes());
    // `cat` sends each message back: what reaches it is seen.
    let mut client = Client::start(&mut machine.command(&["proxy", "--", "cat"]));
    for number in 0..count {
        client.send(&endless(number, &id, "flood"));
    }
    (client, id)
}

/// A server that has been sent filters of these sessions that never end, and the id of the output that they read.
fn flooded(machine: &Machine, sessions: &[&str], each: usize) -> (Client, String) {
    let id = keep(machine, "t", "1\n".repeat(3_000).as_bytes());
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    for number in 0..each * sessions.len() {
        client.send(&endless(number, &id, sessions[number % sessions.len()]));
    }
    (client, id)
}

#[test]
fn searches_that_never_end_hold_up_no_write_no_read_and_no_other_session() {
    let machine = Machine::new();
    let (mut client, id) = flooded(&machine, &["flood"], 40);
    for (tool, arguments) in [
        (
            "session_scratchpad",
            json!({"action": "set_plan", "content": "go"}),
        ),
        ("session_scratchpad", json!({"action": "get"})),
        (
            "scratchpad_read",
            json!({"id": id, "grep": "^1$", "limit": 4}),
        ),
    ] {
        let id = json!(tool);
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}));
        let first = client.next();
        assert_eq!(first["id"], id, "something was answered before: {first}");
        assert_ne!(first["result"]["isError"], true, "{first}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn few_searches_run_at_once_in_four_gibibytes_and_a_cancelled_one_is_killed() {
    let machine = Machine::new();
    let (mut client, id) = flooded(&machine, &["a", "b", "c"], 10);
    let server = client.process();
    // Each limits itself, soon after it has started.
    wait_until("four searches run", || {
        let limits = children(server);
        assert!(limits.len() <= 4, "{limits:?}");
        limits == [1 << 30; 4]
    });
    // One by one they would take more than half a minute.
    (0..30).for_each(|number| client.send(&cancelled(number)));
    let found = client.call(
        "scratchpad_read",
        json!({"id": id, "grep": "^1$", "limit": 4, "session": "a"}),
    );
    assert_eq!(found[0], "1:1\n");
    wait_until("no search runs", || children(server).is_empty());
    let (rest, status) = client.end();
    assert!(rest.is_empty() && status.success(), "{rest:?}");
}

#[test]
fn searches_beyond_those_that_may_wait_are_refused_at_once() {
    let machine = Machine::new();
    let (mut client, _) = flooded(&machine, &["flood"], 50);
    let refused = client.next();
    assert_eq!(
        refused["result"]["content"][0]["text"],
        "`json` was not run: 40 searches are waiting already. Nothing was changed.\n\
         Hint: wait for their answers, or cancel them, and call again."
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_proxy_passes_messages_and_kills_cancelled_searches_whatever_else_runs() {
    let machine = Machine::new();
    let (mut client, id) = flooded_proxy(&machine, 40);
    let proxy = client.process();
    let searches = || {
        let all = children(proxy);
        // One of them is the server.
        all.into_iter().filter(|memory| *memory == 1 << 30).count()
    };
    wait_until("the share of a session runs", || searches() == 3);
    let ping = json!({"jsonrpc": "2.0", "method": "ping"});
    client.send(&ping);
    assert_eq!(client.next(), ping);
    (0..40).for_each(|number| client.send(&cancelled(number)));
    client.send(&ping);
    assert_eq!(client.next(), ping);
    let found = client.call(
        "scratchpad_read",
        json!({"id": id, "grep": "^1$", "limit": 4}),
    );
    assert_eq!(found[0], "1:1\n");
    wait_until("no search runs", || searches() == 0);
}
