//! Keeps and reads outputs for tests.

use serde_json::{Value, json};

use super::Machine;

/// Keeps a text and returns its id.
pub fn keep(machine: &Machine, tool: &str, text: &[u8]) -> String {
    let reference = put(machine, tool, text);
    reference.split_whitespace().nth(1).unwrap().to_owned()
}

pub fn put(machine: &Machine, tool: &str, text: &[u8]) -> String {
    machine
        .run_with(&["output", "put", "--tool", tool], text)
        .ok()
}

pub fn call(machine: &Machine, tool: &str, arguments: &Value) -> Value {
    let answer = machine.run(&["call", tool, &arguments.to_string(), "--json"]);
    serde_json::from_str(&answer.out).unwrap()
}

pub fn texts(reply: &Value) -> Vec<&str> {
    let blocks = reply["content"].as_array().unwrap();
    blocks
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect()
}

pub fn read(machine: &Machine, id: &str, slice: &Value) -> Value {
    let mut arguments = json!({"id": id});
    arguments
        .as_object_mut()
        .unwrap()
        .extend(slice.as_object().unwrap().clone());
    call(machine, "scratchpad_read", &arguments)
}

/// 800 rows on one line.
pub fn rows() -> String {
    let rows: Vec<String> = (0..800)
        .map(|row| {
            let state = if row % 7 == 0 { "closed" } else { "open" };
            format!(
                "{{\"id\":{row},\"title\":\"Issue {row}: größer {}\",\"state\":\"{state}\",\"labels\":[\"a\",\"b{}\"],\"user\":{{\"name\":\"n{row}\"}}}}",
                "lorem ipsum ".repeat(20),
                row % 3
            )
        })
        .collect();
    format!("[{}]", rows.join(","))
}

/// 5,000 lines of a log.
pub fn log() -> String {
    (1..=5_000)
        .map(|line| match line {
            2_817 => "2026-11-15T10:00:00Z ERROR db: connection refused (needle 7f3a)\n".to_owned(),
            _ => format!("2026-11-15T10:00:00Z INFO  worker {line}: all is well so\n"),
        })
        .collect()
}
