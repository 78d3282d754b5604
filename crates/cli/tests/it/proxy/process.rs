//! The proxy and the process behind it: signals, exit codes, and every way to end badly.
//!
//! A test that sees the end of stderr has seen the end of every process that held it.

#![cfg(unix)]

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::pipe::Pipe;
use crate::support::{Machine, scripted_server};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

fn proxy(machine: &Machine, options: &[&str]) -> Command {
    let mut all = vec!["--name", "demo"];
    all.extend(options);
    scripted_server::proxy(machine, &all)
}

fn call(id: u32, steps: Value) -> String {
    scripted_server::call(&id.to_string(), steps)
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args([name, &process.to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Everything a client sees of the end, for a snapshot.
fn seen((out, err, status): (String, String, std::process::ExitStatus)) -> String {
    let code = status
        .code()
        .map_or("by signal".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{out}--- stderr\n{err}")
}

#[test]
fn what_the_server_still_says_is_passed_on_and_its_exit_code_is_ours() {
    let machine = Machine::new();
    let client = Pipe::start(
        proxy(&machine, &[])
            .env("LAST_WORDS", "bye")
            .env("CODE", "7"),
    );
    assert_data_eq!(
        seen(client.end()),
        str![[r#"
exit 7
--- stdout
bye
--- stderr

"#]]
    );
}

#[test]
fn pending_requests_are_answered_with_how_the_server_ended() {
    let machine = Machine::new();
    for (steps, code, how) in [
        (json!([{"exit": 3}]), 3, "ended with exit code 3"),
        (json!([{"kill": 9}]), 137, "was ended by signal 9"),
        (json!([{"exit": 0}]), 0, "ended with exit code 0"),
    ] {
        let mut client = Pipe::start(&mut proxy(&machine, &[]));
        client.send("{\"jsonrpc\":\"2.0\",\"id\":\"first\",\"method\":\"vendor/x\"}\n");
        client.send(call(2, steps));
        let mut answers = [client.line(), client.line()];
        answers.sort();
        let error = |id: &str| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"The MCP server behind the proxy (demo) {how} before it answered.\"}}}}\n"
            )
        };
        assert_eq!(answers, [error("\"first\""), error("2")]);
        let (rest, said, status) = client.ended();
        assert_eq!(
            (rest, said, status.code()),
            (String::new(), String::new(), Some(code))
        );
    }
}

#[test]
fn a_server_that_can_t_be_started_is_reported_as_shells_do() {
    let machine = Machine::new();
    let answers =
        ["no-such-program", "/"].map(|program| machine.run(&["proxy", "--", program]).seen());
    assert_data_eq!(
        answers.join("\n"),
        str![[r#"
exit 127
--- stdout
--- stderr
Error: Can't start "no-such-program": no such file or directory.
Hint: is it installed and on PATH?

exit 126
--- stdout
--- stderr
Error: Can't start "/": permission denied.
Hint: is it executable?

"#]]
    );
    assert_data_eq!(
        machine.run(&["proxy"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: No server given.
Hint: pass its command after `--`, as in `scratchpad proxy -- npx server-name`, or use --url or --wrap.

"#]]
    );
}

#[test]
fn half_a_line_is_passed_on_before_the_error() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(
        1,
        json!([{"half": "{\"jsonrpc\":\"2.0\",\"id\":1,\"res"}, {"exit": 1}]),
    ));
    assert_data_eq!(
        seen(client.ended()),
        str![[r#"
exit 1
--- stdout
{"jsonrpc":"2.0","id":1,"res
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (demo) ended with exit code 1 before it answered."}}
--- stderr

"#]]
    );
}

#[test]
fn a_server_that_closes_its_output_is_ended() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(
        1,
        json!([{"deaf": 1}, {"close": "stdout"}, {"stay": 1}]),
    ));
    assert_data_eq!(
        seen(client.ended()),
        str![[r#"
exit 137
--- stdout
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (demo) closed its output before it answered."}}
--- stderr

"#]]
    );
}

#[test]
fn a_server_that_reads_no_more_and_never_ends_is_ended_when_the_client_is_gone() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &["--grace", "0"]));
    client.send(call(
        1,
        json!([{"deaf": 1}, {"close": "stdin"}, {"say": "{\"id\":1,\"result\":{}}"}, {"stay": 1}]),
    ));
    assert_eq!(client.line(), "{\"id\":1,\"result\":{}}\n");
    client.send(call(2, json!([])));
    assert_data_eq!(
        client.line(),
        str![[r#"
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"The MCP server behind the proxy (demo) no longer reads its input."}}

"#]]
    );
    assert_data_eq!(
        seen(client.end()),
        str![[r#"
exit 137
--- stdout
--- stderr

"#]]
    );
}

#[test]
fn signals_are_passed_on() {
    let machine = Machine::new();
    for (name, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let mut client = Pipe::start(&mut proxy(&machine, &[]));
        client.send(call(1, json!([{"say": "{\"id\":1,\"result\":{}}"}])));
        client.line();
        signal(client.child.id(), name);
        let (_, _, status) = client.ended();
        assert_eq!(status.code(), Some(code), "{name}");
    }
}

#[test]
fn a_server_that_will_not_terminate_is_killed() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(
        1,
        json!([{"deaf": 1}, {"say": "{\"id\":7,\"result\":{}}"}, {"stay": 1}]),
    ));
    client.line();
    signal(client.child.id(), "-TERM");
    assert_data_eq!(
        seen(client.ended()),
        str![[r#"
exit 137
--- stdout
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The MCP server behind the proxy (demo) was ended by signal 9 before it answered."}}
--- stderr

"#]]
    );
}

#[test]
fn what_the_server_started_ends_with_it() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(
        1,
        json!([{"leave": 1}, {"say": "{\"id\":1,\"result\":{}}"}, {"exit": 4}]),
    ));
    assert_data_eq!(
        seen(client.ended()),
        str![[r#"
exit 4
--- stdout
{"id":1,"result":{}}
--- stderr

"#]]
    );
}

#[test]
fn a_killed_proxy_leaves_no_server_behind_that_minds_its_input() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(1, json!([{"say": "{\"id\":1,\"result\":{}}"}])));
    client.line();
    signal(client.child.id(), "-KILL");
    let (_, _, status) = client.ended();
    assert_eq!(status.code(), None);
}

#[test]
fn a_client_that_vanishes_ends_all() {
    let machine = Machine::new();
    let mut command = proxy(&machine, &["--grace", "0"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let big = "y".repeat(3_000);
    let steps: Vec<Value> = (0..100).map(|_| json!({"say": big})).collect();
    stdin
        .write_all(call(1, Value::from(steps)).as_bytes())
        .unwrap();
    // Its input stays open: only the output that nobody reads reveals it.
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code().is_some(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(stdin);
}

#[test]
fn noise_on_stderr_is_passed_on_and_holds_nothing_up() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(
        1,
        json!([{"stderr": 6_000_000}, {"say": "{\"id\":1,\"result\":{}}"}]),
    ));
    assert_eq!(client.line(), "{\"id\":1,\"result\":{}}\n");
    let (_, said, _) = client.end();
    assert_eq!(said.len(), 6_000_000);
}

#[test]
fn a_server_that_never_answers_holds_up_nothing() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    client.send(call(1, json!([])));
    client.send("{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"scratchpad_list\"}}\n");
    assert!(
        client
            .line()
            .starts_with("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\"")
    );
    client.send(call(3, json!([{"say": "{\"id\":3,\"result\":{}}"}])));
    assert_eq!(client.line(), "{\"id\":3,\"result\":{}}\n");
    client.end();
}
