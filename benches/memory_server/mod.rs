//! The reference MCP memory server, driven over stdio.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct MemoryServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl MemoryServer {
    /// Starts the server on a file and says hello.
    pub(crate) fn start(program: &str, file: &Path) -> Self {
        let mut child = Command::new("node")
            .arg(program)
            .env("MEMORY_FILE_PATH", file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the memory server starts");
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

    pub(crate) fn save(&mut self, name: &str, text: &str) {
        let entity = json!({"name": name, "entityType": "bench", "observations": [text]});
        self.call("create_entities", &json!({"entities": [entity]}));
    }

    pub(crate) fn search(&mut self, query: &str) {
        self.call("search_nodes", &json!({"query": query}));
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(
            answer.pointer("/result/isError") != Some(&json!(true))
                && answer.get("error").is_none(),
            "{answer}"
        );
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
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

impl Drop for MemoryServer {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
