//! Sources of notes in SQL.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::counts::scope_keys;
use super::errors::Failure;
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::Result;
use crate::model::note::NoteId;
use crate::model::note::source::{LineSpan, Source};
use crate::store::{Scopes, Sources};

const SOURCE: &str = "s.note, s.path, s.first, s.last, s.sha256, s.text, s.branch, s.commit_id";

impl Sources for Postgres {
    fn put_sources(&self, note: NoteId, sources: &[Source]) -> Result<()> {
        self.writing(|transaction| put_sources(transaction, note, sources))
    }

    fn sources(&self, notes: &[NoteId]) -> Result<Vec<(NoteId, Source)>> {
        self.reading(|connection| sources_of(connection, notes))
    }

    fn visible_sources(&self, scopes: Scopes<'_>, limit: usize) -> Result<Vec<(NoteId, Source)>> {
        let sql = format!(
            "SELECT {SOURCE} FROM note_source s JOIN note n ON n.id = s.note
             WHERE n.scope = ANY ($1) ORDER BY s.note DESC, s.place LIMIT $2"
        );
        self.reading(|connection| {
            let keys = scope_keys(connection, scopes)?;
            let rows = connection.query(&sql, params![keys, whole(limit)])?;
            rows.iter().map(source).collect()
        })
    }
}

/// Replaces the sources of a note, if it exists.
pub(super) fn put_sources(
    transaction: &Transaction<'_>,
    note: NoteId,
    sources: &[Source],
) -> Result<(), Failure> {
    transaction.execute("DELETE FROM note_source WHERE note = $1", params![note.0])?;
    for (place, source) in sources.iter().enumerate() {
        let LineSpan { path, first, last } = &source.span;
        transaction.execute(
            "INSERT INTO note_source (note, place, path, first, last, sha256, text, branch, commit_id)
             SELECT id, $2, $3, $4, $5, $6, $7, $8, $9 FROM note WHERE id = $1",
            params![
                note.0,
                whole(place),
                escaped(path),
                whole(*first),
                whole(*last),
                source.sha256,
                escaped(&source.text),
                escaped(&source.branch),
                escaped(&source.commit)
            ],
        )?;
    }
    Ok(())
}

/// The sources of these notes, in the order of the notes.
pub(super) fn sources_of(
    connection: &Connection,
    notes: &[NoteId],
) -> Result<Vec<(NoteId, Source)>, Failure> {
    let ids: Vec<i64> = notes.iter().map(|note| note.0).collect();
    let sql = format!(
        "SELECT {SOURCE} FROM unnest($1) WITH ORDINALITY AS asked (note, turn)
         JOIN note_source s USING (note) ORDER BY turn, s.place"
    );
    let rows = connection.query(&sql, params![ids])?;
    rows.iter().map(source).collect()
}

fn source(row: &Row) -> Result<(NoteId, Source), Failure> {
    let source = Source {
        span: LineSpan {
            path: text(row, 1)?,
            first: count(row, 2)?,
            last: count(row, 3)?,
        },
        sha256: text(row, 4)?,
        text: text(row, 5)?,
        branch: text(row, 6)?,
        commit: text(row, 7)?,
    };
    Ok((NoteId(get(row, 0)?), source))
}
