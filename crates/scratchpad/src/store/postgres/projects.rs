//! Projects and repositories in SQL. Paths are only valid on their machine.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Transaction;
use super::errors::Failure;
use super::values::{count, escaped, get, params, text};
use crate::model::context::known::KnownRepository;
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};
use crate::store::{MovedRows, ProjectHead, Projects};

/// The columns for [`repository`].
const REPOSITORY: &str = "SELECT path, project, mark, home_mark, remote, first_commit
     FROM repository WHERE machine = $1";

impl Projects for Postgres {
    fn projects(&self) -> Result<Vec<ProjectHead>> {
        let head = |row: &Row| -> Result<ProjectHead, Failure> {
            Ok(ProjectHead {
                id: ProjectId::new(text(row, 0)?),
                name: text(row, 1)?,
                sessions: count(row, 2)?,
                notes: count(row, 3)?,
                outputs: count(row, 4)?,
                used: get(row, 5)?,
            })
        };
        self.reading(|connection| {
            let rows = connection.query(
                r#"WITH used (home) AS (
                    SELECT project FROM session UNION SELECT project FROM output_keep WHERE project <> ''
                    UNION SELECT name FROM scope WHERE kind = 'project' AND notes > 0
                )
                SELECT home, coalesce((SELECT name FROM project_name WHERE project = home), ''),
                    (SELECT count(*) FROM session WHERE project = home),
                    coalesce((SELECT notes FROM scope WHERE kind = 'project' AND name = home), 0),
                    (SELECT count(DISTINCT output) FROM output_keep WHERE project = home),
                    greatest(coalesce((SELECT max(updated) FROM session WHERE project = home), 0),
                        coalesce((SELECT max(kept) FROM output_keep WHERE project = home), 0),
                        coalesce((SELECT max(updated) FROM note WHERE scope =
                            (SELECT key FROM scope WHERE kind = 'project' AND name = home)), 0)) AS last
                FROM used ORDER BY last DESC, home COLLATE "C""#,
                params![],
            )?;
            rows.iter().map(head).collect()
        })
    }

    fn projects_in_use(&self, among: &[ProjectId]) -> Result<Vec<ProjectId>> {
        let among: Vec<String> = among
            .iter()
            .map(|id| escaped(id.as_str()).into_owned())
            .collect();
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT home FROM unnest($1) WITH ORDINALITY AS asked (home, place)
                 WHERE EXISTS (SELECT FROM session WHERE project = home)
                     OR EXISTS (SELECT FROM scope WHERE kind = 'project' AND name = home AND notes > 0)
                     OR EXISTS (SELECT FROM output_keep WHERE project = home)
                 ORDER BY place",
                params![among],
            )?;
            let id = |row: &Row| Ok(ProjectId::new(text(row, 0)?));
            rows.iter().map(id).collect()
        })
    }

    fn name_project(&self, project: &ProjectId, name: Option<&str>) -> Result<()> {
        let project = escaped(project.as_str());
        let name = name.map(escaped);
        self.writing(|transaction| {
            let sql = "DELETE FROM project_name WHERE project = $1";
            transaction.execute(sql, params![project])?;
            if let Some(name) = &name {
                let sql = "INSERT INTO project_name (project, name) VALUES ($1, $2)";
                transaction.execute(sql, params![project, name.as_ref()])?;
            }
            Ok(())
        })
    }

    fn move_project(&self, from: &ProjectId, into: &ProjectId) -> Result<MovedRows> {
        if from == into {
            return Ok(MovedRows::default());
        }
        let (from, into) = (escaped(from.as_str()), escaped(into.as_str()));
        self.writing(|transaction| {
            let sql = "UPDATE session SET project = $2 WHERE project = $1";
            let sessions = transaction.execute(sql, params![from, into])?;
            let notes = move_notes(transaction, &from, &into)?;
            let outputs = move_outputs(transaction, &from, &into)?;
            transaction.execute(
                "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
                 SELECT day, session, $2, author, host, upstream, tool, what, times, bytes, tokens FROM ledger
                 WHERE project = $1
                 ON CONFLICT (day, session, project, author, host, upstream, tool, what) DO UPDATE SET
                     times = ledger.times + excluded.times, bytes = ledger.bytes + excluded.bytes,
                     tokens = ledger.tokens + excluded.tokens",
                params![from, into],
            )?;
            let sql = "DELETE FROM ledger WHERE project = $1";
            transaction.execute(sql, params![from])?;
            transaction.execute(
                "INSERT INTO project_name (project, name) SELECT $2, name FROM project_name WHERE project = $1
                 ON CONFLICT DO NOTHING",
                params![from, into],
            )?;
            let sql = "DELETE FROM project_name WHERE project = $1";
            transaction.execute(sql, params![from])?;
            Ok(MovedRows {
                sessions: usize::try_from(sessions).unwrap_or(usize::MAX),
                notes,
                outputs,
            })
        })
    }

    fn repository(&self, path: &str) -> Result<Option<KnownRepository>> {
        let sql = format!("{REPOSITORY} AND path = $2");
        self.reading(|connection| {
            let row = connection.query_opt(&sql, params![self.settings.machine, escaped(path)])?;
            row.as_ref().map(repository).transpose()
        })
    }

    fn repositories(&self) -> Result<Vec<KnownRepository>> {
        let sql = format!("{REPOSITORY} ORDER BY seen DESC, path");
        self.reading(|connection| {
            let rows = connection.query(&sql, params![self.settings.machine])?;
            rows.iter().map(repository).collect()
        })
    }

    fn put_repository(&self, known: &KnownRepository, at: Millis) -> Result<()> {
        let project = known.project.as_ref().map_or("", ProjectId::as_str);
        self.writing(|transaction| {
            transaction.execute(
                "INSERT INTO repository (machine, path, project, mark, home_mark, remote, first_commit, seen)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                 ON CONFLICT (machine, path) DO UPDATE SET project = excluded.project, mark = excluded.mark,
                     home_mark = excluded.home_mark, remote = excluded.remote,
                     first_commit = excluded.first_commit, seen = excluded.seen",
                params![
                    self.settings.machine,
                    escaped(&known.path),
                    escaped(project),
                    known.mark,
                    known.home_mark,
                    escaped(&known.remote),
                    known.first_commit,
                    at
                ],
            )?;
            Ok(())
        })
    }

    fn forget_repository(&self, path: &str) -> Result<()> {
        self.writing(|transaction| {
            let sql = "DELETE FROM repository WHERE machine = $1 AND path = $2";
            transaction.execute(sql, params![self.settings.machine, escaped(path)])?;
            Ok(())
        })
    }
}

fn repository(row: &Row) -> Result<KnownRepository, Failure> {
    let project = text(row, 1)?;
    Ok(KnownRepository {
        path: text(row, 0)?,
        project: (!project.is_empty()).then(|| ProjectId::new(project)),
        mark: get(row, 2)?,
        home_mark: get(row, 3)?,
        remote: text(row, 4)?,
        first_commit: get(row, 5)?,
    })
}

/// Returns how many notes of the project there were.
fn move_notes(transaction: &Transaction<'_>, from: &str, into: &str) -> Result<usize, Failure> {
    // Those of sessions are in their sessions' scopes, and name the project.
    let sql = "UPDATE note SET project = $2 WHERE project = $1";
    transaction.execute(sql, params![from, into])?;
    let lock = |name: &str| -> Result<Option<(i64, i64)>, Failure> {
        let sql = "SELECT key, notes FROM scope WHERE kind = 'project' AND name = $1 FOR UPDATE";
        let row = transaction.query_opt(sql, params![name])?;
        row.map(|row| Ok((get(&row, 0)?, get(&row, 1)?)))
            .transpose()
    };
    // In one order, so that two processes never wait for each other.
    let (old, new) = if from < into {
        let old = lock(from)?;
        (old, lock(into)?)
    } else {
        let new = lock(into)?;
        (lock(from)?, new)
    };
    let Some((old, notes)) = old else {
        return Ok(0);
    };
    match new {
        None => {
            let sql = "UPDATE scope SET name = $2 WHERE key = $1";
            transaction.execute(sql, params![old, into])?;
        }
        Some((new, _)) => {
            for sql in [
                "UPDATE note SET scope = $2 WHERE scope = $1",
                "INSERT INTO tag (scope, folded, shown, count) SELECT $2, folded, shown, count FROM tag WHERE scope = $1
                 ON CONFLICT (scope, folded) DO UPDATE SET count = tag.count + excluded.count",
                "UPDATE scope SET notes = notes + (SELECT notes FROM scope WHERE key = $1) WHERE key = $2",
            ] {
                transaction.execute(sql, params![old, new])?;
            }
            transaction.execute("DELETE FROM tag WHERE scope = $1", params![old])?;
            transaction.execute("DELETE FROM scope WHERE key = $1", params![old])?;
        }
    }
    Ok(usize::try_from(notes).unwrap_or(usize::MAX))
}

/// An output that both keep stays once, pinned if it was for either.
fn move_outputs(transaction: &Transaction<'_>, from: &str, into: &str) -> Result<usize, Failure> {
    let sql = "SELECT count(DISTINCT output) FROM output_keep WHERE project = $1";
    let outputs = count(&transaction.query_one(sql, params![from])?, 0)?;
    transaction.execute(
        "INSERT INTO output_keep (output, session, project, author, tool, kept, pinned)
         SELECT output, session, $2, author, tool, kept, pinned FROM output_keep WHERE project = $1
         ON CONFLICT (output, session, project, tool) DO UPDATE
         SET kept = greatest(output_keep.kept, excluded.kept), pinned = output_keep.pinned OR excluded.pinned",
        params![from, into],
    )?;
    let sql = "DELETE FROM output_keep WHERE project = $1";
    transaction.execute(sql, params![from])?;
    Ok(outputs)
}
