//! Where the store is: the setting `store.url`.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use super::address::{scheme, without_password};
use super::passwords::Passwords;
use crate::model::error::{Error, Result};
use crate::model::json::inline_schema;
use crate::model::text::message::{message, quoted};
use crate::model::text::quantity::shortened;

/// An engine and its location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum StoreUrl {
    /// The embedded database in the data directory.
    #[default]
    Embedded,
    /// The embedded database in this file.
    EmbeddedAt(PathBuf),
    /// A `PostgreSQL` server.
    Postgres(PostgresUrl),
}

/// A schema of a database on a `PostgreSQL` server.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// The URL for the driver, with the password and without the options that the driver does not know.
    pub address: String,
    /// The URL as it may be shown, without the password.
    pub shown: String,
    /// The schema, one per team.
    pub schema: String,
    pub encryption: Encryption,
    pub certificates: Certificates,
    /// The file of trusted root certificates, unless they are those that browsers trust.
    pub root_certificates: Option<PathBuf>,
    /// Where to look for the password if it is not in the URL.
    pub passwords: Passwords,
}

/// Omits the password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgresUrl({}, {:?})", self.shown, self.schema)
    }
}

/// Whether a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Unencrypted.
    Never,
    /// Encrypted if the server supports it.
    IfOffered,
    /// Encrypted, or the connection fails.
    Always,
}

/// Which server certificates are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificates {
    Any,
    /// Those signed by a trusted authority, for any host name.
    Authority,
    /// Those signed by a trusted authority, for the server's host name.
    AuthorityAndName,
}

/// The schema if the URL names none.
const SCHEMA: &str = "scratchpad";

/// The longest name of a schema, in bytes: the server truncates longer ones.
const MAX_NAME_BYTES: usize = 63;

const HINT: &str = "use `sqlite:` for a database in the data directory, `sqlite:/PATH` for one elsewhere, or `postgres://USER:PASSWORD@HOST/DATABASE`.";

impl StoreUrl {
    /// Parses the value of `store.url`. Error messages never repeat it: it may contain a password.
    pub fn parse(url: &str) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", place)) => embedded(place),
            Some(("postgres" | "postgresql", place)) => {
                PostgresUrl::parse(place).map(Self::Postgres)
            }
            _ => Err(match scheme(url) {
                None => Error::usage("`store.url` has no scheme."),
                Some((scheme, _)) => Error::usage(message!(
                    "`store.url` has the scheme {shown}, which this version can't open.",
                    shown = quoted(shortened(scheme, 20))
                )),
            }
            .hint(HINT)),
        }
    }
}

impl TryFrom<String> for StoreUrl {
    type Error = Error;

    fn try_from(url: String) -> Result<Self> {
        Self::parse(&url)
    }
}

/// The value of `store.url` as it may be shown: anything that could be a password is omitted.
impl fmt::Display for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => formatter.write_str("sqlite:"),
            Self::EmbeddedAt(path) => write!(formatter, "sqlite:{}", path.display()),
            Self::Postgres(url) if url.schema == SCHEMA => formatter.write_str(&url.shown),
            Self::Postgres(url) => write!(formatter, "{}?schema={}", url.shown, url.schema),
        }
    }
}

/// Serialized as it may be shown.
impl Serialize for StoreUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(StoreUrl, {"type": "string", "format": "store-url", "minLength": 1});

fn embedded(place: &str) -> Result<StoreUrl> {
    if place.is_empty() {
        return Ok(StoreUrl::Embedded);
    }
    // Other programs take options there, a password among them: it must not become part of a file's name.
    if place.contains('?') {
        return Err(Error::usage("`store.url` has a ?: `sqlite:` takes no options.").hint(HINT));
    }
    let path = PathBuf::from(place.strip_prefix("//").unwrap_or(place));
    if path.is_absolute() {
        return Ok(StoreUrl::EmbeddedAt(path));
    }
    Err(Error::usage("`store.url` names a file by a relative path.").hint(HINT))
}

impl PostgresUrl {
    /// Whether the URL contains the password.
    pub fn has_password(&self) -> bool {
        let (address, options) = self.address.split_once('?').unwrap_or((&self.address, ""));
        let person = address.rsplit_once('@').map_or("", |(person, _)| person);
        person.trim_start_matches("postgres://").contains(':')
            || options
                .split('&')
                .any(|option| option.starts_with("password="))
    }

    fn parse(place: &str) -> Result<Self> {
        let Some(rest) = place.strip_prefix("//") else {
            return Err(Error::usage("`store.url` has no // after its scheme.").hint(HINT));
        };
        let (address, options) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Self {
            address: format!("postgres://{address}"),
            shown: format!("postgres://{}", without_password(rest)),
            schema: SCHEMA.to_owned(),
            encryption: Encryption::IfOffered,
            certificates: Certificates::Any,
            root_certificates: None,
            passwords: Passwords::default(),
        };
        let mut mode = "prefer".to_owned();
        let mut joint = '?';
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            if value.contains([';', '=']) && !matches!(name, "password" | "options") {
                return Err(Error::usage("`store.url` has a ; or = in the value of an option.")
                    .hint("options are separated by &; in a value, ; and = are written as %3B and %3D."));
            }
            match name {
                "sslmode" => mode = decoded(value)?,
                "sslrootcert" => url.root_certificates = Some(PathBuf::from(decoded(value)?)),
                "schema" => url.schema = checked_schema(decoded(value)?)?,
                _ => {
                    url.address.push(joint);
                    url.address.push_str(option);
                    joint = '&';
                }
            }
        }
        (url.encryption, url.certificates) = match mode.as_str() {
            "disable" => (Encryption::Never, Certificates::Any),
            "prefer" => (Encryption::IfOffered, Certificates::Any),
            // As in libpq: with `sslrootcert`, `require` verifies the certificate.
            "require" if url.root_certificates.is_some() => {
                (Encryption::Always, Certificates::Authority)
            }
            "require" => (Encryption::Always, Certificates::Any),
            "verify-ca" => (Encryption::Always, Certificates::Authority),
            "verify-full" => (Encryption::Always, Certificates::AuthorityAndName),
            _ => {
                return Err(Error::usage(
                    "`store.url` has an unknown sslmode; it is disable, prefer, require, verify-ca or verify-full.",
                ));
            }
        };
        Ok(url)
    }
}

fn checked_schema(name: String) -> Result<String> {
    let is_good = !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.contains('\0')
        && !name.starts_with("pg_");
    if is_good {
        return Ok(name);
    }
    Err(Error::usage(message!(
        "`store.url` has an invalid schema; a schema's name has 1 to {MAX_NAME_BYTES} bytes and does not begin with pg_.",
        MAX_NAME_BYTES = MAX_NAME_BYTES.to_string()
    )))
}

/// Decodes `%` escapes.
fn decoded(value: &str) -> Result<String> {
    let wrong = || Error::usage("`store.url` has a % that is not an escape: write it as %25.");
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(wrong());
        };
        bytes.extend(u8::try_from(16 * high + low));
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn postgres(url: &str) -> PostgresUrl {
        match StoreUrl::parse(url).unwrap() {
            StoreUrl::Postgres(url) => url,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn urls_name_a_store_or_are_refused_without_being_repeated() {
        assert_eq!(StoreUrl::parse("sqlite:").unwrap(), StoreUrl::Embedded);
        let at = StoreUrl::EmbeddedAt(PathBuf::from("/data/pad.db"));
        assert_eq!(StoreUrl::parse("sqlite:/data/pad.db").unwrap(), at);
        assert_eq!(StoreUrl::parse("sqlite:///data/pad.db").unwrap(), at);
        for bad in [
            "",
            "pad.db",
            "sqlite:pad.db",
            "mysql://me:secret@host/db",
            "postgres:me:secret@host/db",
            "postgres://me:secret@host/db?sslmode=maybe",
            "postgres://me:secret@host/db?schema=",
            "postgres://me:secret@host/db?schema=pg_catalog",
            "postgres://me:secret@host/db?schema=%zz",
        ] {
            let error = StoreUrl::parse(bad).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn our_own_options_are_removed_from_the_url_for_the_driver() {
        let url = postgres(
            "postgresql://me:a%40b@host:5433/db?sslmode=require&connect_timeout=3&schema=team%20a&sslrootcert=/ca.pem&user=you",
        );
        assert_eq!(
            url.address,
            "postgres://me:a%40b@host:5433/db?connect_timeout=3&user=you"
        );
        assert_eq!(
            (url.schema.as_str(), url.encryption),
            ("team a", Encryption::Always)
        );
        assert_eq!(url.certificates, Certificates::Authority);
        assert_eq!(url.root_certificates, Some(PathBuf::from("/ca.pem")));
        let plain = postgres("postgres://host:5432/db?user=me");
        assert!(url.has_password() && !plain.has_password());
        assert_eq!(
            (plain.schema.as_str(), plain.encryption),
            ("scratchpad", Encryption::IfOffered)
        );
    }

    #[test]
    fn no_password_is_ever_shown() {
        for (url, shown) in [
            ("postgres://me:secret@host/db", "postgres://me@host/db"),
            ("postgres://me:sec@ret@host/db", "postgres://me@host/db"),
            ("postgres://me:sec/secret@host/db", "postgres://me@host/db"),
            (
                "postgres://host/db?user=me&password=secret",
                "postgres://host/db",
            ),
            ("postgres://me:secret?secret@host/db", "postgres://…"),
            (
                "postgres://me@host/db?password=sec@ret",
                "postgres://me@host/db",
            ),
            (
                "postgres://me:secret@host/db?schema=team",
                "postgres://me@host/db?schema=team",
            ),
            ("sqlite:/data/pad.db", "sqlite:/data/pad.db"),
        ] {
            let parsed = StoreUrl::parse(url).unwrap();
            assert_eq!(parsed.to_string(), shown);
            if let StoreUrl::Postgres(parsed) = parsed {
                assert!(!format!("{parsed:?}").contains("secret"));
                assert!(parsed.has_password() || shown.ends_with('…'), "{url}");
            }
        }
    }
}
