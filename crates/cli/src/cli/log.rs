//! What the server logs, on stderr: stdout belongs to the protocol.

use std::fmt::Write as _;
use std::io::Write as _;

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

/// Starts logging events of at least this level.
pub(super) fn start(level: LogLevel) {
    let level = match level {
        LogLevel::Off => return,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // Fails only if called twice.
    let _ = tracing::subscriber::set_global_default(Stderr { level });
}

/// One line for each event; spans are not kept.
struct Stderr {
    level: LevelFilter,
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
        // If stderr is closed, there is nowhere left to report to.
        let _ = std::io::stderr().lock().write_all(line.0.as_bytes());
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
