//! Scopes, and the number of notes and tags of each, updated by every write, so that totals never need a scan.

use tokio_postgres::Row;

use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{count, escaped, get, params, whole};
use crate::model::note::Scope;
use crate::model::note::reply::NoteTotals;
use crate::model::note::search::fold;
use crate::store::Scopes;

pub(super) fn name_of(scopes: Scopes<'_>, scope: Scope) -> &str {
    match scope {
        Scope::Session => scopes.session.as_str(),
        Scope::Project => scopes.project.as_str(),
    }
}

/// Selects the rows of a session's scopes. A scope without a row has no notes.
pub(super) const SEEN: &str = "kind = 'session' AND name = $1 OR kind = 'project' AND name = $2";

pub(super) fn scope_keys(connection: &Connection, scopes: Scopes<'_>) -> Result<Vec<i64>, Failure> {
    let project = escaped(scopes.project.as_str());
    let rows = connection.query(
        &format!("SELECT key FROM scope WHERE {SEEN}"),
        params![scopes.session.as_str(), project],
    )?;
    rows.iter().map(|row| get(row, 0)).collect()
}

/// The key of a scope, which is created if needed, and locked until the transaction ends.
pub(super) fn lock_scope(
    transaction: &Transaction<'_>,
    scopes: Scopes<'_>,
    scope: Scope,
) -> Result<i64, Failure> {
    let row = transaction.query_one(
        "INSERT INTO scope (kind, name, notes) VALUES ($1, $2, 0)
         ON CONFLICT (kind, name) DO UPDATE SET notes = scope.notes RETURNING key",
        params![scope.name(), escaped(name_of(scopes, scope))],
    )?;
    get(&row, 0)
}

pub(super) fn folded_tags(tags: &[String]) -> Vec<String> {
    tags.iter().map(|tag| fold(tag)).collect()
}

/// Adds notes and their tags to the counts.
pub(super) fn count_in(
    transaction: &Transaction<'_>,
    key: i64,
    notes: usize,
    tags: &[String],
) -> Result<(), Failure> {
    let sql = "UPDATE scope SET notes = notes + $2 WHERE key = $1";
    transaction.execute(sql, params![key, whole(notes)])?;
    if tags.is_empty() {
        return Ok(());
    }
    transaction.execute(
        "INSERT INTO tag (scope, folded, shown, count)
         SELECT $1, folded, (array_agg(shown ORDER BY place))[1], count(*)
         FROM unnest($2, $3) WITH ORDINALITY AS new (folded, shown, place) GROUP BY folded
         ON CONFLICT (scope, folded) DO UPDATE SET count = tag.count + excluded.count",
        params![key, folded_tags(tags), tags.to_vec()],
    )?;
    Ok(())
}

/// Subtracts a note and its tags from the counts.
pub(super) fn count_out(
    transaction: &Transaction<'_>,
    key: i64,
    tags: &[String],
) -> Result<(), Failure> {
    let sql = "UPDATE scope SET notes = notes - 1 WHERE key = $1";
    transaction.execute(sql, params![key])?;
    if tags.is_empty() {
        return Ok(());
    }
    let folded = folded_tags(tags);
    let sql = "UPDATE tag SET count = count - 1 WHERE scope = $1 AND folded = ANY ($2)";
    transaction.execute(sql, params![key, folded])?;
    let sql = "DELETE FROM tag WHERE scope = $1 AND folded = ANY ($2) AND count <= 0";
    transaction.execute(sql, params![key, folded])?;
    Ok(())
}

/// The number of visible notes and distinct tags.
pub(super) fn totals(connection: &Connection, scopes: Scopes<'_>) -> Result<NoteTotals, Failure> {
    let (session, project) = (scopes.session.as_str(), escaped(scopes.project.as_str()));
    totals_in(&connection.query_one(&totals_sql(), params![session, project])?)
}

/// The query for [`totals`], with a session and a project.
pub(super) fn totals_sql() -> String {
    format!(
        "SELECT coalesce(sum(notes), 0)::bigint,
                (SELECT count(DISTINCT folded) FROM tag WHERE scope IN (SELECT key FROM scope WHERE {SEEN}))
         FROM scope WHERE {SEEN}"
    )
}

/// The same for a session (`$1`) and its own project, or `$2` if `$3` is true or the session does not exist here.
pub(super) fn totals_of_session_sql() -> String {
    const PROJECT: &str = "(SELECT CASE WHEN $3 THEN $2 ELSE coalesce((SELECT project FROM session WHERE id = $1), $2) END)";
    totals_sql().replace("$2", PROJECT)
}

/// Reads the result of either query.
pub(super) fn totals_in(row: &Row) -> Result<NoteTotals, Failure> {
    Ok(NoteTotals {
        notes: count(row, 0)?,
        tags: count(row, 1)?,
    })
}
