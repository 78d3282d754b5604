//! An upstream that is a child process: its pipes and its shutdown.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::forward;
use super::forward::Progress;
use super::lines::LineWriter;
use super::relay::Relay;
use super::relay::expand::Onward;
use super::{Proxy, Warn};
use scratchpad::child;
use scratchpad::child::{Group, Pipes, Supervised};
use scratchpad::disk::private::plain;
use scratchpad::model::error::Error;
use scratchpad::model::text::message::{message, quoted};

/// The timeout between SIGTERM and SIGKILL. Hosts kill us after two seconds.
const TERMINATION: Duration = Duration::from_millis(1_800);
/// The timeout for a pipe that another process than the upstream keeps open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The longest line that a server is sent with references replaced: the TypeScript SDK takes 10 MiB.
const MAX_LINE: usize = 9 << 20;

/// The upstream closed its output.
const SILENT: &str = "closed its output before it answered";
/// The upstream stopped reading.
const DEAF: &str = "no longer reads its input";

/// What to run.
pub struct Command {
    /// The program; found on `PATH` as in a shell.
    pub program: OsString,
    /// What follows the program on its command line.
    pub arguments: Vec<OsString>,
    /// How long it may be silent after the client is gone before it is terminated.
    pub grace: Duration,
}

/// Why the upstream did not start, and the exit code that a shell would use.
#[derive(Debug)]
pub struct NotStarted(pub Error, pub u8);

enum Event {
    ClientClosed,
    /// The client no longer reads.
    ClientGone,
    UpstreamClosed,
    UpstreamIsDeaf,
    Exited(io::Result<ExitStatus>),
    Terminated,
}

/// What to do after the timeout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Answer the pending requests with an error. The delay is for the upstream's exit code, which says more.
    Tell(&'static str),
    Terminate,
    Kill,
    GiveUp,
}

impl Proxy {
    /// Runs a command as the upstream until it ends; returns its exit code.
    pub fn run_command(self, command: &Command, warn: Warn) -> Result<u8, NotStarted> {
        let failed = |error: io::Error| {
            NotStarted(
                Error::store(message!(
                    "Can't start the proxy: {error}.",
                    error = error.to_string()
                )),
                1,
            )
        };
        let (stdin, stdout) = (stdin().map_err(failed)?, stdout().map_err(failed)?);
        let (process, pipes) = spawn(command)?;
        let (Some(input), Some(output)) = (pipes.stdin, pipes.stdout) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let relay = Arc::new(Relay::new(self, stdout, warn));
        let input = Arc::new(LineWriter::new(input));
        let progress = Arc::new(Progress::default());
        let (sender, events) = channel();

        process.forward(child::ENDING, {
            let sender = sender.clone();
            move |signal, _| {
                if child::is_terminate(signal) {
                    // Sending fails only after shutdown.
                    let _ = sender.send(Event::Terminated);
                }
            }
        });
        relay.send_held_by(Onward {
            send: Box::new({
                let (input, sender) = (input.clone(), sender.clone());
                move |line| {
                    if input.write(&line).is_err() {
                        // Sending fails only after shutdown.
                        let _ = sender.send(Event::UpstreamIsDeaf);
                    }
                }
            }),
            most: MAX_LINE,
        });
        start(&sender, Event::ClientClosed, {
            let (relay, input, sender) = (relay.clone(), input.clone(), sender.clone());
            move || {
                forward::from_client(&relay, stdin, &input, || {
                    // Sending fails only after shutdown.
                    let _ = sender.send(Event::UpstreamIsDeaf);
                });
            }
        });
        start(&sender, Event::UpstreamClosed, {
            let (relay, progress, sender) = (relay.clone(), progress.clone(), sender.clone());
            move || {
                forward::from_upstream(&relay, output, &progress, || {
                    // Sending fails only after shutdown.
                    let _ = sender.send(Event::ClientGone);
                });
            }
        });
        std::thread::spawn({
            let process = process.clone();
            move || sender.send(Event::Exited(process.wait()))
        });

        let watch = Watch {
            relay,
            input,
            progress,
            process,
            grace: command.grace,
        };
        Ok(watch.until_the_end(&events))
    }
}

/// Starts a thread that sends `done` when it ends.
fn start(sender: &Sender<Event>, done: Event, work: impl FnOnce() + Send + 'static) {
    let sender = sender.clone();
    std::thread::spawn(move || {
        // The panic message is on stderr; the other threads must not wait for this one.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // Sending fails only after shutdown.
        let _ = sender.send(done);
    });
}

fn spawn(command: &Command) -> Result<(Supervised, Pipes), NotStarted> {
    let mut process = std::process::Command::new(&command.program);
    process
        .args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    // In its own process group it can be terminated with its children, and gets signals from a terminal only once.
    child::spawn(process, Group::Own).map_err(|error| {
        let program = command.program.to_string_lossy();
        let (code, hint) = match error.kind() {
            io::ErrorKind::NotFound => (127, "is it installed and on PATH?"),
            _ => (126, "is it executable?"),
        };
        let error = Error::store(message!(
            "Can't start {program}: {error}.",
            program = quoted(&program),
            error = plain(&error)
        ))
        .hint(hint);
        NotStarted(error, code)
    })
}

/// Waits for the upstream to exit, and terminates it after a timeout.
struct Watch {
    relay: Arc<Relay>,
    input: Arc<LineWriter<ChildStdin>>,
    progress: Arc<Progress>,
    process: Supervised,
    grace: Duration,
}

impl Watch {
    fn until_the_end(self, events: &Receiver<Event>) -> u8 {
        let mut deadline: Option<(Instant, Next)> = None;
        let (mut client_is_there, mut client_reads, mut output_is_open) = (true, true, true);
        let mut seen = 0;
        let status = loop {
            let event = match deadline {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((at, _)) => events.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            let (timeout, next) = match event {
                Ok(Event::Exited(status)) => break status.ok(),
                Err(RecvTimeoutError::Disconnected) => break None,
                Ok(event @ (Event::ClientClosed | Event::ClientGone)) => {
                    self.input.close();
                    client_is_there = false;
                    client_reads &= matches!(event, Event::ClientClosed);
                    seen = self.progress.lines();
                    if deadline.is_some() {
                        continue;
                    }
                    (self.grace, Next::Terminate)
                }
                Ok(event @ (Event::UpstreamIsDeaf | Event::UpstreamClosed)) => {
                    let is_deaf = matches!(event, Event::UpstreamIsDeaf);
                    output_is_open &= is_deaf;
                    if let Some((_, Next::Kill | Next::GiveUp)) = deadline {
                        continue;
                    }
                    (LAST_WORDS, Next::Tell(if is_deaf { DEAF } else { SILENT }))
                }
                Ok(Event::Terminated) => {
                    self.input.close();
                    (TERMINATION, Next::Kill)
                }
                Err(RecvTimeoutError::Timeout) => match deadline.map(|(_, next)| next) {
                    Some(Next::Tell(why)) => {
                        self.end(why);
                        if client_is_there && output_is_open {
                            // The upstream may still write something.
                            deadline = None;
                            continue;
                        }
                        self.input.close();
                        (self.grace.min(TERMINATION), Next::Terminate)
                    }
                    // A client that still reads gets everything that the upstream still writes.
                    Some(Next::Terminate)
                        if self.progress.lines() != seen && output_is_open && client_reads =>
                    {
                        seen = self.progress.lines();
                        (self.grace, Next::Terminate)
                    }
                    Some(Next::Terminate) => {
                        self.process.terminate();
                        (TERMINATION, Next::Kill)
                    }
                    Some(Next::Kill) => {
                        self.process.kill();
                        (TERMINATION, Next::GiveUp)
                    }
                    // The process hangs in the kernel, for example on a disk that does not respond.
                    Some(Next::GiveUp) | None => break None,
                },
            };
            deadline = Some((Instant::now() + timeout, next));
        };
        let mut until = None;
        while output_is_open {
            match events.recv_timeout(LAST_WORDS) {
                Ok(Event::UpstreamClosed) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Event::Terminated) => until = Some(Instant::now() + TERMINATION),
                // A child of the upstream keeps the output open and writes nothing.
                Err(RecvTimeoutError::Timeout) if !self.progress.is_busy() => break,
                _ => {}
            }
            // After SIGTERM, don't wait for a client that does not read.
            output_is_open = until.is_none_or(|until| Instant::now() < until);
        }
        self.process.terminate_group();
        let (code, how) = ending(status);
        self.end(&format!("{how} before it answered"));
        self.relay.finish();
        code
    }

    /// Answers the pending requests with an error.
    fn end(&self, how: &str) {
        self.relay.end(&format!(
            "The MCP server behind the proxy ({}) {how}.",
            self.relay.upstream()
        ));
    }
}

/// The exit code for a process's exit status, and a description.
fn ending(status: Option<ExitStatus>) -> (u8, String) {
    let Some(status) = status else {
        return (1, "could not be stopped".to_owned());
    };
    let how = match (child::signal_of(status), status.code()) {
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    (child::exit_code(status), how)
}

/// Unbuffered stdin.
pub(super) fn stdin() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(File::from(owned))
}

/// Unbuffered stdout.
pub(super) fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(File::from(owned))
}
