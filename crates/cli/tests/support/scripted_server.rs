//! The proxy in front of a scripted server: `tests/fixtures/proxy/scripted_server.py`.

use std::process::Command;

use serde_json::{Value, json};

use super::Machine;

const SERVER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/proxy/scripted_server.py"
);

pub fn proxy(machine: &Machine, options: &[&str]) -> Command {
    let mut arguments = vec!["proxy"];
    arguments.extend(options);
    arguments.extend(["--", "python3", "-S", SERVER]);
    let mut command = machine.command(&arguments);
    command
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("RECORD", machine.project().join("record"));
    command
}

/// A call that makes the server take these steps.
pub fn call(id: &str, steps: Value) -> String {
    let arguments = json!({"do": steps});
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"told","arguments":{arguments}}}}}"#
    ) + "\n"
}

pub fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// The bytes that the server received.
pub fn record(machine: &Machine) -> String {
    std::fs::read_to_string(machine.project().join("record")).unwrap()
}

/// The id in a reference.
pub fn kept(text: &str) -> String {
    let id = text
        .strip_prefix("[Output ")
        .unwrap_or_else(|| panic!("no reference: {text}"));
    id.chars().take(12).collect()
}

pub fn kept_file(machine: &Machine, id: &str) -> String {
    std::fs::read_to_string(machine.home().join("outputs").join(id)).unwrap()
}
