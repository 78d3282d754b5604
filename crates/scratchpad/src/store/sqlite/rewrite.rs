//! Rewriting the stored texts in SQL.

use rusqlite::types::Value;
use rusqlite::{Row, Transaction, params_from_iter};

use super::sessions::{as_text, broken, content};
use super::{Sqlite, counts, search};
use crate::model::error::Result;
use crate::model::id::{OutputId, SessionId};
use crate::model::note::NoteId;
use crate::model::pad::{Content, Space};
use crate::model::text::rewrite::{Rewrite, in_json};
use crate::store::{Rewriting, TextPlace};

/// The values for the update of a row, and what the row is.
type Changed = (Vec<Value>, TextPlace);

impl Sqlite {
    pub(super) fn rewrite_texts(
        &self,
        rewrite: &Rewrite<'_>,
        how: Rewriting,
    ) -> Result<Vec<TextPlace>> {
        let connection = self.connection()?;
        let rewritten = || {
            let transaction = match how {
                // Reads only, so that a list needs no room and no turn.
                Rewriting::Look => connection.unchecked_transaction()?,
                Rewriting::Write => self.begin(&connection)?,
            };
            let mut found = Vec::new();
            let mut each = |texts: &Texts<'_>| -> rusqlite::Result<usize> {
                let changed = changed(&transaction, texts)?;
                if how == Rewriting::Write {
                    let mut update = transaction.prepare(texts.update)?;
                    for (values, _) in &changed {
                        update.execute(params_from_iter(values))?;
                    }
                }
                let count = changed.len();
                found.extend(changed.into_iter().map(|(_, place)| place));
                Ok(count)
            };
            each(&pads(rewrite))?;
            each(&revisions(rewrite))?;
            let notes = each(&notes(rewrite))?;
            each(&sources(rewrite))?;
            each(&hook_states(rewrite))?;
            each(&previews(rewrite))?;
            if notes > 0 && how == Rewriting::Write {
                // The index has copies of the texts and tags.
                counts::recount(&transaction)?;
                search::rebuild(&transaction)?;
            }
            transaction.commit()?;
            found.sort_unstable();
            found.dedup();
            Ok(found)
        };
        rewritten().map_err(|error| self.explain(&error))
    }
}

/// Reads a row, and says how it changes.
type Change<'a> = dyn Fn(&Row<'_>) -> rusqlite::Result<Option<Changed>> + 'a;

/// The texts of one table.
struct Texts<'a> {
    select: &'static str,
    update: &'static str,
    /// The change to a row, if there is one.
    change: Box<Change<'a>>,
}

fn changed(transaction: &Transaction<'_>, texts: &Texts<'_>) -> rusqlite::Result<Vec<Changed>> {
    let mut statement = transaction.prepare(texts.select)?;
    let mut rows = statement.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        changed.extend((texts.change)(row)?);
    }
    Ok(changed)
}

/// Some texts of a row, of which at least one changes.
fn any_new<const N: usize>(old: [String; N], new: [Option<String>; N]) -> Option<[String; N]> {
    if new.iter().all(Option::is_none) {
        return None;
    }
    let mut texts = old;
    for (text, new) in texts.iter_mut().zip(new) {
        if let Some(new) = new {
            *text = new;
        }
    }
    Some(texts)
}

fn session(row: &Row<'_>, column: usize) -> rusqlite::Result<SessionId> {
    SessionId::new(row.get::<_, String>(column)?).map_err(|error| broken(column, error))
}

fn pads<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT key, id, notes, plan, refs FROM session",
        update: "UPDATE session SET notes = ?2, plan = ?3, refs = ?4 WHERE key = ?1",
        change: Box::new(move |row| {
            let texts: [String; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
            let [notes, plan, refs] = &texts;
            let new = [rewrite(notes), rewrite(plan), in_json(refs, rewrite)];
            let Some([notes, plan, refs]) = any_new(texts, new) else {
                return Ok(None);
            };
            let values = vec![row.get(0)?, notes.into(), plan.into(), refs.into()];
            Ok(Some((values, TextPlace::Pad(session(row, 1)?))))
        }),
    }
}

fn revisions<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT r.session, r.number, s.id, r.space, r.content FROM revision r JOIN session s ON s.key = r.session",
        update: "UPDATE revision SET content = ?3, used = ?4 WHERE session = ?1 AND number = ?2",
        change: Box::new(move |row| {
            let name: String = row.get(3)?;
            let space = Space::named(&name)
                .ok_or_else(|| broken(3, format!("no space is called {name:?}")))?;
            let Some(new) = rewritten(&content(row, space, 4)?, rewrite) else {
                return Ok(None);
            };
            let used = i64::try_from(new.used()).unwrap_or(i64::MAX);
            let values = vec![row.get(0)?, row.get(1)?, as_text(&new).into(), used.into()];
            let place = TextPlace::Revision(session(row, 2)?, row.get(1)?);
            Ok(Some((values, place)))
        }),
    }
}

fn rewritten(content: &Content, rewrite: &Rewrite<'_>) -> Option<Content> {
    Some(match content {
        Content::Notes(text) => Content::Notes(rewrite(text)?),
        Content::Plan(text) => Content::Plan(rewrite(text)?),
        Content::Refs(refs) => {
            let new: Vec<Option<String>> = refs.iter().map(|item| rewrite(item)).collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let pairs = refs.iter().zip(new);
            Content::Refs(
                pairs
                    .map(|(old, new)| new.unwrap_or_else(|| old.clone()))
                    .collect(),
            )
        }
    })
}

fn notes<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT key, id, content, tags FROM note",
        // A new version, so that no packed copy counts as current.
        update: "UPDATE note SET content = ?2, tags = ?3, version = version + 1 WHERE key = ?1",
        change: Box::new(move |row| {
            let texts: [String; 2] = [row.get(2)?, row.get(3)?];
            let new = texts.each_ref().map(|text| rewrite(text));
            let Some([content, tags]) = any_new(texts, new) else {
                return Ok(None);
            };
            let values = vec![row.get(0)?, content.into(), tags.into()];
            Ok(Some((values, TextPlace::Note(NoteId(row.get(1)?)))))
        }),
    }
}

fn sources<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT note, place, path, text, branch FROM note_source",
        update: "UPDATE note_source SET path = ?3, text = ?4, branch = ?5 WHERE note = ?1 AND place = ?2",
        change: Box::new(move |row| {
            let texts: [String; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
            let new = texts.each_ref().map(|text| rewrite(text));
            let Some([path, text, branch]) = any_new(texts, new) else {
                return Ok(None);
            };
            let values = vec![
                row.get(0)?,
                row.get(1)?,
                path.into(),
                text.into(),
                branch.into(),
            ];
            Ok(Some((values, TextPlace::Note(NoteId(row.get(0)?)))))
        }),
    }
}

fn hook_states<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT session, state FROM attention",
        update: "UPDATE attention SET state = ?2 WHERE session = ?1",
        change: Box::new(move |row| {
            let Some(state) = in_json(&row.get::<_, String>(1)?, rewrite) else {
                return Ok(None);
            };
            let values = vec![row.get(0)?, state.into()];
            Ok(Some((values, TextPlace::HookState(session(row, 0)?))))
        }),
    }
}

fn previews<'a>(rewrite: &'a Rewrite<'a>) -> Texts<'a> {
    Texts {
        select: "SELECT id, preview FROM output",
        update: "UPDATE output SET preview = ?2 WHERE id = ?1",
        change: Box::new(move |row| {
            let Some(preview) = rewrite(&row.get::<_, String>(1)?) else {
                return Ok(None);
            };
            let id: String = row.get(0)?;
            let place = OutputId::new(&id).map_err(|error| broken(0, error))?;
            let values = vec![id.into(), preview.into()];
            Ok(Some((values, TextPlace::Preview(place))))
        }),
    }
}
