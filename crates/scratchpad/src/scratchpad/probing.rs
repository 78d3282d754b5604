//! Runs probes over outputs, with limits: agents write them, and some never finish.
//!
//! Each runs in a child process, which can be killed at any point. Few run at once, and the others wait for their turn.

mod queue;

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::cancel::Cancel;
use crate::child::{Group, Supervised, spawn};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::id::SessionId;
use crate::model::output::page::{Page, Shown, Wanted};
use crate::model::output::probe::{Found, Probe};
use crate::model::text::message::{Message, message, number};
pub(super) use queue::Queue;

/// The hidden command that runs a probe, with its memory limit in bytes. It reads the probe (one line) and then the content from stdin, and writes
/// what it finds to stdout. To stderr it writes, as JSON, what [`Found`] has or, with exit code 1, the message and hint.
pub const COMMAND: &str = "probe";
/// The largest output that a JSON expression runs over, and the most that a query loads.
pub const MAX_JSON_BYTES: u64 = 64 << 20;
/// The timeout of a probe.
pub const MAX_TIME: Duration = Duration::from_secs(5);
/// The maximum size of a result, all pages together.
const MAX_ANSWER: u64 = 64 << 20;
/// The memory limit of most probes.
const MEMORY: u64 = 1 << 30;
/// The memory limit of a JSON expression over a large output: parsed JSON takes ten times its size and more.
const LARGE_MEMORY: u64 = 2 << 30;
/// The size above which an output is large in this sense.
const LARGE_JSON_BYTES: u64 = 16 << 20;

/// What a probe is run for.
pub(super) struct Asked<'a> {
    pub(super) probe: &'a Probe,
    /// The size of the content.
    pub(super) bytes: u64,
    pub(super) wanted: Wanted,
    /// The session that asks; `None` if a person does.
    pub(super) session: Option<&'a SessionId>,
    pub(super) cancel: &'a Cancel,
}

pub use queue::too_many;

/// The most probes that wait and run at once: each takes a thread.
pub const MAX_CALLS: usize = queue::MAX_WAITING + MAX_RUNNING;
const MAX_RUNNING: usize = 4;
const _: () = assert!(MAX_RUNNING as u64 * MEMORY == queue::MAX_MEMORY);

struct End {
    status: io::Result<ExitStatus>,
    timed_out: bool,
}

/// Runs a probe in a child process when it is its turn; returns what it found and the wanted part of it.
pub(super) fn in_process_of(
    program: &Path,
    queue: &Queue,
    asked: &Asked<'_>,
    mut content: Box<dyn Read + Send>,
) -> Result<(Found, Shown)> {
    let &Asked { probe, cancel, .. } = asked;
    let memory = memory_limit(probe, asked.bytes);
    let _place = queue.enter(probe.name(), asked.session, memory, cancel)?;
    let failed = |error: io::Error| {
        Error::store(message!(
            "Can't run {program}: {error}.",
            program = program.display().to_string(),
            error = error.to_string()
        ))
    };
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "scratchpad");
    command
        .arg(COMMAND)
        .arg(memory.to_string())
        // A jq filter can read the environment, which its author must not see.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (child, pipes) = spawn(command, Group::Shared).map_err(failed)?;
    let (Some(mut stdin), Some(stdout), Some(mut stderr)) =
        (pipes.stdin, pipes.stdout, pipes.stderr)
    else {
        return Err(Error::store("A process has no pipes."));
    };
    let cancelled = child.clone();
    let _killed = cancel.on_cancel(move || cancelled.kill());
    let (stop, complete) = channel();
    let watch = thread::spawn(move || watch(&child, &complete));
    let line = probe.to_line();
    let feed = thread::spawn(move || {
        // Fails if the process exits early; its status says why.
        let _ = stdin.write_all(line.as_bytes());
        let _ = io::copy(&mut content, &mut stdin);
    });

    let mut page = Page::new(asked.wanted);
    let copied = copy_bounded(stdout, &mut page);
    let mut said = String::new();
    // Fails only if the process has exited already.
    let _ = stop.send(matches!(copied, Ok(true)));
    let read = stderr.read_to_string(&mut said);
    drop(feed.join());
    let end = watch
        .join()
        .map_err(|_| Error::store("Waiting for a process failed."))?;
    cancel.check()?;
    let is_complete = copied.map_err(failed)?;
    read.map_err(failed)?;
    if !is_complete {
        return Err(too_much(probe));
    }
    let status = end.status.map_err(failed)?;
    if end.timed_out {
        let (way, seconds) = (probe.name(), MAX_TIME.as_secs());
        return Err(refused(
            probe,
            message!(
                "`{way}` was stopped: it took longer than {seconds} seconds.",
                way,
                seconds = number(seconds)
            ),
        ));
    }
    if let (true, Ok(found)) = (status.success(), serde_json::from_str(&said)) {
        return Ok((found, page.finish()));
    }
    if let (Some(1), Ok((message, hint))) = (status.code(), serde_json::from_str(&said)) {
        let (message, hint): (Message, Option<Message>) = (message, hint);
        let error = Error::new(ErrorKind::Refused, message);
        return Err(match hint {
            None => error,
            Some(hint) => error.hint(hint),
        });
    }
    let way = probe.name();
    Err(refused(
        probe,
        message!(
            "`{way}` was stopped: it needed too much memory, or something is nested too deep.",
            way
        ),
    ))
}

fn memory_limit(probe: &Probe, bytes: u64) -> u64 {
    match probe {
        Probe::Json(_) | Probe::Text(_) if bytes > LARGE_JSON_BYTES => LARGE_MEMORY,
        _ => MEMORY,
    }
}

/// Waits for the process; kills it on timeout or if its result is too large.
fn watch(child: &Supervised, complete: &Receiver<bool>) -> End {
    let heard = complete.recv_timeout(MAX_TIME);
    let timed_out = heard == Err(RecvTimeoutError::Timeout);
    if heard != Ok(true) {
        child.kill();
    }
    End {
        status: child.wait(),
        timed_out,
    }
}

/// Copies a result; false if it is too large.
fn copy_bounded(from: impl Read, page: &mut Page) -> io::Result<bool> {
    let mut from = BufReader::with_capacity(64 * 1024, from).take(MAX_ANSWER + 1);
    io::copy(&mut from, page)?;
    Ok(page.total() <= MAX_ANSWER)
}

fn too_much(probe: &Probe) -> Error {
    refused(
        probe,
        message!(
            "`{way}` was stopped: its result is larger than {max} bytes.",
            way = probe.name(),
            max = number(MAX_ANSWER)
        ),
    )
}

fn refused(probe: &Probe, why: Message) -> Error {
    Error::refused(why).hint(match probe {
        Probe::Grep { .. } => "ask for less: a simpler pattern, or `lines`.",
        Probe::Json(_) | Probe::Text(_) => "ask for less: limit(10; …), or a narrower path.",
        Probe::Sql { .. } => "ask for less: limit, or a narrower where; a join needs a condition.",
    })
}

/// Runs a probe in this process: the fallback for library users that set no program.
pub(super) fn here(asked: &Asked<'_>, content: Box<dyn Read + Send>) -> Result<(Found, Shown)> {
    let probe = asked.probe;
    let mut page = Bounded(Page::new(asked.wanted));
    let done = probe.run(content, &mut page);
    if page.0.total() > MAX_ANSWER {
        return Err(too_much(probe));
    }
    done.map(|found| (found, page.0.finish()))
}

struct Bounded(Page);

impl Write for Bounded {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.0.total() > MAX_ANSWER {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(part)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
