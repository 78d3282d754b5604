//! Middleware in front of the SDK: reads bodies in bounded time and memory, refuses what the SDK would answer wrongly
//! or not at all, and limits the requests in flight.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::DropGuard;

use super::answers::{Answer, Answers};
use super::bodies::{Bodies, Read, Unreadable};
use super::sessions::{Sessions, Using};
use super::turns::{Asker, Turn, Turns};
use super::{MCP_SESSION_HEADER, SESSION_HEADER};
use crate::mcp::envelope::{IdFinder, is_opening, refusal};
use crate::mcp::hang_up::HangUp;
use crate::mcp::values::{count, too_many};
use crate::server::Limits;
use crate::server::guests::{Guest, Serving};
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::quantity::grouped;

/// The maximum number of calls in flight; further ones wait.
const MAX_CALLS: usize = 128;
/// The maximum number of streams, which stay open until the client closes them; further ones are refused.
const MAX_STREAMS: usize = 256;
/// The maximum size of a message that opens a session or a stream, and the number of values in it: parts of it are kept until
/// that ends.
const MAX_OPENING_BYTES: usize = 16 * 1024;
const MAX_OPENING_VALUES: usize = 500;

#[derive(Clone)]
pub(super) struct Gate {
    sessions: Sessions,
    /// The ids of requests in flight, each with its MCP session.
    ids: Arc<Mutex<HashSet<Key>>>,
    calls: Turns,
    streams: Arc<Semaphore>,
    bodies: Bodies,
    answers: Answers,
    reading: Duration,
}

type Key = (String, RequestId);

/// What a request holds until the last part of its answer is on its way: what tells its call that the client hung up, its
/// connection, its MCP session, its id, and the place of its stream.
type Held = (
    DropGuard,
    Serving,
    Option<Using>,
    Option<Ending>,
    Option<OwnedSemaphorePermit>,
);

impl Gate {
    pub(super) fn new(sessions: Sessions, limits: Limits) -> Self {
        Self {
            sessions,
            ids: Arc::default(),
            calls: Turns::new(MAX_CALLS),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            bodies: Bodies::new(limits.reading),
            answers: Answers::new(limits.writing),
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
        let (mut parts, body) = request.into_parts();
        let Some(guest) = parts.extensions.get::<Guest>().cloned() else {
            return Err(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        };
        let serving = guest.serving();
        let asker = asker(&guest, &parts.headers);
        let session = text_of(&parts.headers, MCP_SESSION_HEADER).map(str::to_owned);
        let using = session.as_deref().and_then(|id| self.sessions.using(id));
        let is_json = is_json(&parts.headers);
        let (mut message, mut large, mut ending) = (Bytes::new(), None, None);
        if parts.method == Method::POST {
            (message, large) = self.read(body, asker.clone()).await?;
            let id = request_id(&message);
            if let Some(error) = too_many(&message).or_else(|| too_much_to_keep(&message)) {
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
        let (call, stream) = self.place(&parts, asker).await?;
        let (hang_up, waits) = HangUp::new();
        parts.extensions.insert(hang_up);
        if let Some(place) = &large {
            parts.extensions.insert(place.clone());
        }
        let request = Request::from_parts(parts, Body::from(message.clone()));
        let response = next.run(request).await;
        drop(large);
        // The SDK answers an unparsable body with "unsupported media type".
        if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(match refusal(&message) {
                Some((error, id)) => refused(StatusCode::BAD_REQUEST, error, id),
                None => StatusCode::ACCEPTED.into_response(),
            });
        }
        let held: Held = (waits, serving, using, ending, stream);
        let answers = self.answers.clone();
        Ok(response.map(|body| Body::new(Answer::new(body, answers, guest, call, held))))
    }

    async fn read(&self, body: Body, asker: Asker) -> Result<Read, Response> {
        let read = self.bodies.read(body, asker).await;
        read.map_err(|error| {
            let (status, text) = match error {
                Unreadable::TooLarge => return too_large(),
                Unreadable::TooSlow => {
                    let seconds = self.reading.as_secs();
                    let text = format!("The message did not arrive within {seconds} seconds.");
                    (StatusCode::REQUEST_TIMEOUT, text)
                }
                Unreadable::OthersWait => {
                    let text = "The message arrived slowly while others waited.".to_owned();
                    (StatusCode::REQUEST_TIMEOUT, text)
                }
                Unreadable::Broken => (
                    StatusCode::BAD_REQUEST,
                    "The message is incomplete.".to_owned(),
                ),
            };
            (status, format!("{text} Nothing was changed.\n")).into_response()
        })
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

    /// A place for a call, which ends, or for a stream, which may not.
    async fn place(
        &self,
        parts: &Parts,
        asker: Asker,
    ) -> Result<(Option<Turn>, Option<OwnedSemaphorePermit>), Response> {
        let listens = text_of(&parts.headers, "Mcp-Method") == Some("subscriptions/listen");
        if parts.method != Method::GET && !listens {
            return Ok((Some(self.calls.enter(asker).await), None));
        }
        let place = self.streams.clone().try_acquire_owned();
        place.map(|place| (None, Some(place))).map_err(|_| {
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

/// Who sends a request: an address, and the session that it names.
fn asker(guest: &Guest, headers: &HeaderMap) -> Asker {
    let named = [MCP_SESSION_HEADER, SESSION_HEADER];
    let session = named.iter().find_map(|name| text_of(headers, name));
    Asker {
        address: guest.address(),
        session: session.map(Into::into),
    }
}

/// The reason to refuse a message that opens a session or a stream, and is kept with it.
fn too_much_to_keep(message: &[u8]) -> Option<String> {
    let is_small = message.len() <= MAX_OPENING_BYTES && count(message) <= MAX_OPENING_VALUES;
    (!is_small && is_opening(message)).then(|| {
        format!(
            "A message that opens a session or a stream may have {} bytes and {} values. Nothing was changed.",
            grouped(MAX_OPENING_BYTES),
            grouped(MAX_OPENING_VALUES)
        )
    })
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
