//! Where the store is, as `store.url` says it.

use std::path::PathBuf;

use super::error::{Error, Result};
use super::quantity::shortened;

/// An engine and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// The embedded database in the data directory.
    Embedded,
    /// The embedded database in this file.
    EmbeddedAt(PathBuf),
}

impl StoreUrl {
    /// Reads the value of `store.url`. A message never repeats it: it may hold a password.
    pub fn parse(url: &str) -> Result<Self> {
        let hint = "use `sqlite:` for a database in the data directory, or `sqlite:/PATH` for one elsewhere.";
        let Some((scheme, place)) = url.split_once(':') else {
            return Err(Error::usage("`store.url` has no scheme.").hint(hint));
        };
        if scheme != "sqlite" {
            let shown = shortened(scheme, 20);
            return Err(Error::usage(format!(
                "`store.url` has the scheme {shown:?}, which this version can't open."
            ))
            .hint(hint));
        }
        if place.is_empty() {
            return Ok(Self::Embedded);
        }
        let path = PathBuf::from(place.strip_prefix("//").unwrap_or(place));
        if path.is_absolute() {
            return Ok(Self::EmbeddedAt(path));
        }
        Err(Error::usage("`store.url` names a file by a relative path.").hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_the_embedded_store_or_are_refused_without_being_repeated() {
        assert_eq!(StoreUrl::parse("sqlite:").unwrap(), StoreUrl::Embedded);
        let at = StoreUrl::EmbeddedAt(PathBuf::from("/data/pad.db"));
        assert_eq!(StoreUrl::parse("sqlite:/data/pad.db").unwrap(), at);
        assert_eq!(StoreUrl::parse("sqlite:///data/pad.db").unwrap(), at);
        for bad in [
            "",
            "pad.db",
            "sqlite:pad.db",
            "postgres://me:secret@host/db",
        ] {
            let error = StoreUrl::parse(bad).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
