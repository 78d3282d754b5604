//! Hostile clients against the real server and the real proxy, on loopback: `scripts/attack` writes what held into
//! docs/security.md.
//!
//! A promise that breaks is said on stderr, and the exit code is 1. The times are what was measured; only that somebody waits for
//! longer than any time limit of the attackers breaks a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it does"
)]

mod clients;
mod searches;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use support::http::{HttpServer, set_plan};

/// Attackers hold what they take for up to 30 seconds. Nobody else may have to wait for that.
const PATIENCE: Duration = Duration::from_secs(25);

/// What was tried.
pub(crate) struct Tried {
    pub(crate) what: String,
    pub(crate) times: usize,
    pub(crate) found: String,
}

/// How large a run is.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    is_short: bool,
}

impl Run {
    pub(crate) fn times(self, long: usize, short: usize) -> usize {
        if self.is_short { short } else { long }
    }
}

/// How long another client goes on writing after the attackers are in place.
const AFTERWARDS: Duration = Duration::from_secs(3);

/// Runs an attack while another client goes on writing; returns the longest that one of its writes took.
pub(crate) fn beside<T>(
    server: &HttpServer,
    headers: &[(&str, &str)],
    attack: impl FnOnce() -> T,
) -> (T, Duration) {
    let headers = [headers, &[("Scratchpad-Session", "bystander")]].concat();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            loop {
                let is_last = is_over.load(Ordering::Relaxed);
                let started = Instant::now();
                let answer = server.call_alone(&headers, set_plan("go"));
                assert_eq!(
                    answer.status, 200,
                    "the write of another client: {answer:?}"
                );
                slowest = slowest.max(started.elapsed());
                if is_last {
                    return slowest;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let result = catch_unwind(AssertUnwindSafe(attack));
        std::thread::sleep(AFTERWARDS);
        is_over.store(true, Ordering::Relaxed);
        let slowest = writing.join().expect("another client is served");
        assert!(
            slowest < PATIENCE,
            "another client's write took {slowest:?}"
        );
        (result.expect("the attack"), slowest)
    })
}

/// The peak memory of a process, and that it is below a limit in MiB.
pub(crate) fn memory(process: u32, limit: usize) -> String {
    let peak = support::peak_memory(process) >> 20;
    assert!(peak < limit, "it used {peak} MiB; the limit is {limit}");
    format!("{peak} MiB at most")
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let run = Run {
        is_short: words.iter().any(|word| word == "--short"),
    };
    let attacks: [fn(Run) -> Tried; 10] = [
        clients::unread,
        clients::half_requests,
        clients::dripping,
        clients::hanging_up,
        clients::garbage,
        clients::strangers,
        searches::endless,
        searches::abandoned,
        searches::used_again,
        searches::endless_in_proxy,
    ];
    let mut table = "| done | times | found |\n|---|---|---|\n".to_owned();
    let mut is_broken = false;
    for attack in attacks {
        let started = Instant::now();
        if let Ok(Tried { what, times, found }) = catch_unwind(|| attack(run)) {
            eprintln!("{what}: {} s", started.elapsed().as_secs());
            // Writing to a string does not fail.
            let _ = writeln!(table, "| {what} | {times} | {found} |");
        } else {
            eprintln!("BROKEN: see the panic above");
            is_broken = true;
        }
    }
    print!("{table}");
    let path = words.iter().position(|word| word == "--write");
    if let Some(path) = path.and_then(|at| words.get(at + 1))
        && !is_broken
    {
        put_into(path, &table);
    }
    if is_broken {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Puts the table between the markers of a page.
fn put_into(path: &str, table: &str) {
    let (begin, end) = ("<!-- attack: begin -->\n", "<!-- attack: end -->");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(begin).expect("the marker");
    let (_, after) = rest.split_once(end).expect("the other marker");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let about = format!(
        "{today}, {} {}, {cores} cores shared with other work, program not optimised.",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let page = format!("{before}{begin}{about}\n\n{table}{end}{after}");
    std::fs::write(path, page).unwrap();
}
