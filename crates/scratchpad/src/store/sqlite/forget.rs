//! Deleting sessions and notes in SQL.

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, params};

use super::note_ids::remember_deleted;
use super::{Sqlite, connect, notes, search};
use crate::model::error::Result;
use crate::model::id::{Millis, SessionId};
use crate::model::note::{NoteId, Scope};
use crate::model::text::rewrite::Rewrite;
use crate::store::{DeletedSession, Forget, Rewriting, Scopes, Scrubbed, TextPlace};

impl Forget for Sqlite {
    fn clear_notes(&self, scopes: Scopes<'_>, scope: Scope) -> Result<usize> {
        self.in_transaction(
            |transaction| match notes::keys(transaction, scopes)?.of(scope) {
                Some(key) => clear_scope(transaction, key),
                None => Ok(0),
            },
        )
    }

    fn delete_session(&self, session: &SessionId, at: Millis) -> Result<Option<DeletedSession>> {
        let gone = self.in_transaction(|transaction| {
            let id = session.as_str();
            let Some(key) = transaction
                .query_row("SELECT key FROM session WHERE id = ?1", [id], |row| {
                    row.get::<_, i64>(0)
                })
                .optional()?
            else {
                return Ok(None);
            };
            let mut gone = DeletedSession {
                revisions: transaction.execute("DELETE FROM revision WHERE session = ?1", [key])?,
                ..DeletedSession::default()
            };
            let scope = transaction
                .query_row(
                    "SELECT key FROM scope WHERE kind = ?1 AND name = ?2",
                    [Scope::Session.name(), id],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(scope) = scope {
                gone.notes = clear_scope(transaction, scope)?;
                transaction.execute("DELETE FROM scope WHERE key = ?1", [scope])?;
            }
            transaction.execute("DELETE FROM attention WHERE session = ?1", [id])?;
            transaction.execute("DELETE FROM binding WHERE session = ?1", [id])?;
            transaction.execute("DELETE FROM ledger WHERE session = ?1", [id])?;
            transaction.execute("DELETE FROM session WHERE key = ?1", [key])?;
            release_outputs(transaction, session, at, &mut gone)?;
            Ok(Some(gone))
        })?;
        if gone.is_some_and(|gone| gone.outputs > 0) {
            // Best effort: the next prune does it.
            let _ = self.remove_strays();
        }
        Ok(gone)
    }

    fn rewrite(&self, rewrite: &Rewrite<'_>, how: Rewriting) -> Result<Vec<TextPlace>> {
        self.rewrite_texts(rewrite, how)
    }

    fn scrub(&self) -> Result<Scrubbed> {
        // A connection of its own, because the pages that it caches are of no use to others.
        let scrubbed = connect(&self.path, self.timeout).and_then(|connection| {
            // Free space inside pages holds what was deleted or overwritten before, so clearing what is deleted from
            // now on (`secure_delete`) is not enough: all that is left is written anew.
            connection.execute_batch("VACUUM")?;
            // The old pages are in the file until the log is written into it, and the new ones in the log until it is
            // truncated.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                Ok(if row.get::<_, i64>(0)? == 0 {
                    Scrubbed::Clean
                } else {
                    Scrubbed::InUse
                })
            })
        });
        match scrubbed {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                Ok(Scrubbed::InUse)
            }
            other => other.map_err(|error| self.explain(&error)),
        }
    }
}

/// Removes the rows of the outputs that only this session keeps. Their files then belong to no output.
fn release_outputs(
    transaction: &Transaction<'_>,
    session: &SessionId,
    at: Millis,
    gone: &mut DeletedSession,
) -> rusqlite::Result<()> {
    let kept: Vec<(String, u64)> = transaction
            .prepare(
                "SELECT id, bytes FROM output WHERE id IN (SELECT output FROM output_keep WHERE session = ?1)
                 AND NOT EXISTS (SELECT 1 FROM output_keep o WHERE o.output = output.id AND o.session <> ?1)",
            )?
            .query_map([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
    transaction.execute(
        "DELETE FROM output_keep WHERE session = ?1",
        [session.as_str()],
    )?;
    for (id, bytes) in kept {
        transaction.execute("DELETE FROM output WHERE id = ?1", [&id])?;
        transaction.execute(
            "INSERT OR REPLACE INTO output_removed (id, at) VALUES (?1, ?2)",
            params![id, at],
        )?;
        gone.outputs += 1;
        gone.bytes += bytes;
    }
    Ok(())
}

/// Deletes the notes of a scope, their tags, and all that the search keeps of them.
fn clear_scope(connection: &Connection, scope: i64) -> rusqlite::Result<usize> {
    let highest: Option<Millis> = connection.query_row(
        "SELECT max(id) FROM note WHERE scope = ?1",
        [scope],
        |row| row.get(0),
    )?;
    let Some(highest) = highest else {
        return Ok(0);
    };
    let count = connection.execute("DELETE FROM note WHERE scope = ?1", [scope])?;
    remember_deleted(connection, NoteId(highest))?;
    connection.execute("DELETE FROM tag WHERE scope = ?1", [scope])?;
    connection.execute(
        "UPDATE scope SET notes = 0, tags = 0 WHERE key = ?1",
        [scope],
    )?;
    search::cleared(connection, scope)?;
    Ok(count)
}
