//! Files that belong to others too: read with a limit, replaced whole, links followed.

use std::fs::{self, File};
use std::io::{self, ErrorKind as IoKind, Read, Write};
use std::path::{Path, PathBuf};

use super::private::{cannot, confirm};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{Message, message, number};

/// The bytes of a file, if there is one and it has no more than the limit.
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
        // Opening a pipe would wait for its other end.
        Ok(found) if !found.is_file() => return Err(refused("is not a regular file.".into())),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // Whatever size a file says it has: no more than this is ever read.
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

/// The text of a file, if there is one and it has no more than the limit.
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

/// The file that a path means: links are followed, also one to a file that is not there yet.
pub fn followed(path: &Path) -> PathBuf {
    /// As many as systems follow.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new(".")).join(target);
    }
    // The directories above may be links too: two names of one file must look the same.
    match (fs::canonicalize(&path), path.parent(), path.file_name()) {
        (Ok(whole), _, _) => whole,
        (Err(_), Some(parent), Some(name)) => {
            fs::canonicalize(parent).map_or_else(|_| path.clone(), |parent| parent.join(name))
        }
        _ => path,
    }
}

/// What the name of a file that is being written begins and ends with.
const PREFIX: &str = ".scratchpad-";
const SUFFIX: &str = ".tmp";

/// Removes what writers that were killed left in a directory. Nobody else may be writing there.
pub fn remove_leftovers(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // What can't be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Puts a file that others read too in place at once: they see the old content or the new, never a part.
///
/// A file that was there keeps its permissions; one without any permission to write is left alone.
pub fn replace_shared(path: &Path, content: &[u8]) -> Result<()> {
    let path = &followed(path);
    let directory = path.parent().unwrap_or(Path::new("."));
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        let error = io::Error::new(IoKind::PermissionDenied, "it is read-only");
        return Err(cannot("write", path, &error));
    }
    let written = || -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut temporary = builder.tempfile_in(directory)?;
        temporary.write_all(content)?;
        if let Some(old) = &old {
            temporary.as_file().set_permissions(old.permissions())?;
        }
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    };
    written().map_err(|error| cannot("write", path, &error))?;
    confirm(path)
}
