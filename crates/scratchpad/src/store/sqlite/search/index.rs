//! The write side: what a change of a note records for the search, and when maintenance is due.

use std::hash::{BuildHasher, RandomState};

use rusqlite::{Connection, Result, TransactionBehavior};

use super::key_of;
use super::pack::{merge, pack, rewrite_stalest};
use super::runs::{drop_run, runs_of};

/// When maintenance is due, and how much of it one step may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The number of notes at which a tail is packed.
    pub(super) tail: i64,
    /// The most notes packed in one step.
    pub(super) pack_notes: i64,
    /// The target size of a page.
    pub(super) page_bytes: usize,
    /// The number of pages that the notes of a typical tail take.
    pub(super) tail_pages: u32,
    /// The number of adjacent runs of one level that are merged into one of the next.
    pub(super) fanout: u32,
    /// Runs of this level are not merged.
    pub(super) top_level: i64,
    /// The most pages in a run; packing or merging may exceed it by one.
    pub(super) run_pages: u32,
    /// The most bytes in a packed run; packing may exceed it by one note.
    pub(super) run_bytes: usize,
    /// Runs with more pairs of term and page than this are not merged.
    pub(super) run_pairs: usize,
    /// One call in this many counts the stale copies, which takes milliseconds in a large scope.
    pub(super) count_one_in: u64,
}

impl Limits {
    /// A step usually takes 2 ms; a large merge takes 60 ms, a bulk import or a rewrite 300 ms.
    pub(super) const USUAL: Self = Self {
        tail: 256,
        pack_notes: 32_768,
        page_bytes: super::page::PAGE_BYTES,
        tail_pages: 20,
        fanout: 8,
        top_level: 2,
        run_pages: 4096,
        run_bytes: 16 << 20,
        run_pairs: 16 << 20,
        count_one_in: 128,
    };
}

/// Records that a note was inserted. Like the next two, called in the transaction that changes the note.
pub(in crate::store::sqlite) fn inserted(
    connection: &Connection,
    scope: i64,
    key: i64,
) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO note_pending (scope, note) VALUES (?1, ?2)")?
        .execute([scope, key])?;
    Ok(())
}

/// Records that a note was changed, and possibly moved; `version` is the new one.
pub(in crate::store::sqlite) fn changed(
    connection: &Connection,
    key: i64,
    old_scope: i64,
    new_scope: i64,
    version: i64,
) -> Result<()> {
    if old_scope == new_scope {
        if is_pending(connection, old_scope, key)? {
            return Ok(());
        }
        mark_stale(connection, old_scope, key, version)?;
    } else {
        deleted(connection, old_scope, key, version.saturating_sub(1))?;
    }
    inserted(connection, new_scope, key)
}

/// Records that a note was deleted; `version` is its last one.
pub(in crate::store::sqlite) fn deleted(
    connection: &Connection,
    scope: i64,
    key: i64,
    version: i64,
) -> Result<()> {
    let pending = connection
        .prepare_cached("DELETE FROM note_pending WHERE scope = ?1 AND note = ?2")?
        .execute([scope, key])?;
    if pending == 0 {
        mark_stale(connection, scope, key, version.saturating_add(1))?;
    }
    Ok(())
}

/// Records that all notes of a scope were deleted.
pub(in crate::store::sqlite) fn cleared(connection: &Connection, scope: i64) -> Result<()> {
    let runs = match runs_of(connection, scope) {
        Err(error) if super::is_damage(&error) => return super::rebuild(connection),
        runs => runs?,
    };
    for run in runs {
        drop_run(connection, scope, &run)?;
    }
    connection.execute(
        "DELETE FROM note_block WHERE key BETWEEN ?1 AND ?2",
        [key_of(scope, 0), key_of(scope, u32::MAX)],
    )?;
    connection.execute("DELETE FROM note_pending WHERE scope = ?1", [scope])?;
    connection.execute("DELETE FROM note_stale WHERE scope = ?1", [scope])?;
    Ok(())
}

fn is_pending(connection: &Connection, scope: i64, key: i64) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM note_pending WHERE scope = ?1 AND note = ?2")?
        .exists([scope, key])
}

/// Records another stale packed copy of the note: all with a version below this one are stale.
fn mark_stale(connection: &Connection, scope: i64, key: i64, version: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO note_stale (scope, note, version, copies) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT (scope, note) DO UPDATE SET version = excluded.version, copies = copies + 1",
        )?
        .execute([scope, key, version])?;
    Ok(())
}

/// Does one bounded step of maintenance if any is due in the scope; false if there was nothing to do.
///
/// Call it after a commit, never inside a transaction. If it fails or is not called, a later call
/// does the work; until then searches are only slower.
pub(in crate::store::sqlite) fn maintain(connection: &mut Connection, scope: i64) -> Result<bool> {
    maintain_within(connection, scope, &Limits::USUAL)
}

pub(super) fn maintain_within(
    connection: &mut Connection,
    scope: i64,
    limits: &Limits,
) -> Result<bool> {
    // Check without the write lock first: most calls have nothing to do.
    let due = tail_is_full(connection, scope, limits)?
        || (is_our_turn(limits.count_one_in) && is_stale(connection, scope, limits)?);
    if !due {
        return Ok(false);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Check again: another process may have done it meanwhile.
    let done = if tail_is_full(&transaction, scope, limits)? {
        let packed = pack(&transaction, scope, limits)?;
        merge(&transaction, scope, limits)?;
        packed
    } else if is_stale(&transaction, scope, limits)? {
        rewrite_stalest(&transaction, scope, limits)?
    } else {
        false
    };
    transaction.commit()?;
    Ok(done)
}

fn tail_is_full(connection: &Connection, scope: i64, limits: &Limits) -> Result<bool> {
    let notes: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM note_pending WHERE scope = ?1 LIMIT ?2)",
        )?
        .query_row([scope, limits.tail], |row| row.get(0))?;
    Ok(notes >= limits.tail)
}

/// True for one call in this many, at random: a process may make a single call, so it can't count them.
fn is_our_turn(one_in: u64) -> bool {
    RandomState::new().hash_one(()).is_multiple_of(one_in)
}

/// Whether more than an eighth of the packed copies are stale.
fn is_stale(connection: &Connection, scope: i64, limits: &Limits) -> Result<bool> {
    let copies: i64 = connection
        .prepare_cached("SELECT coalesce(sum(copies), 0) FROM note_stale WHERE scope = ?1")?
        .query_row([scope], |row| row.get(0))?;
    if copies < limits.tail {
        return Ok(false);
    }
    let packed = runs_of(connection, scope)?
        .iter()
        .fold(0_i64, |sum, run| sum.saturating_add(run.notes));
    Ok(copies.saturating_mul(8) > packed)
}
