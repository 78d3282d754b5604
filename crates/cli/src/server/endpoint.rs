//! Where a server listens: a TCP address, or a socket in the file system that is for one user alone.

use std::io;
use std::net::{IpAddr, SocketAddr};
#[cfg(unix)]
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use scratchpad::disk::private::plain;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::message;

#[cfg(unix)]
use super::unix::Socket;

/// Where a server listens.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// An address; port 0 picks a free one.
    Tcp(SocketAddr),
    /// A socket that only this user can connect to.
    #[cfg(unix)]
    Unix(PathBuf),
}

impl Endpoint {
    /// Starts to listen.
    pub(crate) async fn listen(&self) -> Result<Listener> {
        match self {
            Self::Tcp(address) => {
                let failed = |error: io::Error| {
                    Error::store(message!(
                        "Can't listen on {address}: {error}.",
                        address = address.to_string(),
                        error = plain(&error)
                    ))
                };
                let listener = TcpListener::bind(address).await.map_err(failed)?;
                let address = listener.local_addr().map_err(failed)?;
                Ok(Listener::Tcp(listener, address))
            }
            #[cfg(unix)]
            Self::Unix(path) => Socket::listen(path).map(Listener::Unix),
        }
    }
}

/// A bound endpoint.
pub(crate) enum Listener {
    Tcp(TcpListener, SocketAddr),
    #[cfg(unix)]
    Unix(Socket),
}

impl Listener {
    /// The endpoint with the port that was picked.
    pub(crate) fn endpoint(&self) -> Endpoint {
        match self {
            Self::Tcp(_, address) => Endpoint::Tcp(*address),
            #[cfg(unix)]
            Self::Unix(socket) => Endpoint::Unix(socket.path().to_owned()),
        }
    }

    /// The next connection, and where it comes from; `None` for this machine's socket.
    pub(crate) async fn accept(&self) -> io::Result<(Stream, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener, _) => {
                let (stream, address) = listener.accept().await?;
                // Without this, small answers wait for the client's ACK.
                drop(stream.set_nodelay(true));
                Ok((Stream::Tcp(stream), Some(address.ip())))
            }
            #[cfg(unix)]
            Self::Unix(socket) => Ok((Stream::Unix(socket.accept().await?), None)),
        }
    }
}

/// A connection.
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

/// Calls a method of whichever stream it is.
macro_rules! each {
    ($stream:expr, $method:ident $(, $argument:expr)*) => {
        match $stream.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).$method($($argument),*),
            #[cfg(unix)]
            Stream::Unix(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        each!(self, poll_read, context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        each!(self, poll_write, context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, poll_flush, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, poll_shutdown, context)
    }
}
