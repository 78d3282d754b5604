//! A body that is written while it is sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::Frame;
use tokio::sync::mpsc;

/// The parts of a body, in their order.
pub(super) struct Chunks(mpsc::Receiver<Result<Bytes, Infallible>>);

impl Chunks {
    /// A body, and where its parts are sent to; at most `most` of them wait.
    pub(super) fn channel(most: usize) -> (mpsc::Sender<Result<Bytes, Infallible>>, Self) {
        let (send, receive) = mpsc::channel(most);
        (send, Self(receive))
    }

    pub(super) fn into_body(self) -> Body {
        Body::new(self)
    }
}

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|part| part.map(|part| part.map(Frame::data)))
    }
}
