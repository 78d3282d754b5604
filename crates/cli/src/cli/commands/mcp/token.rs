//! The token that clients over HTTP must send: from a file of the user's, or made once and kept in the data directory.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::settings;
use crate::server::random_token;
use scratchpad::disk::private;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::message;

/// The file in the data directory.
const FILE_NAME: &str = "mcp-token";
const MIN_CHARS: usize = 16;

/// The token that this program made.
pub(super) struct OwnToken {
    pub(super) text: String,
    pub(super) path: PathBuf,
    /// It was just created, so nobody has seen it.
    pub(super) is_new: bool,
}

impl OwnToken {
    /// The token in the data directory; made if there is none.
    pub(super) fn find(data: &Path) -> Result<Self> {
        private::create_dir(data)?;
        private::check_owner(data)?;
        let path = data.join(FILE_NAME);
        let is_new = fs::symlink_metadata(&path).is_err() && make(data, &path)?;
        Ok(Self {
            text: read(&path)?,
            path,
            is_new,
        })
    }
}

/// Makes the file at once with its content; false if another process was faster.
fn make(data: &Path, path: &Path) -> Result<bool> {
    let made = || -> std::io::Result<bool> {
        // Temporary files are the owner's alone from the start.
        let mut file = tempfile::NamedTempFile::new_in(data)?;
        writeln!(file, "{}", random_token())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(failed) if failed.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(failed) => Err(failed.error),
        }
    };
    made().map_err(|error| private::cannot("write", path, &error))
}

/// Reads the token, the first line of the file, which nobody else may read.
pub(super) fn read(path: &Path) -> Result<String> {
    let named = || path.display().to_string();
    let text = settings::read(path)?.ok_or_else(|| {
        Error::usage(message!(
            "Token file {path} does not exist.",
            path = named()
        ))
    })?;
    if others_know(path) {
        return Err(Error::usage(message!(
            "Other users of this machine can read the token in {path}.",
            path = named()
        ))
        .hint(message!(
            "put a new token into it after `chmod 600 {path}`.",
            path = named()
        )));
    }
    let token = text.lines().next().unwrap_or_default().trim();
    if token.len() < MIN_CHARS {
        return Err(Error::usage(message!(
            "The token in {path} has {token} characters; it needs at least 16.",
            path = named(),
            token = token.chars().count().to_string()
        ))
        .hint("leave out --token-file, and a token is made for you."));
    }
    Ok(token.to_owned())
}

/// Whether users other than this one and root can read the file.
#[cfg(unix)]
fn others_know(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    fs::metadata(path)
        .is_ok_and(|found| found.mode() & 0o077 != 0 || ![0, me].contains(&found.uid()))
}

/// Elsewhere the directory's rights count.
#[cfg(not(unix))]
fn others_know(_: &Path) -> bool {
    false
}
