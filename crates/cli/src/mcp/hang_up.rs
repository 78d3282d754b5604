//! Cancels what a client does not wait for any more, because it hung up.

use axum::http::request::Parts;
use rmcp::model::Extensions;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Tells the handler of a request that its client hung up.
#[derive(Clone)]
pub(super) struct HangUp(CancellationToken);

impl HangUp {
    /// The client counts as gone when the guard is dropped, which must live until the answer is whole.
    pub(super) fn new() -> (Self, DropGuard) {
        let gone = CancellationToken::new();
        (Self(gone.clone()), gone.drop_guard())
    }
}

/// Runs a call, and cancels it when its client hangs up. Over stdio the connection ends with the process.
pub(super) async fn cancels<T>(
    extensions: &Extensions,
    cancelled: CancellationToken,
    call: impl Future<Output = T>,
) -> T {
    let parts = extensions.get::<Parts>();
    let Some(HangUp(gone)) = parts.and_then(|parts| parts.extensions.get()) else {
        return call.await;
    };
    let mut call = std::pin::pin!(call);
    tokio::select! {
        answer = &mut call => answer,
        () = gone.cancelled() => {
            cancelled.cancel();
            call.await
        }
    }
}
