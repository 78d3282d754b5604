//! Files and directories that only their owner may read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::model::error::{Error, Result};

/// Makes the directory and what is missing above it, for the owner alone.
pub fn create_dir(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| {
        cannot("make the directory", path, &error)
            .hint("make it yourself, or choose another place with SCRATCHPAD_HOME=DIR.")
    })
}

/// How to open a file so that, where it is made, only the owner may read it.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts a file in place at once: readers see the old content or the new, never a part.
///
/// The content is on disk, under its name, when this returns.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        // A new file here belongs to the owner alone; a file that was there keeps its mode.
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(content)?;
        if let Ok(old) = fs::metadata(path) {
            temporary.as_file().set_permissions(old.permissions())?;
        }
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        sync_dir(directory)
    };
    written().map_err(|error| cannot("write", path, &error))
}

/// Makes the names in a directory durable, where the system can.
pub fn sync_dir(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// The error for a file operation that the system refused.
pub fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    let failed = Error::store(format!(
        "Can't {what} {}: {}. Nothing was changed.",
        path.display(),
        plain(error)
    ));
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => failed
            .hint("make it writable for you, or choose another place with SCRATCHPAD_HOME=DIR."),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failed.hint("free some space, then try again.")
        }
        _ => failed,
    }
}

/// The system's words without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}
