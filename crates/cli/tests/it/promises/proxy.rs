//! The proxy: cancellations, slow servers, ids that are used again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::support::peak_memory;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, proxy, record, text_result};
use crate::support::upstream::{Asked, Upstream, events, json, response};
use crate::support::{Machine, wait_until};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

fn over_http(machine: &Machine, server: &Upstream, options: &[&str]) -> Pipe {
    let mut arguments = vec!["proxy", "--name", "web", "--url", &server.url];
    arguments.extend(options);
    Pipe::start(&mut machine.command(&arguments))
}

fn request(id: u32, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string() + "\n"
}

fn notification(method: &str) -> String {
    json!({"jsonrpc": "2.0", "method": method}).to_string() + "\n"
}

fn cancellation(id: u32) -> String {
    let params = json!({"requestId": id});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
        + "\n"
}

/// Never returns: as a server that hangs.
fn hang() -> String {
    loop {
        std::thread::park();
    }
}

/// Answers a ping, acknowledges notifications, and hangs with everything else.
fn only_ping(asked: &Asked) -> String {
    let message: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    match (message["method"].as_str(), message.get("id")) {
        (Some("ping"), Some(id)) => json(&json!({"id": id, "result": {}}).to_string()),
        (Some(_), None) => response("202 Accepted", "", ""),
        _ => hang(),
    }
}

#[test]
fn a_cancelled_call_frees_its_place_at_a_server_over_http() {
    let machine = Machine::new();
    let server = Upstream::start(only_ping);
    let mut client = over_http(&machine, &server, &["--grace", "0"]);
    for id in 0..200 {
        client.send(request(id, "tools/call"));
        client.send(cancellation(id));
    }
    client.send(request(1_000, "ping"));
    assert_eq!(client.line(), "{\"id\":1000,\"result\":{}}\n");
    // All places are taken; what comes then is still read, and a place that is freed is used.
    for id in 2_000..2_064 {
        client.send(request(id, "tools/call"));
    }
    client.send(request(3_000, "ping"));
    client.send(request(3_001, "ping"));
    client.send(cancellation(3_000));
    client.send(cancellation(2_050));
    assert_eq!(client.line(), "{\"id\":3001,\"result\":{}}\n");
    // What was cancelled before it was sent is not sent.
    let sent = |id: u32| {
        let asked = server.asked();
        asked.iter().any(|asked| asked.body == request(id, "ping"))
    };
    assert!(sent(3_001) && !sent(3_000));
    client.end();
}

#[test]
fn a_notification_that_is_not_acknowledged_holds_up_no_request() {
    let machine = Machine::new();
    let is_pinged = AtomicBool::new(false);
    let server = Upstream::start(move |asked| {
        if asked.body.contains("\"ping\"") {
            is_pinged.store(true, Ordering::Relaxed);
            return only_ping(asked);
        }
        wait_until("the ping arrives", || is_pinged.load(Ordering::Relaxed));
        only_ping(asked)
    });
    let mut client = over_http(&machine, &server, &[]);
    client.send(notification("notifications/roots/list_changed"));
    client.send(request(1, "ping"));
    assert_eq!(client.line(), "{\"id\":1,\"result\":{}}\n");
    let (_, said, _) = client.end();
    // Before, it was given up after 30 seconds.
    assert_eq!(said, "");
}

#[test]
fn requests_that_a_server_never_answers_hold_up_others_for_a_moment_only() {
    let machine = Machine::new();
    let server = Upstream::start(only_ping);
    let mut client = over_http(&machine, &server, &["--grace", "0"]);
    for id in 0..150 {
        client.send(request(id, "tools/call"));
    }
    let started = Instant::now();
    client.send(request(1_000, "ping"));
    assert_eq!(client.line(), "{\"id\":1000,\"result\":{}}\n");
    let took = started.elapsed();
    // Before, it waited for as long as the server may be silent: an hour.
    assert!(took < Duration::from_secs(30), "{took:?}");
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory(client.process());
        assert!(peak < 128 << 20, "{peak} bytes were used");
    }
    client.end();
}

#[test]
fn notifications_that_a_server_never_acknowledges_hold_up_requests_once() {
    let machine = Machine::new();
    let server = Upstream::start(|asked| {
        if asked.body.contains("\"ping\"") {
            return only_ping(asked);
        }
        hang()
    });
    let mut client = over_http(&machine, &server, &["--grace", "0"]);
    client.send(notification("notifications/initialized"));
    let ping = |client: &mut Pipe, id: u32| {
        let started = Instant::now();
        client.send(request(id, "ping"));
        assert_eq!(client.line(), format!("{{\"id\":{id},\"result\":{{}}}}\n"));
        started.elapsed()
    };
    ping(&mut client, 0);
    let rest: Duration = (1..10).map(|id| ping(&mut client, id)).sum();
    // Each would wait for two seconds.
    assert!(rest < Duration::from_secs(9), "{rest:?}");
    // One behind it is no reason to wait either.
    client.send(notification("notifications/roots/list_changed"));
    let next: Duration = (10..20).map(|id| ping(&mut client, id)).sum();
    assert!(next < Duration::from_secs(9), "{next:?}");
    client.end();
}

#[test]
fn a_stream_that_ends_at_once_is_not_requested_again_at_once() {
    let machine = Machine::new();
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = times.clone();
    let server = Upstream::start(move |asked| {
        if asked.method == "GET" {
            seen.lock().unwrap().push(Instant::now());
            return events("retry: 0\n\n");
        }
        only_ping(asked)
    });
    let mut client = over_http(&machine, &server, &[]);
    client.send(notification("notifications/initialized"));
    wait_until("three requests", || times.lock().unwrap().len() >= 3);
    let times = times.lock().unwrap().clone();
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_millis(450), "{times:?}");
    }
    client.end();
}

#[test]
fn a_server_over_http_may_be_silent_for_as_long_as_timeout_says() {
    let machine = Machine::new();
    let server = Upstream::start(only_ping);
    let mut client = over_http(&machine, &server, &["--timeout", "1"]);
    client.send(request(1, "tools/call"));
    assert_data_eq!(
        client.line(),
        str![[r#"
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (web) was silent for 1 s."}}

"#]]
    );
    client.end();
}

#[test]
fn the_answer_of_a_cancelled_call_is_not_that_of_the_next_with_its_id() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &["--name", "demo"]));
    let answer = |id: &str, text: &str| {
        let result = text_result(text).to_string();
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
    };
    // An id that is used again after its answer is nothing special.
    for _ in 0..2 {
        client.send(call("1", json!([{"say": answer("$ID", "first")}])));
        assert_eq!(client.line(), answer("1", "first") + "\n");
    }
    client.send(call("1", json!([])));
    client.send(cancellation(1));
    let late = answer("1", "late");
    client.send(call(
        "1",
        json!([{"say": late}, {"say": answer("$ID", "new")}]),
    ));
    assert_eq!(client.line(), answer("1", "new") + "\n");

    // Large answers become references as ever, and a cancellation reaches the call that it means.
    client.send(call("\"a\"", json!([])));
    let cancel_a = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}\n";
    client.send(cancel_a);
    let long = "x".repeat(5_000);
    let steps = json!([{"say": answer("\"a\"", &long)}, {"say": answer("$ID", &long)}]);
    client.send(call("\"a\"", steps));
    let seen = client.line();
    assert!(
        seen.starts_with(
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[{\"text\":\"[Output "
        ) || seen.contains("[Output ") && seen.contains("\"id\":\"a\""),
        "{seen}"
    );
    client.send(call("\"a\"", json!([])));
    client.send(cancel_a);
    client.send(call("\"a\"", json!([])));
    client.send(cancel_a);
    client.send(call("2", json!([{"say": answer("$ID", "end")}])));
    assert_eq!(client.line(), answer("2", "end") + "\n");
    let (rest, said, _) = client.end();
    assert_eq!((rest.as_str(), said.as_str()), ("", ""));

    // The server got each cancellation with the id that it knows.
    let record = record(&machine);
    let known = |line: &str| {
        let message: Value = serde_json::from_str(line).unwrap();
        match message["method"].as_str() {
            Some("notifications/cancelled") => Some(message["params"]["requestId"].clone()),
            _ => None,
        }
    };
    let cancelled: Vec<Value> = record.lines().filter_map(known).collect();
    assert_eq!(cancelled[..3], [json!(1), json!("a"), json!("a")]);
    let last = cancelled[3].as_str().unwrap();
    assert!(last.starts_with("scratchpad-"), "{last}");
}
