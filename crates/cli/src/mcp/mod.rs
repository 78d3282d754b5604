//! The MCP server: bytes in, one call on the scratchpad, bytes out.
//!
//! One handler serves both eras of the protocol: requests that carry their own protocol version (2026-07-28), and
//! sessions that start with `initialize` (2024-11-05 to 2025-11-25). This is the only async code in the program. Access
//! to the store runs on separate threads, so that a slow search does not block other requests.

mod envelope;
mod handler;
mod hang_up;
mod http;
mod listed;
mod requests;
mod resources;
mod shared;
mod source;
mod stdio;
mod unique_ids;
mod values;
mod whose;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

pub use http::HttpOptions;
pub use listed::Structure;
#[doc(hidden)]
pub use requests::is_sessionless;
#[doc(hidden)]
pub use source::Source;

use scratchpad::model::error::{Error, Result};
use scratchpad::model::tool::surface::Surface;
use scratchpad::{Scratchpad, SessionFinder};

use crate::server::Endpoint;
use handler::Handler;
use scratchpad::model::text::message::message;
use scratchpad::scratchpad::probing::MAX_CALLS as MAX_PROBES;
use shared::Shared;
use work::Work;

/// The maximum number of calls that access the store at once, which is the number of its connections. Searches come on top:
/// they soon leave the store alone.
const THREADS: usize = 8;
/// The timeout for calls in flight after the client is gone.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The configuration of a server.
pub struct Server {
    /// The memory to serve.
    pub scratchpad: Scratchpad,
    /// Finds the session of each call.
    pub finder: SessionFinder,
    /// Which tools are offered, under which names.
    pub surface: Surface,
    /// Whether replies contain structured data beside the text.
    pub structure: Structure,
    /// A file that the host shows its agent in each turn, as Goose does. The block is written to it.
    pub message_file: Option<PathBuf>,
}

impl Server {
    /// Serves one client over stdin and stdout until it closes stdin.
    ///
    /// All calls for which nothing names a session share a new one.
    pub fn serve_stdio(self) -> Result<()> {
        let runtime = runtime()?;
        let shared = self.share();
        let session = shared.new_session_id();
        let handler = Handler::of_process(shared, session);
        let answer = runtime.block_on(stdio::serve(handler));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        answer
    }

    /// Serves many clients over HTTP until a signal ends the process.
    ///
    /// `ready` is called with the bound endpoint.
    pub fn serve_http(self, options: &HttpOptions, ready: impl FnOnce(&Endpoint)) -> Result<()> {
        let runtime = runtime()?;
        let shared = self.share();
        let (work, closing) = (shared.work().clone(), shared.closing());
        let source = move || Handler::of_mcp_session(shared.clone(), shared.new_session_id());
        let answer = runtime.block_on(http::serve(source, work, closing, options, ready));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        answer
    }

    fn share(self) -> Shared {
        Shared::new(self, CancellationToken::new())
    }
}

/// Serves another source over HTTP with the same code. For the conformance suite.
#[doc(hidden)]
pub fn serve_source<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    closing: CancellationToken,
    options: &HttpOptions,
    ready: impl FnOnce(&Endpoint),
) -> Result<()> {
    runtime()?.block_on(http::serve(source, Work::new(), closing, options, ready))
}

/// One thread for I/O, a few for the store, and more for searches, most of which wait.
fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS + MAX_PROBES)
        .build()
        .map_err(|error| {
            Error::store(message!(
                "Can't start the server: {error}.",
                error = error.to_string()
            ))
        })
}

/// A runtime with a paused clock, which jumps to the next timeout when there is no work.
#[cfg(test)]
fn paused_runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
}

/// The error message for a line that is not a message. For fuzzing.
#[doc(hidden)]
pub fn refusal_of(line: &[u8]) -> Option<String> {
    match stdio::parse(line) {
        stdio::Parsed::Refused(error, _) => Some(error.message.into_owned()),
        stdio::Parsed::Message(_) | stdio::Parsed::Nothing => None,
    }
}
