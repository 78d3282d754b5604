//! Refuses a request whose id is in use, over HTTP: the SDK would answer only one of the two, and both
//! would be carried out.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use rmcp::model::RequestId;
use serde_json::json;

use super::envelope::IdFinder;
use super::http::MCP_SESSION_HEADER;
use crate::model::pad::MAX_INPUT_BYTES;

/// The requests under way, each with the MCP session it belongs to.
#[derive(Clone, Default)]
pub(super) struct InUse(Arc<Mutex<HashSet<Key>>>);

type Key = (Vec<u8>, RequestId);

impl InUse {
    fn keys(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a request, unless one of its MCP session has the same id.
    pub(super) async fn serve(self, request: Request, next: Next) -> Response {
        let session = request.headers().get(MCP_SESSION_HEADER);
        let (Some(session), &Method::POST) = (session, request.method()) else {
            return next.run(request).await;
        };
        let session = session.as_bytes().to_vec();
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MAX_INPUT_BYTES).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        let Some(id) = request_id(&body) else {
            return next.run(Request::from_parts(parts, Body::from(body))).await;
        };
        let key = (session, id);
        if !self.keys().insert(key.clone()) {
            return refused(&key.1);
        }
        let ending = Ending { in_use: self, key };
        let response = next.run(Request::from_parts(parts, Body::from(body))).await;
        response.map(|body| {
            Body::new(Answer {
                body,
                _ending: ending,
            })
        })
    }
}

/// Frees the id, also where the client went away before the answer.
struct Ending {
    in_use: InUse,
    key: Key,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.in_use.keys().remove(&self.key);
    }
}

/// An answer on its way: the id is in use until the last of it.
struct Answer {
    body: Body,
    _ending: Ending,
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

/// The id of a request; the id of an answer to the server is not of the client's making.
fn request_id(body: &Bytes) -> Option<RequestId> {
    memchr::memmem::find(body, br#""method""#)?;
    IdFinder::find(body)
}

fn refused(id: &RequestId) -> Response {
    let message = format!("The id {id} is that of a request under way.");
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": message}});
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, headers, body.to_string()).into_response()
}
