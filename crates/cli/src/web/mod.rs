//! The page: what agents keep, for the person whose agents they are.
//!
//! Requests in, calls on the scratchpad, HTML out. Every view is a whole page made here, and works without a script; one
//! small module of ours adds live updates. Contents are hostile by definition: templates escape everything, and what
//! must not be rendered is never sent as HTML.
//!
//! The page knows no SQL, no terminal and no files but its own. What it needs of the program around it, such as
//! languages and what hosts are told, is behind [`Surroundings`].

mod ask;
mod assets;
mod body;
mod fields;
mod guard;
mod html;
mod links;
mod live;
mod logins;
mod routes;
mod views;
mod words;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;

pub use links::Links;
pub use words::{HostFindings, HostState, Surroundings, Value};

use crate::server::{Endpoint, LIMITS, connections, shutdown};
use live::Live;
use logins::Logins;
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::message;

/// How many requests look into the store at once; further ones wait.
const THREADS: usize = 16;
/// How long requests in flight may take when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// What a server of the page is made of.
pub struct Page {
    /// The memory to show.
    pub scratchpad: Scratchpad,
    /// What the page needs of the program around it.
    pub surroundings: Arc<dyn Surroundings>,
    /// Where to listen; port 0 picks a free one.
    pub address: SocketAddr,
    /// The directory for one-time login links.
    pub links: PathBuf,
}

/// What all requests share.
struct Site {
    scratchpad: Scratchpad,
    surroundings: Arc<dyn Surroundings>,
    links: Links,
    logins: Logins,
    live: Live,
    address: SocketAddr,
}

impl Page {
    /// Serves until a signal ends the process. `ready` is called with the address once it is bound.
    pub fn serve(self, ready: impl FnOnce(SocketAddr) -> Result<()>) -> Result<()> {
        if !self.address.ip().is_loopback() {
            return Err(Error::usage(message!(
                "{address} can be reached from other machines.",
                address = self.address.to_string()
            ))
            .hint("listen on 127.0.0.1, and use `ssh -L 8765:127.0.0.1:8765` from elsewhere."));
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .map_err(|error| {
                Error::store(message!(
                    "Can't start the server: {error}.",
                    error = error.to_string()
                ))
            })?;
        let served = runtime.block_on(self.listen(ready));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        served
    }

    async fn listen(self, ready: impl FnOnce(SocketAddr) -> Result<()>) -> Result<()> {
        let listener = Endpoint::Tcp(self.address).listen().await?;
        let address = match listener.endpoint() {
            Endpoint::Tcp(address) => address,
            #[cfg(unix)]
            Endpoint::Unix(_) => self.address,
        };
        let site = Arc::new(Site {
            live: Live::default(),
            logins: Logins::default(),
            links: Links::in_directory(self.links, address),
            scratchpad: self.scratchpad,
            surroundings: self.surroundings,
            address,
        });
        let router = routes::router(&site);
        let signal = shutdown::signal();
        ready(address)?;
        let closing = site.clone();
        let end = async move {
            signal.await;
            closing.live.close();
        };
        let mut ended = std::pin::pin!(async {
            site.live.closed().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        });
        tokio::select! {
            () = connections::serve(listener, router, LIMITS, end) => {}
            () = &mut ended => {}
        }
        Ok(())
    }
}
