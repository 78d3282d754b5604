//! The tables, and how an older database becomes a newer one.

use rusqlite::{Connection, TransactionBehavior};

/// Each step takes a database one version further. Steps are only ever added.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE session (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        notes TEXT NOT NULL,
        plan TEXT NOT NULL,
        refs TEXT NOT NULL
    ) STRICT;
    CREATE INDEX session_of_project ON session (project, updated);

    CREATE TABLE revision (
        session INTEGER NOT NULL REFERENCES session (key),
        number INTEGER NOT NULL,
        space TEXT NOT NULL,
        action TEXT NOT NULL,
        at INTEGER NOT NULL,
        undoes INTEGER,
        used INTEGER NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT;

    CREATE TABLE output (
        id TEXT PRIMARY KEY,
        sha256 TEXT NOT NULL UNIQUE,
        bytes INTEGER NOT NULL,
        tool TEXT NOT NULL,
        session TEXT NOT NULL,
        created INTEGER NOT NULL,
        used INTEGER NOT NULL
    ) STRICT;
"];

/// The version that this program writes.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Marks the file as ours (`scra` in ASCII).
pub(super) const APPLICATION_ID: i64 = 0x7363_7261;

/// The version of an open database; 0 for an empty file.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Whether a database without a version is empty, and so ours to fill.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
        row.get(0)
    })
}

/// Takes the database to [`VERSION`], all steps or none.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = usize::try_from(version(&transaction)?).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(from) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}
