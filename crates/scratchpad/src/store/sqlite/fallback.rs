//! Opening a database when the disk is full or read-only.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::OpenFlags;

use super::in_use::DatabaseConnection;
use super::schema;
use super::schema::Age;

/// Opens the database exclusively.
///
/// WAL mode needs a shared-memory file, for which a full disk has no room; exclusive access does without. It locks
/// out all other processes, so it is only for brief work.
pub(super) fn alone(path: &Path, timeout: Duration) -> Option<DatabaseConnection> {
    let connection = super::unsettled(path).ok()?;
    // Must come before the first read.
    connection
        .pragma_update(None, "locking_mode", "EXCLUSIVE")
        .ok()?;
    current(super::configured(connection, timeout).ok()?)
}

/// Opens the database on a read-only file system, where no other process can change it either.
pub(super) fn to_read_what_cannot_be_written(
    path: &Path,
    timeout: Duration,
) -> Option<DatabaseConnection> {
    // With `immutable=1` the WAL is ignored, so its content would be missing.
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|found| found.len() > 0);
    if has_log || !is_on_read_only_disk(path) {
        return None;
    }
    let name: String = path
        .to_str()?
        .chars()
        .flat_map(|char| match char {
            '%' | '?' | '#' => format!("%{:02X}", u32::from(char)).chars().collect(),
            other => vec![other],
        })
        .collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let name = format!("file:{name}?immutable=1");
    let connection = DatabaseConnection::open(path, Path::new(&name), flags).ok()?;
    current(super::configured(connection, timeout).ok()?)
}

/// Without opening the file, of which this process may have a connection.
#[cfg(unix)]
fn is_on_read_only_disk(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK) == Err(rustix::io::Errno::ROFS)
}

#[cfg(not(unix))]
fn is_on_read_only_disk(path: &Path) -> bool {
    let opened = std::fs::OpenOptions::new().write(true).open(path);
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::ReadOnlyFilesystem)
}

fn current(connection: DatabaseConnection) -> Option<DatabaseConnection> {
    matches!(schema::age(&connection), Ok(Age::Current)).then_some(connection)
}

/// The path of a companion file of the database, such as its WAL.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}
