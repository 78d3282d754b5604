//! The MCP proxy: it stands before any server and is not noticed, save that large results are short.
//!
//! Bytes are passed on as they came. Only answers to `tools/call` and `tools/list` are looked into, and in
//! these only what is replaced is touched. Blocking threads, one for each direction: a message is woken
//! for once, and costs little more than a copy.

mod body;
mod finish;
mod forward;
mod http;
mod id;
mod lines;
mod local_tools;
mod message;
mod outline;
mod process;
mod relay;
mod shorten;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use http::Address;
pub use process::{Command, NotStarted};

use scratchpad::model::id::SessionId;
use scratchpad::{Scratchpad, SessionFinder};

/// What is seen of a line that comes whole, and of the same in two pieces; for fuzzing.
#[doc(hidden)]
pub fn outlines(line: &[u8], at: usize) -> [Option<String>; 2] {
    let mut pieces = outline::Outline::begin(0);
    let (head, tail) = line.split_at_checked(at).unwrap_or((line, &[]));
    pieces.push(head);
    pieces.push(tail);
    [outline::Outline::of(line, 0), pieces.end()].map(|seen| Some(format!("{:?}", seen?)))
}

/// Hears, in one line, what went wrong beside the messages.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// What stands between a client and its server.
pub struct Proxy {
    /// Where large results are kept, and what is large.
    pub pad: Scratchpad,
    /// Finds the session of each call.
    pub finder: SessionFinder,
    /// The session of calls that nothing names one for.
    pub session: SessionId,
    /// The upstream's name, for rules and messages.
    pub upstream: String,
}
