//! Notes and tags in SQL. Matching is in `search`.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::counts::{ScopeKeys, count_note, recount, totals};
use super::note_ids::{insert, remember_deleted};
use super::sessions::{insert_session, read_session};
use super::{Sqlite, note_pages, search};
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::page::{FoundNotes, NotePage};
use crate::model::note::reply::{NoteTotals, TagCount};
use crate::model::note::search::{Matcher, SearchMethod};
use crate::model::note::{Note, NoteId, Scope};
use crate::store::{NextNote, NoteChange, NoteProject, Notes, Scopes, SessionNote};

/// How much of the database a search may memory-map.
const MAPPED_BYTES: i64 = 2 << 30;

/// A note and its internal columns.
pub(super) struct Stored {
    pub(super) key: i64,
    scope: i64,
    version: i64,
    pub(super) note: Note,
}

impl Notes for Sqlite {
    fn add_session_note(&self, note: &SessionNote<'_>) -> Result<(Note, NoteTotals)> {
        self.add(
            note.content,
            note.tags,
            note.scope,
            note.at,
            |transaction| {
                let found = read_session(transaction, note.session)?;
                let (_, session) = if let Some(found) = found {
                    found
                } else {
                    let project = note.project.of_new_session();
                    insert_session(transaction, note.session, project, note.at)?
                };
                let project = match (note.project, session.project) {
                    (NoteProject::OfSession(_), Some(project)) => project,
                    (fixed, _) => fixed.of_new_session().clone(),
                };
                let scopes = Scopes {
                    session: note.session,
                    project: &project,
                };
                let key = scope_key(transaction, scopes, note.scope)?;
                Ok((key, keys(transaction, scopes)?))
            },
        )
    }

    fn add_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        content: &str,
        tags: &[String],
        at: Millis,
    ) -> Result<(Note, NoteTotals)> {
        self.add(content, tags, scope, at, |transaction| {
            let key = scope_key(transaction, scopes, scope)?;
            Ok((key, keys(transaction, scopes)?))
        })
    }

    fn change_note(
        &self,
        scopes: Scopes<'_>,
        id: NoteId,
        change: &NoteChange,
        at: Millis,
    ) -> Result<Option<(Note, NoteTotals)>> {
        let changed = self.in_transaction(|transaction| {
            let Some(old) = visible(transaction, &keys(transaction, scopes)?, id)? else {
                return Ok(None);
            };
            let key = match change.scope {
                Some(scope) => scope_key(transaction, scopes, scope)?,
                None => old.scope,
            };
            let note = Note {
                content: change
                    .content
                    .clone()
                    .unwrap_or_else(|| old.note.content.clone()),
                tags: change.tags.clone().unwrap_or_else(|| old.note.tags.clone()),
                scope: change.scope.unwrap_or(old.note.scope),
                updated: at.max(old.note.updated),
                author: String::new(),
                ..old.note.clone()
            };
            let unchanged = Note {
                updated: old.note.updated,
                author: old.note.author.clone(),
                ..note.clone()
            } == old.note;
            if unchanged && change.content.is_none() && change.tags.is_none() {
                let totals = totals(transaction, &keys(transaction, scopes)?)?;
                return Ok(Some((Vec::new(), (old.note, totals))));
            }
            let version = old.version + 1;
            transaction
                .prepare_cached(
                    "UPDATE note SET scope = ?2, version = ?3, updated = ?4, tags = ?5, content = ?6, author = ''
                     WHERE key = ?1",
                )?
                .execute(params![old.key, key, version, note.updated, note.tags.join("\n"), note.content])?;
            count_note(transaction, old.scope, &old.note.tags, -1)?;
            count_note(transaction, key, &note.tags, 1)?;
            search::changed(transaction, old.key, old.scope, key, version)?;
            let totals = totals(transaction, &keys(transaction, scopes)?)?;
            Ok(Some((vec![old.scope, key], (note, totals))))
        })?;
        Ok(changed.map(|(keys, answer)| {
            self.tidy_up(&keys, 1);
            answer
        }))
    }

    fn delete_note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<NoteTotals>> {
        let deleted = self.in_transaction(|transaction| {
            let keys = keys(transaction, scopes)?;
            let Some(old) = visible(transaction, &keys, id)? else {
                return Ok(None);
            };
            transaction
                .prepare_cached("DELETE FROM note WHERE key = ?1")?
                .execute([old.key])?;
            remember_deleted(transaction, id)?;
            count_note(transaction, old.scope, &old.note.tags, -1)?;
            search::deleted(transaction, old.scope, old.key, old.version)?;
            Ok(Some((old.scope, totals(transaction, &keys)?)))
        })?;
        Ok(deleted.map(|(key, totals)| {
            self.tidy_up(&[key], 1);
            totals
        }))
    }

    fn nearest_notes(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Vec<NoteId>> {
        self.reading(|connection| {
            let keys = keys(connection, scopes)?;
            let side = |sql: &str| -> rusqlite::Result<Vec<NoteId>> {
                connection
                    .prepare_cached(sql)?
                    .query_map(params![id.0, keys.session, keys.project], |row| {
                        row.get(0).map(NoteId)
                    })?
                    .collect()
            };
            let mut near = side(
                "SELECT id FROM note WHERE id <= ?1 AND scope IN (?2, ?3) ORDER BY id DESC LIMIT 3",
            )?;
            near.extend(side(
                "SELECT id FROM note WHERE id > ?1 AND scope IN (?2, ?3) ORDER BY id LIMIT 3",
            )?);
            near.sort_by_key(|other| other.0.abs_diff(id.0));
            near.truncate(3);
            Ok(near)
        })
    }

    fn note_ids(&self, scopes: Scopes<'_>, digits: &str, limit: usize) -> Result<Vec<NoteId>> {
        self.reading(|connection| {
            let keys = keys(connection, scopes)?;
            connection
                .prepare(
                    "SELECT id FROM note WHERE scope IN (?1, ?2)
                     AND (substr(id, 1, length(?3)) = ?3 OR substr(id, -length(?3)) = ?3)
                     ORDER BY id DESC LIMIT ?4",
                )?
                .query_map(
                    params![
                        keys.session,
                        keys.project,
                        digits,
                        i64::try_from(limit).unwrap_or(i64::MAX)
                    ],
                    |row| row.get(0).map(NoteId),
                )?
                .collect()
        })
    }

    fn note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<Note>> {
        self.reading(|connection| {
            let found = visible(connection, &keys(connection, scopes)?, id)?;
            Ok(found.map(|stored| stored.note))
        })
    }

    fn newest_notes(&self, scopes: Scopes<'_>, page: NotePage) -> Result<FoundNotes> {
        self.reading(|connection| note_pages::newest(connection, scopes, page))?
    }

    fn find_notes(
        &self,
        scopes: Scopes<'_>,
        matcher: &Matcher,
        tags: &[String],
        page: NotePage,
    ) -> Result<FoundNotes> {
        let find = |connection: &mut Connection| {
            note_pages::find(connection, self.search, scopes, matcher, tags, page)
        };
        let mut connection = self.connection()?;
        let found = (|| {
            // Memory-mapping makes a search that reads much twice as fast; the pages stay in the OS cache.
            connection.pragma_update(None, "mmap_size", MAPPED_BYTES)?;
            if self.search == SearchMethod::Scan {
                return find(&mut connection);
            }
            if !search::is_current(&connection)? {
                rebuild(&mut connection)?;
            }
            match find(&mut connection) {
                Err(error) if search::is_damage(&error) => {
                    rebuild(&mut connection)?;
                    find(&mut connection)
                }
                found => found,
            }
        })();
        found.map_err(|error: rusqlite::Error| self.explain(&error))?
    }

    fn tags(&self, scopes: Scopes<'_>) -> Result<Vec<TagCount>> {
        self.reading(|connection| {
            let keys = keys(connection, scopes)?;
            let mut statement = connection.prepare_cached(
                "SELECT min(shown), sum(count) FROM tag WHERE scope IN (?1, ?2) GROUP BY folded ORDER BY folded",
            )?;
            statement
                .query_map(params![keys.session, keys.project], |row| {
                    Ok(TagCount {
                        tag: row.get(0)?,
                        count: row.get(1)?,
                    })
                })?
                .collect()
        })
    }

    fn projects_with_notes(&self) -> Result<Vec<ProjectId>> {
        self.reading(|connection| {
            connection
                .prepare("SELECT name FROM scope WHERE kind = ?1 AND notes > 0 ORDER BY name")?
                .query_map([Scope::Project.name()], |row| {
                    Ok(ProjectId::new(row.get::<_, String>(0)?))
                })?
                .collect()
        })
    }

    fn each_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        each: &mut dyn FnMut(&Note) -> Result<()>,
    ) -> Result<()> {
        let mut refusal = None;
        self.reading(|connection| {
            let Some(key) = keys(connection, scopes)?.of(scope) else {
                return Ok(());
            };
            let mut statement = connection.prepare_cached(
                "SELECT id, content, tags, created, updated, author FROM note WHERE scope = ?1 ORDER BY id",
            )?;
            let mut rows = statement.query([key])?;
            while let Some(row) = rows.next()? {
                if let Err(error) = each(&read_note(row, scope)?) {
                    refusal = Some(error);
                    break;
                }
            }
            Ok(())
        })?;
        refusal.map_or(Ok(()), Err)
    }

    fn import_notes(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        at: Millis,
        next: &mut NextNote<'_>,
    ) -> Result<()> {
        let connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = self.begin(&connection).map_err(failed)?;
        bring_up_to_date(&transaction).map_err(failed)?;
        let key = scope_key(&transaction, scopes, scope).map_err(failed)?;
        while let Some(line) = next()? {
            insert(&transaction, key, scope, line, at).map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        drop(connection);
        self.tidy_up(&[key], usize::MAX);
        Ok(())
    }
}

impl Sqlite {
    pub(super) fn reading<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = connection.transaction().map_err(failed)?;
        read(&transaction).map_err(failed)
    }

    /// Runs a write in a transaction, and commits.
    pub(super) fn in_transaction<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = self.begin(&connection).map_err(failed)?;
        bring_up_to_date(&transaction).map_err(failed)?;
        let answer = write(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(answer)
    }

    /// Adds a note. `find_scope` returns the key of its scope and the keys of all scopes to count.
    fn add(
        &self,
        content: &str,
        tags: &[String],
        scope: Scope,
        at: Millis,
        find_scope: impl Fn(&Transaction<'_>) -> rusqlite::Result<(i64, ScopeKeys)>,
    ) -> Result<(Note, NoteTotals)> {
        let line = NoteLine {
            id: None,
            content: content.to_owned(),
            tags: tags.to_vec(),
            created: None,
            updated: None,
        };
        let (key, answer) = self.in_transaction(|transaction| {
            let (key, counted) = find_scope(transaction)?;
            let note = insert(transaction, key, scope, line, at)?;
            Ok((key, (note, totals(transaction, &counted)?)))
        })?;
        self.tidy_up(&[key], 1);
        Ok(answer)
    }

    /// Adds new notes to the search index, in at most `steps` steps.
    ///
    /// Notes that are not indexed yet are found too, only more slowly, so a step that fails is left to the next write.
    pub(super) fn tidy_up(&self, keys: &[i64], steps: usize) {
        if self.search == SearchMethod::Scan {
            return;
        }
        let Ok(mut connection) = self.connection() else {
            return;
        };
        for scope in keys {
            let mut left = steps;
            while left > 0 && search::maintain(&mut connection, *scope).unwrap_or(false) {
                left -= 1;
            }
        }
    }
}

/// Resets the search index. Notes are found by scanning until they are indexed again.
fn rebuild(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    search::rebuild(&transaction)?;
    recount(&transaction)?;
    transaction.commit()
}

/// Before a write: rebuilds what another version of this program folded by other rules.
fn bring_up_to_date(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if search::is_current(transaction)? {
        return Ok(());
    }
    search::rebuild(transaction)?;
    recount(transaction)
}

fn name_of(scopes: Scopes<'_>, scope: Scope) -> &str {
    match scope {
        Scope::Session => scopes.session.as_str(),
        Scope::Project => scopes.project.as_str(),
    }
}

pub(super) fn keys(connection: &Connection, scopes: Scopes<'_>) -> rusqlite::Result<ScopeKeys> {
    let mut statement =
        connection.prepare_cached("SELECT key FROM scope WHERE kind = ?1 AND name = ?2")?;
    let mut find = |scope: Scope| {
        statement
            .query_row(params![scope.name(), name_of(scopes, scope)], |row| {
                row.get(0)
            })
            .optional()
    };
    Ok(ScopeKeys {
        session: find(Scope::Session)?,
        project: find(Scope::Project)?,
    })
}

/// The key of a scope, which is created if needed.
pub(super) fn scope_key(
    connection: &Connection,
    scopes: Scopes<'_>,
    scope: Scope,
) -> rusqlite::Result<i64> {
    if let Some(key) = keys(connection, scopes)?.of(scope) {
        return Ok(key);
    }
    connection
        .prepare_cached("INSERT INTO scope (kind, name, notes, tags) VALUES (?1, ?2, 0, 0)")?
        .insert(params![scope.name(), name_of(scopes, scope)])
}

/// A visible note.
pub(super) fn visible(
    connection: &Connection,
    keys: &ScopeKeys,
    id: NoteId,
) -> rusqlite::Result<Option<Stored>> {
    connection
        .prepare_cached("SELECT id, content, tags, created, updated, author, key, scope, version FROM note WHERE id = ?1")?
        .query_row([id.0], |row| {
            let key: i64 = row.get(7)?;
            let scope = keys.known().find(|(_, other)| *other == key).map(|(scope, _)| scope);
            scope
                .map(|scope| {
                    Ok(Stored {
                        key: row.get(6)?,
                        scope: key,
                        version: row.get(8)?,
                        note: read_note(row, scope)?,
                    })
                })
                .transpose()
        })
        .optional()
        .map(Option::flatten)
}

/// Reads a note from the first six columns.
pub(super) fn read_note(row: &Row<'_>, scope: Scope) -> rusqlite::Result<Note> {
    let tags: String = row.get(2)?;
    Ok(Note {
        id: NoteId(row.get(0)?),
        scope,
        content: row.get(1)?,
        tags: search::tags_in(&tags).map(str::to_owned).collect(),
        created: row.get(3)?,
        updated: row.get(4)?,
        author: row.get(5)?,
        sources: Vec::new(),
    })
}
