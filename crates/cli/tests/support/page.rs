//! The page, served by the real binary, and a browser that is logged in.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::Machine;
use super::http::{HttpServer, Response};

const PATIENCE: Duration = Duration::from_mins(2);

pub struct PageServer {
    pub child: Child,
    pub address: String,
    /// The login link that it printed.
    pub link: String,
    pub cookie: String,
}

impl PageServer {
    /// Serves the page, and logs in with the link.
    pub fn start(machine: &Machine) -> Self {
        Self::start_with(machine, &[])
    }

    pub fn start_with(machine: &Machine, variables: &[(&str, &str)]) -> Self {
        let mut server = Self::launch(machine, variables);
        let path = server.link_path();
        let answer = server.send(&server.request("GET", &path, &[], ""));
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap();
        cookie
            .split(';')
            .next()
            .unwrap()
            .clone_into(&mut server.cookie);
        server
    }

    /// Serves the page; nobody is logged in.
    pub fn launch(machine: &Machine, variables: &[(&str, &str)]) -> Self {
        let mut child = machine
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .envs(variables.iter().copied())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut said).unwrap();
        let link = said.trim().rsplit(' ').next().unwrap().to_owned();
        let address = link
            .strip_prefix("http://")
            .and_then(|it| it.split_once('/'));
        Self {
            address: address.unwrap_or_else(|| panic!("{said}")).0.to_owned(),
            link,
            cookie: String::new(),
            child,
        }
    }

    pub fn link_path(&self) -> String {
        self.link.split(&self.address).nth(1).unwrap().to_owned()
    }

    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut all = vec![("Connection", "close")];
        if !headers.iter().any(|(name, _)| *name == "Host") {
            all.push(("Host", &self.address));
        }
        if !self.cookie.is_empty() {
            all.push(("Cookie", &self.cookie));
        }
        all.extend(headers);
        let length = body.len().to_string();
        if method == "POST" {
            all.push(("Content-Length", &length));
        }
        let head = all.iter().fold(String::new(), |head, (name, value)| {
            head + name + ": " + value + "\r\n"
        });
        format!("{method} {path} HTTP/1.1\r\n{head}\r\n{body}")
    }

    /// The answer to exactly this request. Bytes that are no text are replaced.
    pub fn send(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        HttpServer::response(String::from_utf8_lossy(&bytes).as_bytes())
    }

    pub fn get(&self, path: &str) -> Response {
        self.send(&self.request("GET", path, &[], ""))
    }

    /// The page at a path, which must be there.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    /// What a form of the page sends.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let origin = format!("http://{}", self.address);
        let headers = [
            ("Origin", origin.as_str()),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        self.send(&self.request("POST", path, &headers, &form(fields)))
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Fields as a form sends them.
pub fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

pub fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}

/// The address of the machine's project.
pub fn project_path(machine: &Machine) -> String {
    let root = machine.project().canonicalize().unwrap();
    format!("/p/{}", encoded(root.to_str().unwrap()))
}
