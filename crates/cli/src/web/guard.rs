//! What every request passes first, and the headers of every answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Site;
use super::logins::cookie;
use scratchpad::scratchpad::system_time;

/// Nothing from elsewhere, nothing inline, and text becomes HTML only in the one place that our script names `fragment`.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types fragment";
/// For stored bytes: nothing at all may happen with them.
pub(super) const SANDBOX: &str = "sandbox; default-src 'none'";

impl Site {
    /// Refuses requests under another name (a hostile name may point to this machine), and changes that another page
    /// asks for.
    pub(super) fn refusal(&self, method: &Method, headers: &HeaderMap) -> Option<Response> {
        let host = text(headers, header::HOST);
        let port = self.address.port();
        let own = [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
            self.address.to_string(),
        ];
        if !own.iter().any(|own| own == host) {
            return Some(forbidden("This server is not for that host name.\n"));
        }
        if method.is_safe() {
            return None;
        }
        let is_ours = text(headers, header::ORIGIN) == format!("http://{host}");
        let site = text(headers, HeaderName::from_static("sec-fetch-site"));
        (!is_ours || site != "same-origin")
            .then(|| forbidden("Only a form of this page may change anything.\n"))
    }

    /// The secret of this request's login; `None` if it has none that counts.
    pub(super) fn login<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let secret = cookie(headers, &self.cookie_name());
        self.logins.knows(secret, system_time()).then_some(secret)
    }

    /// Cookies are shared by all ports of a host.
    fn cookie_name(&self) -> String {
        format!("scratchpad-{}", self.address.port())
    }

    /// The line that hands a browser its secret, or takes it back if it is empty.
    pub(super) fn cookie_line(&self, secret: &str) -> String {
        let age = if secret.is_empty() { "; Max-Age=0" } else { "" };
        let name = self.cookie_name();
        format!("{name}={secret}; Path=/; HttpOnly; SameSite=Strict{age}")
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

fn forbidden(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, why).into_response()
}

/// Adds the headers that every answer has, unless it has its own.
pub(super) fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let all = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, browsers would send our forms without their origin.
        (header::REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in all {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
