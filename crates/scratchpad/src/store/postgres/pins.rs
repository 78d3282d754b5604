//! Pinned notes in SQL.

use super::Postgres;
use super::counts::scope_keys;
use super::notes::{NOTE, note};
use super::values::params;
use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::note::{Note, NoteId};
use crate::store::{Pins, Scopes};

impl Pins for Postgres {
    fn pin(&self, scopes: Scopes<'_>, id: NoteId, since: Option<Millis>) -> Result<bool> {
        self.writing(|transaction| {
            let keys = scope_keys(transaction, scopes)?;
            // `since` is null to unpin it.
            let changed = transaction.execute(
                "UPDATE note SET pinned = CASE WHEN $3::bigint IS NOT NULL THEN coalesce(pinned, $3) END
                 WHERE id = $1 AND scope = ANY ($2)",
                params![id.0, keys, since],
            )?;
            Ok(changed > 0)
        })
    }

    fn pinned(&self, scopes: Scopes<'_>) -> Result<Vec<Note>> {
        let sql = format!(
            "SELECT {NOTE} FROM note n JOIN scope s ON s.key = n.scope
             WHERE n.pinned IS NOT NULL AND n.scope = ANY ($1) ORDER BY n.pinned, n.id"
        );
        self.reading(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let rows = connection.query(&sql, params![keys])?;
            rows.iter().map(note).collect()
        })
    }
}
