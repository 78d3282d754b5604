//! Accepts a limited number of connections, with time limits for what they send and for what they take.

use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;

use super::Limits;
use super::endpoint::{Listener, Stream};
use super::guests::Guests;
use super::stalled::Stalled;

/// The size of a connection's buffers.
const BUFFER_BYTES: usize = 64 * 1024;
/// The pause after a failed `accept`, for example when too many files are open.
const BREATH: Duration = Duration::from_secs(1);

/// Accepts connections until `end`, and returns when the remaining ones are done.
///
/// Each request has its [`Guest`](super::guests::Guest) among its extensions.
pub(crate) async fn serve(
    listener: Listener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) {
    let guests = Guests::new(limits.connections);
    let left = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        let (stream, stay) = tokio::select! {
            () = &mut end => break,
            taken = async {
                let (stream, address) = take(&listener).await;
                (stream, guests.enter(address).await)
            } => taken,
        };
        let guest = stay.guest().clone();
        let inner = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(guest.clone());
            inner.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.reading)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(TokioIo::new(Stalled::new(stream, limits.writing)), service);
        let connection = left.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                // If the client is gone, there is nowhere to report to.
                _ = connection => {}
                () = stay.guest().is_cut() => {}
            }
        });
    }
    drop(listener);
    left.shutdown().await;
}

/// The next connection.
async fn take(listener: &Listener) -> (Stream, Option<IpAddr>) {
    loop {
        match listener.accept().await {
            Ok(taken) => return taken,
            Err(error) => {
                tracing::warn!("can't accept a connection: {error}");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}
