//! Classifies a response by its head.

use std::io::Read;

use ureq::Body as ResponseBody;
use ureq::http::{Response, StatusCode, header};

use super::SHOWN_CHARS;
use scratchpad::model::text::quantity::shortened;

fn content_is(response: &Response<ResponseBody>, kind: &str) -> bool {
    let given = response.headers().get(header::CONTENT_TYPE);
    given
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with(kind))
}

/// Whether it is a stream of server-sent events.
pub(super) fn is_stream(response: &Response<ResponseBody>) -> bool {
    response.status().is_success() && content_is(response, "text/event-stream")
}

/// Whether it is a single JSON message.
pub(super) fn is_json(response: &Response<ResponseBody>) -> bool {
    content_is(response, "application/json") && response.status() != StatusCode::ACCEPTED
}

/// Describes an error response: its status and the beginning of its body.
pub(super) fn refusal(response: &mut Response<ResponseBody>) -> String {
    let mut bytes = vec![];
    let shown = response.body_mut().as_reader().take(4 * SHOWN_CHARS as u64);
    // A body that can't be read is not shown.
    let _ = { shown }.read_to_end(&mut bytes);
    let place = response.headers().get(header::LOCATION);
    let place = place.map(|place| format!(" (to {})", String::from_utf8_lossy(place.as_bytes())));
    format!(
        "{}{}: {}",
        response.status(),
        place.unwrap_or_default(),
        shortened(&String::from_utf8_lossy(&bytes), SHOWN_CHARS)
    )
}
