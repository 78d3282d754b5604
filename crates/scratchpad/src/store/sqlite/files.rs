//! Whether the files of a database are still those that were opened, and none is missing.
//!
//! `SQLite` writes to open files, wherever they are: to a database that was removed, and with the log of another.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use super::fallback::beside;
use super::in_use::unless_in_use;
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// How often to look before a log is lost: another process may make or remove it between two looks at its files.
const LOOKS: u32 = 10;
/// How long that takes at most, more or less.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// Which file it is, whatever its name; nothing where the system does not tell.
pub(super) type FileId = Option<(u64, u64)>;

/// The files of a database that a connection has open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    database: FileId,
    log: FileId,
}

/// What became of the files since a connection opened them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Since {
    Same,
    /// There is another database now, with a log of its own.
    Replaced,
}

impl Files {
    /// The files with this name now. One `stat` each.
    pub(super) fn at(path: &Path) -> Self {
        Self {
            database: id(path),
            log: id(&beside(path, "-wal")),
        }
    }

    /// Compares them with those that are there now.
    pub(super) fn check(&mut self, path: &Path) -> Result<Since> {
        if self.database.is_none() {
            return Ok(Since::Same);
        }
        let now = Self::at(path);
        if now.database.is_none() {
            return Err(removed(path));
        }
        let has_same_log = self.log.is_some() && self.log == now.log;
        if now.database != self.database {
            return if has_same_log {
                Err(mixed(path))
            } else {
                Ok(Since::Replaced)
            };
        }
        if self.log.is_some() && !has_same_log {
            return Err(log_removed(path));
        }
        // It is made by the first transaction.
        self.log = now.log;
        Ok(Since::Same)
    }
}

#[cfg_attr(
    not(unix),
    expect(
        unused_variables,
        clippy::unnecessary_wraps,
        reason = "there an open file can't be removed"
    )
)]
pub(super) fn id(path: &Path) -> FileId {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    None
}

/// Refuses a database whose log was lost with writes in it.
///
/// `SQLite`'s index of the log says how much of it had not been written into the database yet. Without a log it would be
/// ignored.
pub(super) fn check_log(path: &Path) -> Result<()> {
    for look in 0..LOOKS {
        if !lacks_log(path) {
            return Ok(());
        }
        if look + 1 < LOOKS {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
    Err(log_lost(path).hint(message!(
        "put it back, from where it was moved or from a backup with both files; to go on without what it held, remove {index}.",
        index = beside(path, "-shm").display()
    )))
}

/// Whether the index of the log says that the database needs the log, which is not there.
fn lacks_log(path: &Path) -> bool {
    // Where there is a connection, it looked when it was opened, and has the log open.
    unless_in_use(path, || index_needs_log(path)).unwrap_or(false)
}

fn index_needs_log(path: &Path) -> bool {
    let is_there = |found: Metadata| found.len() > 0;
    if fs::metadata(beside(path, "-wal")).is_ok_and(is_there) {
        return false;
    }
    let mut header = [0; 100];
    let index = File::open(beside(path, "-shm"));
    if index
        .and_then(|mut index| index.read_exact(&mut header))
        .is_err()
    {
        return false;
    }
    // In the machine's order of bytes, as SQLite writes them: `mxFrame` and `nBackfill`.
    let number = |at: usize| {
        let bytes = header.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_ne_bytes(*bytes))
    };
    let (frames, written) = (number(16).unwrap_or(0), number(96).unwrap_or(0));
    frames > written
}

/// Whether a database says that it has a log, and has neither one nor any content: the log had all of it.
pub(super) fn is_hollow(path: &Path) -> bool {
    unless_in_use(path, || lacks_content(path)).unwrap_or(false)
}

fn lacks_content(path: &Path) -> bool {
    let mut header = [0; 20];
    let has_log_version = File::open(path)
        .and_then(|mut file| file.read_exact(&mut header))
        .is_ok()
        && header.ends_with(&[2, 2]);
    has_log_version && fs::metadata(beside(path, "-wal")).map_or(0, |found| found.len()) == 0
}

/// The error for a database whose content was in a log that is not there.
pub(super) fn hollow(path: &Path) -> Error {
    log_lost(path).hint(message!(
        "copy {log} too, or use `scratchpad store backup`, which makes one file; for an empty store, remove {path}.",
        log = beside(path, "-wal").display(),
        path = path.display()
    ))
}

fn log_lost(path: &Path) -> Error {
    Error::refused(message!(
        "{log} is missing, and with it the latest writes to {path}.",
        log = beside(path, "-wal").display(),
        path = path.display()
    ))
}

fn removed(path: &Path) -> Error {
    Error::refused(message!(
        "{path} was removed while it was in use.",
        path = path.display()
    ))
    .hint("put it back; or run any scratchpad command that writes, which makes a new, empty one.")
}

fn mixed(path: &Path) -> Error {
    Error::refused(message!(
        "{path} was replaced while it was in use, but {log} belongs to the database before.",
        path = path.display(),
        log = beside(path, "-wal").display()
    ))
    .hint("stop all that use it, remove the -wal and -shm files beside it, then start again.")
}

fn log_removed(path: &Path) -> Error {
    Error::refused(message!(
        "{log} was removed while it was in use, and with it the latest writes to {path}.",
        log = beside(path, "-wal").display(),
        path = path.display()
    ))
    .hint("put it back, or restart what uses it.")
}
