//! An HTTP server that answers each request as a test specifies, and records the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub head: String,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

pub struct Upstream {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Upstream {
    /// Starts a server; `answer` returns the whole response, after which the connection is closed.
    pub fn start(answer: impl Fn(&Asked) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (answer, seen) = (Arc::new(answer), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, seen) = (answer.clone(), seen.clone());
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let request = read(&stream);
                    seen.lock().unwrap().push(request.clone());
                    // A client that is gone needs no answer.
                    let _ = stream.write_all(answer(&request).as_bytes());
                });
            }
        });
        Self { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap() == 0 {
            break;
        }
    }
    let mut asked = Asked {
        method: head.split(' ').next().unwrap().to_owned(),
        head: head.replace("\r\n", "\n"),
        body: String::new(),
    };
    let length = asked
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    asked.body = String::from_utf8(body).unwrap();
    asked
}

/// A response with these headers, each with its line break, and this body, which ends with the connection.
pub fn response(status: &str, headers: &str, body: &str) -> String {
    let headers = headers.replace('\n', "\r\n");
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n{body}")
}

pub fn json(body: &str) -> String {
    response("200 OK", "Content-Type: application/json\n", body)
}

pub fn events(body: &str) -> String {
    response(
        "200 OK",
        "Content-Type: text/event-stream; charset=utf-8\n",
        body,
    )
}
