//! What the server logs, on stderr: stdout belongs to the protocol.
//!
//! A thread of its own writes it, so that nothing waits for whoever should read it.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clap::ValueEnum;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use scratchpad::model::text::escape::for_terminal;

/// How much is logged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// The size up to which lines wait to be written; further ones are counted and left out.
const MAX_WAITING_BYTES: usize = 1024 * 1024;
/// The timeout for writing the last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Starts logging events of at least this level, until the result is dropped.
pub(super) fn start(level: LogLevel) -> Option<Log> {
    let level = match level {
        LogLevel::Off => return None,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let queue = Arc::<Queue>::default();
    let writer = queue.clone();
    std::thread::spawn(move || writer.write());
    let log = Log(queue.clone());
    // Fails only if called twice.
    let _ = tracing::subscriber::set_global_default(Stderr { level, queue });
    Some(log)
}

/// The log of this process. Writes the last lines when dropped.
pub(super) struct Log(Arc<Queue>);

impl Drop for Log {
    fn drop(&mut self) {
        let waits = |waiting: &mut Waiting| waiting.bytes > 0;
        // If nobody reads stderr, the rest is lost.
        drop((self.0.changed).wait_timeout_while(self.0.waiting(), LAST_LINES, waits));
    }
}

/// The lines that are not yet written.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    /// The size of these, and of the one that is being written.
    bytes: usize,
    left_out: usize,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, line: String) {
        let mut waiting = self.waiting();
        if waiting.bytes > 0 && waiting.bytes + line.len() > MAX_WAITING_BYTES {
            waiting.left_out += 1;
            return;
        }
        if waiting.left_out > 0 {
            let count = std::mem::take(&mut waiting.left_out);
            waiting.push(format!("WARN {count} lines were left out here\n"));
        }
        waiting.push(line);
        self.changed.notify_all();
    }

    /// Writes the lines, in an endless loop.
    fn write(&self) {
        loop {
            let idle = |waiting: &mut Waiting| waiting.lines.is_empty();
            let mut waiting = (self.changed.wait_while(self.waiting(), idle))
                .unwrap_or_else(PoisonError::into_inner);
            let line = waiting.lines.pop_front().unwrap_or_default();
            drop(waiting);
            // If stderr is closed, there is nowhere left to report to.
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
            self.waiting().bytes -= line.len();
            self.changed.notify_all();
        }
    }
}

impl Waiting {
    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }
}

/// One line for each event; spans are not kept.
struct Stderr {
    level: LevelFilter,
    queue: Arc<Queue>,
}

impl Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut line = Line(format!("{} {}:", metadata.level(), metadata.target()));
        event.record(&mut line);
        line.0.push('\n');
        self.queue.push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let start = self.0.len();
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
        let added = for_terminal(self.0.get(start..).unwrap_or_default());
        self.0.truncate(start);
        self.0.push_str(&added.replace('\n', "\\n"));
    }
}
