//! Notes and tags in SQL. Matching is in `search`.

use std::collections::HashSet;

use tokio_postgres::Row;

use super::add_note::SessionRow;
use super::connection::{Connection, Transaction};
use super::counts::{
    SEEN, count_in, count_out, folded_tags, lock_scope, name_of, scope_keys, totals,
};
use super::errors::Failure;
use super::search;
use super::values::{count, escaped, get, params, text, whole};
use super::{Postgres, Timeout};
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::page::{FoundNotes, NotePage, no_such_place};
use crate::model::note::reply::{NoteTotals, TagCount};
use crate::model::note::search::Matcher;
use crate::model::note::{Note, NoteId, Scope};
use crate::store::{NextNote, NoteChange, NoteProject, Notes, Scopes, SessionNote};

/// The number of notes read or written per round trip.
const BATCH: usize = 500;

/// The columns for [`note`].
pub(super) const NOTE: &str = "n.id, n.content, n.tags, n.created, n.updated, s.kind, n.author";

impl Notes for Postgres {
    fn add_session_note(&self, note: &SessionNote<'_>) -> Result<(Note, NoteTotals)> {
        self.add(note, SessionRow::Here)
    }

    fn add_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        content: &str,
        tags: &[String],
        at: Millis,
    ) -> Result<(Note, NoteTotals)> {
        let note = SessionNote {
            session: scopes.session,
            project: NoteProject::Fixed(scopes.project),
            scope,
            content,
            tags,
            at,
        };
        self.add(&note, SessionRow::Elsewhere)
    }

    fn change_note(
        &self,
        scopes: Scopes<'_>,
        id: NoteId,
        change: &NoteChange,
        at: Millis,
    ) -> Result<Option<(Note, NoteTotals)>> {
        self.writing(|transaction| {
            let Some((key, old)) = lock_note(transaction, scopes, id)? else {
                return Ok(None);
            };
            let at = at.max(old.updated);
            let new = Note {
                content: change.content.clone().unwrap_or_else(|| old.content.clone()),
                tags: change.tags.clone().unwrap_or_else(|| old.tags.clone()),
                scope: change.scope.unwrap_or(old.scope),
                updated: at,
                author: self.settings.author.clone(),
                ..old.clone()
            };
            let is_moved = new.scope != old.scope;
            if !is_moved && change.content.is_none() && change.tags.is_none() {
                return Ok(Some((old, totals(transaction, scopes)?)));
            }
            let new_key = if is_moved {
                lock_scope(transaction, scopes, new.scope)?
            } else {
                key
            };
            transaction.execute(
                "UPDATE note SET scope = $2, updated = $3, tags = $4, content = $5, folded_tags = $6, folded = $7, author = $8
                 WHERE id = $1",
                params![
                    id.0,
                    new_key,
                    at,
                    new.tags,
                    escaped(&new.content),
                    folded_tags(&new.tags),
                    search::folded(&new.content),
                    escaped(&self.settings.author),
                ],
            )?;
            count_out(transaction, key, &old.tags)?;
            count_in(transaction, new_key, 1, &new.tags)?;
            Ok(Some((new, totals(transaction, scopes)?)))
        })
    }

    fn delete_note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<NoteTotals>> {
        self.writing(|transaction| {
            let Some((key, old)) = lock_note(transaction, scopes, id)? else {
                return Ok(None);
            };
            transaction.execute("DELETE FROM note WHERE id = $1", params![id.0])?;
            count_out(transaction, key, &old.tags)?;
            totals(transaction, scopes).map(Some)
        })
    }

    fn nearest_notes(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Vec<NoteId>> {
        self.reading(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let rows = connection.query(
                "SELECT id FROM (
                     (SELECT id FROM note WHERE scope = ANY ($2) AND id <= $1 ORDER BY id DESC LIMIT 3)
                     UNION ALL
                     (SELECT id FROM note WHERE scope = ANY ($2) AND id > $1 ORDER BY id LIMIT 3)
                 ) AS near",
                params![id.0, keys],
            )?;
            let near = rows.iter().map(|row| get(row, 0).map(NoteId));
            let mut near = near.collect::<Result<Vec<NoteId>, Failure>>()?;
            near.sort_by_key(|other| (other.0.abs_diff(id.0), other.0));
            near.truncate(3);
            Ok(near)
        })
    }

    fn note_ids(&self, scopes: Scopes<'_>, digits: &str, limit: usize) -> Result<Vec<NoteId>> {
        self.reading(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let rows = connection.query(
                "SELECT id FROM note WHERE scope = ANY ($1)
                 AND (left(id::text, length($2)) = $2 OR right(id::text, length($2)) = $2)
                 ORDER BY id DESC LIMIT $3",
                params![keys, digits, whole(limit)],
            )?;
            rows.iter().map(|row| get(row, 0).map(NoteId)).collect()
        })
    }

    fn note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<Note>> {
        self.reading(|connection| {
            let keys = scope_keys(connection, scopes)?;
            visible(connection, &keys, id)
        })
    }

    fn newest_notes(&self, scopes: Scopes<'_>, page: NotePage) -> Result<FoundNotes> {
        self.reading_at_once(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let (updated, id) = match page.after {
                None => (Millis::MAX, Millis::MAX),
                Some(id) => match visible(connection, &keys, id)? {
                    Some(note) => (note.updated, id.0),
                    None => return Err(no_such_place(id).into()),
                },
            };
            // Each scope by its index, then the newest of both.
            let rows = connection.query(
                &format!(
                    "SELECT {NOTE} FROM scope s CROSS JOIN LATERAL (
                         SELECT * FROM note WHERE scope = s.key AND (updated, id) < ($3, $4)
                         ORDER BY updated DESC, id DESC LIMIT $2
                     ) n WHERE s.key = ANY ($1) ORDER BY n.updated DESC, n.id DESC LIMIT $2"
                ),
                params![keys, whole(page.and_one_more()), updated, id],
            )?;
            let notes = rows.iter().map(note).collect::<Result<_, _>>()?;
            let total = totals(connection, scopes)?.notes;
            Ok(FoundNotes::new(total, notes, page))
        })
    }

    fn find_notes(
        &self,
        scopes: Scopes<'_>,
        matcher: &Matcher,
        tags: &[String],
        page: NotePage,
    ) -> Result<FoundNotes> {
        self.reading_at_once(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let found = search::find(connection, &keys, matcher, tags, page)?;
            let rows = connection.query(
                &format!(
                    "SELECT {NOTE} FROM unnest($1) WITH ORDINALITY AS hit (id, place)
                     JOIN note n USING (id) JOIN scope s ON s.key = n.scope ORDER BY place"
                ),
                params![found.ids],
            )?;
            let notes = rows.iter().map(note).collect::<Result<_, _>>()?;
            Ok(FoundNotes::new(found.total, notes, page))
        })
    }

    fn tags(&self, scopes: Scopes<'_>) -> Result<Vec<TagCount>> {
        self.reading_at_once(|connection| {
            let rows = connection.query(
                "SELECT min(shown), sum(count)::bigint FROM tag
                 WHERE scope = ANY ($1) GROUP BY folded ORDER BY folded",
                params![scope_keys(connection, scopes)?],
            )?;
            let tag = |row: &Row| {
                Ok(TagCount {
                    tag: get(row, 0)?,
                    count: count(row, 1)?,
                })
            };
            rows.iter().map(tag).collect()
        })
    }

    fn projects_with_notes(&self) -> Result<Vec<ProjectId>> {
        self.reading(|connection| {
            let sql = "SELECT name FROM scope WHERE kind = $1 AND notes > 0 ORDER BY name";
            let rows = connection.query(sql, params![Scope::Project.name()])?;
            rows.iter()
                .map(|row| Ok(ProjectId::new(text(row, 0)?)))
                .collect()
        })
    }

    fn each_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        each: &mut dyn FnMut(&Note) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {NOTE} FROM note n JOIN scope s ON s.key = n.scope
             WHERE s.kind = $1 AND s.name = $2 AND n.id > $3 ORDER BY n.id LIMIT $4"
        );
        let mut has_begun = false;
        self.reading_at_once(|connection| {
            let mut last = i64::MIN;
            loop {
                let name = escaped(name_of(scopes, scope));
                let rows = connection
                    .query(&sql, params![scope.name(), name, last, whole(BATCH)])
                    .map_err(|failure| self.not_again(failure, has_begun))?;
                for row in &rows {
                    let note = note(row)?;
                    last = note.id.0;
                    has_begun = true;
                    each(&note)?;
                }
                if rows.len() < BATCH {
                    return Ok(());
                }
                self.go_on(connection);
            }
        })
    }

    fn import_notes(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        at: Millis,
        next: &mut NextNote<'_>,
    ) -> Result<()> {
        let mut has_begun = false;
        self.writing(|transaction| {
            let mut import = || {
                let key = lock_scope(transaction, scopes, scope)?;
                loop {
                    let mut lines = Vec::new();
                    while lines.len() < BATCH
                        && let Some(line) = next()?
                    {
                        has_begun = true;
                        lines.push(line);
                    }
                    self.insert(transaction, scopes, key, &lines, at)?;
                    if lines.len() < BATCH {
                        return Ok(());
                    }
                    self.go_on(transaction);
                }
            };
            let imported = import();
            imported.map_err(|failure| self.not_again(failure, has_begun))
        })
    }
}

impl Postgres {
    /// Restarts the timeout for the next step of a long operation.
    fn go_on(&self, connection: &Connection) {
        if let Timeout::Each(_) = self.settings.timeout {
            connection.use_until(self.deadline());
        }
    }

    /// Makes a failure final if it came in the middle of something that can't be retried.
    fn not_again(&self, failure: Failure, has_begun: bool) -> Failure {
        if has_begun {
            Failure::Final(self.explain(failure))
        } else {
            failure
        }
    }

    /// Adds notes, each under its own id if that is free, else under the next one.
    pub(super) fn insert(
        &self,
        transaction: &Transaction<'_>,
        scopes: Scopes<'_>,
        key: i64,
        lines: &[NoteLine],
        at: Millis,
    ) -> Result<Vec<NoteId>, Failure> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let ids = take_ids(transaction, lines, at)?;
        let column = |value: fn(&NoteLine) -> Option<Millis>| -> Vec<i64> {
            lines.iter().map(|line| value(line).unwrap_or(at)).collect()
        };
        let texts = |value: &dyn Fn(&NoteLine) -> String| -> Vec<String> {
            lines.iter().map(value).collect()
        };
        // SQL arrays can't be ragged, so join tags with newlines, which they never contain.
        let in_lines = |tags: &[String]| tags.join("\n");
        transaction.execute(
            "INSERT INTO note (id, scope, session, project, author, created, updated, tags, content, folded_tags, folded)
             SELECT id, $1, $2, $3, $4, created, updated, string_to_array(tags, E'\\n'), content,
                    string_to_array(folded_tags, E'\\n'), folded
             FROM unnest($5, $6, $7, $8, $9, $10, $11)
                  AS new (id, created, updated, tags, content, folded_tags, folded)",
            params![
                key,
                scopes.session.as_str(),
                escaped(scopes.project.as_str()),
                self.settings.author,
                ids,
                column(|line| line.created),
                column(|line| line.updated),
                texts(&|line| in_lines(&line.tags)),
                texts(&|line| escaped(&line.content).into_owned()),
                texts(&|line| in_lines(&folded_tags(&line.tags))),
                texts(&|line| search::folded(&line.content)),
            ],
        )?;
        let tags: Vec<String> = lines.iter().flat_map(|line| line.tags.clone()).collect();
        count_in(transaction, key, lines.len(), &tags)?;
        Ok(ids.into_iter().map(NoteId).collect())
    }
}

/// Chooses the ids of new notes, in order.
fn take_ids(
    transaction: &Transaction<'_>,
    lines: &[NoteLine],
    at: Millis,
) -> Result<Vec<i64>, Failure> {
    let own: Vec<i64> = lines.iter().filter_map(|line| Some(line.id?.0)).collect();
    let mut taken = HashSet::new();
    if !own.is_empty() {
        let rows = transaction.query("SELECT id FROM note WHERE id = ANY ($1)", params![own])?;
        for row in &rows {
            taken.insert(get::<i64>(row, 0)?);
        }
    }
    // `many` consecutive ids, starting at `from` or later.
    let give = |many: usize, from: i64| -> Result<Vec<i64>, Failure> {
        let many = whole(many);
        let row = transaction.query_one("SELECT give_note_ids($1, $2)", params![many, from])?;
        let last: i64 = get(&row, 0)?;
        Ok((last + 1 - many..=last).collect())
    };
    let mut ids: Vec<i64> = Vec::with_capacity(lines.len());
    let mut from = at;
    let mut has_own = false;
    while let Some(line) = lines.get(ids.len()) {
        match line.id {
            Some(id) if taken.insert(id.0) => {
                ids.push(id.0);
                from = from.max(id.0.saturating_add(1));
                has_own = true;
            }
            _ => {
                let rest = lines.iter().skip(ids.len());
                let many = rest.take_while(|line| line.id.is_none_or(|id| taken.contains(&id.0)));
                let given = give(many.count(), from)?;
                taken.extend(&given);
                ids.extend(given);
                has_own = false;
            }
        }
    }
    if has_own {
        // Move the sequence past imported ids, so that they are never assigned.
        let above = own
            .iter()
            .max()
            .map_or(0, |highest| highest.saturating_add(1));
        give(0, above)?;
    }
    Ok(ids)
}

/// Reads a note from the columns of [`NOTE`].
pub(super) fn note(row: &Row) -> Result<Note, Failure> {
    let kind: &str = get(row, 5)?;
    let scope = Scope::ALL.into_iter().find(|scope| scope.name() == kind);
    Ok(Note {
        id: NoteId(get(row, 0)?),
        scope: scope.ok_or(Failure::Foreign("a scope has an unknown kind"))?,
        content: text(row, 1)?,
        tags: get(row, 2)?,
        created: get(row, 3)?,
        updated: get(row, 4)?,
        author: text(row, 6)?,
        sources: Vec::new(),
    })
}

/// A note in one of these scopes.
fn visible(connection: &Connection, keys: &Vec<i64>, id: NoteId) -> Result<Option<Note>, Failure> {
    let sql = format!(
        "SELECT {NOTE} FROM note n JOIN scope s ON s.key = n.scope WHERE n.id = $1 AND n.scope = ANY ($2)"
    );
    let row = connection.query_opt(&sql, params![id.0, *keys])?;
    row.as_ref().map(note).transpose()
}

/// A visible note and the key of its scope, locked until the transaction ends.
fn lock_note(
    transaction: &Transaction<'_>,
    scopes: Scopes<'_>,
    id: NoteId,
) -> Result<Option<(i64, Note)>, Failure> {
    // To avoid deadlocks, lock scopes before notes, and projects before sessions.
    let project = escaped(scopes.project.as_str());
    let scopes = transaction.query(
        &format!("SELECT key FROM scope WHERE {SEEN} ORDER BY kind FOR UPDATE"),
        params![scopes.session.as_str(), project],
    )?;
    let keys = scopes.iter().map(|row| get(row, 0));
    let keys = keys.collect::<Result<Vec<i64>, Failure>>()?;
    let row = transaction.query_opt(
        &format!(
            "SELECT {NOTE}, s.key FROM note n JOIN scope s ON s.key = n.scope
             WHERE n.id = $1 AND n.scope = ANY ($2)"
        ),
        params![id.0, keys],
    )?;
    row.map(|row| Ok((get(&row, 7)?, note(&row)?))).transpose()
}

/// Refolds every note by the rules of this program, and recounts everything.
pub(super) fn fold_again(transaction: &Transaction<'_>) -> Result<(), Failure> {
    let mut last = i64::MIN;
    loop {
        let rows = transaction.query(
            "SELECT id, content, tags FROM note WHERE id > $1 ORDER BY id LIMIT $2",
            params![last, whole(BATCH)],
        )?;
        for row in &rows {
            last = get(row, 0)?;
            let tags: Vec<String> = get(row, 2)?;
            transaction.execute(
                "UPDATE note SET folded = $2, folded_tags = $3 WHERE id = $1",
                params![last, search::folded(&text(row, 1)?), folded_tags(&tags)],
            )?;
        }
        if rows.len() < BATCH {
            break;
        }
    }
    recount(transaction)
}

/// Counts the notes and tags of every scope again.
pub(super) fn recount(transaction: &Transaction<'_>) -> Result<(), Failure> {
    transaction.batch(
        "DELETE FROM tag;
         INSERT INTO tag (scope, folded, shown, count)
         SELECT scope, t.folded, (array_agg(t.shown ORDER BY id))[1], count(*)
         FROM note CROSS JOIN unnest(tags, folded_tags) AS t (shown, folded) GROUP BY scope, t.folded;
         UPDATE scope SET notes = (SELECT count(*) FROM note WHERE note.scope = scope.key)",
    )
}
