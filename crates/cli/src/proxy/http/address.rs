//! An upstream's URL and headers.

use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue, Uri};

use scratchpad::model::error::{Error, Result};

/// The address of an upstream over HTTP.
pub struct Address {
    /// The URL.
    pub url: String,
    /// Headers to send with each message.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// How long it may be silent after the client is gone.
    pub grace: Duration,
    /// How long it may be silent while a request is pending.
    pub silence: Duration,
}

impl Address {
    /// Parses a URL and `NAME: VALUE` headers.
    pub fn parse(
        url: &str,
        headers: &[String],
        grace: Duration,
        silence: Duration,
    ) -> Result<Self> {
        let uri = url.parse::<Uri>();
        if !uri.is_ok_and(|uri| {
            uri.host().is_some() && matches!(uri.scheme_str(), Some("http" | "https"))
        }) {
            // It may hold a password or a token.
            return Err(Error::usage(
                "This is not the URL of a server: it needs http:// or https:// and a host.",
            )
            .hint("use one like https://example.com/mcp."));
        }
        let parsed = headers.iter().map(|given| {
            let (name, value) = given.split_once(':')?;
            let name = HeaderName::try_from(name.trim()).ok()?;
            Some((name, HeaderValue::try_from(value.trim()).ok()?))
        });
        let headers = parsed.collect::<Option<Vec<_>>>().ok_or_else(|| {
            // The value may be a secret, so the message does not show it.
            Error::usage("A header must be `NAME: VALUE`.")
                .hint("for example --header 'Authorization: Bearer ${TOKEN}'.")
        })?;
        Ok(Self {
            url: url.to_owned(),
            headers,
            grace,
            silence,
        })
    }

    /// The host name.
    pub fn host(&self) -> String {
        let uri = self.url.parse::<Uri>();
        uri.ok()
            .and_then(|uri| uri.host().map(str::to_owned))
            .unwrap_or_default()
    }
}
