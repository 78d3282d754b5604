//! Faults on purpose, against the real program: `scripts/faults` writes what was found into docs/reliability.md.
//!
//! A promise that breaks is said on stderr, and the exit code is 1. Nothing here asserts a time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking, and says what it does"
)]

mod clock;
mod crowd;
mod disk;
mod hooks;
mod kills;
mod load;
#[path = "../support/pipe.rs"]
#[allow(dead_code, unreachable_pub, reason = "others use the rest")]
mod pipe;
mod proxied;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use report::Report;

/// Another build of the program than that of the tests.
static PROGRAM: OnceLock<String> = OnceLock::new();

/// What all suites share.
pub(crate) struct Run {
    pub(crate) is_short: bool,
    pub(crate) seed: u64,
    directory: tempfile::TempDir,
    injector: PathBuf,
}

impl Run {
    /// As many in the long form, as many in the short.
    pub(crate) fn times(&self, long: usize, short: usize) -> usize {
        if self.is_short { short } else { long }
    }

    pub(crate) fn random(&self, suite: u64) -> Random {
        Random(self.seed.wrapping_mul(2).wrapping_add(1).rotate_left(7) ^ suite)
    }

    /// A home and a project of their own.
    pub(crate) fn place(&self, name: &str) -> Place {
        Place::new(&self.directory.path().join(name))
    }

    /// An empty directory.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Lets a process meet the faults that [`injector.c`] knows.
    pub(crate) fn inject(&self, command: &mut Command, faults: &[(&str, String)]) {
        command
            .env("LD_PRELOAD", &self.injector)
            .env("FAULT_UNDER", self.directory.path())
            .env("FAULT_LOG", self.log());
        for (name, value) in faults {
            command.env(name, value);
        }
    }

    /// How many faults were met so far.
    pub(crate) fn injected(&self) -> u64 {
        std::fs::metadata(self.log()).map_or(0, |found| found.len())
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("faults.log")
    }
}

/// A home and a project.
pub(crate) struct Place {
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
}

impl Place {
    pub(crate) fn new(root: &Path) -> Self {
        let place = Self {
            home: root.join("home"),
            project: root.join("project"),
        };
        std::fs::create_dir_all(place.project.join(".git")).unwrap();
        place
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.home.join("scratchpad.db")
    }

    /// The program, in the project, with nothing in its environment but the home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let program = PROGRAM
            .get()
            .map_or(env!("CARGO_BIN_EXE_scratchpad"), String::as_str);
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.project)
            .env_clear()
            .env("SCRATCHPAD_HOME", &self.home)
            // What was kept is looked for at the end: nothing is to be pruned.
            .env("SCRATCHPAD_OUTPUTS_MAX_TOTAL_BYTES", "100000000000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// The same sequence for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

/// What a part is called, and what it does.
type Suite = (&'static str, fn(&Run) -> report::Section);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, kind] = words.as_slice()
        && flag == "--upstream"
    {
        return proxied::be_upstream(kind);
    }
    let value_of = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1)
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = value_of("--seed").map_or(now.as_millis() as u64, |seed| seed.parse().unwrap());
    let only = value_of("--only");
    if let Some(program) = value_of("--program") {
        PROGRAM.set(program.clone()).unwrap();
    }
    let directory = tempfile::tempdir().unwrap();
    let run = Run {
        is_short: words.iter().any(|word| word == "--short"),
        seed,
        injector: built_injector(directory.path()),
        directory,
    };
    eprintln!("seed {seed}");
    let mut report = Report::new(&run);
    let suites: [Suite; 6] = [
        ("kills", kills::run),
        ("disk", disk::run),
        ("crowd", crowd::run),
        ("clock", clock::run),
        ("proxy", proxied::run),
        ("hooks", hooks::run),
    ];
    for (name, suite) in suites {
        if only.is_none_or(|only| only == name) {
            report.add(name, || suite(&run));
        }
    }
    print!("{}", report.text());
    if let Some(path) = value_of("--write") {
        std::fs::write(path, report.text()).unwrap();
    }
    if report.is_broken() {
        eprintln!("A promise is broken; repeat with --seed {seed}.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn built_injector(directory: &Path) -> PathBuf {
    let library = directory.join("injector.so");
    let built = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .args(["tests/faults/injector.c", "-ldl"])
        .status();
    assert!(built.expect("a C compiler").success());
    library
}
