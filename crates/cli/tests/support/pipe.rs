//! A process and its pipes, for tests that read and write exact bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A generous timeout, for slow machines.
const PATIENCE: Duration = Duration::from_mins(2);

pub struct Pipe {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    said: Option<JoinHandle<String>>,
}

impl Pipe {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if stdout.read_until(b'\n', &mut line).unwrap_or(0) == 0
                    || sender.send(line).is_err()
                {
                    break;
                }
            }
        });
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            said: Some(said),
        }
    }

    /// Writes bytes verbatim.
    /// The process's id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    /// The next line, with its line break.
    pub fn line(&mut self) -> String {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line");
        String::from_utf8_lossy(&line).into_owned()
    }

    pub fn json(&mut self) -> serde_json::Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn close_stdin(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for the process to exit, with stdin open: returns the rest of stdout, stderr, and the exit status.
    pub fn ended(mut self) -> (String, String, ExitStatus) {
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.extend(line);
        }
        let status = self.child.wait().unwrap();
        let said = self.said.take().unwrap().join().unwrap();
        (String::from_utf8_lossy(&rest).into_owned(), said, status)
    }

    /// Closes stdin, and waits for the process to exit.
    pub fn end(mut self) -> (String, String, ExitStatus) {
        self.close_stdin();
        self.ended()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Already exited, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
