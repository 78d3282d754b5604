//! A scripted client of the MCP server that sends exactly the given lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// A generous timeout, for slow machines.
const PATIENCE: Duration = Duration::from_mins(1);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    waiting: Vec<Value>,
    next_id: i64,
}

impl Client {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("stdout has something else: {line:?}: {error}"));
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            waiting: Vec::new(),
            next_id: 1_000,
        }
    }

    /// Starts a server and initializes the session as most hosts do.
    pub fn greeted(command: &mut Command) -> Self {
        let mut client = Self::start(command);
        client.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// The next message of any kind.
    pub fn next(&mut self) -> Value {
        if self.waiting.is_empty() {
            self.lines.recv_timeout(PATIENCE).expect("an answer")
        } else {
            self.waiting.remove(0)
        }
    }

    /// The answer with this id; other messages are queued.
    pub fn answer(&mut self, id: &Value) -> Value {
        let is_it = |message: &Value| message.get("id") == Some(id);
        if let Some(at) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(at);
        }
        loop {
            let message = self.lines.recv_timeout(PATIENCE).expect("an answer");
            if is_it(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    /// Sends a request and returns the whole answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(&id)
    }

    /// Sends a request and returns its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        answer
            .get("result")
            .unwrap_or_else(|| panic!("{method}: {answer}"))
            .clone()
    }

    /// Calls a tool and returns its texts.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Vec<String> {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        result["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["text"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin and waits for the server to exit, but leaves it in the list of processes until this client is dropped.
    #[cfg(target_os = "linux")]
    pub fn end_unreaped(&mut self) {
        drop(self.stdin.take());
        let stat = format!("/proc/{}/stat", self.child.id());
        super::wait_until("the server has ended", || {
            let stat = std::fs::read_to_string(&stat).unwrap();
            stat.rsplit_once(") ").unwrap().1.starts_with('Z')
        });
    }

    /// Closes stdin; returns the remaining messages and the server's exit status.
    pub fn end(mut self) -> (Vec<Value>, ExitStatus) {
        drop(self.stdin.take());
        let mut rest = std::mem::take(&mut self.waiting);
        while let Ok(message) = self.lines.recv_timeout(PATIENCE) {
            rest.push(message);
        }
        (rest, self.child.wait().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Already exited, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
