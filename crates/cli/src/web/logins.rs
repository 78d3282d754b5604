//! Which browsers are logged in. Kept in memory: a restarted server asks again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};

use crate::server::random_token;
use scratchpad::model::id::Millis;
use scratchpad::model::text::hash::sha256_hex;

/// How long a browser stays logged in.
const LIFE: Millis = 7 * 24 * 60 * 60 * 1_000;
/// The most logins at once; the oldest goes first.
const MOST: usize = 64;

/// The hash of each login, and when it began.
#[derive(Default)]
pub(super) struct Logins(Mutex<HashMap<String, Millis>>);

impl Logins {
    /// Begins a login; returns the secret that the browser keeps.
    pub(super) fn begin(&self, now: Millis) -> String {
        let secret = random_token();
        let mut logins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logins.retain(|_, began| is_good(*began, now));
        if logins.len() >= MOST
            && let Some(oldest) = logins.iter().min_by_key(|(_, began)| **began)
        {
            let oldest = oldest.0.clone();
            logins.remove(&oldest);
        }
        logins.insert(sha256_hex(secret.as_bytes()), now);
        secret
    }

    /// Whether a browser with this secret is logged in. Looked up by its hash, so the time says nothing of the secret.
    pub(super) fn knows(&self, secret: &str, now: Millis) -> bool {
        let logins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let began = logins.get(&sha256_hex(secret.as_bytes()));
        began.is_some_and(|began| is_good(*began, now))
    }

    pub(super) fn end(&self, secret: &str) {
        let mut logins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logins.remove(&sha256_hex(secret.as_bytes()));
    }
}

fn is_good(began: Millis, now: Millis) -> bool {
    now.abs_diff(began) <= LIFE.unsigned_abs()
}

/// The value of a cookie; empty if there is none.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let lines = headers.get_all(header::COOKIE).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(own, _)| *own == name)
        .map_or("", |(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_ends_after_a_week_or_when_it_is_ended() {
        let logins = Logins::default();
        let secret = logins.begin(0);
        assert!(logins.knows(&secret, LIFE) && !logins.knows(&secret, LIFE + 1));
        assert!(!logins.knows("", 0) && !logins.knows("x", 0));
        logins.end(&secret);
        assert!(!logins.knows(&secret, 0));
    }

    #[test]
    fn there_are_never_too_many() {
        let logins = Logins::default();
        let first = logins.begin(0);
        let last = (1..=MOST).map(|at| logins.begin(i64::try_from(at).unwrap_or(0)));
        let last = last.last().unwrap_or_default();
        assert!(logins.knows(&last, 0) && !logins.knows(&first, 0));
    }

    #[test]
    fn cookies_are_found_by_their_whole_name() {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, "xa=1; a=2; b=".parse().unwrap());
        assert_eq!(
            (
                cookie(&headers, "a"),
                cookie(&headers, "b"),
                cookie(&headers, "c")
            ),
            ("2", "", "")
        );
    }
}
