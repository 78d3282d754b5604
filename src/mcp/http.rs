//! Many clients over Streamable HTTP.
//!
//! A page in a browser on this machine can send requests to a loopback address, so `Host` and
//! `Origin` are checked, and other addresses are served only to those who have the token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::PATIENCE;
use super::in_use::InUse;
use super::requests::Requests;
use super::source::Source;
use super::work::Work;
use crate::model::error::{Error, Result};
use crate::model::hash::sha256_hex;
use crate::model::id::SessionId;
use crate::model::pad::MAX_INPUT_BYTES;

/// The header in which a client names the session that its calls are about.
pub(super) const SESSION_HEADER: &str = "Scratchpad-Session";
/// The header of the protocol's own sessions; the newest revision has none.
pub(super) const MCP_SESSION_HEADER: &str = "Mcp-Session-Id";
/// Where the server answers.
const PATH: &str = "/mcp";
/// An MCP session that nobody used for so long is forgotten. What it wrote stays.
const IDLE: Duration = Duration::from_hours(1);

/// How long an answer may take from a call's end to the wire.
const LAST_ANSWERS: Duration = Duration::from_millis(200);

/// How to serve over HTTP.
pub struct HttpOptions {
    /// Where to listen.
    pub address: SocketAddr,
    /// What a client must show.
    pub token: Option<String>,
    /// Names under which the server may be called, beside those of this machine itself.
    pub hosts: Vec<String>,
}

/// Serves until the process is told to end; then answers what was asked by then.
///
/// Each client gets a `source` of its own; `work` is what they have under way.
pub(super) async fn serve<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    work: Work,
    closing: CancellationToken,
    options: &HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    if options.token.is_none() && !options.address.ip().is_loopback() {
        return Err(Error::usage(format!(
            "{} can be reached from other machines: that needs a token.",
            options.address
        ))
        .hint("give --token-file FILE, or listen on 127.0.0.1."));
    }
    let failed = |error: std::io::Error| {
        Error::store(format!("Can't listen on {}: {error}.", options.address))
    };
    let listener = TcpListener::bind(options.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let router = router(source, &closing, options, address);
    // Without this, small answers wait for the other side's acknowledgement.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));

    let streams = closing.clone();
    let end = async move {
        told_to_end().await;
        // Streams stay open as long as their client likes: end them when the calls are answered.
        tokio::spawn(async move {
            work.finished(PATIENCE).await;
            // The last answers are still on their way through the layers above.
            tokio::time::sleep(LAST_ANSWERS).await;
            streams.cancel();
        });
    };
    ready(address);
    let served = axum::serve(listener, router).with_graceful_shutdown(end);
    let answer = tokio::select! {
        served = served => served.map_err(failed),
        () = async {
            closing.cancelled().await;
            // Who keeps a connection open without a word is not waited for.
            tokio::time::sleep(PATIENCE).await;
        } => Ok(()),
    };
    closing.cancel();
    answer
}

fn router<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    closing: &CancellationToken,
    options: &HttpOptions,
    address: SocketAddr,
) -> Router {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]
        .map(str::to_owned)
        .to_vec();
    hosts.push(address.ip().to_string());
    hosts.extend(options.hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_INPUT_BYTES)
        .with_cancellation_token(closing.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let service =
        StreamableHttpService::new(move || Ok(Requests(source())), Arc::new(sessions), config);
    let in_use = InUse::default();
    let router = Router::new()
        .route_service(PATH, service)
        .layer(map_response(ended))
        .layer(from_fn(move |request: Request, next: Next| {
            in_use.clone().serve(request, next)
        }));
    match &options.token {
        None => router,
        Some(token) => {
            let expected: Arc<str> = sha256_hex(token.as_bytes()).into();
            router.layer(from_fn(move |request: Request, next: Next| {
                let expected = expected.clone();
                async move {
                    if is_bearer(request.headers(), &expected) {
                        next.run(request).await
                    } else {
                        unauthorized()
                    }
                }
            }))
        }
    }
}

/// The SDK says that an MCP session "was accepted" to end; Python's clients take that for a failure.
async fn ended(method: Method, mut response: Response) -> Response {
    if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Whether the headers carry the token with this hash.
fn is_bearer(headers: &HeaderMap, expected: &str) -> bool {
    let Some(given) = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
    else {
        return false;
    };
    same(
        sha256_hex(given.1.trim().as_bytes()).as_bytes(),
        expected.as_bytes(),
    )
}

/// Compares in a time that does not depend on where they differ.
fn same(left: &[u8], right: &[u8]) -> bool {
    let differing = left
        .iter()
        .zip(right)
        .fold(0, |differing, (left, right)| differing | (left ^ right));
    left.len() == right.len() && std::hint::black_box(differing) == 0
}

fn unauthorized() -> Response {
    (
        StatusCode::UNAUTHORIZED,
        [(header::WWW_AUTHENTICATE, "Bearer")],
        "The token is missing or wrong.\n",
    )
        .into_response()
}

/// Waits for the signals that end a process.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Where signals can't be heard, the system ends the process without asking.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The session that the client named in its headers, if this request came over HTTP.
pub(super) fn named_session(extensions: &Extensions) -> Option<Result<SessionId>> {
    let value = extensions.get::<Parts>()?.headers.get(SESSION_HEADER)?;
    let id = String::from_utf8_lossy(value.as_bytes()).into_owned();
    Some(
        SessionId::new(id)
            .map_err(|error| error.hint(format!("it came from the header {SESSION_HEADER}."))),
    )
}

/// Whether the request belongs to an MCP session.
pub(super) fn has_session(extensions: &Extensions) -> bool {
    extensions
        .get::<Parts>()
        .is_some_and(|parts| parts.headers.contains_key(MCP_SESSION_HEADER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let expected = sha256_hex(b"secret");
        let opens = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            is_bearer(&headers, &expected)
        };
        assert!(opens("Bearer secret"));
        assert!(opens("bearer  secret"));
        for wrong in [
            "secret",
            "Bearer",
            "Bearer ",
            "Bearer secre",
            "Bearer secret2",
            "Basic secret",
        ] {
            assert!(!opens(wrong), "{wrong}");
        }
        assert!(!is_bearer(&HeaderMap::new(), &expected));
    }
}
