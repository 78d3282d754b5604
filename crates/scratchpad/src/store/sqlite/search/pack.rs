//! The steps of maintenance: packing a tail, merging runs, rewriting a run without its stale copies.
//!
//! Each is called in a write transaction.

use rusqlite::{Connection, Result, params};

use super::index::Limits;
use super::page::{Builder, Packable, Page, put_tags};
use super::postings::{Collector, entries, pair};
use super::runs::{Run, add_run, drop_run, first_term, next_page, runs_of};
use super::stale::Stale;
use super::{Damaged, is_high_half, key_of, tags_in};
use crate::model::note::search::Folder;

/// Packs the notes of a full tail into a new run; false if the tail is empty.
pub(super) fn pack(connection: &Connection, scope: i64, limits: &Limits) -> Result<bool> {
    if !is_high_half(scope) {
        return Err(Damaged("a scope has an impossible number").into());
    }
    let first = next_page(connection, scope)?;
    let mut packer = Packer::new(connection, scope, first, limits);
    let mut statement = connection.prepare_cached(
        "SELECT note.key, note.id, note.version, note.updated, note.content, note.tags
         FROM note_pending CROSS JOIN note ON note.key = note_pending.note
         WHERE note_pending.scope = ?1 ORDER BY note_pending.note LIMIT ?2",
    )?;
    let mut rows = statement.query([scope, limits.pack_notes])?;
    let mut folder = Folder::default();
    let (mut text, mut tags, mut stored_tags) = (String::new(), String::new(), Vec::new());
    let mut last = None;
    while !packer.is_full()
        && let Some(row) = rows.next()?
    {
        text.clear();
        folder.fold_into(row.get_ref(4)?.as_str()?, &mut text);
        tags.clear();
        folder.fold_into(row.get_ref(5)?.as_str()?, &mut tags);
        stored_tags.clear();
        put_tags(tags_in(&tags), &mut stored_tags);
        let note = Packable {
            key: row.get(0)?,
            id: row.get(1)?,
            version: row.get(2)?,
            updated: row.get(3)?,
            text: text.as_bytes(),
            tags: &stored_tags,
        };
        packer.push(&note)?;
        last = Some(note.key);
    }
    drop(rows);
    packer.finish(None)?;
    connection
        .prepare_cached("DELETE FROM note_pending WHERE scope = ?1 AND note <= ?2")?
        .execute(params![scope, last])?;
    Ok(last.is_some())
}

/// Merges the newest runs as long as there are enough of one level.
///
/// Pages are not changed; only their postings are written again.
pub(super) fn merge(connection: &Connection, scope: i64, limits: &Limits) -> Result<()> {
    loop {
        let runs = runs_of(connection, scope)?;
        let Some((level, group)) = mergeable(&runs, limits) else {
            return Ok(());
        };
        let ([first, ..], [.., last]) = (group, group) else {
            return Ok(());
        };
        let merged = Run {
            first: first.first,
            last: last.last,
            level: level + 1,
            number: 0,
            notes: group
                .iter()
                .fold(0, |sum, run| run.notes.saturating_add(sum)),
        };
        let pairs = if merged.pages() > limits.run_pages {
            None
        } else {
            pairs_of(connection, group, limits)?
        };
        if let Some(mut pairs) = pairs {
            sort_stretches(&mut pairs);
            for run in group {
                drop_run(connection, scope, run)?;
            }
            add_run(connection, scope, &merged, &pairs)?;
        } else {
            // Their notes are large, so these runs are large enough.
            for run in group {
                connection
                    .prepare_cached(
                        "UPDATE note_run SET level = ?3 WHERE scope = ?1 AND first = ?2",
                    )?
                    .execute(params![scope, run.first, limits.top_level])?;
            }
        }
    }
}

/// The lowest level that has enough runs, and its runs and those after them.
fn mergeable<'a>(runs: &'a [Run], limits: &Limits) -> Option<(i64, &'a [Run])> {
    (0..limits.top_level).find_map(|level| {
        let older = runs.iter().rposition(|run| run.level > level);
        let group = runs.get(older.map_or(0, |older| older + 1)..)?;
        let of_level = group.iter().filter(|run| run.level == level).count();
        (of_level >= limits.fanout as usize).then_some((level, group))
    })
}

/// The terms of adjacent runs with their pages, renumbered for one run; `None` if there are too many.
fn pairs_of(connection: &Connection, group: &[Run], limits: &Limits) -> Result<Option<Vec<u64>>> {
    let start = group.first().map_or(0, |run| run.first);
    let mut pairs = Vec::new();
    let mut statement = connection.prepare_cached(
        "SELECT key, data FROM note_posting WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    for run in group {
        let before = run.first - start;
        let mut rows = statement.query(run.leaf_keys())?;
        while let Some(row) = rows.next()? {
            let first = first_term(row.get(0)?);
            for entry in entries(first, row.get_ref(1)?.as_blob()?) {
                let (term, list) = entry?;
                list.for_each(run.pages(), |page| {
                    pairs.push(pair(term, before + page));
                })?;
                if pairs.len() > limits.run_pairs {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(pairs))
}

/// Sorts a concatenation of sorted slices.
#[expect(
    clippy::stable_sort_primitive,
    reason = "only the stable sort makes use of stretches that are sorted already"
)]
fn sort_stretches(pairs: &mut [u64]) {
    pairs.sort();
}

/// Rewrites the run with the greatest share of stale copies without them; false if there are none.
///
/// It is rewritten in place: fewer notes never need more pages.
pub(super) fn rewrite_stalest(
    connection: &Connection,
    scope: i64,
    limits: &Limits,
) -> Result<bool> {
    let stale = Stale::load(connection, scope)?;
    let Some(run) = stalest(connection, scope, &stale)? else {
        return Ok(false);
    };
    let pages: Vec<Vec<u8>> = connection
        .prepare_cached("SELECT data FROM note_block WHERE key BETWEEN ?1 AND ?2 ORDER BY key")?
        .query_map(run.page_keys(scope), |row| row.get(0))?
        .collect::<Result<_>>()?;
    drop_run(connection, scope, &run)?;
    connection
        .prepare_cached("DELETE FROM note_block WHERE key BETWEEN ?1 AND ?2")?
        .execute(run.page_keys(scope))?;
    let mut packer = Packer::new(connection, scope, run.first, limits);
    let mut forget = connection.prepare_cached(
        "UPDATE note_stale SET copies = copies - 1 WHERE scope = ?1 AND note = ?2",
    )?;
    let mut notes = Vec::new();
    for data in &pages {
        let page = Page::new(data)?;
        page.read(&mut notes)?;
        for note in &notes {
            if stale.contains(note) {
                forget.execute([scope, note.key])?;
            } else {
                packer.push(&Packable {
                    key: note.key,
                    id: note.id,
                    version: note.version,
                    updated: note.updated,
                    text: page.text_of(note)?,
                    tags: page.tags_of(note)?,
                })?;
            }
        }
    }
    packer.finish(Some(run.level))?;
    connection
        .prepare_cached("DELETE FROM note_stale WHERE scope = ?1 AND copies <= 0")?
        .execute([scope])?;
    Ok(true)
}

/// The run with the greatest share of stale copies, if any run has some.
///
/// The share matters, not the number: a smaller run is less work.
fn stalest(connection: &Connection, scope: i64, stale: &Stale) -> Result<Option<Run>> {
    let mut stalest: Option<(i64, Run)> = None;
    let mut notes = Vec::new();
    let mut statement =
        connection.prepare_cached("SELECT data FROM note_block WHERE key BETWEEN ?1 AND ?2")?;
    for run in runs_of(connection, scope)? {
        let mut copies = 0_i64;
        let mut rows = statement.query(run.page_keys(scope))?;
        while let Some(row) = rows.next()? {
            Page::new(row.get_ref(0)?.as_blob()?)?.read(&mut notes)?;
            for note in &notes {
                copies += i64::from(stale.contains(note));
            }
        }
        let more = stalest.as_ref().is_none_or(|(most, of)| {
            copies.saturating_mul(of.notes) > most.saturating_mul(run.notes)
        });
        if copies > 0 && more {
            stalest = Some((copies, run));
        }
    }
    Ok(stalest.map(|(_, run)| run))
}

/// Writes the pages of a new run.
struct Packer<'a> {
    connection: &'a Connection,
    scope: i64,
    limits: &'a Limits,
    first: u32,
    next: u32,
    notes: i64,
    bytes: usize,
    builder: Builder,
    terms: Collector,
}

impl<'a> Packer<'a> {
    fn new(connection: &'a Connection, scope: i64, first: u32, limits: &'a Limits) -> Self {
        Self {
            connection,
            scope,
            limits,
            first,
            next: first,
            notes: 0,
            bytes: 0,
            builder: Builder::default(),
            terms: Collector::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.next - self.first >= self.limits.run_pages || self.bytes >= self.limits.run_bytes
    }

    fn push(&mut self, note: &Packable<'_>) -> Result<()> {
        if !self.builder.fits(note, self.limits.page_bytes) {
            self.write_page()?;
        }
        self.builder.push(note);
        self.notes += 1;
        self.bytes += note.text.len();
        Ok(())
    }

    fn write_page(&mut self) -> Result<()> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let data = self.builder.finish()?;
        self.terms.add(self.next - self.first, Page::new(&data)?)?;
        self.connection
            .prepare_cached("INSERT INTO note_block (key, data) VALUES (?1, ?2)")?
            .execute(params![key_of(self.scope, self.next), data])?;
        let next = self.next.checked_add(1);
        self.next = next.ok_or(Damaged("a scope has no number left for a page"))?;
        Ok(())
    }

    /// Adds the run, with the given level or that of its size; does nothing if it has no notes.
    fn finish(mut self, level: Option<i64>) -> Result<()> {
        self.write_page()?;
        if self.notes == 0 {
            return Ok(());
        }
        let run = Run {
            first: self.first,
            last: self.next - 1,
            level: level.unwrap_or_else(|| level_of(self.next - self.first, self.limits)),
            number: 0,
            notes: self.notes,
        };
        add_run(self.connection, self.scope, &run, &self.terms.finish())
    }
}

/// The level that a run with this many pages would have reached by merging.
fn level_of(pages: u32, limits: &Limits) -> i64 {
    let mut level = 0;
    let mut size = u64::from(limits.tail_pages) * u64::from(limits.fanout);
    while level < limits.top_level && u64::from(pages) * 4 >= size * 3 {
        level += 1;
        size *= u64::from(limits.fanout);
    }
    level
}
