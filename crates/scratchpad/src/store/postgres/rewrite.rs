//! Rewriting the stored texts in SQL, page by page: a team's tables may be larger than memory.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Connection;
use super::counts::folded_tags;
use super::errors::Failure;
use super::values::{count, escaped, get, params, text, whole};
use super::{notes, search};
use crate::model::error::Result;
use crate::model::id::{OutputId, SessionId};
use crate::model::note::NoteId;
use crate::model::text::rewrite::{Rewrite, in_json};
use crate::store::{Rewriting, TextPlace};

/// Rows read at once.
const PAGE: usize = 500;

impl Postgres {
    pub(super) fn rewrite_texts(
        &self,
        rewrite: &Rewrite<'_>,
        how: Rewriting,
    ) -> Result<Vec<TextPlace>> {
        let rewrite_all = |connection: &Connection| {
            let mut found = Vec::new();
            let pass = Pass {
                connection,
                rewrite,
                how,
            };
            pass.pads(&mut found)?;
            pass.revisions(&mut found)?;
            let notes = pass.notes(&mut found)?;
            pass.sources(&mut found)?;
            pass.hook_states(&mut found)?;
            pass.previews(&mut found)?;
            found.sort_unstable();
            found.dedup();
            Ok((found, notes))
        };
        match how {
            Rewriting::Look => self.reading_at_once(rewrite_all).map(|(found, _)| found),
            Rewriting::Write => self.writing(|transaction| {
                let (found, notes) = rewrite_all(transaction)?;
                if notes > 0 {
                    notes::recount(transaction)?;
                }
                Ok(found)
            }),
        }
    }
}

/// One pass over all texts.
struct Pass<'a> {
    connection: &'a Connection,
    rewrite: &'a Rewrite<'a>,
    how: Rewriting,
}

impl Pass<'_> {
    /// Calls `each` with the rows of a query that takes the last key and a limit, and whose first column is that key.
    fn pages(
        &self,
        sql: &str,
        mut each: impl FnMut(&Row) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut last = i64::MIN;
        loop {
            let rows = self.connection.query(sql, params![last, whole(PAGE)])?;
            for row in &rows {
                last = get(row, 0)?;
                each(row)?;
            }
            if rows.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Reads a text from a column; also what it becomes, if it changes.
    fn column(&self, row: &Row, column: usize) -> Result<(String, bool), Failure> {
        let old = text(row, column)?;
        Ok(match (self.rewrite)(&old) {
            Some(new) => (new, true),
            None => (old, false),
        })
    }

    /// The same for a column of JSON.
    fn json(&self, row: &Row, column: usize) -> Result<(String, bool), Failure> {
        let old = text(row, column)?;
        Ok(match in_json(&old, self.rewrite) {
            Some(new) => (new, true),
            None => (old, false),
        })
    }

    fn writes(&self) -> bool {
        self.how == Rewriting::Write
    }

    fn pads(&self, found: &mut Vec<TextPlace>) -> Result<(), Failure> {
        let sql =
            "SELECT key, id, notes, plan, refs FROM session WHERE key > $1 ORDER BY key LIMIT $2";
        self.pages(sql, |row| {
            let texts = [
                self.column(row, 2)?,
                self.column(row, 3)?,
                self.json(row, 4)?,
            ];
            if !texts.iter().any(|(_, changes)| *changes) {
                return Ok(());
            }
            found.push(TextPlace::Pad(session(row, 1)?));
            if self.writes() {
                let [notes, plan, refs] = texts.each_ref().map(|(text, _)| escaped(text));
                self.connection.execute(
                    "UPDATE session SET notes = $2, plan = $3, refs = $4 WHERE key = $1",
                    params![get::<i64>(row, 0)?, notes, plan, refs],
                )?;
            }
            Ok(())
        })
    }

    /// Page by page of sessions, of which each has a bounded number of revisions.
    fn revisions(&self, found: &mut Vec<TextPlace>) -> Result<(), Failure> {
        let sql = "SELECT key, id FROM session WHERE key > $1 ORDER BY key LIMIT $2";
        self.pages(sql, |row| {
            let (key, id): (i64, SessionId) = (get(row, 0)?, session(row, 1)?);
            let sql = "SELECT number, space, content FROM revision WHERE session = $1";
            for row in self.connection.query(sql, params![key])? {
                let is_list = get::<&str>(&row, 1)? == "refs";
                let (content, changes) = if is_list {
                    self.json(&row, 2)?
                } else {
                    self.column(&row, 2)?
                };
                if !changes {
                    continue;
                }
                found.push(TextPlace::Revision(id.clone(), count(&row, 0)?));
                if self.writes() {
                    // The length of a list stays as it is.
                    let used = (!is_list).then(|| whole(content.chars().count()));
                    self.connection.execute(
                        "UPDATE revision SET content = $3, used = coalesce($4, used) WHERE session = $1 AND number = $2",
                        params![key, get::<i64>(&row, 0)?, escaped(&content), used],
                    )?;
                }
            }
            Ok(())
        })
    }

    /// Returns how many notes change.
    fn notes(&self, found: &mut Vec<TextPlace>) -> Result<usize, Failure> {
        let before = found.len();
        let sql = "SELECT id, content, tags FROM note WHERE id > $1 ORDER BY id LIMIT $2";
        self.pages(sql, |row| {
            let id: i64 = get(row, 0)?;
            let (content, mut changes) = self.column(row, 1)?;
            let mut tags: Vec<String> = get(row, 2)?;
            for tag in &mut tags {
                if let Some(new) = (self.rewrite)(tag) {
                    *tag = new;
                    changes = true;
                }
            }
            if !changes {
                return Ok(());
            }
            found.push(TextPlace::Note(NoteId(id)));
            if self.writes() {
                let folded = search::folded(&content);
                let folded_tags = folded_tags(&tags);
                self.connection.execute(
                    "UPDATE note SET content = $2, folded = $3, tags = $4, folded_tags = $5 WHERE id = $1",
                    params![id, escaped(&content), folded, tags, folded_tags],
                )?;
            }
            Ok(())
        })?;
        Ok(found.len() - before)
    }

    fn sources(&self, found: &mut Vec<TextPlace>) -> Result<(), Failure> {
        let sql =
            "SELECT id FROM note WHERE id > $1 AND EXISTS (SELECT FROM note_source WHERE note = id)
                   ORDER BY id LIMIT $2";
        self.pages(sql, |row| {
            let note: i64 = get(row, 0)?;
            let sql = "SELECT place, path, text, branch FROM note_source WHERE note = $1";
            for row in self.connection.query(sql, params![note])? {
                let texts = [self.column(&row, 1)?, self.column(&row, 2)?, self.column(&row, 3)?];
                if !texts.iter().any(|(_, changes)| *changes) {
                    continue;
                }
                found.push(TextPlace::Note(NoteId(note)));
                if self.writes() {
                    let [path, lines, branch] = texts.each_ref().map(|(text, _)| escaped(text));
                    self.connection.execute(
                        "UPDATE note_source SET path = $3, text = $4, branch = $5 WHERE note = $1 AND place = $2",
                        params![note, get::<i64>(&row, 0)?, path, lines, branch],
                    )?;
                }
            }
            Ok(())
        })
    }

    fn hook_states(&self, found: &mut Vec<TextPlace>) -> Result<(), Failure> {
        for row in self
            .connection
            .query("SELECT session, state FROM attention", params![])?
        {
            let (state, changes) = self.json(&row, 1)?;
            if !changes {
                continue;
            }
            found.push(TextPlace::HookState(session(&row, 0)?));
            if self.writes() {
                let sql = "UPDATE attention SET state = $2 WHERE session = $1";
                let id: &str = get(&row, 0)?;
                self.connection.execute(sql, params![id, escaped(&state)])?;
            }
        }
        Ok(())
    }

    fn previews(&self, found: &mut Vec<TextPlace>) -> Result<(), Failure> {
        let sql = "SELECT key, id, preview FROM output WHERE key > $1 ORDER BY key LIMIT $2";
        self.pages(sql, |row| {
            let (preview, changes) = self.column(row, 2)?;
            if !changes {
                return Ok(());
            }
            let id: &str = get(row, 1)?;
            found.push(TextPlace::Preview(OutputId::new(id)?));
            if self.writes() {
                let sql = "UPDATE output SET preview = $2 WHERE id = $1";
                self.connection
                    .execute(sql, params![id, escaped(&preview)])?;
            }
            Ok(())
        })
    }
}

fn session(row: &Row, column: usize) -> Result<SessionId, Failure> {
    Ok(SessionId::new(get::<String>(row, column)?)?)
}
