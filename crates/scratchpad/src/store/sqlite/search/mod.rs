//! Exact substring search over notes, in ordinary tables.
//!
//! A note is found in one of two places, decided by rows of the reader's own snapshot:
//! - in the **tail** (`note_pending`): new and changed notes, read from their rows by every search;
//! - in a **page** (`note_block`): the folded text of about a dozen notes of one scope, packed to
//!   fill one page of the file. A **run** (`note_run`) is a stretch of pages with an index of its
//!   own (`note_posting`): which of them contain which three bytes, and which tags.
//!
//! A tail that has grown is packed as a new run; runs that have become many are merged. A packed
//! note that changes goes back to the tail, and its copy in the page is marked (`note_stale`)
//! until its run is rewritten. No answer depends on whether that upkeep was done: only its speed.
//!
//! Why not FTS5: it takes 20 ms for one insert in a hundred, knows nothing of queries of one or two
//! characters, and must fetch each note found to know where it was found.

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

/// The tables of the search; the notes themselves are in `note`.
///
/// `note_stale`: packed copies of the note below that version are stale, and how many there are.
/// (`note_block` keeps the name that pages had at first: another would cost every database a migration.)
/// `note_run`: the pages `first` to `last`, and how many notes are in them.
/// `note_block`: pages, by scope and number. `note_posting`: leaves, by run and first term.
/// `note_folding`: by which version of Unicode the packed texts were folded.
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

/// Forgets all that was packed: every note is in the tail again, to be packed by upkeep.
///
/// In a transaction of the caller: for a new database, for when the rules of folding change, and
/// for when something here is damaged. No note is touched.
pub(in crate::store::sqlite) fn rebuild(connection: &Connection) -> Result<()> {
    connection.execute_batch(UNPACK)?;
    connection.execute(
        "INSERT INTO note_folding (unicode) VALUES (?1)",
        [unicode()],
    )?;
    Ok(())
}

/// Whether what is packed was folded by the rules of this program.
pub(in crate::store::sqlite) fn is_current(connection: &Connection) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM note_folding WHERE unicode = ?1")?
        .exists([unicode()])
}

/// Whether a search failed because something packed can't be read.
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

/// Two numbers as one key: rows with the same `high` lie together, in the order of `low`.
fn key_of(high: i64, low: u32) -> i64 {
    high << 32 | i64::from(low)
}

/// Whether [`key_of`] keeps the number apart from all others.
fn is_high_half(number: i64) -> bool {
    (0..1 << 31).contains(&number)
}

/// The tags in a column: one a line.
pub(in crate::store::sqlite) fn tags_in(column: &str) -> impl Iterator<Item = &str> {
    column.split('\n').filter(|tag| !tag.is_empty())
}

/// Something in the tables of the search that no version of this program wrote.
///
/// Small, for the inner loops; it becomes an error of the database outside them.
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
