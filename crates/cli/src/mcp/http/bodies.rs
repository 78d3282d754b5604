//! Reads the bodies of requests, in bounded time and memory.
//!
//! The beginning of each is read at once. What is larger waits for a place, and keeps it until its call is done, whether or
//! not the client still waits for the answer.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::Body as _;
use scratchpad::model::pad::MAX_INPUT_BYTES;
use tokio::time::Instant;

use super::turns::{Asker, Turn, Turns};
use crate::mcp::values::count;

/// A message that takes up to this much needs no place.
const SMALL_BYTES: usize = 64 * 1024;
/// What each of its values takes beside the text.
const VALUE_BYTES: usize = 64;
/// The maximum number of larger messages that are read or have a call under way; further ones wait.
const MAX_LARGE: usize = 4;
/// While others wait, a body that brings less than `MIN_BYTES` in this time loses its place.
const STRETCH: Duration = Duration::from_millis(500);
const MIN_BYTES: usize = 128 * 1024;

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    TooLarge,
    /// It did not arrive in time.
    TooSlow,
    /// It arrived slowly, and others waited for its place.
    OthersWait,
    /// Its sender is gone, or does not speak HTTP.
    Broken,
}

/// The place of a large message, which goes with its request: until all copies are dropped, no other message gets it.
#[derive(Clone)]
pub(in crate::mcp) struct BodyPlace {
    _turn: Arc<Turn>,
}

impl From<Turn> for BodyPlace {
    fn from(turn: Turn) -> Self {
        Self {
            _turn: Arc::new(turn),
        }
    }
}

/// A whole body, and its place if it is large.
pub(super) type Read = (Bytes, Option<BodyPlace>);

#[derive(Clone)]
pub(super) struct Bodies {
    places: Turns,
    limit: Duration,
}

impl Bodies {
    /// Each body must arrive within `limit`.
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            places: Turns::new(MAX_LARGE),
            limit,
        }
    }

    /// Reads a whole body.
    pub(super) async fn read(&self, mut body: Body, asker: Asker) -> Result<Read, Unreadable> {
        if body.size_hint().lower() > MAX_INPUT_BYTES as u64 {
            return Err(Unreadable::TooLarge);
        }
        let mut read = Vec::new();
        let small = read_up_to(&mut body, &mut read, SMALL_BYTES);
        let whole = tokio::time::timeout(self.limit, small);
        if whole.await.map_err(|_| Unreadable::TooSlow)?? {
            let place = if is_small(&read) {
                None
            } else {
                Some(self.places.enter(asker).await.into())
            };
            return Ok((read.into(), place));
        }
        let place = self.places.enter(asker).await;
        let until = Instant::now() + self.limit;
        loop {
            let end = (read.len() + MIN_BYTES).min(MAX_INPUT_BYTES);
            let before = Instant::now();
            let more = read_up_to(&mut body, &mut read, end);
            match tokio::time::timeout_at(until.min(before + STRETCH), more).await {
                Ok(Ok(true)) => {
                    // A buffer that grew is up to twice as large.
                    read.shrink_to_fit();
                    return Ok((read.into(), Some(place.into())));
                }
                Ok(Ok(false)) if end < MAX_INPUT_BYTES => {}
                Ok(Ok(false)) => return Err(Unreadable::TooLarge),
                Ok(Err(error)) => return Err(error),
                Err(_) if Instant::now() >= until => return Err(Unreadable::TooSlow),
                Err(_) if self.places.is_waited_for() => return Err(Unreadable::OthersWait),
                Err(_) => {}
            }
        }
    }
}

/// Whether a message takes little memory when it is parsed.
fn is_small(message: &[u8]) -> bool {
    message.len() + count(message) * VALUE_BYTES <= SMALL_BYTES
}

/// Reads until there is more than `most`; true if that is all.
///
/// Cancel safe: what was read is kept.
async fn read_up_to(body: &mut Body, read: &mut Vec<u8>, most: usize) -> Result<bool, Unreadable> {
    while read.len() <= most {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        match frame.await {
            None => return Ok(true),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    read.extend_from_slice(&data);
                }
            }
            Some(Err(_)) => return Err(Unreadable::Broken),
        }
    }
    Ok(false)
}
