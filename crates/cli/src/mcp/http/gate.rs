//! Middleware in front of the SDK: reads bodies in bounded time and memory, refuses what the SDK would answer wrongly
//! or not at all, and limits the requests in flight.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Body as _, Frame, SizeHint};
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::sessions::{Sessions, Using};
use super::{Limits, MCP_SESSION_HEADER};
use crate::mcp::envelope::{IdFinder, refusal};
use crate::mcp::values::too_many;
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::quantity::grouped;

/// The maximum number of calls in flight; further ones wait.
const MAX_CALLS: usize = 128;
/// The maximum number of streams, which stay open until the client closes them; further ones are refused.
const MAX_STREAMS: usize = 256;
/// A body up to this size is read without a permit.
const SMALL_BODY_BYTES: u64 = 64 * 1024;
/// The maximum number of larger bodies read at once; further ones wait.
const MAX_LARGE_BODIES: usize = 4;

#[derive(Clone)]
pub(super) struct Gate {
    sessions: Sessions,
    /// The ids of requests in flight, each with its MCP session.
    ids: Arc<Mutex<HashSet<Key>>>,
    calls: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
    reading: Duration,
}

type Key = (String, RequestId);

/// What a request holds until the last byte of its answer: its MCP session, its id and its permits.
type Held = (
    Option<Using>,
    Option<Ending>,
    [Option<OwnedSemaphorePermit>; 2],
);

impl Gate {
    pub(super) fn new(sessions: Sessions, limits: Limits) -> Self {
        Self {
            sessions,
            ids: Arc::default(),
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            large_bodies: Arc::new(Semaphore::new(MAX_LARGE_BODIES)),
            reading: limits.reading,
        }
    }

    /// Serves a request, or refuses it with a reason.
    pub(super) async fn serve(self, request: Request, next: Next) -> Response {
        match self.admitted(request, next).await {
            Ok(response) | Err(response) => response,
        }
    }

    async fn admitted(self, request: Request, next: Next) -> Result<Response, Response> {
        let (parts, body) = request.into_parts();
        let session = text_of(&parts.headers, MCP_SESSION_HEADER).map(str::to_owned);
        let using = session.as_deref().and_then(|id| self.sessions.using(id));
        let (method, is_json) = (parts.method.clone(), is_json(&parts.headers));
        let (mut message, mut large, mut ending) = (Bytes::new(), None, None);
        if method == Method::POST {
            (message, large) = self.read(body).await?;
            let id = request_id(&message);
            if let Some(error) = too_many(&message) {
                return Err(bad_request(error, id));
            }
            if let (Some(session), Some(id)) = (&session, id) {
                ending = self.begin(session, &id);
                if ending.is_none() {
                    let error = format!("The id {id} belongs to a request that is still running.");
                    return Err(bad_request(error, Some(id)));
                }
            }
        }
        let place = self.place(&parts).await?;
        let request = Request::from_parts(parts, Body::from(message.clone()));
        let response = next.run(request).await;
        // The SDK answers an unparsable body with "unsupported media type".
        if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(match refusal(&message) {
                Some((error, id)) => refused(StatusCode::BAD_REQUEST, error, id),
                None => StatusCode::ACCEPTED.into_response(),
            });
        }
        let held = (using, ending, [large, place]);
        Ok(response.map(|body| Body::new(Answer { body, _held: held })))
    }

    /// Reads the whole body; with a permit if it may be large.
    async fn read(&self, body: Body) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Response> {
        let size = body.size_hint();
        if size.lower() > MAX_INPUT_BYTES as u64 {
            return Err(too_large());
        }
        let is_small = size.upper().is_some_and(|most| most <= SMALL_BODY_BYTES);
        let place = if is_small {
            None
        } else {
            self.large_bodies.clone().acquire_owned().await.ok()
        };
        let read = tokio::time::timeout(self.reading, to_bytes(body, MAX_INPUT_BYTES));
        match read.await {
            Ok(Ok(bytes)) => Ok((bytes, place)),
            // The body has no declared size, or its sender is gone and reads no answer.
            Ok(Err(_)) => Err(too_large()),
            Err(_) => {
                let text = format!(
                    "The message did not arrive within {} seconds. Nothing was changed.\n",
                    self.reading.as_secs()
                );
                Err((StatusCode::REQUEST_TIMEOUT, text).into_response())
            }
        }
    }

    /// Registers an id unless it is in use: the SDK would run both requests and answer one.
    fn begin(&self, session: &str, id: &RequestId) -> Option<Ending> {
        let key = (session.to_owned(), id.clone());
        self.ids().insert(key.clone()).then(|| Ending {
            ids: self.ids.clone(),
            key,
        })
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a permit for a call, which ends, or for a stream, which may not.
    async fn place(&self, parts: &Parts) -> Result<Option<OwnedSemaphorePermit>, Response> {
        let listens = text_of(&parts.headers, "Mcp-Method") == Some("subscriptions/listen");
        if parts.method != Method::GET && !listens {
            return Ok(self.calls.clone().acquire_owned().await.ok());
        }
        let place = self.streams.clone().try_acquire_owned();
        place.map(Some).map_err(|_| {
            let text =
                format!("{MAX_STREAMS} streams are already open. Close some, or try later.\n");
            (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
        })
    }
}

/// Releases the id, even if the client disconnects before the answer.
struct Ending {
    ids: Arc<Mutex<HashSet<Key>>>,
    key: Key,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.remove(&self.key);
    }
}

/// The body of an answer, with what it holds until it has been sent.
struct Answer {
    body: Body,
    _held: Held,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn is_json(headers: &HeaderMap) -> bool {
    text_of(headers, header::CONTENT_TYPE.as_str())
        .is_some_and(|value| value.starts_with("application/json"))
}

/// The id of a request. In an answer to the server, the id is the server's.
fn request_id(body: &Bytes) -> Option<RequestId> {
    memchr::memmem::find(body, br#""method""#)?;
    IdFinder::find(body)
}

fn too_large() -> Response {
    let limit = grouped(MAX_INPUT_BYTES);
    let error = format!("The message is larger than {limit} bytes. Nothing was changed.");
    let error = ErrorData::invalid_request(error, None);
    refused(StatusCode::PAYLOAD_TOO_LARGE, error, None)
}

fn bad_request(error: String, id: Option<RequestId>) -> Response {
    let error = ErrorData::invalid_request(error, None);
    refused(StatusCode::BAD_REQUEST, error, id)
}

/// A protocol error, built without the SDK.
fn refused(status: StatusCode, error: ErrorData, id: Option<RequestId>) -> Response {
    let message = ServerJsonRpcMessage::error(error, id);
    let body = serde_json::to_vec(&message).unwrap_or_default();
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body).into_response()
}
