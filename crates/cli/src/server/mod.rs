//! Accepting connections over HTTP, for every edge that serves: addresses and sockets, and limits for hostile or broken
//! clients.

pub(crate) mod connections;
pub(crate) mod endpoint;
pub(crate) mod guests;
pub(crate) mod shutdown;
mod stalled;
#[cfg(unix)]
mod unix;

use std::time::Duration;

pub use endpoint::Endpoint;
use rmcp::transport::common::server_side_http::session_id;

/// Limits for hostile or broken clients.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum number of connections; for further ones others are closed.
    pub(crate) connections: usize,
    /// The timeout for reading the head of a request, and for its body.
    pub(crate) reading: Duration,
    /// The time limit for a client to take a large answer, or anything of what is sent to it.
    pub(crate) writing: Duration,
}

pub(crate) const LIMITS: Limits = Limits {
    connections: 512,
    reading: Duration::from_secs(30),
    writing: Duration::from_secs(30),
};

/// A token that nobody can guess: 244 random bits from the operating system.
pub fn random_token() -> String {
    // The SDK's session ids are random UUIDs.
    [session_id(), session_id()].concat().replace('-', "")
}
