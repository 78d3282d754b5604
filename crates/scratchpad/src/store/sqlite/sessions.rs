//! Sessions and revisions in SQL.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Sqlite;
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::pad::revision::{RevisionHead, Write};
use crate::model::pad::{Content, Pad, Space};
use crate::store::{Change, Session, SessionHead, Sessions, View, after_all_with};

impl Sessions for Sqlite {
    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        let found = read_session(&*self.connection()?, id).map_err(|error| self.explain(&error))?;
        Ok(found.map(|(_, session)| session))
    }

    fn log(&self, id: &SessionId) -> Result<Vec<RevisionHead>> {
        let connection = self.connection()?;
        let read = || match read_session(&connection, id)? {
            Some((key, _)) => read_log(&connection, key),
            None => Ok(Vec::new()),
        };
        read().map_err(|error| self.explain(&error))
    }

    fn revision(&self, id: &SessionId, number: u64) -> Result<Option<Content>> {
        let connection = self.connection()?;
        let read = || match read_session(&connection, id)? {
            Some((key, _)) => read_revision(&connection, key, number),
            None => Ok(None),
        };
        read().map_err(|error| self.explain(&error))
    }

    fn forget_revisions(&self, id: &SessionId, numbers: &[u64]) -> Result<()> {
        let connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = self.begin(&connection).map_err(failed)?;
        forget(&transaction, id, numbers).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    fn update(
        &self,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64> {
        let connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = self.begin(&connection).map_err(failed)?;
        let found = read_session(&transaction, id).map_err(failed)?;
        let writes = change(&SqliteView {
            store: self,
            connection: &transaction,
            found: found.as_ref(),
        })?;
        let (key, session) = match found {
            Some(found) => found,
            None => insert_session(&transaction, id, project, at).map_err(failed)?,
        };
        let revision = record(&transaction, key, session, &writes, at).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(revision)
    }

    fn sessions(&self, project: Option<&ProjectId>, limit: usize) -> Result<Vec<SessionHead>> {
        let connection = self.connection()?;
        // Two statements, so that the one for a project uses its index.
        let of_project = if project.is_some() {
            "WHERE project = ?2"
        } else {
            "WHERE ?2 IS NULL"
        };
        let read = || {
            connection
                .prepare(&format!(
                    "SELECT notes, plan, refs, revision, id, project, created, updated
                     FROM session {of_project} ORDER BY updated DESC, key DESC LIMIT ?1"
                ))?
                .query_map(
                    params![
                        i64::try_from(limit).unwrap_or(i64::MAX),
                        project.map(ProjectId::as_str)
                    ],
                    session_head,
                )?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.explain(&error))
    }

    fn session_ids(&self, beginning: &str, limit: usize) -> Result<Vec<SessionId>> {
        let sql = "SELECT id FROM session WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
        ids_between(&*self.connection()?, sql, beginning, limit)
            .map_err(|error| self.explain(&error))?
            .into_iter()
            .map(SessionId::new)
            .collect()
    }
}

/// The ids that begin so, by a query for those between two texts.
pub(super) fn ids_between(
    connection: &Connection,
    sql: &str,
    beginning: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection
        .prepare(sql)?
        .query_map(
            params![beginning, after_all_with(beginning), limit],
            |row| row.get(0),
        )?
        .collect()
}

pub(super) struct SqliteView<'a> {
    pub(super) store: &'a Sqlite,
    pub(super) connection: &'a Connection,
    pub(super) found: Option<&'a (i64, Session)>,
}

impl View for SqliteView<'_> {
    fn session(&self) -> Option<&Session> {
        self.found.map(|(_, session)| session)
    }

    fn log(&self) -> Result<Vec<RevisionHead>> {
        match self.found {
            Some((key, _)) => {
                read_log(self.connection, *key).map_err(|error| self.store.explain(&error))
            }
            None => Ok(Vec::new()),
        }
    }

    fn revision(&self, number: u64) -> Result<Option<Content>> {
        match self.found {
            Some((key, _)) => read_revision(self.connection, *key, number)
                .map_err(|error| self.store.explain(&error)),
            None => Ok(None),
        }
    }
}

pub(super) fn read_session(
    connection: &Connection,
    id: &SessionId,
) -> rusqlite::Result<Option<(i64, Session)>> {
    connection
        .query_row(
            "SELECT notes, plan, refs, revision, key, project FROM session WHERE id = ?1",
            [id.as_str()],
            |row| {
                let session = Session {
                    pad: pad(row)?,
                    revision: row.get(3)?,
                    project: Some(ProjectId::new(row.get::<_, String>(5)?)),
                };
                Ok((row.get(4)?, session))
            },
        )
        .optional()
}

/// Reads the pad from the first three columns.
fn pad(row: &Row<'_>) -> rusqlite::Result<Pad> {
    Ok(Pad {
        notes: row.get(0)?,
        plan: row.get(1)?,
        refs: refs(&row.get::<_, String>(2)?, 2)?,
    })
}

pub(super) fn session_head(row: &Row<'_>) -> rusqlite::Result<SessionHead> {
    let id: String = row.get(4)?;
    Ok(SessionHead {
        pad: pad(row)?,
        revision: row.get(3)?,
        id: SessionId::new(id).map_err(|error| broken(4, error))?,
        project: ProjectId::new(row.get::<_, String>(5)?),
        created: row.get(6)?,
        updated: row.get(7)?,
    })
}

pub(super) fn insert_session(
    connection: &Connection,
    id: &SessionId,
    project: &ProjectId,
    at: Millis,
) -> rusqlite::Result<(i64, Session)> {
    connection.execute(
        "INSERT INTO session (id, project, created, updated, revision, notes, plan, refs)
         VALUES (?1, ?2, ?3, ?3, 0, '', '', '[]')",
        params![id.as_str(), project.as_str(), at],
    )?;
    let session = Session {
        pad: Pad::default(),
        revision: 0,
        project: Some(project.clone()),
    };
    Ok((connection.last_insert_rowid(), session))
}

/// Inserts the writes as revisions, and stores the resulting pad in the session's row.
pub(super) fn record(
    connection: &Connection,
    key: i64,
    mut session: Session,
    writes: &[Write],
    at: Millis,
) -> rusqlite::Result<u64> {
    for write in writes {
        session.revision += 1;
        connection.execute(
            "INSERT INTO revision (session, number, space, action, at, undoes, used, content, spilled)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                key,
                session.revision,
                write.content.space().name(),
                write.action,
                at,
                write.undoes,
                write.content.used(),
                as_text(&write.content),
                write.spilled.as_ref().map(OutputId::as_str),
            ],
        )?;
        if let Some(output) = &write.spilled {
            // Thinning the past may have let go of it in the meantime.
            connection.execute(
                "UPDATE output_keep SET pinned = 1 WHERE output = ?1 AND project = ''
                     AND session = (SELECT id FROM session WHERE key = ?2)",
                params![output.as_str(), key],
            )?;
        }
        session.pad.put(write.content.clone());
    }
    if !writes.is_empty() {
        connection.execute(
            "UPDATE session SET updated = ?2, revision = ?3, notes = ?4, plan = ?5, refs = ?6 WHERE key = ?1",
            params![
                key,
                at,
                session.revision,
                session.pad.notes,
                session.pad.plan,
                as_text(&session.pad.content(Space::Refs)),
            ],
        )?;
    }
    Ok(session.revision)
}

/// Removes revisions, and lets go of the outputs that only they named.
fn forget(connection: &Connection, id: &SessionId, numbers: &[u64]) -> rusqlite::Result<()> {
    let numbers: serde_json::Value = numbers.to_vec().into();
    let named: Vec<String> = connection
        .prepare(
            "DELETE FROM revision WHERE number IN (SELECT value FROM json_each(?2))
                 AND session = (SELECT key FROM session WHERE id = ?1 AND revision > number)
             RETURNING spilled",
        )?
        .query_map(params![id.as_str(), numbers.to_string()], |row| {
            row.get::<_, Option<String>>(0)
        })?
        .filter_map(rusqlite::Result::transpose)
        .collect::<rusqlite::Result<_>>()?;
    if named.is_empty() {
        return Ok(());
    }
    connection.execute(
        "UPDATE output_keep SET pinned = 0 WHERE session = ?1 AND pinned
             AND output IN (SELECT value FROM json_each(?2))
             AND output NOT IN (SELECT spilled FROM revision WHERE spilled IS NOT NULL
                 AND session = (SELECT key FROM session WHERE id = ?1))",
        params![id.as_str(), serde_json::Value::from(named).to_string()],
    )?;
    Ok(())
}

fn read_log(connection: &Connection, key: i64) -> rusqlite::Result<Vec<RevisionHead>> {
    connection
        .prepare(
            "SELECT number, space, action, at, undoes, used, author, spilled FROM revision
             WHERE session = ?1 ORDER BY number",
        )?
        .query_map([key], revision_head)?
        .collect()
}

/// Reads a revision from the first eight columns.
pub(super) fn revision_head(row: &Row<'_>) -> rusqlite::Result<RevisionHead> {
    Ok(RevisionHead {
        number: row.get(0)?,
        space: space(row, 1)?,
        action: row.get(2)?,
        at: row.get(3)?,
        undoes: row.get(4)?,
        used: row.get(5)?,
        author: row.get(6)?,
        // What another program wrote there names nothing.
        spilled: (row.get::<_, Option<String>>(7)?).and_then(|id| OutputId::new(&id).ok()),
    })
}

fn read_revision(
    connection: &Connection,
    key: i64,
    number: u64,
) -> rusqlite::Result<Option<Content>> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    connection
        .query_row(
            "SELECT space, content FROM revision WHERE session = ?1 AND number = ?2",
            params![key, number],
            |row| content(row, space(row, 0)?, 1),
        )
        .optional()
}

/// Reads the content of a revision from a column.
pub(super) fn content(row: &Row<'_>, space: Space, column: usize) -> rusqlite::Result<Content> {
    let text: String = row.get(column)?;
    Ok(match space {
        Space::Notes => Content::Notes(text),
        Space::Plan => Content::Plan(text),
        Space::Refs => Content::Refs(refs(&text, column)?),
    })
}

pub(super) fn as_text(content: &Content) -> String {
    match content {
        Content::Notes(text) | Content::Plan(text) => text.clone(),
        Content::Refs(refs) => serde_json::Value::from(refs.clone()).to_string(),
    }
}

fn refs(text: &str, column: usize) -> rusqlite::Result<Vec<String>> {
    serde_json::from_str(text).map_err(|error| broken(column, error))
}

fn space(row: &Row<'_>, column: usize) -> rusqlite::Result<Space> {
    let name: String = row.get(column)?;
    Space::named(&name).ok_or_else(|| broken(column, format!("no space is called {name:?}")))
}

/// The error for a value that no version of this program wrote.
pub(super) fn broken(
    column: usize,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}
