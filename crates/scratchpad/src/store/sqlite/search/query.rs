//! The read side: each search runs on one snapshot, and nothing is cached between searches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rusqlite::{Connection, Result};

use super::candidates::{candidates, terms};
use super::page::{Entry, Page, tags};
use super::runs::runs_of;
use super::stale::StaleWhenNeeded;
use super::{Damaged, key_of, tags_in};
use crate::model::note::search::{Folder, Matcher, Rank, SearchMethod};

/// The notes that are not packed yet.
const TAIL: &str = "
    SELECT note.key, note.id, note.updated, note.content, note.tags
    FROM note_pending CROSS JOIN note ON note.key = note_pending.note
    WHERE note_pending.scope = ?1";

/// All notes of a scope.
const ALL: &str = "SELECT key, id, updated, content, tags FROM note WHERE scope = ?1";

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store::sqlite) struct Found {
    /// The number of matching notes.
    pub(in crate::store::sqlite) total: u64,
    /// The best of the wanted matches, best first.
    pub(in crate::store::sqlite) hits: Vec<Hit>,
}

/// A matching note. Compared field by field; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store::sqlite) struct Hit {
    /// How well it matches.
    pub(in crate::store::sqlite) rank: Rank,
    /// The time of change, newest first.
    pub(in crate::store::sqlite) updated: Reverse<i64>,
    /// Its id, highest first.
    pub(in crate::store::sqlite) id: Reverse<i64>,
    /// Its key in the table `note`.
    pub(in crate::store::sqlite) key: i64,
}

/// Which of the matching notes are wanted: the first `limit` that come after `after`.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::sqlite) struct Wanted {
    pub(in crate::store::sqlite) after: Option<Hit>,
    pub(in crate::store::sqlite) limit: usize,
}

impl Wanted {
    #[cfg(test)]
    pub(in crate::store::sqlite) fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }
}

/// The notes in any of the scopes that match and have all the tags: their number, and the best.
///
/// A scan gives the same result, but reads only the notes themselves.
pub(in crate::store::sqlite) fn find(
    connection: &Connection,
    method: SearchMethod,
    scopes: &[i64],
    matcher: &Matcher,
    folded_tags: &[String],
    wanted: Wanted,
) -> Result<Found> {
    let _snapshot = if connection.is_autocommit() {
        Some(connection.unchecked_transaction()?)
    } else {
        None
    };
    let mut scopes = scopes.to_vec();
    scopes.sort_unstable();
    scopes.dedup();
    let mut search = Search {
        connection,
        matcher,
        folded_tags,
        wanted,
        best: BinaryHeap::new(),
        total: 0,
        entries: Vec::new(),
    };
    let mut terms = terms(matcher, folded_tags);
    for scope in scopes {
        match method {
            SearchMethod::Index => {
                search.rows(TAIL, scope)?;
                search.packed(scope, &mut terms)?;
            }
            SearchMethod::Scan => search.rows(ALL, scope)?,
        }
    }
    Ok(Found {
        total: search.total,
        hits: search.best.into_sorted_vec(),
    })
}

struct Search<'a> {
    connection: &'a Connection,
    matcher: &'a Matcher,
    folded_tags: &'a [String],
    wanted: Wanted,
    /// The best hits; the worst of them is on top, to be replaced by a better one.
    best: BinaryHeap<Hit>,
    total: u64,
    /// Reused for each page.
    entries: Vec<Entry>,
}

impl Search<'_> {
    #[inline]
    fn add(&mut self, hit: Hit) {
        self.total += 1;
        if self.wanted.after.is_some_and(|after| hit <= after) {
            return;
        }
        if self.best.len() < self.wanted.limit {
            self.best.push(hit);
        } else if let Some(mut worst) = self.best.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    /// Searches the notes that an SQL query selects.
    fn rows(&mut self, notes: &str, scope: i64) -> Result<()> {
        let mut statement = self.connection.prepare_cached(notes)?;
        let mut rows = statement.query([scope])?;
        let mut folder = Folder::default();
        let (mut text, mut tags) = (String::new(), String::new());
        while let Some(row) = rows.next()? {
            if !self.folded_tags.is_empty() {
                tags.clear();
                folder.fold_into(row.get_ref(4)?.as_str()?, &mut tags);
                let has = |wanted: &String| tags_in(&tags).any(|tag| tag == wanted);
                if !self.folded_tags.iter().all(has) {
                    continue;
                }
            }
            text.clear();
            folder.fold_into(row.get_ref(3)?.as_str()?, &mut text);
            if let Some(rank) = self.matcher.rank(&text) {
                self.add(Hit {
                    rank,
                    updated: Reverse(row.get(2)?),
                    id: Reverse(row.get(1)?),
                    key: row.get(0)?,
                });
            }
        }
        Ok(())
    }

    /// Searches the pages of a scope that contain all the terms.
    fn packed(&mut self, scope: i64, terms: &mut [u32]) -> Result<()> {
        let runs = runs_of(self.connection, scope)?;
        let stretches = candidates(self.connection, &runs, terms)?;
        if stretches.is_empty() {
            return Ok(());
        }
        let mut stale = StaleWhenNeeded::new(self.connection, scope)?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT data FROM note_block WHERE key BETWEEN ?1 AND ?2")?;
        for stretch in stretches {
            let mut rows = statement.query(stretch.map(|page| key_of(scope, page)))?;
            while let Some(row) = rows.next()? {
                self.page(Page::new(row.get_ref(0)?.as_blob()?)?, &mut stale)?;
            }
        }
        Ok(())
    }

    /// Searches a page: all its texts at once up to the first match, then the rest.
    fn page(&mut self, page: Page<'_>, stale: &mut StaleWhenNeeded<'_>) -> Result<()> {
        let needle = self.matcher.needles().first();
        let find = |from: usize| {
            let rest = page.text.get(from..)?;
            needle.map_or(Some(from), |needle| Some(from + needle.find(rest)?))
        };
        let Some(mut found) = find(0) else {
            return Ok(());
        };
        let mut entries = std::mem::take(&mut self.entries);
        page.read(&mut entries)?;
        for entry in &entries {
            let (start, end) = entry.range();
            if end <= found && needle.is_some() {
                continue;
            }
            if let Some(hit) = self.hit(page, entry, found.saturating_sub(start))?
                && !stale.contains(entry)?
            {
                self.add(hit);
            }
            match find(end + 1) {
                Some(next) => found = next,
                None => break,
            }
        }
        self.entries = entries;
        Ok(())
    }

    /// A note of a page as a hit, if it has the tags and matches; its first needle was found at `found`.
    #[inline]
    fn hit(&self, page: Page<'_>, entry: &Entry, found: usize) -> Result<Option<Hit>, Damaged> {
        let stored = page.tags_of(entry)?;
        let has = |wanted: &String| tags(stored).any(|tag| tag == wanted.as_bytes());
        if !self.folded_tags.iter().all(has) {
            return Ok(None);
        }
        let rank = self
            .matcher
            .rank_found(page.text_of(entry)?, found)
            .map_err(|_| Damaged("the text of a page is not UTF-8"))?;
        Ok(rank.map(|rank| Hit {
            rank,
            updated: Reverse(entry.updated),
            id: Reverse(entry.id),
            key: entry.key,
        }))
    }
}
