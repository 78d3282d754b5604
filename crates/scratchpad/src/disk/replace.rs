//! Replaces files atomically: readers see the old content or the new, never a mixture.
//!
//! When a function here returns, the content is on disk under its name. An existing file keeps its permissions.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::files::followed;
use super::private::{cannot, plain};
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// The beginning and the end of the name of a temporary file next to a shared one.
const PREFIX: &str = ".scratchpad-";
const SUFFIX: &str = ".tmp";

/// Replaces a file that, if it is new, only its owner can read. A link to a file is followed, not replaced.
pub fn replace_private(path: &Path, content: &[u8]) -> Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // Temporary files are private by default.
    replace(path, content, &tempfile::Builder::new())
}

/// Replaces a file that others read too. Refused if it is not writable; any link is followed.
pub fn replace_shared(path: &Path, content: &[u8]) -> Result<()> {
    let path = &followed(path);
    if fs::metadata(path).is_ok_and(|old| old.permissions().readonly()) {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only");
        return Err(cannot("write", path, &error));
    }
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    replace(path, content, &temporary)
}

fn replace(path: &Path, content: &[u8], temporary: &tempfile::Builder) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        let mut file = temporary.tempfile_in(directory)?;
        file.write_all(content)?;
        if let Ok(old) = fs::metadata(path) {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| cannot("write", path, &error))?;
    confirm(path)
}

/// Removes what killed calls of [`replace_shared`] left in a directory. Nobody may be writing there meanwhile.
pub fn remove_leftovers(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // Best effort: a leftover file does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the name of an existing file durable. If the disk refuses, the file still exists.
pub fn confirm(path: &Path) -> Result<()> {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    sync_directory(directory.unwrap_or(Path::new("."))).map_err(|error| {
        let failed = message!(
            "{path} was written, but the disk did not confirm it: {why}.",
            path = path.display(),
            why = plain(&error)
        );
        Error::store(failed).hint("check the disk: after a power cut the old content may be back.")
    })
}

/// Makes the names in a directory durable, on systems that can.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
