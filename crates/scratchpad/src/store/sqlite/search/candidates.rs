//! The read side of the postings: which blocks may have what is looked for.

use rusqlite::{Connection, Result, Statement};

use super::page_set::BlockSet;
use super::postings::{List, find, tag_term, text_term};
use super::runs::{Run, first_term};
use super::{Damaged, key_of};
use crate::model::note::search::Matcher;

/// At most so many terms are looked up in each run; more rarely leave fewer blocks.
const TERMS_LOOKED_UP: usize = 12;

/// The terms that every match has; none means that every block must be read.
pub(super) fn terms(matcher: &Matcher, folded_tags: &[String]) -> Vec<u32> {
    /// So many are enough to choose the rare ones from.
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

/// The blocks of a scope's runs that have all the terms, as stretches, both ends included.
///
/// The terms are brought into the order in which they are best looked up.
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
    let mut blocks = BlockSet::default();
    for run in runs {
        lookup.blocks_with(run, terms, &mut blocks)?;
        put_stretches(run, &blocks, &mut stretches);
    }
    Ok(stretches)
}

/// Appends the blocks of a run as stretches; to read a few blocks in between is cheaper than to
/// begin anew.
fn put_stretches(run: &Run, blocks: &BlockSet, stretches: &mut Vec<[u32; 2]>) {
    const BRIDGED: u32 = 3;
    let mut open: Option<[u32; 2]> = None;
    for block in blocks.iter().map(|block| run.first + block) {
        match &mut open {
            Some([_, last]) if block - *last <= BRIDGED => *last = block,
            _ => stretches.extend(open.replace([block, block])),
        }
    }
    stretches.extend(open);
}

struct Lookup<'a> {
    page: rusqlite::CachedStatement<'a>,
}

impl<'a> Lookup<'a> {
    fn new(connection: &'a Connection) -> Result<Self> {
        let page = connection.prepare_cached(
            "SELECT key, data FROM note_posting WHERE key <= ?1 ORDER BY key DESC LIMIT 1",
        )?;
        Ok(Self { page })
    }

    /// Makes `blocks` those of the run that have the terms, or a few more.
    fn blocks_with(&mut self, run: &Run, terms: &[u32], blocks: &mut BlockSet) -> Result<()> {
        /// To read so many blocks is cheaper than to look up another term.
        const FEW: u32 = 1;
        blocks.fill(run.blocks());
        for term in terms.iter().take(TERMS_LOOKED_UP) {
            with_list(&mut self.page, run, *term, |list| {
                let Some(list) = list else {
                    blocks.clear();
                    return Ok(());
                };
                blocks.keep(list)
            })?;
            if blocks.len() <= FEW {
                break;
            }
        }
        Ok(())
    }

    /// Sorts terms by how many blocks of the run have them.
    ///
    /// Asked of one run only, the oldest and largest: the others will be much alike.
    fn rarest_first(&mut self, run: &Run, terms: &mut [u32]) -> Result<()> {
        if terms.len() < 2 {
            return Ok(());
        }
        let mut weights = Vec::with_capacity(terms.len());
        for term in terms.iter() {
            let weight = with_list(&mut self.page, run, *term, |list| {
                Ok(list.map_or(0, |list| list.weight(run.blocks())))
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

/// Calls `then` with the blocks of a run that have a term, if it has the term at all.
fn with_list<T>(
    page: &mut Statement<'_>,
    run: &Run,
    term: u32,
    then: impl FnOnce(Option<List<'_>>) -> Result<T, Damaged>,
) -> Result<T> {
    let mut rows = page.query([key_of(run.number, term)])?;
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
