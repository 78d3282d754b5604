//! What was done and what was found, as a document.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::Run;

/// What one suite found.
#[derive(Default)]
pub(crate) struct Section {
    /// Its heading.
    pub(crate) title: &'static str,
    /// What is done, for the reader.
    pub(crate) about: String,
    /// What was done, how often, what was found.
    pub(crate) rows: Vec<[String; 3]>,
    /// Promises that did not hold.
    pub(crate) broken: Vec<String>,
}

impl Section {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table is written with numbers and texts alike"
    )]
    pub(crate) fn row(&mut self, what: &str, times: impl ToString, found: impl ToString) {
        self.rows
            .push([what.to_owned(), times.to_string(), found.to_string()]);
    }

    /// Holds a promise against what was found.
    pub(crate) fn must(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            let said = otherwise();
            eprintln!("BROKEN: {said}");
            self.broken.push(said);
        }
    }
}

pub(crate) struct Report {
    text: String,
    is_broken: bool,
}

impl Report {
    pub(crate) fn new(run: &Run) -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let memory = memory
            .split_whitespace()
            .nth(1)
            .and_then(|kib| kib.parse().ok());
        let gigabytes = memory.map_or(0, |kib: u64| kib.div_ceil(1 << 20));
        let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
        let text = format!(
            "# Reliability\n\n\
             Faults on purpose, against the real program, by `./scripts/faults`, which wrote this page: don't edit it. \
             `./scripts/faults --short` does the same with smaller numbers and writes nothing; the tests run it.\n\n\
             Date {today}; machine: {} {}, {cores} cores shared with other work, {gigabytes} GB; program built for tests, not \
             optimised; seed {} (`--seed` repeats the choices, not the moments).\n",
            std::env::consts::OS,
            std::env::consts::ARCH,
            run.seed,
        );
        Self {
            text,
            is_broken: false,
        }
    }

    pub(crate) fn add(&mut self, name: &str, suite: impl FnOnce() -> Section) {
        eprintln!("== {name}");
        let started = Instant::now();
        let section = suite();
        eprintln!("   {} s", started.elapsed().as_secs());
        let _ = write!(
            self.text,
            "\n## {}\n\n{}\n\n| done | times | found |\n|---|---|---|\n",
            section.title, section.about
        );
        for [what, times, found] in &section.rows {
            let _ = writeln!(self.text, "| {what} | {times} | {found} |");
        }
        for broken in &section.broken {
            let _ = writeln!(self.text, "\n**Broken**: {broken}");
        }
        self.is_broken |= !section.broken.is_empty();
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }
}

/// A percentile, in milliseconds.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> String {
    times.sort_unstable();
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(at).map_or("-".to_owned(), |time| {
        format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
    })
}
