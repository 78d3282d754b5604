//! Adds a note: one statement changes everything, so that it takes two round trips.

use super::Postgres;
use super::counts;
use super::counts::folded_tags;
use super::errors::Failure;
use super::search;
use super::values::{escaped, get, params};
use crate::model::error::Result;
use crate::model::note::reply::NoteTotals;
use crate::model::note::{Note, NoteId, Scope};
use crate::store::{NoteProject, SessionNote};

/// Where the session of a note is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionRow {
    /// In this store; a missing row is added.
    Here,
    /// In a session log.
    Elsewhere,
}

/// Adds a note and, if needed, its session, and updates the counts of notes and tags.
///
/// `$4` is the project of a new session, `$11` whether the note belongs to it even if the session is in another,
/// `$12` whether to add a missing session. If another transaction is adding the session, this waits for it and uses
/// its project.
const ADD: &str = "
    WITH known AS (
        SELECT project FROM session WHERE id = $3
    ), made AS (
        INSERT INTO session (id, project, author, created, updated, revision, notes, plan, refs)
        SELECT $3, $4, $5, $6, $6, 0, '', '', '[]' WHERE $12 AND NOT EXISTS (SELECT FROM known)
        ON CONFLICT (id) DO UPDATE SET project = session.project RETURNING project
    ), chosen AS (
        SELECT CASE WHEN $11 THEN $4
            ELSE coalesce((SELECT project FROM known), (SELECT project FROM made), $4) END AS project
    ), home AS (
        INSERT INTO scope (kind, name, notes) SELECT $1, CASE WHEN $1 = $2 THEN $3 ELSE project END, 1 FROM chosen
        ON CONFLICT (kind, name) DO UPDATE SET notes = scope.notes + 1 RETURNING key
    ), tagged AS (
        INSERT INTO tag (scope, folded, shown, count)
        SELECT key, folded, (array_agg(shown ORDER BY place))[1], count(*)
        FROM home CROSS JOIN unnest($9, $7) WITH ORDINALITY AS new (folded, shown, place) GROUP BY key, folded
        ON CONFLICT (scope, folded) DO UPDATE SET count = tag.count + excluded.count
    )
    INSERT INTO note (id, scope, session, project, author, created, updated, tags, content, folded_tags, folded)
    SELECT give_note_ids(1, $6), key, $3, project, $5, $6, $6, $7, $8, $9, $10 FROM home CROSS JOIN chosen
    RETURNING id";

impl Postgres {
    /// Adds a note in two round trips, the second of which commits.
    pub(super) fn add(
        &self,
        note: &SessionNote<'_>,
        row: SessionRow,
    ) -> Result<(Note, NoteTotals)> {
        let (project, is_fixed) = match note.project {
            NoteProject::Fixed(project) => (project, true),
            NoteProject::OfSession(project) => (project, false),
        };
        let (session, project) = (note.session.as_str(), escaped(project.as_str()));
        let author = &self.settings.author;
        let (kind, of_session) = (note.scope.name(), Scope::Session.name());
        let (by, text) = (escaped(author), escaped(note.content));
        let (tags, folded_tags) = (note.tags.to_vec(), folded_tags(note.tags));
        let folded = search::folded(note.content);
        let is_here = row == SessionRow::Here;
        let values = params![
            kind,
            of_session,
            session,
            project,
            by,
            note.at,
            tags,
            text,
            folded_tags,
            folded,
            is_fixed,
            is_here,
        ];
        let totals = counts::totals_of_session_sql();
        self.writing(|transaction| {
            let totals = (totals.as_str(), params![session, project, is_fixed] as &[_]);
            let (added, counted) = transaction.both((ADD, values), totals)?;
            let (added, counted) = (added.first(), counted.first());
            let missing = || Failure::Foreign("a note got no id");
            let added = Note {
                id: NoteId(get(added.ok_or_else(missing)?, 0)?),
                scope: note.scope,
                content: note.content.to_owned(),
                tags: note.tags.to_vec(),
                created: note.at,
                updated: note.at,
                author: author.clone(),
                sources: Vec::new(),
            };
            Ok((added, counts::totals_in(counted.ok_or_else(missing)?)?))
        })
    }
}
