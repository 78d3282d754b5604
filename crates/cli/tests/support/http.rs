//! A server over HTTP, and a client that sends exactly the given requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Machine;

/// A generous timeout, for slow machines.
const PATIENCE: Duration = Duration::from_mins(2);

pub struct HttpServer {
    pub child: Child,
    pub address: String,
    pub said: BufReader<std::process::ChildStderr>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The one message in the body: JSON, or the last event of a stream.
    pub fn message(&self) -> Value {
        let last_event = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .next_back();
        let text = last_event.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl HttpServer {
    pub fn start(machine: &Machine, flags: &[&str]) -> Self {
        Self::start_with(machine, flags, &[])
    }

    pub fn start_with(machine: &Machine, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut arguments = vec!["mcp", "--http", "127.0.0.1:0"];
        if !flags.contains(&"--token-file") {
            arguments.push("--no-token");
        }
        arguments.extend(flags);
        Self::launch(machine, &arguments, variables)
    }

    /// Starts a server with exactly these arguments.
    pub fn launch(machine: &Machine, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = machine
            .command(arguments)
            .envs(variables.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("Listening on ");
        let url = url.unwrap_or_else(|| panic!("{line}"));
        // A server on a socket has no address.
        let address = url
            .strip_prefix("http://")
            .map(|address| address.strip_suffix("/mcp").unwrap().to_owned())
            .unwrap_or_default();
        Self {
            child,
            address,
            said,
        }
    }

    /// The next line of what the server says on stderr.
    pub fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub fn exchange(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A server that refuses a request may close the connection before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        Self::response(stream)
    }

    pub fn response(mut stream: impl Read) -> Response {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Response {
            status: head
                .split(' ')
                .nth(1)
                .map_or(0, |status| status.parse().unwrap()),
            body: if chunked {
                dechunked(body)
            } else {
                body.to_owned()
            },
            head: head.to_owned(),
        }
    }

    pub fn post(&self, headers: &[(&str, &str)], message: &Value) -> Response {
        self.exchange(&self.request(headers, message))
    }

    pub fn request(&self, headers: &[(&str, &str)], message: &Value) -> String {
        let body = message.to_string();
        let mut request =
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n"
                .to_owned();
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        request
    }

    pub fn tell_to_end(&self) {
        let killed = std::process::Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
    }

    /// Starts an MCP session of the older era and returns its id.
    pub fn greet(&self) -> String {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        let response = self.post(
            &[],
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        );
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(
            response.message()["result"]["protocolVersion"],
            "2025-11-25"
        );
        let id = response.header("mcp-session-id").unwrap().to_owned();
        let done = self.post(
            &[("Mcp-Session-Id", &id)],
            &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        );
        assert_eq!(done.status, 202);
        id
    }

    /// Calls a tool in an MCP session of the older era.
    pub fn call(&self, session: &str, arguments: Value) -> String {
        let headers = [
            ("Mcp-Session-Id", session),
            ("MCP-Protocol-Version", "2025-11-25"),
        ];
        let response = self.post(&headers, &pad_call(arguments));
        text(&response)
    }

    /// Calls a tool as in the newest protocol revision, without a session.
    pub fn call_alone(&self, more: &[(&str, &str)], arguments: Value) -> Response {
        let mut call = pad_call(arguments);
        call["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "session_scratchpad"),
        ];
        headers.extend(more);
        self.post(&headers, &call)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // Already exited, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    whole
}

pub fn pad_call(arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "session_scratchpad", "arguments": arguments}})
}

pub fn set_plan(plan: &str) -> Value {
    json!({"action": "set_plan", "content": plan})
}

pub fn text(response: &Response) -> String {
    let message = response.message();
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{response:?}"))
        .to_owned()
}

/// Writes a file that only its owner can read.
pub fn write_private(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}
