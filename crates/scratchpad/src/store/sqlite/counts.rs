//! The number of notes and tags of each scope, updated by every write, so that totals never need a scan.

use rusqlite::{Connection, params};

use super::search::tags_in;
use crate::model::note::Scope;
use crate::model::note::reply::NoteTotals;
use crate::model::note::search::fold;

/// The database keys of a session's scopes. A scope without a row has no notes.
pub(super) struct ScopeKeys {
    pub(super) session: Option<i64>,
    pub(super) project: Option<i64>,
}

impl ScopeKeys {
    pub(super) fn of(&self, scope: Scope) -> Option<i64> {
        match scope {
            Scope::Session => self.session,
            Scope::Project => self.project,
        }
    }

    /// The scopes that have a row.
    pub(super) fn known(&self) -> impl Iterator<Item = (Scope, i64)> {
        Scope::ALL
            .into_iter()
            .filter_map(|scope| self.of(scope).map(|key| (scope, key)))
    }
}

/// Adds a note and its tags to the counts, or subtracts them.
pub(super) fn count_note(
    connection: &Connection,
    scope: i64,
    tags: &[String],
    by: i64,
) -> rusqlite::Result<()> {
    let mut new_tags = 0;
    for tag in tags {
        let folded = fold(tag);
        let count: i64 = connection
            .prepare_cached(
                "INSERT INTO tag (scope, folded, shown, count) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (scope, folded) DO UPDATE SET count = count + excluded.count RETURNING count",
            )?
            .query_row(params![scope, folded, tag, by], |row| row.get(0))?;
        if count <= 0 {
            connection
                .prepare_cached("DELETE FROM tag WHERE scope = ?1 AND folded = ?2")?
                .execute(params![scope, folded])?;
            new_tags -= 1;
        } else if count == 1 && by > 0 {
            new_tags += 1;
        }
    }
    connection
        .prepare_cached("UPDATE scope SET notes = notes + ?2, tags = tags + ?3 WHERE key = ?1")?
        .execute(params![scope, by, new_tags])?;
    Ok(())
}

/// The number of visible notes and distinct tags.
pub(super) fn totals(connection: &Connection, keys: &ScopeKeys) -> rusqlite::Result<NoteTotals> {
    let mut counts = connection.prepare_cached("SELECT notes, tags FROM scope WHERE key = ?1")?;
    let mut totals = NoteTotals::default();
    let mut fewest = usize::MAX;
    let mut pair = Vec::new();
    for (_, key) in keys.known() {
        let (notes, tags): (usize, usize) =
            counts.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        totals.notes += notes;
        totals.tags += tags;
        // The scope with fewer tags goes first: each is looked up in the other.
        if tags < fewest {
            pair.insert(0, key);
        } else {
            pair.push(key);
        }
        fewest = fewest.min(tags);
    }
    if let [few, many] = pair.as_slice() {
        let both: usize = connection
            .prepare_cached(
                "SELECT count(*) FROM tag few JOIN tag many ON many.scope = ?2 AND many.folded = few.folded
                 WHERE few.scope = ?1",
            )?
            .query_row([few, many], |row| row.get(0))?;
        totals.tags = totals.tags.saturating_sub(both);
    }
    Ok(totals)
}

/// Recounts everything, after the folding rules have changed.
pub(super) fn recount(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DELETE FROM tag; UPDATE scope SET notes = 0, tags = 0;")?;
    let mut statement = connection.prepare("SELECT scope, tags FROM note ORDER BY key")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let tags: String = row.get(1)?;
        let tags: Vec<String> = tags_in(&tags).map(str::to_owned).collect();
        count_note(connection, row.get(0)?, &tags, 1)?;
    }
    Ok(())
}
