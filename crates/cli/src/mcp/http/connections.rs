//! Accepts a limited number of connections, with a timeout for the head of each request.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;
use super::endpoint::{Listener, Stream};

/// The size of a connection's buffers.
const BUFFER_BYTES: usize = 64 * 1024;
/// The pause after a failed `accept`, for example when too many files are open.
const BREATH: Duration = Duration::from_secs(1);

/// Accepts connections until `end`, and returns when the remaining ones are done.
pub(super) async fn serve(
    listener: Listener,
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
            // If the client is gone, there is nowhere to report to.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    left.shutdown().await;
}

/// The next connection, once there is a permit for it.
async fn take(
    listener: &Listener,
    places: &Arc<Semaphore>,
) -> (Stream, Option<OwnedSemaphorePermit>) {
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok(stream) => return (stream, place),
            Err(error) => {
                tracing::warn!("can't accept a connection: {error}");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}
