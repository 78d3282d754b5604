//! The MCP proxy. It runs in front of any server and is transparent, except that it shortens large results.
//!
//! Bytes are passed on unchanged. Only answers to `tools/call` and `tools/list` are edited, and only in the parts that
//! are replaced. Each direction is one blocking thread: a message costs one wakeup and little more than a copy.

mod body;
mod finish;
mod forward;
mod http;
mod id;
mod lines;
mod local_tools;
mod message;
mod outline;
mod pending;
mod process;
mod relay;
mod shorten;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use http::Address;
pub use process::{Command, NotStarted};

use scratchpad::model::id::SessionId;
use scratchpad::model::settings::hidden::Hidden;
use scratchpad::{Scratchpad, SessionFinder};

/// The outlines of a line, read whole and in two pieces. For fuzzing.
#[doc(hidden)]
pub fn outlines(line: &[u8], at: usize) -> [Option<String>; 2] {
    let mut pieces = outline::Outline::begin(0);
    let (head, tail) = line.split_at_checked(at).unwrap_or((line, &[]));
    pieces.push(head);
    pieces.push(tail);
    [outline::Outline::of(line, 0), pieces.end()].map(|seen| Some(format!("{:?}", seen?)))
}

/// A line from a client with the references to outputs in it replaced by the same JSON. For fuzzing.
#[doc(hidden)]
pub fn replaced(line: &[u8], with: &[u8]) -> Option<Vec<u8>> {
    relay::expand::replaced(line, with)
}

/// Receives one-line warnings.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// A proxy between a client and one server.
pub struct Proxy {
    /// Keeps large results; has the thresholds.
    pub scratchpad: Scratchpad,
    /// Finds the session of each call.
    pub finder: SessionFinder,
    /// The session of calls for which nothing names one.
    pub session: SessionId,
    /// The upstream's name, for rules and messages.
    pub upstream: String,
    /// Its tools that the client is not offered.
    pub hidden: Vec<Hidden>,
}
