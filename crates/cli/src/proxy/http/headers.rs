//! The headers that repeat parts of a message, so that servers can route it without parsing the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ureq::http::{HeaderName, HeaderValue, header};

use crate::proxy::message::Message;
use crate::proxy::outline::Outline;

/// The session id of the older era.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The event id to resume a stream from.
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// `Content-Type` and `Accept` of a POST.
pub(super) fn of_post() -> [(HeaderName, HeaderValue); 2] {
    let json = HeaderValue::from_static("application/json");
    let both = HeaderValue::from_static("application/json, text/event-stream");
    [(header::CONTENT_TYPE, json), (header::ACCEPT, both)]
}

/// `Accept` of a GET.
pub(super) fn of_get() -> [(HeaderName, HeaderValue); 1] {
    let events = HeaderValue::from_static("text/event-stream");
    [(header::ACCEPT, events)]
}

/// The headers of a message: the newer era's if it names its own protocol revision, otherwise what was negotiated.
pub(super) fn standard(
    outline: &Outline,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
) -> Vec<(HeaderName, HeaderValue)> {
    if let [message] = outline.messages.as_slice()
        && let Some(version) = &message.params.protocol_version
    {
        let method = message.method.as_deref();
        let values = [
            (VERSION, Some(version.as_str())),
            (METHOD, method),
            (NAME, name(message)),
        ];
        return values
            .into_iter()
            .filter_map(|(name, value)| Some((name, encoded(value?)?)))
            .collect();
    }
    let begins = |message: &Message| message.method.as_deref() == Some("initialize");
    if outline.messages.iter().any(begins) {
        return Vec::new();
    }
    agreed(session, version).collect()
}

/// The headers for what was negotiated.
pub(super) fn agreed(
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let session = session.map(|session| (SESSION, session));
    session
        .into_iter()
        .chain(version.map(|version| (VERSION, version)))
}

/// The name or URI that a request is about.
fn name(message: &Message) -> Option<&str> {
    let params = &message.params;
    match message.method.as_deref()? {
        "tools/call" | "prompts/get" => params.name.as_deref(),
        "resources/read" => params.uri.as_deref(),
        "tasks/get" | "tasks/update" | "tasks/cancel" => params.task_id.as_deref(),
        _ => None,
    }
}

/// A header value: plain if that is safe, otherwise in Base64.
fn encoded(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim() == text
        && !text.is_empty()
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain {
        return HeaderValue::from_str(text).ok();
    }
    HeaderValue::try_from(format!("=?base64?{}?=", STANDARD.encode(text))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_or_in_base64() {
        for (text, header) in [
            ("grep", "grep"),
            ("two words", "two words"),
            (" a", "=?base64?IGE=?="),
            ("größe", "=?base64?Z3LDtsOfZQ==?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            assert_eq!(encoded(text).unwrap(), header, "{text}");
        }
    }
}
