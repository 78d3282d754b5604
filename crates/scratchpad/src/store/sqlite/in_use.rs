//! Which databases this process has open.
//!
//! A process that closes any handle of a file loses all its locks on that file, also those that `SQLite` took through another
//! handle. Another process would then take the log for abandoned. So as long as a connection is open, nothing but
//! `SQLite` may open the database or its `-shm`.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags};

use super::files::{FileId, id};

/// One entry for each open connection.
static IN_USE: Mutex<Vec<FileId>> = Mutex::new(Vec::new());

fn in_use() -> MutexGuard<'static, Vec<FileId>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `look`, which opens files of the database, unless this process has a connection to it.
pub(super) fn unless_in_use<T>(path: &Path, look: impl FnOnce() -> T) -> Option<T> {
    // The lock is held meanwhile: a connection must not begin before the files are closed again.
    let in_use = in_use();
    let file = id(path);
    let is_in_use = file.is_some() && in_use.contains(&file);
    (!is_in_use).then(look)
}

/// A connection to a database that counts as in use until it is dropped.
pub(super) struct DatabaseConnection {
    // Dropped in this order: the entry goes when the connection is closed.
    connection: Connection,
    _entry: Entry,
}

impl DatabaseConnection {
    /// Opens the database `name`, which is `path` or a URI of it.
    pub(super) fn open(path: &Path, name: &Path, flags: OpenFlags) -> rusqlite::Result<Self> {
        let entry = Entry::new(id(path));
        Ok(Self {
            connection: Connection::open_with_flags(name, flags)?,
            _entry: entry,
        })
    }
}

impl Deref for DatabaseConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for DatabaseConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

struct Entry(FileId);

impl Entry {
    fn new(file: FileId) -> Self {
        in_use().push(file);
        Self(file)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut in_use = in_use();
        if let Some(at) = in_use.iter().position(|file| *file == self.0) {
            in_use.swap_remove(at);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_not_opened_beside_a_connection_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let look = || unless_in_use(&path, || ());
        assert_eq!(look(), Some(()), "there is none yet");
        std::fs::write(&path, "").unwrap();
        assert_eq!(look(), Some(()));

        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let open = || DatabaseConnection::open(&path, &path, flags).unwrap();
        let (first, second) = (open(), open());
        assert_eq!(look(), None);
        drop(first);
        assert_eq!(look(), None);
        drop(second);
        assert_eq!(look(), Some(()));
    }
}
