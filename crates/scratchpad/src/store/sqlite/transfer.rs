//! Copying out of and into the embedded store.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::connections::{Connections, Open};
use super::files::Files;
use super::note_ids::insert;
use super::notes::{read_note, scope_key};
use super::sessions::{
    as_text, broken, content, insert_session, read_session, revision_head, session_head,
};
use super::sources::{put_sources, sources_of};
use super::{Sqlite, connect};
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::{NoteId, Scope};
use crate::model::output::Kind;
use crate::model::pad::Space;
use crate::store::transfer::{
    Holdings, HomedNote, Keep, RemovedOutput, Revision, Transfer, WholeOutput,
};
use crate::store::{Scopes, SessionHead, Store};

/// The columns for [`homed_note`].
const NOTE: &str =
    "SELECT n.id, n.content, n.tags, n.created, n.updated, n.author, s.kind, s.name, n.pinned
                    FROM note n JOIN scope s ON s.key = n.scope";

impl Transfer for Sqlite {
    fn place(&self) -> Result<String> {
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        Ok(format!("sqlite:{}", path.display()))
    }

    fn snapshot(&self) -> Result<Arc<dyn Store>> {
        let files = Files::at(&self.path);
        let begun = connect(&self.path, self.timeout).and_then(|connection| {
            // In WAL mode, what a transaction has once read from stays as it is.
            connection.execute_batch("BEGIN; SELECT 1 FROM session LIMIT 1")?;
            Ok(Open { connection, files })
        });
        Ok(Arc::new(match begun {
            Ok(open) => Self {
                connections: Arc::new(Connections::new(open)),
                ..self.clone()
            },
            // On a read-only file system nobody can write.
            Err(_) => self.clone(),
        }))
    }

    fn holdings(&self) -> Result<Holdings> {
        self.asking(|connection| {
            connection.query_row(
                "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM revision), (SELECT count(*) FROM note),
                        count(*), coalesce(sum(bytes), 0) FROM output WHERE damaged = 0",
                [],
                |row| {
                    Ok(Holdings {
                        sessions: row.get(0)?,
                        revisions: row.get(1)?,
                        notes: row.get(2)?,
                        outputs: row.get(3)?,
                        bytes: row.get(4)?,
                    })
                },
            )
        })
    }

    fn sessions_after(&self, after: &str, limit: usize) -> Result<Vec<SessionHead>> {
        self.asking(|connection| {
            connection
                .prepare_cached(
                    "SELECT notes, plan, refs, revision, id, project, created, updated
                     FROM session WHERE id > ?1 ORDER BY id LIMIT ?2",
                )?
                .query_map(params![after, limit], session_head)?
                .collect()
        })
    }

    fn revisions_after(&self, id: &SessionId, after: u64, limit: usize) -> Result<Vec<Revision>> {
        self.asking(|connection| {
            connection
                .prepare_cached(
                    "SELECT number, space, action, at, undoes, used, author, spilled, content FROM revision
                     WHERE session = (SELECT key FROM session WHERE id = ?1) AND number > ?2
                     ORDER BY number LIMIT ?3",
                )?
                .query_map(params![id.as_str(), after, limit], |row| {
                    let head = revision_head(row)?;
                    let content = content(row, head.space, 8)?;
                    Ok((head, content))
                })?
                .collect()
        })
    }

    fn take_revisions(&self, session: &SessionHead, revisions: &[Revision]) -> Result<()> {
        self.taking(|transaction| {
            let (key, mut now) = match read_session(transaction, &session.id)? {
                Some(found) => found,
                None => insert_session(transaction, &session.id, &session.project, session.created)?,
            };
            let mut insert = transaction.prepare_cached(
                "INSERT INTO revision (session, number, space, action, at, undoes, used, content, author, spilled)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?;
            for (head, content) in revisions {
                // Some between them may have been thinned out.
                if head.number <= now.revision {
                    continue;
                }
                insert.execute(params![
                    key,
                    head.number,
                    head.space.name(),
                    head.action,
                    head.at,
                    head.undoes,
                    head.used,
                    as_text(content),
                    head.author,
                    head.spilled.as_ref().map(OutputId::as_str),
                ])?;
                now.revision = head.number;
                now.pad.put(content.clone());
            }
            transaction.execute(
                "UPDATE session SET updated = max(updated, ?2), revision = ?3, notes = ?4, plan = ?5, refs = ?6 WHERE key = ?1",
                params![
                    key,
                    session.updated,
                    now.revision,
                    now.pad.notes,
                    now.pad.plan,
                    as_text(&now.pad.content(Space::Refs)),
                ],
            )?;
            Ok(())
        })
    }

    fn notes_after(&self, after: NoteId, limit: usize) -> Result<Vec<HomedNote>> {
        self.asking(|connection| {
            let mut notes = connection
                .prepare_cached(&format!("{NOTE} WHERE n.id > ?1 ORDER BY n.id LIMIT ?2"))?
                .query_map(params![after.0, limit], homed_note)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            add_sources(connection, &mut notes)?;
            Ok(notes)
        })
    }

    fn notes_numbered(&self, ids: &[NoteId]) -> Result<Vec<HomedNote>> {
        self.asking(|connection| {
            let mut statement = connection.prepare_cached(&format!("{NOTE} WHERE n.id = ?1"))?;
            let mut found = Vec::new();
            for id in ids {
                found.extend(statement.query_row([id.0], homed_note).optional()?);
            }
            add_sources(connection, &mut found)?;
            Ok(found)
        })
    }

    fn has_note_like(&self, HomedNote { home, note, .. }: &HomedNote) -> Result<bool> {
        self.asking(|connection| {
            connection
                .prepare_cached(
                    "SELECT 1 FROM note WHERE created = ?3 AND content = ?4 AND tags = ?5
                     AND scope = (SELECT key FROM scope WHERE kind = ?1 AND name = ?2)",
                )?
                .exists(params![
                    note.scope.name(),
                    home,
                    note.created,
                    note.content,
                    note.tags.join("\n")
                ])
        })
    }

    fn take_notes(&self, notes: &[HomedNote], at: Millis) -> Result<()> {
        let mut scopes = Vec::new();
        self.taking(|transaction| {
            scopes.clear();
            for HomedNote { home, note, pinned, sources } in notes {
                let key = home_key(transaction, home, note.scope)?;
                let line = NoteLine {
                    id: Some(note.id),
                    content: note.content.clone(),
                    tags: note.tags.clone(),
                    created: Some(note.created),
                    updated: Some(note.updated),
                };
                let added = insert(transaction, key, note.scope, line, at)?;
                transaction
                    .prepare_cached(
                        "UPDATE note SET author = ?2, pinned = ?3 WHERE id = ?1 AND (author <> ?2 OR ?3 IS NOT NULL)",
                    )?
                    .execute(params![added.id.0, note.author, pinned])?;
                put_sources(transaction, added.id, sources)?;
                if !scopes.contains(&key) {
                    scopes.push(key);
                }
            }
            Ok(())
        })?;
        self.tidy_up(&scopes, usize::MAX);
        Ok(())
    }

    fn outputs_after(&self, after: &str, limit: usize) -> Result<Vec<WholeOutput>> {
        self.asking(|connection| {
            let outputs: Vec<WholeOutput> = connection
                .prepare_cached(
                    "SELECT id, sha256, bytes, lines, kind, used, preview FROM output
                     WHERE id > ?1 AND damaged = 0 ORDER BY id LIMIT ?2",
                )?
                .query_map(params![after, limit], |row| {
                    Ok(WholeOutput {
                        id: OutputId::new(&row.get::<_, String>(0)?)
                            .map_err(|error| broken(0, error))?,
                        sha256: row.get(1)?,
                        bytes: row.get(2)?,
                        lines: row.get(3)?,
                        kind: Kind::named(&row.get::<_, String>(4)?),
                        used: row.get(5)?,
                        preview: row.get(6)?,
                        keeps: Vec::new(),
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut keeps = connection.prepare_cached(
                "SELECT session, project, tool, author, kept, pinned FROM output_keep WHERE output = ?1
                 ORDER BY kept, session, project, tool",
            )?;
            outputs
                .into_iter()
                .map(|output| {
                    let found = keeps.query_map([output.id.as_str()], keep)?;
                    let keeps = found.collect::<rusqlite::Result<_>>()?;
                    Ok(WholeOutput { keeps, ..output })
                })
                .collect()
        })
    }

    fn take_keeps(&self, output: &WholeOutput) -> Result<bool> {
        self.taking(|transaction| {
            let used = transaction.query_row(
                "UPDATE output SET used = max(used, ?2) WHERE sha256 = ?1 AND damaged = 0 RETURNING id",
                params![output.sha256, output.used],
                |row| row.get::<_, String>(0),
            );
            let Some(id) = used.optional()? else {
                return Ok(false);
            };
            let mut insert = transaction.prepare_cached(
                "INSERT INTO output_keep (output, session, project, tool, author, kept, pinned)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT DO UPDATE SET author = excluded.author, kept = excluded.kept, pinned = max(pinned, excluded.pinned)
                 WHERE excluded.kept >= kept",
            )?;
            for keep in &output.keeps {
                insert.execute(params![
                    id,
                    keep.session.as_str(),
                    keep.project,
                    keep.tool,
                    keep.author,
                    keep.kept,
                    keep.is_pinned
                ])?;
            }
            Ok(true)
        })
    }

    fn removed_outputs(&self) -> Result<Vec<RemovedOutput>> {
        self.asking(|connection| {
            connection
                .prepare_cached("SELECT id, at, sha256 FROM output_removed ORDER BY id")?
                .query_map([], |row| {
                    let id: String = row.get(0)?;
                    Ok(RemovedOutput {
                        id: OutputId::new(&id).map_err(|error| broken(0, error))?,
                        at: row.get(1)?,
                        sha256: row.get(2)?,
                    })
                })?
                .collect()
        })
    }

    fn take_removed(&self, removed: &[RemovedOutput]) -> Result<()> {
        self.taking(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT OR IGNORE INTO output_removed (id, at, sha256)
                 SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM output WHERE id = ?1)",
            )?;
            for RemovedOutput { id, at, sha256 } in removed {
                insert.execute(params![id.as_str(), at, sha256])?;
            }
            Ok(())
        })
    }
}

impl Sqlite {
    pub(super) fn asking<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        ask(&*self.connection()?).map_err(|error| self.explain(&error))
    }

    pub(super) fn taking<T>(
        &self,
        take: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut connection = self.connection()?;
        let taken = (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken = take(&transaction)?;
            transaction.commit()?;
            Ok(taken)
        })();
        taken.map_err(|error| self.explain(&error))
    }
}

fn home_key(connection: &Connection, home: &str, scope: Scope) -> rusqlite::Result<i64> {
    // Only the name of the given scope is used.
    let (session, project) = match scope {
        Scope::Session => (home, ""),
        Scope::Project => ("-", home),
    };
    let session = &SessionId::new(session).map_err(|error| broken(0, error))?;
    let project = &ProjectId::new(project);
    scope_key(connection, Scopes { session, project }, scope)
}

fn homed_note(row: &Row<'_>) -> rusqlite::Result<HomedNote> {
    let kind: String = row.get(6)?;
    let scope = Scope::ALL.into_iter().find(|scope| scope.name() == kind);
    let scope = scope.ok_or_else(|| broken(6, format!("no scope is called {kind:?}")))?;
    Ok(HomedNote {
        home: row.get(7)?,
        note: read_note(row, scope)?,
        pinned: row.get(8)?,
        sources: Vec::new(),
    })
}

fn add_sources(connection: &Connection, notes: &mut [HomedNote]) -> rusqlite::Result<()> {
    for it in notes {
        it.sources = sources_of(connection, it.note.id)?;
    }
    Ok(())
}

fn keep(row: &Row<'_>) -> rusqlite::Result<Keep> {
    let session: String = row.get(0)?;
    Ok(Keep {
        session: SessionId::new(session).map_err(|error| broken(0, error))?,
        project: row.get(1)?,
        tool: row.get(2)?,
        author: row.get(3)?,
        kept: row.get(4)?,
        is_pinned: row.get(5)?,
    })
}
