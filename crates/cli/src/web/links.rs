//! One-time links that log a browser in.
//!
//! A link is made by writing the hash of its code into the person's own data directory, so whoever can do that is let
//! in: the server itself when it starts, and later `scratchpad serve --open` beside it.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::server::random_token;
use scratchpad::disk::private;
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::Result;
use scratchpad::model::id::Millis;
use scratchpad::model::text::hash::sha256_hex;

/// How long a link is good for.
const LIFE: Millis = 2 * 60 * 1_000;

/// The links of one server.
pub struct Links {
    directory: PathBuf,
    address: SocketAddr,
}

impl Links {
    /// The links of the server at this address.
    pub fn in_directory(directory: PathBuf, address: SocketAddr) -> Self {
        Self { directory, address }
    }

    /// Makes a link, which is good for two minutes.
    pub fn make(&self, now: Millis) -> Result<String> {
        private::create_dir(&self.directory)?;
        private::check_owner(&self.directory)?;
        self.remove_old(now);
        let code = random_token();
        replace_private(&self.file(&code), now.to_string().as_bytes())?;
        Ok(format!("http://{}/login/once/{code}", self.address))
    }

    /// Whether this code was made here, not long ago, and not used before.
    pub(super) fn take(&self, code: &str, now: Millis) -> bool {
        let file = self.file(code);
        let made = fs::read_to_string(&file).ok();
        let made = made.and_then(|text| text.trim().parse::<Millis>().ok());
        // Of two who come at once, one removes it.
        let is_mine = fs::remove_file(&file).is_ok();
        is_mine && made.is_some_and(|made| (made..=made.saturating_add(LIFE)).contains(&now))
    }

    /// The name says nothing of the code: it has its hash.
    fn file(&self, code: &str) -> PathBuf {
        let hash = sha256_hex(format!("{} {code}", self.address).as_bytes());
        self.directory.join(hash)
    }

    fn remove_old(&self, now: Millis) {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        for entry in entries.flatten() {
            let made = fs::read_to_string(entry.path()).ok();
            let made = made.and_then(|text| text.trim().parse::<Millis>().ok());
            if made.is_some_and(|made| now.abs_diff(made) > LIFE.unsigned_abs()) {
                // Another process may have removed it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_not_for_long_and_only_its_own_server() {
        let directory = tempfile::tempdir().unwrap();
        let links = |port: u16| {
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            Links::in_directory(directory.path().join("links"), address)
        };
        let code = |link: String| link.rsplit('/').next().unwrap_or_default().to_owned();
        let made = code(links(1).make(1_000).unwrap());
        assert!(!links(2).take(&made, 1_000));
        assert!(links(1).take(&made, 1_000));
        assert!(!links(1).take(&made, 1_000));
        let late = code(links(1).make(1_000).unwrap());
        assert!(!links(1).take(&late, 1_001 + LIFE));
        assert!(!links(1).take("../links", 1_000));
        links(1).make(1_000).unwrap();
        links(1).make(9_000_000).unwrap();
        let left = fs::read_dir(directory.path().join("links")).unwrap();
        assert_eq!(left.count(), 1);
    }
}
