//! Where the content of large outputs is stored: the setting `store.outputs`.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use super::address::scheme;
use crate::model::error::{Error, Result};
use crate::model::json::inline_schema;
use crate::model::text::message::{Message, message, quoted};
use crate::model::text::quantity::shortened;

/// The value for the database itself.
pub const DATABASE: &str = "database";

/// Where a shared store keeps large outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum OutputsUrl {
    /// In the database, like small ones.
    #[default]
    Database,
    /// In a directory that all machines share.
    Directory(PathBuf),
    /// In a bucket.
    Bucket {
        bucket: String,
        /// The prefix of all object keys; may be empty.
        prefix: String,
    },
}

impl OutputsUrl {
    /// Parses the value of `store.outputs`.
    pub fn parse(url: &str) -> Result<Self> {
        let wrong = |what: Message| {
            Error::usage(message!("`store.outputs` {what}.", what)).hint(
                "use `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.",
            )
        };
        if url == DATABASE {
            return Ok(Self::Database);
        }
        // It may hold a password that does not belong there, so no error repeats it.
        let Some((scheme, place)) = scheme(url) else {
            return Err(wrong("has no scheme".into()));
        };
        if place.contains(['?', '#']) {
            return Err(wrong("has a ? or #, but takes no options".into()));
        }
        match scheme {
            "file" => {
                let path = PathBuf::from(place);
                if !path.is_absolute() {
                    return Err(wrong("names a directory by a relative path".into()));
                }
                Ok(Self::Directory(path))
            }
            "s3" => {
                let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
                let is_name = |char: char| char.is_ascii_alphanumeric() || "-._".contains(char);
                // Credentials come from the environment, never from here.
                if bucket.is_empty() || !bucket.chars().all(is_name) {
                    return Err(wrong("names no bucket".into()));
                }
                Ok(Self::Bucket {
                    bucket: bucket.to_owned(),
                    prefix: prefix.trim_matches('/').to_owned(),
                })
            }
            _ => Err(wrong(message!(
                "has the scheme {shown}, which this version can't use",
                shown = quoted(shortened(scheme, 20))
            ))),
        }
    }
}

impl TryFrom<String> for OutputsUrl {
    type Error = Error;

    fn try_from(url: String) -> Result<Self> {
        Self::parse(&url)
    }
}

impl fmt::Display for OutputsUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database => formatter.write_str(DATABASE),
            Self::Directory(path) => write!(formatter, "file://{}", path.display()),
            Self::Bucket { bucket, prefix } if prefix.is_empty() => {
                write!(formatter, "s3://{bucket}")
            }
            Self::Bucket { bucket, prefix } => write!(formatter, "s3://{bucket}/{prefix}"),
        }
    }
}

impl Serialize for OutputsUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(OutputsUrl, {"type": "string", "format": "outputs-url", "minLength": 1});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_the_database_a_directory_or_a_bucket() {
        let bucket = |prefix: &str| OutputsUrl::Bucket {
            bucket: "team-a".to_owned(),
            prefix: prefix.to_owned(),
        };
        let parse = |url| OutputsUrl::parse(url).unwrap();
        assert_eq!(parse("database"), OutputsUrl::Database);
        assert_eq!(parse("s3://team-a"), bucket(""));
        assert_eq!(parse("s3://team-a/pads/x/"), bucket("pads/x"));
        assert_eq!(
            parse("file:///mnt/pads"),
            OutputsUrl::Directory(PathBuf::from("/mnt/pads"))
        );
        for bad in [
            "",
            "sqlite:",
            "s3://",
            "s3:///x",
            "s3://key:secret@bucket/x",
            "file://mnt/x",
            "gs://bucket",
        ] {
            let error = OutputsUrl::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
