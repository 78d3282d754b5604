//! Takes connections in: a bounded number, each of which must say what it wants in a bounded time.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;

/// The most bytes of a connection that wait to be read or written.
const BUFFER_BYTES: usize = 64 * 1024;
/// How long to wait when no connection can be taken in, as when too many files are open.
const BREATH: Duration = Duration::from_secs(1);

/// Serves connections until `end`; then takes no more, and returns when those that are left are done.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let left = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        let (stream, place) = tokio::select! {
            () = &mut end => break,
            taken = take(&listener, &places) => taken,
        };
        // Without this, small answers wait for the other side's acknowledgement.
        drop(stream.set_nodelay(true));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.reading)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(
                TokioIo::new(stream),
                TowerToHyperService::new(router.clone()),
            );
        let connection = left.watch(connection);
        tokio::spawn(async move {
            // Who goes away half-way has nobody left to tell.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    left.shutdown().await;
}

/// The next connection, when there is a place for it.
async fn take(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!("can't take a connection in: {error}");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}
