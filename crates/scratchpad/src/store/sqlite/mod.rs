//! The embedded engine: one `SQLite` database and one directory of output files.
//!
//! WAL mode, so that readers and the writer don't block each other. `synchronous=FULL`, so that a finished write
//! survives a power loss. Every write transaction is `IMMEDIATE`, so that the busy timeout applies and none fails
//! halfway.

mod connections;
mod counts;
mod fallback;
mod forget;
mod health;
mod hooks;
mod note_ids;
mod note_pages;
mod notes;
mod outputs;
mod prune;
mod schema;
mod search;
mod sessions;
mod transfer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::disk::private;
use crate::disk::private::cannot;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::note::search::SearchMethod;
use crate::model::text::message::message;
use connections::Connections;
use schema::Age;

/// The file name of the database in the data directory.
pub const FILE_NAME: &str = "scratchpad.db";

pub struct Sqlite {
    connections: Connections,
    path: PathBuf,
    outputs: PathBuf,
    /// Files of kept outputs that are not fsynced yet.
    unsynced: Mutex<Vec<PathBuf>>,
    timeout: Duration,
    search: SearchMethod,
}

impl Sqlite {
    /// Opens the database, creating it if needed. Output files are in a directory next to it.
    ///
    /// Opening an up-to-date database costs just one integer comparison.
    pub fn open(path: &Path, timeout: Duration) -> Result<Self> {
        let connection = connected(path, timeout);
        let connection = connection.or_else(|error| {
            fallback::to_read_what_cannot_be_written(path, timeout).ok_or(error)
        })?;
        Ok(Self::on(connection, path, timeout))
    }

    /// Like [`Self::open`], for brief work; falls back to exclusive access if the disk has no room for shared memory.
    pub fn open_in_need(path: &Path, timeout: Duration) -> Result<Self> {
        Self::open(path, timeout).or_else(|error| {
            // The fallback would have to wait for the same lock.
            if error.kind() == ErrorKind::Busy {
                return Err(error);
            }
            let connection = fallback::alone(path, timeout).ok_or(error)?;
            Ok(Self::on(connection, path, timeout))
        })
    }

    fn on(connection: Connection, path: &Path, timeout: Duration) -> Self {
        Self {
            connections: Connections::new(connection),
            path: path.to_owned(),
            outputs: path.with_file_name("outputs"),
            unsynced: Mutex::default(),
            timeout,
            search: SearchMethod::default(),
        }
    }

    /// How notes are searched. What writes record for the index is the same, so that it can be changed at any time.
    #[must_use]
    pub fn with_search(mut self, method: SearchMethod) -> Self {
        self.search = method;
        self
    }

    /// A connection of the caller's own: a long read must not block writes.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connections.take(|| connect(&self.path, self.timeout))
    }

    /// Begins a write transaction once no other process has one.
    ///
    /// `SQLite`'s own busy handler polls less and less often, so newcomers overtake those who have waited long, and
    /// those time out. This one polls more often the longer it waits.
    fn begin<'a>(&self, connection: &'a Connection) -> rusqlite::Result<Transaction<'a>> {
        self.begin_within(connection, self.timeout)
    }

    fn begin_within<'a>(
        &self,
        connection: &'a Connection,
        timeout: Duration,
    ) -> rusqlite::Result<Transaction<'a>> {
        connection.busy_timeout(Duration::ZERO)?;
        let since = Instant::now();
        let begun = loop {
            let begun = Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
            let is_busy = matches!(&begun, Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
            let waited = since.elapsed();
            if !is_busy || waited >= timeout {
                break begun;
            }
            std::thread::sleep(pause_after(waited).min(timeout.saturating_sub(waited)));
        };
        connection.busy_timeout(self.timeout)?;
        begun
    }

    fn explain(&self, error: &rusqlite::Error) -> Error {
        explain(error, &self.path, self.timeout)
    }
}

/// The pause before the next attempt: short at first, because most writes are; then shorter the longer it has waited.
fn pause_after(waited: Duration) -> Duration {
    Duration::from_millis(match waited.as_millis() {
        0..50 => 2,
        50..2_000 => 20,
        2_000..6_000 => 8,
        6_000..12_000 => 3,
        _ => 1,
    })
}

fn connected(path: &Path, timeout: Duration) -> Result<Connection> {
    let failed = |error| explain(&error, path, timeout);
    if let Some(directory) = path.parent() {
        private::check_owner(directory)?;
    }
    if path.exists() {
        private::check_owner(path)?;
        private::keep_private(path);
        let connection = connect(path, timeout).map_err(failed)?;
        match schema::age(&connection).map_err(failed)? {
            Age::Current => return Ok(connection),
            Age::Newer(version) => return Err(too_new(path, version)),
            Age::Foreign => return Err(not_ours(path)),
            Age::Older | Age::Unmarked => {}
        }
    }
    create_or_migrate(path, timeout)
}

fn connect(path: &Path, timeout: Duration) -> rusqlite::Result<Connection> {
    configured(unsettled(path)?, timeout)
}

/// A connection that has not read the file yet.
fn unsettled(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

fn configured(connection: Connection, timeout: Duration) -> rusqlite::Result<Connection> {
    connection.busy_timeout(timeout)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Otherwise the WAL of a large import would keep its size for as long as any process has the store open.
    connection.pragma_update(None, "journal_size_limit", 16 << 20)?;
    Ok(connection)
}

/// The slow path: one process at a time creates the file, switches it to WAL mode, and migrates it.
fn create_or_migrate(path: &Path, timeout: Duration) -> Result<Connection> {
    let directory = path.parent().unwrap_or(Path::new("."));
    private::create_dir(directory)?;
    let _turn = private::take_turn(&path.with_extension("lock"), timeout)?;

    private::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| cannot("write", path, &error))?;
    let failed = |error| explain(&error, path, timeout);
    let mut connection = connect(path, timeout).map_err(failed)?;
    // Another process may have been here while this one waited for the lock.
    match schema::age(&connection).map_err(failed)? {
        Age::Current => return Ok(connection),
        Age::Newer(version) => return Err(too_new(path, version)),
        Age::Unmarked if schema::is_empty(&connection).map_err(failed)? => {}
        Age::Unmarked | Age::Foreign => return Err(not_ours(path)),
        Age::Older => {}
    }
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .map_err(failed)?;
    schema::migrate(&mut connection).map_err(failed)?;
    private::sync_dir(directory).map_err(|error| cannot("write", directory, &error))?;
    Ok(connection)
}

fn too_new(path: &Path, version: i64) -> Error {
    Error::store(message!("{path} was written by a newer scratchpad (schema {version}, this one knows {known}). Nothing was changed.", path = path.display().to_string(), version = version.to_string(), known = schema::VERSION.to_string()))
    .hint("update scratchpad, or choose another directory with SCRATCHPAD_HOME=DIR.")
}

fn not_ours(path: &Path) -> Error {
    Error::store(message!(
        "{path} is not a Scratchpad database. Nothing was changed.",
        path = path.display().to_string()
    ))
    .hint(
        "move it away (a new one is then created), or choose another directory with SCRATCHPAD_HOME=DIR.",
    )
}

/// The message for an `SQLite` error.
fn explain(error: &rusqlite::Error, path: &Path, timeout: Duration) -> Error {
    let shown = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => private::busy(path, timeout),
        Some(ErrorCode::NotADatabase) => not_ours(path),
        Some(ErrorCode::DatabaseCorrupt) => Error::store(message!("{path} is damaged ({why}). Nothing was changed.", path = shown, why = error.to_string()))
        .hint("back up the file first; `sqlite3 FILE .recover` may recover its content."),
        Some(ErrorCode::DiskFull) => {
            Error::store(message!("The disk is full: {path} could not be written. Nothing was changed.", path = shown))
                .hint("free some space, then try again.")
        }
        Some(ErrorCode::SystemIoFailure) => {
            Error::store(message!("The disk refused {shown} ({error}). Nothing was changed.", shown, error = error.to_string()))
                .hint("it may be full: free some space, then try again.")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            Error::store(message!("Can't open {path} for writing ({why}). Nothing was changed.", path = shown, why = error.to_string()))
                .hint("make the file and its directory writable, or choose another directory with SCRATCHPAD_HOME=DIR.")
        }
        _ => Error::store(message!("{shown}: {error}. Nothing was changed.", shown, error = error.to_string())),
    }
}
