//! Files that other programs use too: read up to a limit, replaced atomically, links followed.

use std::fs::{self, File};
use std::io::{self, ErrorKind as IoKind, Read};
use std::path::{Path, PathBuf};

use super::private::cannot;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{Message, message, number};

/// Opens a file to read it, unless it is a pipe or a device: opening or reading those may wait for ever.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(IoKind::InvalidInput, "not a regular file"))
}

/// The content of a file, or `None` if there is no file. A file larger than the limit is an error.
pub fn read_small(path: &Path, max_bytes: usize) -> Result<Option<Vec<u8>>> {
    let failed = |error| cannot("read", path, &error);
    let refused = |what: Message| {
        Error::new(
            ErrorKind::Refused,
            message!("{path} {what}", path = path.display().to_string(), what),
        )
    };
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), IoKind::NotFound | IoKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
        Ok(found) if found.is_dir() => {
            return Err(refused("is a directory, not a file.".into()));
        }
        // Opening a pipe would block until somebody opens its other end.
        Ok(found) if !found.is_file() => return Err(refused("is not a regular file.".into())),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // Never read more than the limit, whatever size the file claims to have.
    let file = File::open(path).map_err(failed)?;
    file.take(max_bytes as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > max_bytes {
        return Err(refused(message!(
            "is larger than the limit of {max} bytes.",
            max = number(max_bytes)
        )));
    }
    Ok(Some(bytes))
}

/// The text of a file, or `None` if there is no file. A file larger than the limit is an error.
pub fn read_small_text(path: &Path, max_bytes: usize) -> Result<Option<String>> {
    let Some(bytes) = read_small(path, max_bytes)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| {
        Error::new(
            ErrorKind::Refused,
            message!(
                "{path} is not UTF-8 text.",
                path = path.display().to_string()
            ),
        )
    })
}

/// The file that a path leads to. Links are followed, even to a file that does not exist yet.
pub fn followed(path: &Path) -> PathBuf {
    /// The limit of most systems.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new(".")).join(target);
    }
    // The directories above may be links too, and two names of one file must compare as equal.
    match (fs::canonicalize(&path), path.parent(), path.file_name()) {
        (Ok(whole), _, _) => whole,
        (Err(_), Some(parent), Some(name)) => {
            fs::canonicalize(parent).map_or_else(|_| path.clone(), |parent| parent.join(name))
        }
        _ => path,
    }
}

/// Refuses to write to git's own files: it runs some of them.
pub fn check_not_git(path: &Path, meant: &Path) -> Result<()> {
    let mut parts = meant.iter();
    if !parts.any(|part| part.eq_ignore_ascii_case(".git")) {
        return Ok(());
    }
    Err(Error::refused(message!(
        "{path} leads into git's own files, to {meant}.",
        path = path.display(),
        meant = meant.display()
    ))
    .hint("replace the link with a file, if you want it there."))
}
