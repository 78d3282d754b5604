//! Sources of notes in SQL.

use rusqlite::{Connection, Row, params};

use super::Sqlite;
use super::notes::keys;
use crate::model::error::Result;
use crate::model::note::NoteId;
use crate::model::note::source::{LineSpan, Source};
use crate::store::{Scopes, Sources};

impl Sources for Sqlite {
    fn put_sources(&self, note: NoteId, sources: &[Source]) -> Result<()> {
        self.in_transaction(|transaction| put_sources(transaction, note, sources))
    }

    fn sources(&self, notes: &[NoteId]) -> Result<Vec<(NoteId, Source)>> {
        self.reading(|connection| {
            let mut found = Vec::new();
            for note in notes {
                let sources = sources_of(connection, *note)?;
                found.extend(sources.into_iter().map(|source| (*note, source)));
            }
            Ok(found)
        })
    }

    fn visible_sources(&self, scopes: Scopes<'_>, limit: usize) -> Result<Vec<(NoteId, Source)>> {
        self.reading(|connection| {
            let keys = keys(connection, scopes)?;
            let mut find = connection.prepare_cached(
                "SELECT s.note, path, first, last, sha256, text, branch, commit_id
                 FROM note_source s JOIN note n ON n.id = s.note
                 WHERE n.scope IN (?1, ?2) ORDER BY s.note DESC, place LIMIT ?3",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let found = find.query_map(params![keys.session, keys.project, limit], source)?;
            found.collect()
        })
    }
}

/// Replaces the sources of a note, if it exists.
pub(super) fn put_sources(
    connection: &Connection,
    note: NoteId,
    sources: &[Source],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM note_source WHERE note = ?1")?
        .execute([note.0])?;
    let mut put = connection.prepare_cached(
        "INSERT INTO note_source (note, place, path, first, last, sha256, text, branch, commit_id)
         SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM note WHERE id = ?1",
    )?;
    for (place, source) in sources.iter().enumerate() {
        let LineSpan { path, first, last } = &source.span;
        let Source {
            sha256,
            text,
            branch,
            commit,
            ..
        } = source;
        put.execute(params![
            note.0, place, path, first, last, sha256, text, branch, commit
        ])?;
    }
    Ok(())
}

/// The sources of a note, in their order.
pub(super) fn sources_of(connection: &Connection, note: NoteId) -> rusqlite::Result<Vec<Source>> {
    let mut find = connection.prepare_cached(
        "SELECT note, path, first, last, sha256, text, branch, commit_id FROM note_source
         WHERE note = ?1 ORDER BY place",
    )?;
    let found = find.query_map([note.0], |row| Ok(source(row)?.1))?;
    found.collect()
}

fn source(row: &Row<'_>) -> rusqlite::Result<(NoteId, Source)> {
    let source = Source {
        span: LineSpan {
            path: row.get(1)?,
            first: row.get(2)?,
            last: row.get(3)?,
        },
        sha256: row.get(4)?,
        text: row.get(5)?,
        branch: row.get(6)?,
        commit: row.get(7)?,
    };
    Ok((NoteId(row.get(0)?), source))
}
