//! The event that a host writes to stdin. The prompt waits, so the hook does not wait for the host.

use std::io::{self, ErrorKind, IsTerminal as _, Read};
use std::time::{Duration, Instant};

use serde_json::Value;

use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::{message, number};

/// The maximum size of an event.
const MAX_BYTES: usize = 64 << 20;
/// How much is read at once.
const PIECE_BYTES: usize = 64 << 10;
/// How long to wait for the next piece, or for less that completes the event.
const TIMEOUT: Duration = Duration::from_millis(200);
/// After this much silence the event may be complete: not every host closes stdin.
const COMPLETE_AFTER: Duration = Duration::from_millis(15);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);

/// Reads the event, up to the size limit, until stdin is closed or the event is complete.
pub(super) fn event() -> Result<Value> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Error::usage("A hook reads a host's event from stdin."));
    }
    let _mode = NonBlocking::new();
    read_event(stdin.lock())
}

fn read_event(mut from: impl Read) -> Result<Value> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    let (mut since, mut tried) = (Instant::now(), 0);
    let (mut piece_since, mut piece_end) = (since, PIECE_BYTES);
    loop {
        match from.read(&mut piece) {
            Ok(0) => return parsed(&bytes),
            Ok(read) => {
                bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
                if bytes.len() > MAX_BYTES {
                    return Err(Error::refused("The event is larger than 64 MiB."));
                }
                since = Instant::now();
                if bytes.len() >= piece_end {
                    (piece_since, piece_end) = (since, bytes.len() + PIECE_BYTES);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if since.elapsed() >= COMPLETE_AFTER && tried != bytes.len() {
                    tried = bytes.len();
                    if let Ok(event) = parsed(&bytes) {
                        return Ok(event);
                    }
                }
                if piece_since.elapsed() >= TIMEOUT {
                    return Err(Error::refused(message!(
                        "The event did not arrive whole within {time} ms.",
                        time = number(TIMEOUT.as_millis())
                    )));
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => {
                return Err(Error::store(message!(
                    "Can't read stdin: {error}.",
                    error = error.to_string()
                )));
            }
        }
    }
}

fn parsed(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::refused(message!(
            "The event is not valid JSON: {error}.",
            error = error.to_string()
        ))
    })
}

/// While this exists, reading stdin does not wait. Other processes may share it, so the mode is put back.
struct NonBlocking {
    #[cfg(unix)]
    before: Option<rustix::fs::OFlags>,
}

impl NonBlocking {
    #[cfg(unix)]
    fn new() -> Self {
        use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
        let before = fcntl_getfl(io::stdin()).ok();
        if let Some(flags) = before {
            // If this fails, reading waits as it does on other systems.
            let _ = fcntl_setfl(io::stdin(), flags | OFlags::NONBLOCK);
        }
        Self { before }
    }

    /// Reading waits for the host here.
    #[cfg(not(unix))]
    fn new() -> Self {
        Self {}
    }
}

#[cfg(unix)]
impl Drop for NonBlocking {
    fn drop(&mut self) {
        if let Some(flags) = self.before {
            // The process ends soon.
            let _ = rustix::fs::fcntl_setfl(io::stdin(), flags);
        }
    }
}
