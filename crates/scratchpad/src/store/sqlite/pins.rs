//! Pinned notes in SQL.

use rusqlite::params;

use super::Sqlite;
use super::notes::{keys, read_note, visible};
use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::note::{Note, NoteId, Scope};
use crate::store::{Pins, Scopes};

impl Pins for Sqlite {
    fn pin(&self, scopes: Scopes<'_>, id: NoteId, since: Option<Millis>) -> Result<bool> {
        self.in_transaction(|transaction| {
            let Some(found) = visible(transaction, &keys(transaction, scopes)?, id)? else {
                return Ok(false);
            };
            // `since` is null to unpin it.
            transaction.execute(
                "UPDATE note SET pinned = iif(?2 IS NULL, NULL, coalesce(pinned, ?2)) WHERE key = ?1",
                params![found.key, since],
            )?;
            Ok(true)
        })
    }

    fn pinned(&self, scopes: Scopes<'_>) -> Result<Vec<Note>> {
        self.reading(|connection| {
            let keys = keys(connection, scopes)?;
            let mut statement = connection.prepare_cached(
                "SELECT id, content, tags, created, updated, author, scope FROM note
                 WHERE pinned IS NOT NULL AND scope IN (?1, ?2) ORDER BY pinned, id",
            )?;
            let notes = statement.query_map(params![keys.session, keys.project], |row| {
                let is_of_project = keys.project == Some(row.get(6)?);
                let scope = if is_of_project {
                    Scope::Project
                } else {
                    Scope::Session
                };
                read_note(row, scope)
            })?;
            notes.collect()
        })
    }
}
