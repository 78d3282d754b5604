//! Shared by the end-to-end tests: runs the real binary in a temporary home and project.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    reason = "a message is written where it is sent"
)]

pub mod attackers;
pub mod cable;
pub mod client;
pub mod clients;
pub mod http;
pub mod injector;
pub mod outputs;
pub mod page;
pub mod person;
pub mod pipe;
pub mod postgres;
pub mod s3;
pub mod scripted_server;
pub mod terminal;
pub mod upstream;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The root of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// How many random cases to try: `all`, or fewer if `PROPTEST_CASES` is below its default, as in `scripts/check`.
pub fn cases(all: u32) -> u32 {
    const DEFAULT: u32 = 256;
    let wanted = proptest::test_runner::Config::default().cases;
    (all * wanted.min(DEFAULT)).div_ceil(DEFAULT)
}

/// All of a list, or every fourth entry if [`cases`] tries a quarter.
pub fn sample<T>(all: &[T]) -> impl Iterator<Item = &T> {
    const STEP: u32 = 4;
    all.iter().step_by((STEP / cases(STEP)) as usize)
}

/// A person's machine: an empty home, and a project to work in.
pub struct Machine {
    directory: TempDir,
    /// This machine's own schema, if the tests run on a server instead of a file.
    schema: Option<postgres::Schema>,
}

impl Machine {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(directory.path().join("project/.git")).unwrap();
        let on_server = std::env::var_os("SCRATCHPAD_TEST_ON_POSTGRES").is_some();
        Self {
            directory,
            schema: on_server.then(|| postgres::Schema::new().expect(postgres::HINT)),
        }
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    pub fn database(&self) -> PathBuf {
        self.home().join("scratchpad.db")
    }

    /// The binary in the project, with nothing but the home in its environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scratchpad"));
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("SCRATCHPAD_HOME", self.home())
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(schema) = &self.schema {
            command.env("SCRATCHPAD_STORE_URL", schema.url());
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        self.answer(self.command(arguments).output().unwrap())
    }

    pub fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Answer {
        let child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        self.answer(feed(child, stdin))
    }

    /// The program's output, with this machine's paths replaced by placeholders.
    pub fn answer(&self, output: Output) -> Answer {
        let root = self.directory.path().canonicalize().unwrap();
        let plain = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .unwrap()
                .replace(root.to_str().unwrap(), "[ROOT]")
                .replace(self.directory.path().to_str().unwrap(), "[ROOT]")
        };
        Answer {
            out: plain(output.stdout),
            err: plain(output.stderr),
            code: output.status.code(),
        }
    }
}

/// Waits for something to happen in another process; panics if it does not.
pub fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_mins(2);
    while !has_happened() {
        assert!(Instant::now() < give_up, "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Writes a process's stdin and waits for it.
pub fn feed(mut child: Child, stdin: &[u8]) -> Output {
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A process may refuse its input early and close the pipe; the test checks its output.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The program's output.
#[derive(Debug)]
pub struct Answer {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl Answer {
    /// The stdout of a run that must succeed.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// The stdout, as JSON, of a run that must succeed.
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).unwrap()
    }

    /// Everything a person sees, for a snapshot.
    pub fn seen(&self) -> String {
        format!(
            "exit {}\n--- stdout\n{}--- stderr\n{}",
            self.code
                .map_or("by signal".to_owned(), |code| code.to_string()),
            self.out,
            self.err
        )
    }
}

/// Every file below a directory with its content; directories have none.
pub fn tree(directory: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            if path.is_dir() && !path.is_symlink() {
                found.insert(name + "/", Vec::new());
                open.push(path);
            } else {
                found.insert(name, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// Every permission bit of a path.
#[cfg(unix)]
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The peak memory of a process, in bytes.
#[cfg(target_os = "linux")]
pub fn peak_memory(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1024
}
