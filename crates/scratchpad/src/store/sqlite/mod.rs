//! The embedded engine: one `SQLite` database and one directory of output files.
//!
//! WAL mode, so that readers and the writer don't block each other. `synchronous=FULL`, so that a finished write
//! survives a power loss. Every write transaction is `IMMEDIATE`, so that the busy timeout applies and none fails
//! halfway.

mod connections;
mod counts;
mod fallback;
mod files;
mod forget;
mod health;
mod hooks;
mod in_use;
mod ledger;
mod note_ids;
mod note_pages;
mod notes;
mod outputs;
mod packed;
mod pins;
mod projects;
mod prune;
mod rewrite;
mod schema;
mod search;
mod sessions;
mod sources;
mod transfer;
mod verified;
mod watch;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::sync_directory;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::note::search::SearchMethod;
use crate::model::text::message::message;
use crate::store::{Store, WithTimeout};
use connections::{Connections, Open, Taken};
use files::{Files, Since};
use in_use::{DatabaseConnection, unless_in_use};
use schema::Age;
use verified::Verified;

/// The file name of the database in the data directory.
pub const FILE_NAME: &str = "scratchpad.db";

/// Clones share their connections.
#[derive(Clone)]
pub struct Sqlite {
    connections: Arc<Connections>,
    path: PathBuf,
    outputs: PathBuf,
    /// Files of kept outputs that are not fsynced yet.
    unsynced: Arc<Mutex<Vec<PathBuf>>>,
    /// Files of outputs that need not be hashed again.
    verified: Arc<Verified>,
    timeout: Duration,
    /// When the call began that all writes are part of: they share one timeout.
    since: Option<Instant>,
    search: SearchMethod,
}

impl Sqlite {
    /// Opens the database, creating it if needed. Output files are in a directory next to it.
    ///
    /// Opening an up-to-date database costs just one integer comparison.
    pub fn open(path: &Path, timeout: Duration) -> Result<Self> {
        let connection = connected(path, timeout);
        let connection = connection.or_else(|error| {
            if error.kind() == ErrorKind::Refused {
                return Err(error);
            }
            fallback::to_read_what_cannot_be_written(path, timeout).ok_or(error)
        })?;
        Ok(Self::on(connection, path, timeout))
    }

    /// Like [`Self::open`], for brief work; falls back to exclusive access if the disk has no room for shared memory.
    pub fn open_in_need(path: &Path, timeout: Duration) -> Result<Self> {
        Self::open(path, timeout).or_else(|error| {
            // The fallback would have to wait for the same lock.
            // And what was refused must stay closed.
            if matches!(error.kind(), ErrorKind::Busy | ErrorKind::Refused) {
                return Err(error);
            }
            let connection = fallback::alone(path, timeout).ok_or(error)?;
            Ok(Self::on(connection, path, timeout))
        })
    }

    fn on(connection: DatabaseConnection, path: &Path, timeout: Duration) -> Self {
        let files = Files::at(path);
        Self {
            connections: Arc::new(Connections::new(Open { connection, files })),
            path: path.to_owned(),
            outputs: path.with_file_name("outputs"),
            unsynced: Arc::default(),
            verified: Arc::default(),
            timeout,
            since: None,
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
    ///
    /// The database may have been replaced or removed since it was opened; what would be written to it then is lost.
    fn connection(&self) -> Result<Taken<'_>> {
        let open = || {
            let files = Files::at(&self.path);
            let connection = connect(&self.path, self.timeout)?;
            Ok(Open { connection, files })
        };
        let taken = self.connections.take(self.deadline(self.timeout), open);
        let mut taken = taken.ok_or_else(|| private::busy(&self.path, self.timeout))?;
        let open = taken.open();
        if open.files.check(&self.path)? == Since::Replaced {
            open.connection = connected(&self.path, self.timeout)?;
            open.files = Files::at(&self.path);
        }
        Ok(taken)
    }

    fn deadline(&self, timeout: Duration) -> Instant {
        self.since.unwrap_or_else(Instant::now) + timeout
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
        let now = Instant::now();
        let deadline = self.deadline(timeout);
        let begun = loop {
            let begun = Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
            let is_busy = matches!(&begun, Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
            let left = deadline.saturating_duration_since(Instant::now());
            if !is_busy || left.is_zero() {
                break begun;
            }
            std::thread::sleep(pause_after(now.elapsed()).min(left));
        };
        connection.busy_timeout(self.timeout)?;
        begun
    }

    fn explain(&self, error: &rusqlite::Error) -> Error {
        explain(error, &self.path, self.timeout)
    }
}

impl WithTimeout for Sqlite {
    fn since(&self, began: Instant) -> Option<Arc<dyn Store>> {
        Some(Arc::new(Self {
            since: Some(began),
            ..self.clone()
        }))
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

fn connected(path: &Path, timeout: Duration) -> Result<DatabaseConnection> {
    let failed = |error| explain(&error, path, timeout);
    if let Some(directory) = path.parent() {
        private::check_owner(directory)?;
    }
    if path.exists() {
        private::check_owner(path)?;
        private::keep_private(path);
        for end in ["", "-wal", "-shm"] {
            private::check_regular(&fallback::beside(path, end))?;
        }
        files::check_log(path)?;
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

fn connect(path: &Path, timeout: Duration) -> rusqlite::Result<DatabaseConnection> {
    configured(unsettled(path)?, timeout)
}

/// A connection that has not read the file yet.
fn unsettled(path: &Path) -> rusqlite::Result<DatabaseConnection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    DatabaseConnection::open(path, path, flags)
}

fn configured(
    connection: DatabaseConnection,
    timeout: Duration,
) -> rusqlite::Result<DatabaseConnection> {
    connection.busy_timeout(timeout)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Otherwise the WAL of a large import would keep its size for as long as any process has the store open.
    connection.pragma_update(None, "journal_size_limit", 16 << 20)?;
    Ok(connection)
}

/// The slow path: one process at a time creates the file, switches it to WAL mode, and migrates it.
fn create_or_migrate(path: &Path, timeout: Duration) -> Result<DatabaseConnection> {
    let directory = path.parent().unwrap_or(Path::new("."));
    private::create_dir(directory)?;
    let mut turn = private::take_turn(&path.with_extension("lock"), timeout)?;

    let create = || {
        let mut options = private::options();
        options.create(true).truncate(false).write(true).open(path)
    };
    if let Some(created) = unless_in_use(path, create) {
        created.map_err(|error| cannot("write", path, &error))?;
    }
    let is_hollow = files::is_hollow(path) && !has_begun(&turn);
    let failed = |error| explain(&error, path, timeout);
    let mut connection = connect(path, timeout).map_err(failed)?;
    // Another process may have been here while this one waited for the lock.
    match schema::age(&connection).map_err(failed)? {
        Age::Current => return Ok(connection),
        Age::Newer(version) => return Err(too_new(path, version)),
        Age::Unmarked if is_hollow => return Err(files::hollow(path)),
        Age::Unmarked if schema::is_empty(&connection).map_err(failed)? => {
            begin_creation(&mut turn);
        }
        Age::Unmarked | Age::Foreign => return Err(not_ours(path)),
        Age::Older => {}
    }
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .map_err(failed)?;
    schema::migrate(&mut connection).map_err(failed)?;
    // If this fails, a database without its log is merely taken for one that was not finished.
    let _ = turn.set_len(0);
    sync_directory(directory).map_err(|error| cannot("write", directory, &error))?;
    Ok(connection)
}

/// What the lock file holds while a database is created: if that is interrupted, the next process goes on.
const CREATING: &[u8] = b"creating";

fn begin_creation(lock: &mut File) {
    // If this fails, an interrupted creation is reported instead of continued.
    let _ = lock.write_all(CREATING).and_then(|()| lock.sync_data());
}

fn has_begun(lock: &File) -> bool {
    lock.metadata().is_ok_and(|found| found.len() > 0)
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
