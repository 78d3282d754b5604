//! The MCP server: bytes in, one call on the scratchpad, bytes out.
//!
//! Both eras of the protocol are served by one handler: requests that carry their own protocol
//! version (2026-07-28), and sessions that begin with `initialize` (2024-11-05 to 2025-11-25).
//! This is the only asynchronous code of the program. Access to the store runs on separate threads, so that a slow search
//! blocks no other request.

mod envelope;
mod handler;
mod http;
mod listed;
mod requests;
mod source;
mod stdio;
mod values;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

pub use http::HttpOptions;
pub use listed::Structure;
#[doc(hidden)]
pub use requests::stands_alone;
#[doc(hidden)]
pub use source::Source;

use scratchpad::model::error::{Error, Result};
use scratchpad::model::tool::surface::Surface;
use scratchpad::{Scratchpad, SessionFinder};

use handler::{Handler, Shared};
use scratchpad::model::text::message::message;
use work::Work;

/// The most calls that touch the store at once: as many as it has connections.
const THREADS: usize = 8;
/// The timeout of calls in flight after the client is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is served, and to whom.
pub struct Server {
    /// The memory.
    pub scratchpad: Scratchpad,
    /// Finds the session of each call.
    pub finder: SessionFinder,
    /// The tools.
    pub surface: Surface,
    /// Whether replies carry data beside the text.
    pub structure: Structure,
    /// A file that the host shows its agent in each turn, as Goose does; the block is written to it.
    pub message_file: Option<PathBuf>,
}

impl Server {
    /// Serves one client over stdin and stdout until it closes stdin.
    ///
    /// Calls that nothing names a session for have a new one in common.
    pub fn serve_stdio(self) -> Result<()> {
        let runtime = runtime()?;
        let shared = self.share();
        let session = shared.new_session_id();
        let handler = Handler::of_process(shared, session);
        let answer = runtime.block_on(stdio::serve(handler));
        runtime.shutdown_timeout(PATIENCE);
        answer
    }

    /// Serves many clients over HTTP until a signal ends the process.
    ///
    /// `ready` is called with the address.
    pub fn serve_http(
        self,
        options: &HttpOptions,
        ready: impl FnOnce(std::net::SocketAddr),
    ) -> Result<()> {
        let runtime = runtime()?;
        let shared = self.share();
        let (work, closing) = (shared.work().clone(), shared.closing());
        let source = move || Handler::of_mcp_session(shared.clone(), shared.new_session_id());
        let answer = runtime.block_on(http::serve(source, work, closing, options, ready));
        runtime.shutdown_timeout(PATIENCE);
        answer
    }

    fn share(self) -> Shared {
        Shared::new(self, CancellationToken::new())
    }
}

/// Serves something other than the memory over HTTP, by the same code; for the conformance suite.
#[doc(hidden)]
pub fn serve_source<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    closing: CancellationToken,
    options: &HttpOptions,
    ready: impl FnOnce(std::net::SocketAddr),
) -> Result<()> {
    runtime()?.block_on(http::serve(source, Work::new(), closing, options, ready))
}

/// One thread for I/O, and a few for the store.
fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|error| {
            Error::store(message!(
                "Can't start the server: {error}.",
                error = error.to_string()
            ))
        })
}

/// A runtime whose clock stands still while there is work, and jumps to the next timeout when there is none.
#[cfg(test)]
fn paused_runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
}

/// The error message for a line that is not a message; for fuzzing.
#[doc(hidden)]
pub fn refusal_of(line: &[u8]) -> Option<String> {
    match stdio::parse(line) {
        stdio::Parsed::Refused(error, _) => Some(error.message.into_owned()),
        stdio::Parsed::Message(_) | stdio::Parsed::Nothing => None,
    }
}
