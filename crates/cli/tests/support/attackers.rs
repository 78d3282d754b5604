//! Clients of a server over HTTP that mean it ill, or are broken.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// A server that is attacked, and the token, for attackers that have it.
pub struct Target<'a> {
    pub address: &'a str,
    pub token: Option<&'a str>,
}

impl Target<'_> {
    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    fn head(&self, more: &str, length: usize) -> String {
        let token = self
            .token
            .map(|token| format!("Authorization: Bearer {token}\r\n"));
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{}{more}Content-Length: {length}\r\n\r\n",
            self.address,
            token.unwrap_or_default()
        )
    }

    /// A request whose head never ends.
    pub fn half_request(&self) -> TcpStream {
        let mut stream = self.connect();
        let half = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nX-Slow: ", self.address);
        stream.write_all(half.as_bytes()).unwrap();
        stream
    }

    /// A large body of which only the beginning is sent.
    pub fn half_body(&self, sent: usize) -> TcpStream {
        let mut stream = self.connect();
        let head = self.head("", 12 * 1024 * 1024);
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![b' '; sent]).unwrap();
        stream
    }

    /// A request whose answer is not read.
    pub fn unread(&self, headers: &str, message: &Value) -> TcpStream {
        let mut stream = self.connect();
        let body = message.to_string();
        let head = self.head(headers, body.len());
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    /// Sends a request, and hangs up when the server has begun to answer, or after this time. Returns whether it had begun.
    pub fn begin_and_leave(&self, headers: &str, message: &Value, patience: Duration) -> bool {
        let mut stream = self.connect();
        let patience = Some(patience.max(Duration::from_millis(1)));
        stream.set_write_timeout(patience).unwrap();
        stream.set_read_timeout(patience).unwrap();
        let body = message.to_string();
        let head = self.head(headers, body.len());
        let sent = stream.write_all((head + &body).as_bytes());
        sent.is_ok() && stream.read_exact(&mut [0]).is_ok()
    }

    /// Begins an MCP session, and hangs up before it can know of it.
    pub fn begin_and_hang_up(&self) {
        let begin = serde_json::json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
        });
        drop(self.unread("", &begin));
    }
}

/// Whether the server has hung up, as far as is known by now.
pub fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut rest = [0; 8 * 1024];
    let mut stream = stream;
    loop {
        match stream.read(&mut rest) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return false,
            Err(_) => return true,
        }
    }
}
