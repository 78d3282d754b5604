//! A running command: what it writes, how it ends, and the signals it gets through us.

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

#[cfg(unix)]
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
#[cfg(unix)]
use signal_hook::iterator::Signals;

/// Read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Read ahead while the store writes.
const CHUNKS: usize = 16;

/// What happens while a command runs.
pub(super) enum Event {
    /// It wrote something, to stdout or stderr.
    Bytes(Vec<u8>),
    /// Nobody will write any more.
    Closed,
    /// It ended with this exit code, 128 + N for signal N; what it left behind may still write.
    Ended(u8),
}

/// A command that was started.
pub(super) struct Running {
    pub(super) events: Receiver<Event>,
    /// Where its output comes from, if it comes to us.
    #[cfg(unix)]
    output: Option<PipeReader>,
}

impl Running {
    /// Whether output waits to be read.
    #[cfg(unix)]
    pub(super) fn has_more(&self) -> bool {
        let waiting = self.output.as_ref().map(rustix::io::ioctl_fionread);
        waiting.is_some_and(|bytes| bytes.is_ok_and(|bytes| bytes > 0))
    }

    /// Elsewhere the system does not say: what is not read in time is taken for nothing.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as above")]
    pub(super) fn has_more(&self) -> bool {
        false
    }
}

/// Starts a command whose stdout and stderr are one pipe to us, so that they come in the order they were written.
pub(super) fn start_caught(mut command: Command) -> io::Result<Running> {
    let (reader, writer) = io::pipe()?;
    #[cfg(unix)]
    let output = Some(reader.try_clone()?);
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn()?;
    // The command holds our ends of the pipe: it is closed when the child's are.
    drop(command);
    let (sender, events) = sync_channel(CHUNKS);
    let watch = watcher(child);
    let to_events = sender.clone();
    thread::spawn(move || read(reader, &to_events));
    thread::spawn(move || watch(&sender));
    Ok(Running {
        events,
        #[cfg(unix)]
        output,
    })
}

/// Starts a command that writes where we do.
pub(super) fn start(mut command: Command) -> io::Result<Running> {
    let watch = watcher(command.spawn()?);
    let (sender, events) = sync_channel(1);
    thread::spawn(move || watch(&sender));
    Ok(Running {
        events,
        #[cfg(unix)]
        output: None,
    })
}

fn read(mut reader: PipeReader, events: &SyncSender<Event>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let event = match reader.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => Event::Closed,
            Ok(count) => {
                chunk.truncate(count);
                Event::Bytes(chunk)
            }
        };
        let is_last = matches!(event, Event::Closed);
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

fn told(status: Option<ExitStatus>, events: &SyncSender<Event>) {
    // Without a status there is nothing to send: the closed channel says so. And whoever asked may have gone.
    let _ = status.map(|status| events.send(Event::Ended(code_of(status))));
}

/// Waits for the command's end.
#[cfg(not(unix))]
fn watcher(mut child: Child) -> impl FnOnce(&SyncSender<Event>) {
    move |events| told(child.wait().ok(), events)
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> u8 {
    status
        .code()
        .map_or(1, |code| u8::try_from(code).unwrap_or(1))
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1)).unwrap_or(1)
}

/// Signals to us are the command's from here on; what is answered passes them on until it ends.
#[cfg(unix)]
fn watcher(mut child: Child) -> impl FnOnce(&SyncSender<Event>) {
    // Not before the child was started: a signal that it is to ignore, as with `nohup`, would no longer be.
    let signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]);
    move |events| match signals {
        Ok(signals) => watch(child, signals, events),
        Err(_) => told(child.wait().ok(), events),
    }
}

/// One thread passes signals on and learns of the end, so that none goes to a process that took over the number.
#[cfg(unix)]
fn watch(mut child: Child, mut signals: Signals, events: &SyncSender<Event>) {
    use std::io::IsTerminal;
    // A key pressed on a terminal is a signal to all of its foreground processes: the command has it already.
    let on_terminal =
        io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                told(Some(status), events);
                break;
            }
            Err(_) => return,
        }
        for signal in signals.wait() {
            if signal != SIGCHLD && !(on_terminal && matches!(signal, SIGINT | SIGQUIT)) {
                pass_on(signal, &child);
            }
        }
    }
    // The command is gone: a signal is for us, and does what it would have done.
    for signal in signals.forever() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

#[cfg(unix)]
fn pass_on(signal: i32, child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(signal) = Signal::from_named_raw(signal) {
        // It may have ended just now.
        let _ = kill_process(Pid::from_child(child), signal);
    }
}
