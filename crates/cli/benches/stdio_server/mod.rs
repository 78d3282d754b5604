//! An MCP server in a process of its own, driven over stdio.

#![allow(dead_code, reason = "each bench uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct StdioServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl StdioServer {
    /// Starts a server and waits for its answer to the first message.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut server = Self {
            child,
            input,
            output,
            id: 0,
        };
        server.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// Calls a tool, which must succeed.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(
            answer.pointer("/result/isError") != Some(&json!(true))
                && answer.get("error").is_none(),
            "{answer}"
        );
    }

    /// Asks for the list of tools.
    pub(crate) fn tools(&mut self) -> Value {
        let answer = self.ask("tools/list", &json!({}));
        answer.pointer("/result/tools").cloned().unwrap_or_default()
    }

    /// The memory of its process that is in use, in megabytes.
    pub(crate) fn megabytes(&self) -> f64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
    }

    fn send(&mut self, message: &Value) {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .expect("the server reads");
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let mut line = String::new();
            assert!(
                self.output
                    .read_line(&mut line)
                    .expect("the server answers")
                    > 0,
                "the server is gone"
            );
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer.get("id") == Some(&json!(id)) {
                return answer;
            }
        }
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
