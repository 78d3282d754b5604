//! Runs: consecutive packed pages of one scope, with their index of postings.

use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::postings::write_leaves;
use super::{Damaged, is_high_half, key_of};

/// No run is larger. A row that claims to be is damaged, and must not make us allocate memory for it.
const LARGEST_RUN: u32 = 1 << 16;

/// A run, as stored in its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Its first and last page in the scope.
    pub(super) first: u32,
    pub(super) last: u32,
    /// How often it was merged; runs of one level are roughly equal in size.
    pub(super) level: i64,
    /// The key prefix of its leaves.
    pub(super) number: i64,
    /// The number of notes in its pages, including stale copies.
    pub(super) notes: i64,
}

impl Run {
    pub(super) fn pages(&self) -> u32 {
        self.last - self.first + 1
    }

    /// The inclusive range of its pages' keys.
    pub(super) fn page_keys(&self, scope: i64) -> [i64; 2] {
        [key_of(scope, self.first), key_of(scope, self.last)]
    }

    /// The inclusive range of its leaves' keys.
    pub(super) fn leaf_keys(&self) -> [i64; 2] {
        [key_of(self.number, 0), key_of(self.number, u32::MAX)]
    }
}

/// The first term of a leaf, from its key.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the lower half is meant"
)]
pub(super) fn first_term(key: i64) -> u32 {
    key as u32
}

/// The runs of a scope, ordered by their pages.
pub(super) fn runs_of(connection: &Connection, scope: i64) -> Result<Vec<Run>> {
    connection
        .prepare_cached(
            "SELECT first, last, level, number, notes FROM note_run WHERE scope = ?1 ORDER BY first",
        )?
        .query_map([scope], read_run)?
        .collect()
}

fn read_run(row: &Row<'_>) -> Result<Run> {
    const DAMAGED: Damaged = Damaged("a run has impossible pages");
    let page = |column| -> Result<u32> {
        let number: i64 = row.get(column)?;
        Ok(u32::try_from(number).map_err(|_| DAMAGED)?)
    };
    let run = Run {
        first: page(0)?,
        last: page(1)?,
        level: row.get(2)?,
        number: row.get(3)?,
        notes: row.get(4)?,
    };
    let pages = run.last.checked_sub(run.first);
    if pages.is_none_or(|pages| pages >= LARGEST_RUN) || !is_high_half(run.number) {
        return Err(DAMAGED.into());
    }
    Ok(run)
}

/// The number of the first page after all runs of a scope.
pub(super) fn next_page(connection: &Connection, scope: i64) -> Result<u32> {
    let newest = connection
        .prepare_cached(
            "SELECT first, last, level, number, notes FROM note_run
             WHERE scope = ?1 ORDER BY first DESC LIMIT 1",
        )?
        .query_row([scope], read_run)
        .optional()?;
    let next = newest.map_or(Some(0), |run| run.last.checked_add(1));
    Ok(next.ok_or(Damaged("a scope has no number left for a page"))?)
}

/// Stores a run: its leaves, built from sorted pairs of term and page, and its row.
///
/// Chooses the number of the run.
pub(super) fn add_run(connection: &Connection, scope: i64, run: &Run, pairs: &[u64]) -> Result<()> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(key) FROM note_posting")?
        .query_row([], |row| row.get(0))?;
    let number = last.map_or(1, |key| (key >> 32) + 1);
    if !is_high_half(number) {
        return Err(Damaged("no number is left for a run").into());
    }
    let mut insert =
        connection.prepare_cached("INSERT INTO note_posting (key, data) VALUES (?1, ?2)")?;
    write_leaves(pairs, run.pages(), |term, leaf| {
        insert.execute(params![key_of(number, term), leaf])?;
        Ok(())
    })?;
    if pairs.is_empty() {
        // Notes of one or two bytes have no terms. An empty leaf reserves the run's number.
        insert.execute(params![key_of(number, 0), []])?;
    }
    connection
        .prepare_cached(
            "INSERT INTO note_run (scope, first, last, level, number, notes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            scope, run.first, run.last, run.level, number, run.notes
        ])?;
    Ok(())
}

/// Removes a run's row and leaves, but not its pages.
pub(super) fn drop_run(connection: &Connection, scope: i64, run: &Run) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM note_posting WHERE key BETWEEN ?1 AND ?2")?
        .execute(run.leaf_keys())?;
    connection
        .prepare_cached("DELETE FROM note_run WHERE scope = ?1 AND first = ?2")?
        .execute(params![scope, run.first])?;
    Ok(())
}
