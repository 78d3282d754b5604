//! The read side of the postings: which pages may contain a match.

use rusqlite::{Connection, Result, Statement};

use super::page_set::PageSet;
use super::postings::{List, find, tag_term, text_term};
use super::runs::{Run, first_term};
use super::{Damaged, key_of};
use crate::model::note::search::Matcher;

/// The most terms to look up in each run; more would rarely rule out further pages.
const TERMS_LOOKED_UP: usize = 12;

/// The terms that every match contains; if there are none, every page must be read.
pub(super) fn terms(matcher: &Matcher, folded_tags: &[String]) -> Vec<u32> {
    /// Enough to choose rare ones from.
    const CHOICE: usize = 4 * TERMS_LOOKED_UP;
    let mut terms: Vec<u32> = matcher
        .needles()
        .iter()
        .flat_map(|needle| needle.needle().array_windows::<3>())
        .map(|bytes| text_term(*bytes))
        .collect();
    terms.sort_unstable();
    terms.dedup();
    let step = terms.len() / CHOICE + 1;
    let mut terms: Vec<u32> = terms.into_iter().step_by(step).collect();
    terms.extend(folded_tags.iter().map(|tag| tag_term(tag.as_bytes())));
    terms
}

/// The pages of a scope's runs that contain all the terms, as inclusive ranges.
///
/// Reorders the terms so that the rarest is looked up first.
pub(super) fn candidates(
    connection: &Connection,
    runs: &[Run],
    terms: &mut [u32],
) -> Result<Vec<[u32; 2]>> {
    let whole = |run: &Run| [run.first, run.last];
    let [oldest, ..] = runs else {
        return Ok(Vec::new());
    };
    if terms.is_empty() {
        return Ok(runs.iter().map(whole).collect());
    }
    let mut lookup = Lookup::new(connection)?;
    lookup.rarest_first(oldest, terms)?;
    let mut stretches = Vec::new();
    let mut pages = PageSet::default();
    for run in runs {
        lookup.pages_with(run, terms, &mut pages)?;
        put_stretches(run, &pages, &mut stretches);
    }
    Ok(stretches)
}

/// Appends the pages of a run as ranges. Reading a few unneeded pages is cheaper than
/// starting another read.
fn put_stretches(run: &Run, pages: &PageSet, stretches: &mut Vec<[u32; 2]>) {
    const BRIDGED: u32 = 3;
    let mut open: Option<[u32; 2]> = None;
    for page in pages.iter().map(|page| run.first + page) {
        match &mut open {
            Some([_, last]) if page - *last <= BRIDGED => *last = page,
            _ => stretches.extend(open.replace([page, page])),
        }
    }
    stretches.extend(open);
}

struct Lookup<'a> {
    leaf: rusqlite::CachedStatement<'a>,
}

impl<'a> Lookup<'a> {
    fn new(connection: &'a Connection) -> Result<Self> {
        let leaf = connection.prepare_cached(
            "SELECT key, data FROM note_posting WHERE key <= ?1 ORDER BY key DESC LIMIT 1",
        )?;
        Ok(Self { leaf })
    }

    /// Sets `pages` to the pages of the run that contain the terms, and possibly a few more.
    fn pages_with(&mut self, run: &Run, terms: &[u32], pages: &mut PageSet) -> Result<()> {
        /// Reading this many pages is cheaper than looking up another term.
        const FEW: u32 = 1;
        pages.fill(run.pages());
        for term in terms.iter().take(TERMS_LOOKED_UP) {
            with_list(&mut self.leaf, run, *term, |list| {
                let Some(list) = list else {
                    pages.clear();
                    return Ok(());
                };
                pages.keep(list)
            })?;
            if pages.len() <= FEW {
                break;
            }
        }
        Ok(())
    }

    /// Sorts terms by the number of pages of the run that contain them.
    ///
    /// Done for the oldest and largest run only: the others are similar.
    fn rarest_first(&mut self, run: &Run, terms: &mut [u32]) -> Result<()> {
        if terms.len() < 2 {
            return Ok(());
        }
        let mut weights = Vec::with_capacity(terms.len());
        for term in terms.iter() {
            let weight = with_list(&mut self.leaf, run, *term, |list| {
                Ok(list.map_or(0, |list| list.weight(run.pages())))
            })?;
            weights.push((weight, *term));
        }
        weights.sort_unstable();
        for (term, (_, rarest)) in terms.iter_mut().zip(weights) {
            *term = rarest;
        }
        Ok(())
    }
}

/// Calls `then` with the pages of a run that contain a term, if any does.
fn with_list<T>(
    leaf: &mut Statement<'_>,
    run: &Run,
    term: u32,
    then: impl FnOnce(Option<List<'_>>) -> Result<T, Damaged>,
) -> Result<T> {
    let mut rows = leaf.query([key_of(run.number, term)])?;
    let Some(row) = rows.next()? else {
        return Ok(then(None)?);
    };
    let key: i64 = row.get(0)?;
    if key >> 32 != run.number {
        return Ok(then(None)?);
    }
    let list = find(first_term(key), row.get_ref(1)?.as_blob()?, term)?;
    Ok(then(list)?)
}
