//! Exact substring search over notes, in ordinary tables.
//!
//! A note is found in one of two places, depending on rows in the reader's own snapshot:
//! - in the **tail** (`note_pending`): new and changed notes, read from their rows by every search;
//! - in a **page** (`note_block`): the folded text of about a dozen notes of one scope, packed to
//!   fill one page of the file. A **run** (`note_run`) is a stretch of pages with an index of its
//!   own (`note_posting`): which of them contain which three bytes, and which tags.
//!
//! A tail that has grown is packed into a new run; when there are many runs, they are merged. A packed
//! note that changes goes back to the tail, and its copy in the page is marked (`note_stale`)
//! until the run is rewritten. Maintenance affects only the speed of searches, never their results.
//!
//! Why not FTS5: one insert in a hundred takes 20 ms, it can't search for one or two
//! characters, and it must fetch each matching note to know the position of the match.

mod candidates;
mod index;
mod pack;
mod page;
mod page_set;
mod postings;
mod query;
mod runs;
mod stale;
mod varint;

#[cfg(test)]
mod tests;

use std::fmt;

use rusqlite::types::Type;
use rusqlite::{Connection, Result};

pub(in crate::store::sqlite) use index::{changed, cleared, deleted, inserted, maintain};
pub(in crate::store::sqlite) use query::{Hit, Wanted, find};

/// The tables of the search index; the notes themselves are in `note`.
///
/// `note_stale`: the version below which packed copies of the note are stale, and how many there are.
/// (`note_block` holds pages: renaming the table would cost every database a migration.)
/// `note_run`: the pages `first` to `last`, and how many notes they contain.
/// `note_block`: pages, by scope and number. `note_posting`: leaves, by run and first term.
/// `note_folding`: the Unicode version by which the packed texts were folded.
pub(in crate::store::sqlite) const TABLES: &str = "
    CREATE TABLE note_pending (
        scope INTEGER NOT NULL,
        note INTEGER NOT NULL,
        PRIMARY KEY (scope, note)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE note_stale (
        scope INTEGER NOT NULL,
        note INTEGER NOT NULL,
        version INTEGER NOT NULL,
        copies INTEGER NOT NULL,
        PRIMARY KEY (scope, note)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE note_run (
        scope INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        level INTEGER NOT NULL,
        number INTEGER NOT NULL,
        notes INTEGER NOT NULL,
        PRIMARY KEY (scope, first)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE note_block (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

    CREATE TABLE note_posting (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

    CREATE TABLE note_folding (unicode TEXT NOT NULL) STRICT;
";

const UNPACK: &str = "
    DELETE FROM note_posting;
    DELETE FROM note_block;
    DELETE FROM note_run;
    DELETE FROM note_stale;
    DELETE FROM note_pending;
    INSERT INTO note_pending (scope, note) SELECT scope, key FROM note;
    DELETE FROM note_folding;
";

/// Resets the index: every note is in the tail again, to be packed by maintenance.
///
/// Called in a transaction: for a new database, when the folding rules change, and
/// when the index is damaged. Notes are not changed.
pub(in crate::store::sqlite) fn rebuild(connection: &Connection) -> Result<()> {
    connection.execute_batch(UNPACK)?;
    connection.execute(
        "INSERT INTO note_folding (unicode) VALUES (?1)",
        [unicode()],
    )?;
    Ok(())
}

/// Whether the packed texts were folded by the rules of this program.
pub(in crate::store::sqlite) fn is_current(connection: &Connection) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM note_folding WHERE unicode = ?1")?
        .exists([unicode()])
}

/// Whether a search failed because packed data is damaged.
pub(in crate::store::sqlite) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(_, Type::Blob, _)
    )
}

fn unicode() -> String {
    let (major, minor, update) = char::UNICODE_VERSION;
    format!("{major}.{minor}.{update}")
}

/// Combines two numbers into one key: rows with the same `high` are adjacent, ordered by `low`.
fn key_of(high: i64, low: u32) -> i64 {
    high << 32 | i64::from(low)
}

/// Whether the number can be the high half of a key.
fn is_high_half(number: i64) -> bool {
    (0..1 << 31).contains(&number)
}

/// The tags in a column: one per line.
pub(in crate::store::sqlite) fn tags_in(column: &str) -> impl Iterator<Item = &str> {
    column.split('\n').filter(|tag| !tag.is_empty())
}

/// Data in the tables of the index that no version of this program wrote.
///
/// Small, for inner loops; outside them it becomes a database error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Damaged(&'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the search index is damaged: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

impl From<Damaged> for rusqlite::Error {
    fn from(damaged: Damaged) -> Self {
        Self::FromSqlConversionFailure(0, Type::Blob, Box::new(damaged))
    }
}
