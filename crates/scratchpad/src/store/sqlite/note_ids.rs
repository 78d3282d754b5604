//! Inserts a note, and chooses its id.

use rusqlite::{Connection, params};

use super::counts::count_note;
use super::search;
use crate::model::id::Millis;
use crate::model::note::jsonl::NoteLine;
use crate::model::note::{Note, NoteId, Scope};

/// Adds a note under its own id if that is free, else under the next one.
pub(super) fn insert(
    connection: &Connection,
    key: i64,
    scope: Scope,
    line: NoteLine,
    at: Millis,
) -> rusqlite::Result<Note> {
    let own = match line.id {
        Some(id) if !exists(connection, id)? => Some(id.0),
        _ => None,
    };
    let next = next_id(connection, at)?;
    let note = Note {
        id: NoteId(own.unwrap_or(next)),
        scope,
        content: line.content,
        tags: line.tags,
        created: line.created.unwrap_or(at),
        updated: line.updated.unwrap_or(at),
        author: String::new(),
        sources: Vec::new(),
    };
    let row = connection
        .prepare_cached(
            "INSERT INTO note (id, scope, version, created, updated, tags, content)
             VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)",
        )?
        .insert(params![
            note.id.0,
            key,
            note.created,
            note.updated,
            note.tags.join("\n"),
            note.content
        ])?;
    count_note(connection, key, &note.tags, 1)?;
    search::inserted(connection, key, row)?;
    Ok(note)
}

/// The current time, or the highest id ever assigned plus one, whichever is larger.
fn next_id(connection: &Connection, at: Millis) -> rusqlite::Result<Millis> {
    let highest: Option<Millis> = connection
        .prepare_cached("SELECT max(id) FROM (SELECT max(id) AS id FROM note UNION ALL SELECT id FROM note_deleted)")?
        .query_row([], |row| row.get(0))?;
    Ok(highest.map_or(at, |highest| at.max(highest.saturating_add(1))))
}

/// Records a deleted id if it is the highest ever assigned, so that it is never reused.
pub(super) fn remember_deleted(connection: &Connection, id: NoteId) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE note_deleted SET id = ?1 WHERE id < ?1 AND ?1 > (SELECT coalesce(max(id), -1) FROM note)",
        )?
        .execute([id.0])?;
    Ok(())
}

fn exists(connection: &Connection, id: NoteId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM note WHERE id = ?1")?
        .exists([id.0])
}
