//! Sessions and revisions in SQL.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::pad::revision::{RevisionHead, Write};
use crate::model::pad::{Content, Pad, Space};
use crate::store::{Change, Session, SessionHead, Sessions, View, after_all_with};

pub(super) const PAD: &str = "notes, plan, refs, revision, project, key";

impl Sessions for Postgres {
    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        self.reading(|connection| read_session(connection, id))
    }

    fn log(&self, id: &SessionId) -> Result<Vec<RevisionHead>> {
        self.reading(|connection| read_log(connection, id))
    }

    fn revision(&self, id: &SessionId, number: u64) -> Result<Option<Content>> {
        self.reading(|connection| read_revision(connection, id, number))
    }

    fn forget_revisions(&self, id: &SessionId, numbers: &[u64]) -> Result<()> {
        let numbers: Vec<i64> = numbers.iter().map(|number| whole(*number)).collect();
        self.writing(|transaction| {
            // Outputs that only these revisions named are let go.
            transaction.execute(
                "WITH gone AS (
                     DELETE FROM revision USING session WHERE session.id = $1 AND revision.session = session.key
                         AND revision.number = ANY($2) AND session.revision > revision.number
                     RETURNING revision.session AS key, revision.number, revision.spilled
                 )
                 UPDATE output_keep SET pinned = false WHERE session = $1 AND pinned
                     AND output IN (SELECT spilled FROM gone)
                     AND output NOT IN (
                         SELECT spilled FROM revision WHERE spilled IS NOT NULL
                             AND session = (SELECT key FROM session WHERE id = $1)
                             AND number NOT IN (SELECT number FROM gone)
                     )",
                params![id.as_str(), numbers.clone()],
            )?;
            Ok(())
        })
    }

    fn update(
        &self,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64> {
        self.writing(|transaction| {
            let (key, found) = self.lock_or_make(transaction, id, project, at)?;
            let view = Inside {
                store: self,
                transaction,
                id,
                found: found.as_ref(),
            };
            let writes = change(&view)?;
            let session = found.unwrap_or_else(|| Session {
                pad: Pad::default(),
                revision: 0,
                project: Some(project.clone()),
            });
            self.record(transaction, key, session, &writes, at)
        })
    }

    fn sessions(&self, project: Option<&ProjectId>, limit: usize) -> Result<Vec<SessionHead>> {
        // Two statements, so that each uses its index.
        let of_project = if project.is_some() {
            "WHERE project = $2"
        } else {
            ""
        };
        let sql = format!(
            "SELECT {PAD}, id, created, updated FROM session {of_project}
             ORDER BY updated DESC, key DESC LIMIT $1"
        );
        let project = project.map_or("", ProjectId::as_str);
        self.reading(|connection| {
            let rows = connection.query(&sql, params![whole(limit), escaped(project)])?;
            rows.iter().map(session_head).collect()
        })
    }

    fn session_ids(&self, beginning: &str, limit: usize) -> Result<Vec<SessionId>> {
        let sql = "SELECT id FROM session WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3";
        let ids = self.reading(|connection| ids_between(connection, sql, beginning, limit))?;
        ids.into_iter().map(SessionId::new).collect()
    }
}

/// The ids that begin so, by a query for those between two texts.
pub(super) fn ids_between(
    connection: &Connection,
    sql: &str,
    beginning: &str,
    limit: usize,
) -> Result<Vec<String>, Failure> {
    let end = after_all_with(beginning);
    let rows = connection.query(sql, params![beginning, end, whole(limit)])?;
    rows.iter().map(|row| get(row, 0)).collect()
}

impl Postgres {
    /// Locks the session's row until the transaction ends. Creates it if needed, and then returns `None` for the old
    /// session.
    pub(super) fn lock_or_make(
        &self,
        transaction: &Transaction<'_>,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
    ) -> Result<(i64, Option<Session>), Failure> {
        let sql = format!("SELECT {PAD} FROM session WHERE id = $1 FOR UPDATE");
        loop {
            if let Some(row) = transaction.query_opt(&sql, params![id.as_str()])? {
                return Ok((get(&row, 5)?, Some(session(&row)?)));
            }
            let made = transaction.query_opt(
                "INSERT INTO session (id, project, author, created, updated, revision, notes, plan, refs)
                 VALUES ($1, $2, $3, $4, $4, 0, '', '', '[]') ON CONFLICT (id) DO NOTHING RETURNING key",
                params![id.as_str(), escaped(project.as_str()), self.settings.author, at],
            )?;
            // Otherwise another transaction created it meanwhile: select it.
            if let Some(row) = made {
                return Ok((get(&row, 0)?, None));
            }
        }
    }

    /// Inserts the writes as revisions, and stores the resulting pad in the session's row.
    pub(super) fn record(
        &self,
        transaction: &Transaction<'_>,
        key: i64,
        mut session: Session,
        writes: &[Write],
        at: Millis,
    ) -> Result<u64, Failure> {
        if writes.is_empty() {
            return Ok(session.revision);
        }
        let first = session.revision + 1;
        for write in writes {
            session.revision += 1;
            session.pad.put(write.content.clone());
        }
        let column = |text: &dyn Fn(&Write) -> String| -> Vec<String> {
            writes
                .iter()
                .map(|write| escaped(&text(write)).into_owned())
                .collect()
        };
        transaction.execute(
            "WITH added AS (
                 INSERT INTO revision (session, number, author, space, action, at, undoes, used, content, spilled)
                 SELECT $1, $7 + place - 1, $8, space, action, $2, undoes, used, content, nullif(spilled, '')
                 FROM unnest($9, $10, $11, $12, $13, $14) WITH ORDINALITY
                      AS written (space, action, undoes, used, content, spilled, place)
             ), pinned AS (
                 -- Thinning the past may have let go of them in the meantime.
                 UPDATE output_keep SET pinned = true WHERE output = ANY($14) AND output <> '' AND project = ''
                     AND session = (SELECT id FROM session WHERE key = $1)
             )
             UPDATE session SET updated = $2, revision = $3, notes = $4, plan = $5, refs = $6 WHERE key = $1",
            params![
                key,
                at,
                whole(session.revision),
                escaped(&session.pad.notes),
                escaped(&session.pad.plan),
                escaped(&as_text(&session.pad.content(Space::Refs))),
                whole(first),
                self.settings.author,
                column(&|write| write.content.space().name().to_owned()),
                column(&|write| write.action.clone()),
                writes.iter().map(|write| write.undoes.map(whole)).collect::<Vec<Option<i64>>>(),
                writes.iter().map(|write| whole(write.content.used())).collect::<Vec<i64>>(),
                column(&|write| as_text(&write.content)),
                column(&|write| write.spilled.as_ref().map(OutputId::to_string).unwrap_or_default()),
            ],
        )?;
        Ok(session.revision)
    }
}

pub(super) struct Inside<'a> {
    pub(super) store: &'a Postgres,
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) id: &'a SessionId,
    pub(super) found: Option<&'a Session>,
}

impl View for Inside<'_> {
    fn session(&self) -> Option<&Session> {
        self.found
    }

    fn log(&self) -> Result<Vec<RevisionHead>> {
        read_log(self.transaction, self.id).map_err(|failure| self.store.explain(failure))
    }

    fn revision(&self, number: u64) -> Result<Option<Content>> {
        read_revision(self.transaction, self.id, number)
            .map_err(|failure| self.store.explain(failure))
    }
}

pub(super) fn read_session(
    connection: &Connection,
    id: &SessionId,
) -> Result<Option<Session>, Failure> {
    let sql = format!("SELECT {PAD} FROM session WHERE id = $1");
    let row = connection.query_opt(&sql, params![id.as_str()])?;
    row.as_ref().map(session).transpose()
}

/// Reads a session from the columns of [`PAD`].
pub(super) fn session(row: &Row) -> Result<Session, Failure> {
    Ok(Session {
        pad: pad(row)?,
        revision: count(row, 3)?,
        project: Some(ProjectId::new(text(row, 4)?)),
    })
}

/// Reads the pad from the first three columns.
fn pad(row: &Row) -> Result<Pad, Failure> {
    Ok(Pad {
        notes: text(row, 0)?,
        plan: text(row, 1)?,
        refs: refs(&text(row, 2)?)?,
    })
}

pub(super) fn session_head(row: &Row) -> Result<SessionHead, Failure> {
    let id: String = get(row, 6)?;
    Ok(SessionHead {
        id: SessionId::new(id).map_err(|_| Failure::Foreign("a session's id is not valid"))?,
        project: ProjectId::new(text(row, 4)?),
        created: get(row, 7)?,
        updated: get(row, 8)?,
        revision: count(row, 3)?,
        pad: pad(row)?,
    })
}

fn read_log(connection: &Connection, id: &SessionId) -> Result<Vec<RevisionHead>, Failure> {
    let rows = connection.query(
        "SELECT number, space, action, at, undoes, used, author, spilled FROM revision
         WHERE session = (SELECT key FROM session WHERE id = $1) ORDER BY number",
        params![id.as_str()],
    )?;
    rows.iter().map(revision_head).collect()
}

/// Reads a revision from the first eight columns.
pub(super) fn revision_head(row: &Row) -> Result<RevisionHead, Failure> {
    Ok(RevisionHead {
        number: count(row, 0)?,
        space: space(row, 1)?,
        action: text(row, 2)?,
        at: get(row, 3)?,
        undoes: get::<Option<i64>>(row, 4)?.and_then(|number| number.try_into().ok()),
        used: count(row, 5)?,
        author: text(row, 6)?,
        // What another program wrote there names nothing.
        spilled: get::<Option<&str>>(row, 7)?.and_then(|id| OutputId::new(id).ok()),
    })
}

fn read_revision(
    connection: &Connection,
    id: &SessionId,
    number: u64,
) -> Result<Option<Content>, Failure> {
    let row = connection.query_opt(
        "SELECT space, content FROM revision
         WHERE session = (SELECT key FROM session WHERE id = $1) AND number = $2",
        params![id.as_str(), whole(number)],
    )?;
    let Some(row) = row else {
        return Ok(None);
    };
    content(space(&row, 0)?, text(&row, 1)?).map(Some)
}

pub(super) fn content(space: Space, text: String) -> Result<Content, Failure> {
    Ok(match space {
        Space::Notes => Content::Notes(text),
        Space::Plan => Content::Plan(text),
        Space::Refs => Content::Refs(refs(&text)?),
    })
}

pub(super) fn as_text(content: &Content) -> String {
    match content {
        Content::Notes(text) | Content::Plan(text) => text.clone(),
        Content::Refs(refs) => serde_json::Value::from(refs.clone()).to_string(),
    }
}

fn refs(text: &str) -> Result<Vec<String>, Failure> {
    serde_json::from_str(text).map_err(|_| Failure::Foreign("refs are not a list of texts"))
}

fn space(row: &Row, column: usize) -> Result<Space, Failure> {
    Space::named(get(row, column)?).ok_or(Failure::Foreign("a space has an unknown name"))
}
