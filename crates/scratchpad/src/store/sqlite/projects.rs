//! Projects and repositories in SQL.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Sqlite, search};
use crate::model::context::known::KnownRepository;
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};
use crate::model::note::Scope;
use crate::store::{MovedRows, ProjectHead, Projects};

/// The columns for [`repository`].
const REPOSITORY: &str =
    "SELECT path, project, mark, home_mark, remote, first_commit FROM repository";

impl Projects for Sqlite {
    fn projects(&self) -> Result<Vec<ProjectHead>> {
        self.reading(|connection| {
            connection
                .prepare(
                    "WITH used (home) AS (
                         SELECT project FROM session UNION SELECT project FROM output_keep WHERE project <> ''
                         UNION SELECT name FROM scope WHERE kind = 'project' AND notes > 0
                     )
                     SELECT home, coalesce((SELECT name FROM project_name WHERE project = home), ''),
                         (SELECT count(*) FROM session WHERE project = home),
                         coalesce((SELECT notes FROM scope WHERE kind = 'project' AND name = home), 0),
                         (SELECT count(DISTINCT output) FROM output_keep WHERE project = home),
                         max(coalesce((SELECT max(updated) FROM session WHERE project = home), 0),
                             coalesce((SELECT max(kept) FROM output_keep WHERE project = home), 0),
                             coalesce((SELECT max(updated) FROM note WHERE scope =
                                 (SELECT key FROM scope WHERE kind = 'project' AND name = home)), 0)) AS last
                     FROM used ORDER BY last DESC, home",
                )?
                .query_map([], |row| {
                    Ok(ProjectHead {
                        id: ProjectId::new(row.get::<_, String>(0)?),
                        name: row.get(1)?,
                        sessions: row.get(2)?,
                        notes: row.get(3)?,
                        outputs: row.get(4)?,
                        used: row.get(5)?,
                    })
                })?
                .collect()
        })
    }

    fn projects_in_use(&self, among: &[ProjectId]) -> Result<Vec<ProjectId>> {
        self.reading(|connection| {
            let mut is_used = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM session WHERE project = ?1)
                     OR EXISTS (SELECT 1 FROM scope WHERE kind = 'project' AND name = ?1 AND notes > 0)
                     OR EXISTS (SELECT 1 FROM output_keep WHERE project = ?1)",
            )?;
            let mut used = Vec::new();
            for id in among {
                if is_used.query_row([id.as_str()], |row| row.get(0))? {
                    used.push(id.clone());
                }
            }
            Ok(used)
        })
    }

    fn name_project(&self, project: &ProjectId, name: Option<&str>) -> Result<()> {
        self.in_transaction(|transaction| {
            let project = project.as_str();
            match name {
                Some(name) => transaction.execute(
                    "INSERT OR REPLACE INTO project_name (project, name) VALUES (?1, ?2)",
                    [project, name],
                )?,
                None => {
                    transaction.execute("DELETE FROM project_name WHERE project = ?1", [project])?
                }
            };
            Ok(())
        })
    }

    fn move_project(&self, from: &ProjectId, into: &ProjectId) -> Result<MovedRows> {
        let names = [from.as_str(), into.as_str()];
        if from == into {
            return Ok(MovedRows::default());
        }
        let mut scopes = Vec::new();
        let moved = self.in_transaction(|transaction| {
            let sql = "UPDATE session SET project = ?2 WHERE project = ?1";
            let sessions = transaction.execute(sql, names)?;
            let (notes, key) = move_notes(transaction, names)?;
            scopes.extend(key);
            let outputs = move_outputs(transaction, names)?;
            transaction.execute(
                "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
                 SELECT day, session, ?2, author, host, upstream, tool, what, times, bytes, tokens FROM ledger
                 WHERE project = ?1
                 ON CONFLICT DO UPDATE SET times = times + excluded.times, bytes = bytes + excluded.bytes,
                     tokens = tokens + excluded.tokens",
                names,
            )?;
            transaction.execute("DELETE FROM ledger WHERE project = ?1", [from.as_str()])?;
            transaction.execute(
                "INSERT OR IGNORE INTO project_name (project, name)
                 SELECT ?2, name FROM project_name WHERE project = ?1",
                names,
            )?;
            let sql = "DELETE FROM project_name WHERE project = ?1";
            transaction.execute(sql, [from.as_str()])?;
            Ok(MovedRows {
                sessions,
                notes,
                outputs,
            })
        })?;
        self.tidy_up(&scopes, usize::MAX);
        Ok(moved)
    }

    fn repository(&self, path: &str) -> Result<Option<KnownRepository>> {
        self.reading(|connection| {
            connection
                .prepare_cached(&format!("{REPOSITORY} WHERE path = ?1"))?
                .query_row([path], repository)
                .optional()
        })
    }

    fn repositories(&self) -> Result<Vec<KnownRepository>> {
        self.reading(|connection| {
            connection
                .prepare(&format!("{REPOSITORY} ORDER BY seen DESC, path"))?
                .query_map([], repository)?
                .collect()
        })
    }

    fn put_repository(&self, known: &KnownRepository, at: Millis) -> Result<()> {
        self.in_transaction(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO repository (path, project, mark, home_mark, remote, first_commit, seen)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    known.path,
                    known.project.as_ref().map_or("", ProjectId::as_str),
                    known.mark,
                    known.home_mark,
                    known.remote,
                    known.first_commit,
                    at
                ],
            )?;
            Ok(())
        })
    }

    fn forget_repository(&self, path: &str) -> Result<()> {
        self.in_transaction(|transaction| {
            transaction.execute("DELETE FROM repository WHERE path = ?1", [path])?;
            Ok(())
        })
    }
}

fn repository(row: &Row<'_>) -> rusqlite::Result<KnownRepository> {
    let project: String = row.get(1)?;
    Ok(KnownRepository {
        path: row.get(0)?,
        project: (!project.is_empty()).then(|| ProjectId::new(project)),
        mark: row.get(2)?,
        home_mark: row.get(3)?,
        remote: row.get(4)?,
        first_commit: row.get(5)?,
    })
}

/// Returns how many notes there were, and the key of their scope now.
fn move_notes(
    connection: &Connection,
    [from, into]: [&str; 2],
) -> rusqlite::Result<(usize, Option<i64>)> {
    let find = |name: &str| -> rusqlite::Result<Option<i64>> {
        connection
            .prepare_cached("SELECT key FROM scope WHERE kind = ?1 AND name = ?2")?
            .query_row([Scope::Project.name(), name], |row| row.get(0))
            .optional()
    };
    let Some(old) = find(from)? else {
        return Ok((0, None));
    };
    let sql = "SELECT notes FROM scope WHERE key = ?1";
    let notes = connection.query_row(sql, [old], |row| row.get(0))?;
    let Some(new) = find(into)? else {
        let sql = "UPDATE scope SET name = ?2 WHERE key = ?1";
        connection.execute(sql, params![old, into])?;
        return Ok((notes, Some(old)));
    };
    search::cleared(connection, old)?;
    let sql = "INSERT INTO note_pending (scope, note) SELECT ?2, key FROM note WHERE scope = ?1";
    connection.execute(sql, [old, new])?;
    let sql = "UPDATE note SET scope = ?2, version = version + 1 WHERE scope = ?1";
    connection.execute(sql, [old, new])?;
    connection.execute(
        "INSERT INTO tag (scope, folded, shown, count) SELECT ?2, folded, shown, count FROM tag WHERE scope = ?1
         ON CONFLICT (scope, folded) DO UPDATE SET count = count + excluded.count",
        [old, new],
    )?;
    connection.execute("DELETE FROM tag WHERE scope = ?1", [old])?;
    connection.execute(
        "UPDATE scope SET notes = notes + (SELECT notes FROM scope WHERE key = ?1),
             tags = (SELECT count(*) FROM tag WHERE scope = ?2) WHERE key = ?2",
        [old, new],
    )?;
    connection.execute("DELETE FROM scope WHERE key = ?1", [old])?;
    Ok((notes, Some(new)))
}

/// An output that both keep stays once, pinned if it was for either.
fn move_outputs(connection: &Connection, names: [&str; 2]) -> rusqlite::Result<usize> {
    let sql = "SELECT count(DISTINCT output) FROM output_keep WHERE project = ?1";
    let outputs = connection.query_row(sql, [names[0]], |row| row.get(0))?;
    connection.execute(
        "INSERT INTO output_keep (output, session, project, tool, kept, author, pinned)
         SELECT output, session, ?2, tool, kept, author, pinned FROM output_keep WHERE project = ?1
         ON CONFLICT DO UPDATE SET kept = max(kept, excluded.kept), pinned = max(pinned, excluded.pinned)",
        names,
    )?;
    let sql = "DELETE FROM output_keep WHERE project = ?1";
    connection.execute(sql, [names[0]])?;
    Ok(outputs)
}
