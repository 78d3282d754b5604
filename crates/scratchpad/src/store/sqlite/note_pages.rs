//! Pages of notes: the newest, and what a search finds.

use std::cmp::Reverse;

use rusqlite::{Connection, params};

use super::counts::{ScopeKeys, totals};
use super::notes::{Stored, keys, read_note, visible};
use super::search;
use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::note::page::{FoundNotes, NotePage, no_such_place};
use crate::model::note::search::{Matcher, SearchMethod, fold};
use crate::model::note::{Note, NoteId, Scope};
use crate::store::Scopes;

/// The visible notes, newest first. The index gives each page without reading those before it.
pub(super) fn newest(
    connection: &Connection,
    scopes: Scopes<'_>,
    page: NotePage,
) -> rusqlite::Result<Result<FoundNotes>> {
    let limit = i64::try_from(page.and_one_more()).unwrap_or(i64::MAX);
    let keys = keys(connection, scopes)?;
    let (updated, id) = match page.after {
        None => (Millis::MAX, Millis::MAX),
        Some(id) => match visible(connection, &keys, id)? {
            Some(stored) => (stored.note.updated, id.0),
            None => return Ok(Err(no_such_place(id))),
        },
    };
    let mut notes = Vec::new();
    for (scope, key) in keys.known() {
        let newest = connection
            .prepare_cached(
                "SELECT id, content, tags, created, updated, author FROM note
                 WHERE scope = ?1 AND (updated, id) < (?3, ?4) ORDER BY updated DESC, id DESC LIMIT ?2",
            )?
            .query_map(params![key, limit, updated, id], |row| {
                read_note(row, scope)
            })?
            .collect::<rusqlite::Result<Vec<Note>>>()?;
        notes.extend(newest);
    }
    notes.sort_by_key(|note| Reverse((note.updated, note.id)));
    let total = totals(connection, &keys)?.notes;
    Ok(Ok(FoundNotes::new(total, notes, page)))
}

/// Finds notes and reads them in one snapshot; refused if the page begins after a note that is not among them.
pub(super) fn find(
    connection: &mut Connection,
    method: SearchMethod,
    scopes: Scopes<'_>,
    matcher: &Matcher,
    tags: &[String],
    page: NotePage,
) -> rusqlite::Result<Result<FoundNotes>> {
    let snapshot = connection.transaction()?;
    let keys = keys(&snapshot, scopes)?;
    let known: Vec<i64> = keys.known().map(|(_, key)| key).collect();
    let after = match page.after {
        Some(id) => place_of(&snapshot, &keys, matcher, tags, id)?,
        None => None,
    };
    let lost = page.after.filter(|_| after.is_none());
    let wanted = search::Wanted {
        after,
        limit: if lost.is_some() {
            0
        } else {
            page.and_one_more()
        },
    };
    let found = search::find(&snapshot, method, &known, matcher, tags, wanted)?;
    if let (Some(id), 1..) = (lost, found.total) {
        return Ok(Err(no_such_place(id)));
    }
    let mut statement = snapshot.prepare_cached(
        "SELECT id, content, tags, created, updated, author, scope FROM note WHERE key = ?1",
    )?;
    let notes = found
        .hits
        .iter()
        .map(|hit| {
            statement.query_row([hit.key], |row| {
                let session = Some(row.get(6)?) == keys.session;
                read_note(
                    row,
                    if session {
                        Scope::Session
                    } else {
                        Scope::Project
                    },
                )
            })
        })
        .collect::<rusqlite::Result<Vec<Note>>>()?;
    let total = usize::try_from(found.total).unwrap_or(usize::MAX);
    Ok(Ok(FoundNotes::new(total, notes, page)))
}

/// The place of a note among those that a search finds, if it is one of them.
fn place_of(
    connection: &Connection,
    keys: &ScopeKeys,
    matcher: &Matcher,
    folded_tags: &[String],
    id: NoteId,
) -> rusqlite::Result<Option<search::Hit>> {
    let Some(Stored { key, note, .. }) = visible(connection, keys, id)? else {
        return Ok(None);
    };
    let has = |wanted: &String| note.tags.iter().any(|tag| fold(tag) == *wanted);
    if !folded_tags.iter().all(has) {
        return Ok(None);
    }
    let rank = matcher.rank(&fold(&note.content));
    Ok(rank.map(|rank| search::Hit {
        rank,
        updated: Reverse(note.updated),
        id: Reverse(id.0),
        key,
    }))
}
