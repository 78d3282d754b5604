//! Copying out of and into a schema.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Connection;
use super::connections::Connections;
use super::counts::lock_scope;
use super::errors::Failure;
use super::notes::{NOTE, note};
use super::prune;
use super::sessions::{PAD, as_text, content, read_session, revision_head, session_head};
use super::sources::{put_sources, sources_of};
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::source::Source;
use crate::model::note::{Note, NoteId, Scope};
use crate::model::output::Kind;
use crate::model::pad::revision::RevisionHead;
use crate::model::pad::{Pad, Space};
use crate::store::transfer::{
    Holdings, HomedNote, Keep, RemovedOutput, Revision, Transfer, WholeOutput,
};
use crate::store::{Scopes, Session, SessionHead, Store};

/// The columns for [`homed_note`] after those of a note.
const HOME: &str = "s.name, n.pinned";

impl Transfer for Postgres {
    fn place(&self) -> Result<String> {
        self.reading(|connection| {
            let sql =
                "SELECT 'postgres:' || d.oid || '.' || n.oid || '.' || pg_postmaster_start_time()
                 FROM pg_database d, pg_namespace n
                 WHERE d.datname = current_database() AND n.nspname = current_schema()";
            get(&connection.query_one(sql, params![])?, 0)
        })
    }

    fn snapshot(&self) -> Result<Arc<dyn Store>> {
        let deadline = self.deadline();
        let start = || {
            let connection = self.connect(deadline)?;
            // Between two reads much may be written elsewhere.
            connection.simple("SET idle_in_transaction_session_timeout = 0")?;
            connection.simple("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1")?;
            Ok(connection)
        };
        let begun = self.insisting(deadline, Failure::may_pass, start);
        let connections = Connections::default();
        connections.add(begun.map_err(|failure| self.explain(failure))?);
        Ok(Arc::new(Self {
            connections: Arc::new(connections),
            is_snapshot: true,
            ..self.clone()
        }))
    }

    fn holdings(&self) -> Result<Holdings> {
        self.reading(|connection| {
            let sql = "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM revision),
                    (SELECT count(*) FROM note), count(*), coalesce(sum(bytes), 0)::bigint
                 FROM output WHERE NOT damaged";
            let row = connection.query_one(sql, params![])?;
            Ok(Holdings {
                sessions: count(&row, 0)?,
                revisions: count(&row, 1)?,
                notes: count(&row, 2)?,
                outputs: count(&row, 3)?,
                bytes: count(&row, 4)?,
            })
        })
    }

    fn sessions_after(&self, after: &str, limit: usize) -> Result<Vec<SessionHead>> {
        self.reading(|connection| {
            let sql = format!(
                "SELECT {PAD}, id, created, updated FROM session WHERE id > $1 ORDER BY id LIMIT $2"
            );
            let rows = connection.query(&sql, params![after, whole(limit)])?;
            rows.iter().map(session_head).collect()
        })
    }

    fn revisions_after(&self, id: &SessionId, after: u64, limit: usize) -> Result<Vec<Revision>> {
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT number, space, action, at, undoes, used, author, spilled, content FROM revision
                 WHERE session = (SELECT key FROM session WHERE id = $1) AND number > $2
                 ORDER BY number LIMIT $3",
                params![id.as_str(), whole(after), whole(limit)],
            )?;
            rows.iter().map(revision).collect()
        })
    }

    fn take_revisions(&self, session: &SessionHead, revisions: &[Revision]) -> Result<()> {
        self.writing(|transaction| {
            let (key, found) =
                self.lock_or_make(transaction, &session.id, &session.project, session.created)?;
            let mut now = found.unwrap_or_else(|| Session {
                pad: Pad::default(),
                revision: 0,
                project: Some(session.project.clone()),
            });
            // Some between them may have been thinned out.
            let new: Vec<&Revision> = revisions
                .iter()
                .skip_while(|(head, _)| head.number <= now.revision)
                .collect();
            let numbers = |value: &dyn Fn(&RevisionHead) -> i64| -> Vec<i64> {
                new.iter().map(|(head, _)| value(head)).collect()
            };
            let texts = |value: &dyn Fn(&Revision) -> String| -> Vec<String> {
                new.iter().map(|revision| value(revision)).collect()
            };
            transaction.execute(
                "INSERT INTO revision (session, number, at, undoes, used, author, space, action, content, spilled)
                 SELECT $1, number, at, nullif(undoes, 0), used, author, space, action, content, nullif(spilled, '')
                 FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10)
                      AS new (number, at, undoes, used, author, space, action, content, spilled)",
                params![
                    key,
                    numbers(&|head| whole(head.number)),
                    numbers(&|head| head.at),
                    numbers(&|head| head.undoes.map_or(0, whole)),
                    numbers(&|head| whole(head.used)),
                    texts(&|(head, _)| self.author_of(&head.author)),
                    texts(&|(head, _)| head.space.name().to_owned()),
                    texts(&|(head, _)| escaped(&head.action).into_owned()),
                    texts(&|(_, content)| escaped(&as_text(content)).into_owned()),
                    texts(&|(head, _)| head.spilled.as_ref().map(OutputId::to_string).unwrap_or_default()),
                ],
            )?;
            for (head, content) in new {
                now.revision = head.number;
                now.pad.put(content.clone());
            }
            transaction.execute(
                "UPDATE session SET updated = greatest(updated, $2), revision = $3, notes = $4, plan = $5, refs = $6
                 WHERE key = $1",
                params![
                    key,
                    session.updated,
                    whole(now.revision),
                    escaped(&now.pad.notes),
                    escaped(&now.pad.plan),
                    escaped(&as_text(&now.pad.content(Space::Refs))),
                ],
            )?;
            Ok(())
        })
    }

    fn notes_after(&self, after: NoteId, limit: usize) -> Result<Vec<HomedNote>> {
        self.reading(|connection| {
            let sql = format!(
                "SELECT {NOTE}, {HOME} FROM note n JOIN scope s ON s.key = n.scope
                 WHERE n.id > $1 ORDER BY n.id LIMIT $2"
            );
            let rows = connection.query(&sql, params![after.0, whole(limit)])?;
            homed_notes(connection, &rows)
        })
    }

    fn notes_numbered(&self, ids: &[NoteId]) -> Result<Vec<HomedNote>> {
        self.reading(|connection| {
            let sql = format!(
                "SELECT {NOTE}, {HOME} FROM note n JOIN scope s ON s.key = n.scope WHERE n.id = ANY ($1) ORDER BY n.id"
            );
            let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
            let rows = connection.query(&sql, params![ids])?;
            homed_notes(connection, &rows)
        })
    }

    fn has_note_like(&self, HomedNote { home, note, .. }: &HomedNote) -> Result<bool> {
        self.reading(|connection| {
            let row = connection.query_one(
                "SELECT EXISTS (SELECT FROM note WHERE created = $3 AND content = $4 AND tags = $5
                 AND scope = (SELECT key FROM scope WHERE kind = $1 AND name = $2))",
                params![
                    note.scope.name(),
                    escaped(home),
                    note.created,
                    escaped(&note.content),
                    note.tags,
                ],
            )?;
            get(&row, 0)
        })
    }

    fn take_notes(&self, notes: &[HomedNote], at: Millis) -> Result<()> {
        let mut homes: Vec<(Scope, &str)> = notes
            .iter()
            .map(|it| (it.note.scope, it.home.as_str()))
            .collect();
        // Lock scopes in a fixed order, to avoid deadlocks.
        homes.sort_by_key(|(scope, home)| (scope.name(), *home));
        homes.dedup();
        self.writing(|transaction| {
            for (scope, home) in &homes {
                let own: Vec<&HomedNote> = notes
                    .iter()
                    .filter(|it| it.home == *home && it.note.scope == *scope)
                    .collect();
                let (session, project) = match scope {
                    Scope::Session => (*home, ""),
                    Scope::Project => ("-", *home),
                };
                let session = &SessionId::new(session)?;
                let known = read_session(transaction, session)?;
                let project = &known
                    .and_then(|session| session.project)
                    .unwrap_or_else(|| ProjectId::new(project));
                let scopes = Scopes { session, project };
                let lines: Vec<NoteLine> = own.iter().map(|it| line(&it.note)).collect();
                let key = lock_scope(transaction, scopes, *scope)?;
                let ids = self.insert(transaction, scopes, key, &lines, at)?;
                for (id, it) in ids.iter().zip(&own) {
                    put_sources(transaction, *id, &it.sources)?;
                    if it.pinned.is_some() {
                        let sql = "UPDATE note SET pinned = $2 WHERE id = $1";
                        transaction.execute(sql, params![id.0, it.pinned])?;
                    }
                }
                let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
                let authors: Vec<String> = own
                    .iter()
                    .map(|it| self.author_of(&it.note.author))
                    .collect();
                transaction.execute(
                    "UPDATE note SET author = new.author FROM unnest($1, $2) AS new (id, author)
                     WHERE note.id = new.id AND note.author <> new.author",
                    params![ids, authors],
                )?;
            }
            Ok(())
        })
    }

    fn outputs_after(&self, after: &str, limit: usize) -> Result<Vec<WholeOutput>> {
        let behind = self.behind()?;
        self.reading_at_once(|connection| {
            let rows = connection.query(
                "SELECT id, sha256, bytes, lines, kind, used, preview FROM output
                 WHERE id > $1 AND NOT damaged ORDER BY id LIMIT $2",
                params![after, whole(limit)],
            )?;
            let mut outputs = Vec::new();
            for row in &rows {
                let id: String = get(row, 0)?;
                let keeps = connection.query(
                    "SELECT session, project, tool, author, kept, pinned FROM output_keep WHERE output = $1
                     ORDER BY kept, session, project, tool",
                    params![id],
                )?;
                let keep = |row: &Row| {
                    Ok(Keep {
                        session: SessionId::new(get::<String>(row, 0)?)?,
                        project: text(row, 1)?,
                        tool: text(row, 2)?,
                        author: text(row, 3)?,
                        kept: get::<Millis>(row, 4)? - behind,
                        is_pinned: get(row, 5)?,
                    })
                };
                outputs.push(WholeOutput {
                    id: OutputId::new(&id)?,
                    sha256: get(row, 1)?,
                    bytes: count(row, 2)?,
                    lines: count(row, 3)?,
                    kind: Kind::named(get(row, 4)?),
                    used: get::<Millis>(row, 5)? - behind,
                    preview: text(row, 6)?,
                    keeps: keeps.iter().map(keep).collect::<Result<_, Failure>>()?,
                });
            }
            Ok(outputs)
        })
    }

    fn take_keeps(&self, output: &WholeOutput) -> Result<bool> {
        let behind = self.behind()?;
        self.writing(|transaction| {
            let row = transaction.query_opt(
                "UPDATE output SET used = greatest(used, $2) WHERE sha256 = $1 AND NOT damaged RETURNING id, author, bytes",
                params![output.sha256, output.used + behind],
            )?;
            let Some(row) = row else { return Ok(false) };
            let id: String = get(&row, 0)?;
            for keep in &output.keeps {
                transaction.execute(
                    "INSERT INTO output_keep (output, session, project, author, tool, kept, pinned)
                     VALUES ($1, $2, $3, $4, $5, $6, $7)
                     ON CONFLICT (output, session, project, tool)
                     DO UPDATE SET author = excluded.author, kept = excluded.kept,
                         pinned = output_keep.pinned OR excluded.pinned
                     WHERE excluded.kept >= output_keep.kept",
                    params![
                        id,
                        keep.session.as_str(),
                        escaped(&keep.project),
                        self.author_of(&keep.author),
                        escaped(&keep.tool),
                        keep.kept + behind,
                        keep.is_pinned,
                    ],
                )?;
            }
            let last = transaction.query_one(
                "UPDATE output SET (author, kept) = (
                     SELECT author, kept FROM output_keep WHERE output = $1 ORDER BY kept DESC LIMIT 1
                 ) WHERE id = $1 RETURNING author",
                params![id],
            )?;
            let (before, after): (String, String) = (text(&row, 1)?, text(&last, 0)?);
            if before != after {
                let bytes: i64 = get(&row, 2)?;
                prune::count_author(transaction, &[(&after, bytes), (&before, -bytes)])?;
            }
            Ok(true)
        })
    }

    fn removed_outputs(&self) -> Result<Vec<RemovedOutput>> {
        let behind = self.behind()?;
        self.reading(|connection| {
            let sql = "SELECT id, at, sha256 FROM output_removed ORDER BY id";
            let rows = connection.query(sql, params![])?;
            let removed = |row: &Row| {
                Ok(RemovedOutput {
                    id: OutputId::new(get(row, 0)?)?,
                    at: get::<Millis>(row, 1)? - behind,
                    sha256: get(row, 2)?,
                })
            };
            rows.iter().map(removed).collect()
        })
    }

    fn take_removed(&self, removed: &[RemovedOutput]) -> Result<()> {
        let behind = self.behind()?;
        let ids: Vec<String> = removed.iter().map(|it| it.id.to_string()).collect();
        let times: Vec<i64> = removed.iter().map(|it| it.at + behind).collect();
        let hashes: Vec<String> = removed
            .iter()
            .map(|it| it.sha256.clone().unwrap_or_default())
            .collect();
        self.writing(|transaction| {
            transaction.execute(
                "INSERT INTO output_removed (id, at, sha256)
                 SELECT id, at, nullif(sha256, '') FROM unnest($1, $2, $3) AS gone (id, at, sha256)
                 WHERE NOT EXISTS (SELECT FROM output o WHERE o.id = gone.id) ON CONFLICT (id) DO NOTHING",
                params![ids, times, hashes],
            )?;
            Ok(())
        })
    }
}

impl Postgres {
    /// The author to store; an empty one becomes the author who copies.
    pub(super) fn author_of(&self, author: &str) -> String {
        let author = if author.is_empty() {
            &self.settings.author
        } else {
            author
        };
        escaped(author).into_owned()
    }
}

fn line(note: &Note) -> NoteLine {
    NoteLine {
        id: Some(note.id),
        content: note.content.clone(),
        tags: note.tags.clone(),
        created: Some(note.created),
        updated: Some(note.updated),
    }
}

/// Reads notes from the columns of [`NOTE`] and [`HOME`], with their sources.
fn homed_notes(connection: &Connection, rows: &[Row]) -> Result<Vec<HomedNote>, Failure> {
    let mut notes: Vec<HomedNote> = rows.iter().map(homed_note).collect::<Result<_, _>>()?;
    let ids: Vec<NoteId> = notes.iter().map(|it| it.note.id).collect();
    let mut of_note: HashMap<NoteId, Vec<Source>> = HashMap::new();
    for (id, source) in sources_of(connection, &ids)? {
        of_note.entry(id).or_default().push(source);
    }
    for it in &mut notes {
        it.sources = of_note.remove(&it.note.id).unwrap_or_default();
    }
    Ok(notes)
}

fn homed_note(row: &Row) -> Result<HomedNote, Failure> {
    Ok(HomedNote {
        home: text(row, 7)?,
        note: note(row)?,
        pinned: get(row, 8)?,
        sources: Vec::new(),
    })
}

fn revision(row: &Row) -> Result<Revision, Failure> {
    let head = revision_head(row)?;
    let content = content(head.space, text(row, 8)?)?;
    Ok((head, content))
}
