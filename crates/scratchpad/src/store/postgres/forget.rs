//! Deleting sessions and notes in SQL.

use super::Postgres;
use super::connection::Transaction;
use super::counts::name_of;
use super::errors::Failure;
use super::prune;
use super::values::{escaped, get, params, whole};
use crate::model::error::Result;
use crate::model::id::{Millis, SessionId};
use crate::model::note::Scope;
use crate::model::text::rewrite::Rewrite;
use crate::store::{DeletedSession, Forget, Rewriting, Scopes, Scrubbed, TextPlace};

impl Forget for Postgres {
    fn clear_notes(&self, scopes: Scopes<'_>, scope: Scope) -> Result<usize> {
        self.writing(|transaction| clear_scope(transaction, scope, name_of(scopes, scope)))
    }

    fn delete_session(&self, session: &SessionId, at: Millis) -> Result<Option<DeletedSession>> {
        let at = at + self.behind()?;
        let id = session.as_str();
        let gone = self.writing(|transaction| {
            let sql = "SELECT key FROM session WHERE id = $1 FOR UPDATE";
            let Some(row) = transaction.query_opt(sql, params![id])? else {
                return Ok(None);
            };
            let key: i64 = get(&row, 0)?;
            let notes = clear_scope(transaction, Scope::Session, id)?;
            let sql = "DELETE FROM revision WHERE session = $1";
            let revisions = transaction.execute(sql, params![key])?;
            let kind = Scope::Session.name();
            let sql = "DELETE FROM scope WHERE kind = $1 AND name = $2";
            transaction.execute(sql, params![kind, id])?;
            for table in ["attention", "binding", "ledger"] {
                let sql = format!("DELETE FROM {table} WHERE session = $1");
                transaction.execute(&sql, params![id])?;
            }
            transaction.execute("DELETE FROM session WHERE key = $1", params![key])?;
            let released = prune::release(transaction, id, at)?;
            Ok(Some(DeletedSession {
                revisions: usize::try_from(revisions).unwrap_or(usize::MAX),
                notes,
                outputs: released.len(),
                bytes: released.iter().map(|output| output.bytes).sum(),
            }))
        })?;
        // Best effort: the next prune does it.
        let _ = self.sweep();
        Ok(gone)
    }

    fn rewrite(&self, rewrite: &Rewrite<'_>, how: Rewriting) -> Result<Vec<TextPlace>> {
        self.rewrite_texts(rewrite, how)
    }

    fn scrub(&self) -> Result<Scrubbed> {
        // To rewrite a table locks everybody out, and its old content is in the server's log and backups all the same.
        Ok(Scrubbed::OfServer)
    }
}

/// Deletes the notes of a scope and their tags.
fn clear_scope(transaction: &Transaction<'_>, scope: Scope, name: &str) -> Result<usize, Failure> {
    let row = transaction.query_opt(
        "SELECT key FROM scope WHERE kind = $1 AND name = $2 FOR UPDATE",
        params![scope.name(), escaped(name)],
    )?;
    let Some(row) = row else {
        return Ok(0);
    };
    let key: i64 = get(&row, 0)?;
    let count = transaction.execute("DELETE FROM note WHERE scope = $1", params![key])?;
    transaction.execute("DELETE FROM tag WHERE scope = $1", params![key])?;
    let sql = "UPDATE scope SET notes = $2 WHERE key = $1";
    transaction.execute(sql, params![key, whole(0)])?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}
