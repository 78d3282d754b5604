//! Where the content of large outputs is, as `store.outputs` says it.

use std::path::PathBuf;

use crate::model::error::{Error, Result};
use crate::model::text::quantity::shortened;

/// The value for the database itself.
pub const DATABASE: &str = "database";

/// Where large outputs of a shared store are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputsUrl {
    /// In the database, like all others.
    Database,
    /// In a directory that all machines see.
    Directory(PathBuf),
    /// In a bucket, below a prefix, which may be empty.
    Bucket {
        /// The bucket's name.
        bucket: String,
        /// What the names in it begin with.
        prefix: String,
    },
}

impl OutputsUrl {
    /// Reads the value of `store.outputs`.
    pub fn parse(url: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Error::usage(format!("`store.outputs` {what}.")).hint(
                "use `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.",
            )
        };
        if url == DATABASE {
            return Ok(Self::Database);
        }
        let Some((scheme, place)) = url.split_once("://") else {
            return Err(wrong(&format!("has no scheme: {:?}", shortened(url, 60))));
        };
        match scheme {
            "file" => {
                let path = PathBuf::from(place);
                if !path.is_absolute() {
                    return Err(wrong("names a directory by a relative path"));
                }
                Ok(Self::Directory(path))
            }
            "s3" => {
                let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
                let is_name = |char: char| char.is_ascii_alphanumeric() || "-._".contains(char);
                // Credentials come from the environment, never from here.
                if bucket.is_empty() || !bucket.chars().all(is_name) {
                    return Err(wrong("names no bucket"));
                }
                Ok(Self::Bucket {
                    bucket: bucket.to_owned(),
                    prefix: prefix.trim_matches('/').to_owned(),
                })
            }
            _ => Err(wrong(&format!(
                "has the scheme {:?}, which this version can't use",
                shortened(scheme, 20)
            ))),
        }
    }
}

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
