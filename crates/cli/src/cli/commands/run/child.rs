//! A running command: what it writes and how it ends.

use std::io::{self, PipeReader, Read};
use std::process::Command;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use scratchpad::child;
use scratchpad::child::{Group, Supervised};

const CHUNK_BYTES: usize = 64 << 10;

/// The capacity of the queue between reading and storing.
const CHUNKS: usize = 16;

pub(super) enum Event {
    /// It wrote something, to stdout or stderr.
    Bytes(Vec<u8>),
    /// All writers have closed the pipe.
    Closed,
    /// The command ended with this exit code, 128 + N for signal N. Processes that it left behind may still write.
    Ended(u8),
}

/// A command that was started.
pub(super) struct Running {
    pub(super) events: Receiver<Event>,
    /// The output pipe, if output is captured.
    #[cfg(unix)]
    output: Option<PipeReader>,
}

impl Running {
    /// Whether there is unread output in the pipe.
    #[cfg(unix)]
    pub(super) fn has_more(&self) -> bool {
        let waiting = self.output.as_ref().map(rustix::io::ioctl_fionread);
        waiting.is_some_and(|bytes| bytes.is_ok_and(|bytes| bytes > 0))
    }

    /// Only Unix can tell; elsewhere, output that is not read in time is lost.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as above")]
    pub(super) fn has_more(&self) -> bool {
        false
    }
}

/// Starts a command with stdout and stderr on one pipe, so that they are read in the order they were written.
pub(super) fn start_captured(mut command: Command) -> io::Result<Running> {
    let (reader, writer) = io::pipe()?;
    #[cfg(unix)]
    let output = Some(reader.try_clone()?);
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = supervised(command)?;
    let (sender, events) = sync_channel(CHUNKS);
    let to_events = sender.clone();
    thread::spawn(move || read(reader, &to_events));
    thread::spawn(move || wait(&child, &sender));
    Ok(Running {
        events,
        #[cfg(unix)]
        output,
    })
}

/// Starts a command that inherits stdout and stderr.
pub(super) fn start(command: Command) -> io::Result<Running> {
    let child = supervised(command)?;
    let (sender, events) = sync_channel(1);
    thread::spawn(move || wait(&child, &sender));
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

/// Starts a command and forwards this process's signals to it.
fn supervised(command: Command) -> io::Result<Supervised> {
    let (child, _) = child::spawn(command, Group::Shared)?;
    child.forward(child::ALL, |signal, is_running| {
        if !is_running {
            child::act_by_default(signal);
        }
    });
    Ok(child)
}

fn wait(child: &Supervised, events: &SyncSender<Event>) {
    // Without a status there is nothing to send, and the channel closes. The receiver may be gone too.
    let _ = child
        .wait()
        .map(|status| events.send(Event::Ended(child::exit_code(status))));
}
