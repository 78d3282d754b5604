//! Live updates: one watcher while any page is open, and a stream of events for each page.
//!
//! An event says that something was written, never what: the page then asks for itself again.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::body::Chunks;
use scratchpad::Scratchpad;

/// How many pages may be live at once.
const MOST: usize = 256;
/// A line now and then, so that a closed connection is noticed.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// How long to wait after the store could not be read.
const AFTER_FAILURE: Duration = Duration::from_secs(2);

/// The pages that are open, and what they wait for.
#[derive(Default)]
pub(super) struct Live {
    /// Counts changes; there is one while a page is open.
    changes: Mutex<std::sync::Weak<watch::Sender<u64>>>,
    closing: CancellationToken,
}

impl Live {
    /// Ends all streams.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    pub(super) async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// A stream of events for one page.
    pub(super) fn stream(&self, scratchpad: &Scratchpad) -> Response {
        let (changes, mut news) = self.changes(scratchpad);
        if changes.receiver_count() > MOST {
            return axum::http::StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        let (send, chunks) = Chunks::channel(4);
        let closing = self.closing.clone();
        tokio::spawn(async move {
            // The watcher goes on for as long as a page holds it.
            let _changes = changes;
            let mut event = Bytes::from_static(b"retry: 1000\n\nevent: hello\ndata:\n\n");
            while send.send(Ok::<_, Infallible>(event)).await.is_ok() {
                event = tokio::select! {
                    found = news.changed() => match found {
                        Ok(()) => Bytes::from_static(b"event: changed\ndata:\n\n"),
                        Err(_) => break,
                    },
                    () = tokio::time::sleep(HEARTBEAT) => Bytes::from_static(b":\n\n"),
                    () = closing.cancelled() => break,
                    () = send.closed() => break,
                };
            }
        });
        (
            [(header::CONTENT_TYPE, "text/event-stream")],
            chunks.into_body(),
        )
            .into_response()
    }

    /// The changes that pages wait for, from now on. The first page starts the watcher.
    fn changes(&self, scratchpad: &Scratchpad) -> (Arc<watch::Sender<u64>>, watch::Receiver<u64>) {
        let mut known = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(changes) = known.upgrade() {
            let news = changes.subscribe();
            return (changes, news);
        }
        // Subscribed before the watcher begins, which is news itself: it does not see what was written before.
        let (changes, news) = watch::channel(0);
        let changes = Arc::new(changes);
        *known = Arc::downgrade(&changes);
        let (watched, scratchpad) = (Arc::downgrade(&changes), scratchpad.clone());
        // A thread of its own: it lives as long as somebody looks.
        std::thread::spawn(move || {
            let mut looker = None;
            while let Some(changes) = watched.upgrade() {
                let has_changed = match &mut looker {
                    // What was written before it began.
                    None => scratchpad.watcher().map(|new| {
                        looker = Some(new);
                        true
                    }),
                    Some(known) => known.has_changed(),
                };
                let pause = if let (Ok(has_changed), Some(known)) = (has_changed, &looker) {
                    if has_changed {
                        changes.send_modify(|count| *count += 1);
                    }
                    known.pause()
                } else {
                    looker = None;
                    AFTER_FAILURE
                };
                drop(changes);
                std::thread::sleep(pause);
            }
        });
        (changes, news)
    }
}
