//! Serves many clients over Streamable HTTP.
//!
//! A page in a browser on this machine can send requests to a loopback address, so `Host` and
//! `Origin` are checked, and other addresses need the token.

mod answers;
mod bodies;
mod gate;
mod sessions;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{IntoResponse, Response};
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

use super::SHUTDOWN_TIMEOUT;
use super::requests::Requests;
use super::source::Source;
use super::work::Work;
use crate::server::{Endpoint, LIMITS, Limits, connections, shutdown};
use bodies::BodyPlace;
use gate::Gate;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::hash::sha256_hex;
use scratchpad::model::text::message::message;
use sessions::{MAX_SESSIONS, Sessions};

/// The header in which a client names the session that its calls are about.
pub(super) const SESSION_HEADER: &str = "Scratchpad-Session";
/// The header of the protocol's own sessions, which the newest revision does not have.
pub(super) const MCP_SESSION_HEADER: &str = "Mcp-Session-Id";
/// The endpoint's path.
const PATH: &str = "/mcp";
/// The delay to let the last answers reach the wire after their calls have ended.
const LAST_ANSWERS: Duration = Duration::from_millis(200);

/// How to serve over HTTP.
pub struct HttpOptions {
    /// Where to listen.
    pub endpoint: Endpoint,
    /// The bearer token that clients must send.
    pub token: Option<String>,
    /// Allowed values of `Host`, in addition to the loopback names.
    pub hosts: Vec<String>,
    /// An MCP session that is idle for this long is dropped. What it wrote stays.
    pub idle: Duration,
}

// A connection has one request at a time, so there is always an idle MCP session to evict.
const _: () = assert!(LIMITS.connections < MAX_SESSIONS);

/// Serves until a signal ends the process, then answers the requests in flight.
///
/// Each client gets its own `source`; `work` counts their calls in flight.
pub(super) async fn serve<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    work: Work,
    closing: CancellationToken,
    options: &HttpOptions,
    ready: impl FnOnce(&Endpoint),
) -> Result<()> {
    if let Endpoint::Tcp(address) = &options.endpoint
        && options.token.is_none()
        && !address.ip().is_loopback()
    {
        return Err(Error::usage(message!(
            "{address} can be reached from other machines: that needs a token.",
            address = address.to_string()
        ))
        .hint("leave out --no-token, or listen on 127.0.0.1."));
    }
    let listener = options.endpoint.listen().await?;
    let endpoint = listener.endpoint();
    let sessions = Sessions::new(options.idle);
    tokio::spawn(sessions.clone().reap());
    let router = router(source, sessions, &closing, options, &endpoint, LIMITS);

    let streams = closing.clone();
    // Whoever is told that the server listens may end it.
    let signal = shutdown::signal();
    let end = async move {
        signal.await;
        // Clients keep streams open for as long as they like, so close them when the calls are answered.
        tokio::spawn(async move {
            work.finished(SHUTDOWN_TIMEOUT).await;
            // The last answers are still passing through the layers above.
            tokio::time::sleep(LAST_ANSWERS).await;
            streams.cancel();
        });
    };
    ready(&endpoint);
    tokio::select! {
        () = connections::serve(listener, router, LIMITS, end) => {}
        () = async {
            closing.cancelled().await;
            // Don't wait for idle connections.
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        } => {}
    }
    closing.cancel();
    Ok(())
}

fn router<S: Source>(
    source: impl Fn() -> S + Send + Sync + 'static,
    sessions: Sessions,
    closing: &CancellationToken,
    options: &HttpOptions,
    endpoint: &Endpoint,
    limits: Limits,
) -> Router {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]
        .map(str::to_owned)
        .to_vec();
    #[cfg_attr(
        not(unix),
        expect(irrefutable_let_patterns, reason = "there are others on Unix")
    )]
    if let Endpoint::Tcp(address) = endpoint {
        hosts.push(address.ip().to_string());
    }
    hosts.extend(options.hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_INPUT_BYTES)
        .with_cancellation_token(closing.clone());
    let service = StreamableHttpService::new(
        move || Ok(Requests(source())),
        Arc::new(sessions.clone()),
        config,
    );
    let router = Router::new().route_service(PATH, service);
    guarded(router, Gate::new(sessions, limits), options)
}

/// Adds the checks and limits that run before the SDK.
fn guarded(router: Router, gate: Gate, options: &HttpOptions) -> Router {
    let router = router.layer(map_response(corrected)).layer(from_fn(
        move |request: Request, next: Next| gate.clone().serve(request, next),
    ));
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

/// Corrects two of the SDK's answers.
async fn corrected(method: Method, mut response: Response) -> Response {
    // It answers 202 to the DELETE of an MCP session, which the Python clients treat as a failure.
    if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    // Its 403 does not say which names are allowed.
    if response.status() == StatusCode::FORBIDDEN {
        return (StatusCode::FORBIDDEN, FORBIDDEN).into_response();
    }
    response
}

const FORBIDDEN: &str = "\
Forbidden: `Host` must be a name of this machine, the address the server listens on, or a name given \
with --allow-host; `Origin`, where there is one, must be local.
Hint: if you call the server by another name, start it with `--allow-host NAME`.
";

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
    // Compare in constant time.
    let given = sha256_hex(given.1.trim().as_bytes());
    given.as_bytes().ct_eq(expected.as_bytes()).into()
}

fn unauthorized() -> Response {
    (
        StatusCode::UNAUTHORIZED,
        [(header::WWW_AUTHENTICATE, "Bearer")],
        "The token is missing or wrong.\n",
    )
        .into_response()
}

/// The session that the client named in its headers, if this request came over HTTP.
pub(super) fn named_session(extensions: &Extensions) -> Option<Result<SessionId>> {
    let value = extensions.get::<Parts>()?.headers.get(SESSION_HEADER)?;
    let id = String::from_utf8_lossy(value.as_bytes()).into_owned();
    Some(SessionId::new(id).map_err(|error| {
        error.hint(message!(
            "it came from the header {SESSION_HEADER}.",
            SESSION_HEADER = SESSION_HEADER.to_string()
        ))
    }))
}

/// The place that a large message holds until its call is done.
pub(super) fn body_place(extensions: &Extensions) -> Option<BodyPlace> {
    let parts = extensions.get::<Parts>()?;
    parts.extensions.get().cloned()
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
    use std::io::ErrorKind;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    const ONE_CONNECTION: Limits = Limits {
        connections: 1,
        ..LIMITS
    };

    /// Serves one connection at a time. When there is nothing else to do, the clock jumps to the next timeout.
    fn with_one_connection<C: Future<Output = ()>>(client: impl FnOnce(SocketAddr) -> C) {
        crate::mcp::paused_runtime().block_on(async {
            let free = Endpoint::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
            let listener = free.listen().await.unwrap();
            let endpoint = listener.endpoint();
            let Endpoint::Tcp(address) = endpoint else {
                panic!("{endpoint:?}");
            };
            let options = HttpOptions {
                endpoint,
                token: None,
                hosts: Vec::new(),
                idle: Duration::from_secs(9),
            };
            let gate = Gate::new(Sessions::new(options.idle), ONE_CONNECTION);
            let router = guarded(Router::new(), gate, &options);
            let closing = CancellationToken::new();
            let end = closing.clone().cancelled_owned();
            tokio::spawn(connections::serve(listener, router, ONE_CONNECTION, end));
            client(address).await;
            closing.cancel();
        });
    }

    async fn all_of(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[test]
    fn a_client_that_stops_in_the_middle_of_a_request_is_cut_off_and_the_next_is_served() {
        with_one_connection(async |address| {
            let mut slow = TcpStream::connect(address).await.unwrap();
            slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
                .await
                .unwrap();
            let mut next = TcpStream::connect(address).await.unwrap();
            let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            next.write_all(request).await.unwrap();
            let answer = all_of(&mut next).await;
            assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
            // Only one connection is allowed, so the first must have been closed.
            let mut byte = [0];
            let waits = slow
                .try_read(&mut byte)
                .is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
            assert!(!waits, "the first is still there");
        });
    }

    #[test]
    fn a_head_that_does_not_arrive_times_out() {
        with_one_connection(async |address| {
            let mut slow = TcpStream::connect(address).await.unwrap();
            let half = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
            slow.write_all(half).await.unwrap();
            assert_eq!(all_of(&mut slow).await, "");
        });
    }

    #[test]
    fn a_body_that_does_not_arrive_times_out() {
        with_one_connection(async |address| {
            let mut slow = TcpStream::connect(address).await.unwrap();
            let request = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{";
            slow.write_all(request).await.unwrap();
            let answer = all_of(&mut slow).await;
            assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
            assert!(
                answer.ends_with(
                    "The message did not arrive within 30 seconds. Nothing was changed.\n"
                ),
                "{answer}"
            );
        });
    }

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
