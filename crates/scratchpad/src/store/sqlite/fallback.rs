//! Ways into a database that can't be opened as usual: the disk is full, or can't be written.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::schema;
use super::schema::Age;

/// The database for this process alone.
///
/// The memory that processes share lies in a file, for which a full disk has no room; who is alone needs none. As long as
/// this is open nobody else gets in: it is for a moment's work.
pub(super) fn alone(path: &Path, timeout: Duration) -> Option<Connection> {
    let connection = super::unsettled(path).ok()?;
    // Before anything is read: then it is too late.
    connection
        .pragma_update(None, "locking_mode", "EXCLUSIVE")
        .ok()?;
    current(super::configured(connection, timeout).ok()?)
}

/// The database on a file system that can't be written, where nobody else can change it either.
pub(super) fn to_read_what_cannot_be_written(path: &Path, timeout: Duration) -> Option<Connection> {
    let refused = OpenOptions::new().write(true).open(path).err()?;
    // What stands in the log alone would be missing.
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|found| found.len() > 0);
    if refused.kind() != ErrorKind::ReadOnlyFilesystem || has_log {
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
    let connection = Connection::open_with_flags(format!("file:{name}?immutable=1"), flags).ok()?;
    current(super::configured(connection, timeout).ok()?)
}

fn current(connection: Connection) -> Option<Connection> {
    matches!(schema::age(&connection), Ok(Age::Current)).then_some(connection)
}

/// A file of the database beside its main one.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}
