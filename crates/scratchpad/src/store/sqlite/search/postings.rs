//! The bytes of a run's index: which of its blocks have which term.
//!
//! A term is three bytes of folded text, or the hash of a folded tag. The index is a row of pages,
//! each with as many entries as fill one page of the file; the key of a page says its first term.
//!
//! An entry is: the difference from the term before; a number that says how the blocks are
//! written and in how many bytes; the blocks. The number is 0 for all blocks of the run, odd for
//! a bitmap, even for differences from the block before; without its lowest bit it is the length.

use super::Damaged;
use super::page::{Block, END, Entry, tags};
use super::varint;
use super::varint::Reader;

/// A page of so many bytes fills one 4,096 byte page of the file, without an overflow page.
const PAGE_BYTES: usize = 4030;

/// Terms are smaller than this: 2²⁴ times three bytes, then 2²⁴ hashes of tags.
const TERMS: u32 = 1 << 25;

pub(super) const DAMAGED: Damaged = Damaged("a page of postings makes no sense");

/// The term of three bytes of text.
#[inline]
pub(super) fn text_term([first, second, third]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, first, second, third])
}

/// The term of a folded tag: FNV-1a, part of the stored format.
pub(super) fn tag_term(folded: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in folded {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (TERMS / 2) | (high_half(hash) >> 8)
}

/// A term and a block that has it, as one number to sort by.
pub(super) fn pair(term: u32, block: u32) -> u64 {
    u64::from(term) << 32 | u64::from(block)
}

fn high_half(number: u64) -> u32 {
    (number >> 32) as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower 32 bits are meant"
)]
fn low_half(number: u64) -> u32 {
    number as u32
}

/// Collects the terms of blocks.
pub(super) struct Collector {
    /// One bit a term: met in this block already.
    met: Vec<u64>,
    pairs: Vec<u64>,
    entries: Vec<Entry>,
}

impl Collector {
    pub(super) fn new() -> Self {
        Self {
            met: vec![0; TERMS as usize / 64],
            pairs: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Adds the terms of the block with this number in the run.
    pub(super) fn add(&mut self, number: u32, block: Block<'_>) -> Result<(), Damaged> {
        let from = self.pairs.len();
        let (met, pairs) = (&mut self.met, &mut self.pairs);
        let mut add = |term: u32| {
            let bit = 1 << (term % 64);
            if let Some(word) = met.get_mut(term as usize / 64)
                && *word & bit == 0
            {
                *word |= bit;
                pairs.push(pair(term, number));
            }
        };
        for bytes in block.text.array_windows::<3>() {
            if !bytes.contains(&END) {
                add(text_term(*bytes));
            }
        }
        block.read(&mut self.entries)?;
        for entry in &self.entries {
            tags(block.tags_of(entry)).for_each(|tag| add(tag_term(tag)));
        }
        for pair in self.pairs.iter().skip(from) {
            if let Some(word) = self.met.get_mut(high_half(*pair) as usize / 64) {
                *word = 0;
            }
        }
        Ok(())
    }

    /// All terms with their blocks, sorted.
    pub(super) fn finish(mut self) -> Vec<u64> {
        self.pairs.sort_unstable();
        self.pairs
    }
}

/// Writes sorted pairs as pages of a run of so many blocks, each with its first term.
pub(super) fn write_pages(
    pairs: &[u64],
    blocks: u32,
    mut write: impl FnMut(u32, &[u8]) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    /// The difference from the term before takes no more.
    const DIFFERENCE: usize = 5;
    let mut page = Vec::with_capacity(PAGE_BYTES);
    let (mut first, mut before) = (0, 0);
    let (mut list, mut entry) = (Vec::new(), Vec::new());
    for pairs in pairs.chunk_by(|left, right| high_half(*left) == high_half(*right)) {
        let term = pairs.first().map_or(0, |pair| high_half(*pair));
        entry.clear();
        put_list(pairs, blocks, &mut list, &mut entry);
        if !page.is_empty() && page.len() + entry.len() + DIFFERENCE > PAGE_BYTES {
            write(first, &page)?;
            page.clear();
        }
        if page.is_empty() {
            (first, before) = (term, term);
        }
        varint::put(&mut page, u64::from(term - before));
        page.extend_from_slice(&entry);
        before = term;
    }
    if !page.is_empty() {
        write(first, &page)?;
    }
    Ok(())
}

/// Appends the blocks of one term, in the shortest of the three ways.
fn put_list(pairs: &[u64], blocks: u32, list: &mut Vec<u8>, entry: &mut Vec<u8>) {
    let bitmap = blocks.div_ceil(8) as usize;
    if pairs.len() == blocks as usize {
        varint::put(entry, 0);
        return;
    }
    list.clear();
    let mut before = 0;
    for pair in pairs {
        let block = low_half(*pair);
        varint::put(list, u64::from(block - before));
        before = block;
        if list.len() > bitmap {
            break;
        }
    }
    if list.len() <= bitmap {
        varint::put(entry, (list.len() as u64) << 1);
        entry.extend_from_slice(list);
        return;
    }
    varint::put(entry, (bitmap as u64) << 1 | 1);
    let start = entry.len();
    entry.resize(start + bitmap, 0);
    for pair in pairs {
        let block = low_half(*pair);
        if let Some(byte) = entry.get_mut(start + block as usize / 8) {
            *byte |= 1 << (block % 8);
        }
    }
}

/// The blocks that have a term, as stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum List<'a> {
    All,
    Bitmap(&'a [u8]),
    Differences(&'a [u8]),
}

/// The entries of a page: each term with its blocks. Ends after an error.
pub(super) fn entries(
    first: u32,
    page: &[u8],
) -> impl Iterator<Item = Result<(u32, List<'_>), Damaged>> {
    let mut reader = Reader::new(page);
    let mut term = Some(first);
    std::iter::from_fn(move || {
        let before = term.filter(|_| !reader.is_empty())?;
        let entry = next_entry(before, &mut reader);
        term = entry.map(|(term, _)| term);
        Some(entry.ok_or(DAMAGED))
    })
}

#[inline]
fn next_entry<'a>(before: u32, reader: &mut Reader<'a>) -> Option<(u32, List<'a>)> {
    let term = before.checked_add(u32::try_from(reader.number()?).ok()?)?;
    let kind = reader.size()?;
    let bytes = reader.bytes(kind >> 1)?;
    let list = match kind {
        0 => List::All,
        kind if kind & 1 == 1 => List::Bitmap(bytes),
        _ => List::Differences(bytes),
    };
    (term < TERMS).then_some((term, list))
}

/// The blocks of a term, if the page has it.
pub(super) fn find(first: u32, page: &[u8], term: u32) -> Result<Option<List<'_>>, Damaged> {
    for entry in entries(first, page) {
        let (found, list) = entry?;
        if found >= term {
            return Ok((found == term).then_some(list));
        }
    }
    Ok(None)
}

impl List<'_> {
    /// Calls `each` with each block, in a run of so many.
    pub(super) fn for_each(self, blocks: u32, mut each: impl FnMut(u32)) -> Result<(), Damaged> {
        match self {
            List::All => (0..blocks).for_each(each),
            List::Bitmap(bytes) => {
                for (byte, start) in bytes.iter().zip((0..blocks).step_by(8)) {
                    let mut bits = *byte;
                    while bits != 0 {
                        let block = start + bits.trailing_zeros();
                        bits &= bits - 1;
                        if block >= blocks {
                            return Err(DAMAGED);
                        }
                        each(block);
                    }
                }
            }
            List::Differences(bytes) => {
                let mut reader = Reader::new(bytes);
                let mut block = 0_u64;
                while !reader.is_empty() {
                    let difference = reader.number().ok_or(DAMAGED)?;
                    block = block.checked_add(difference).ok_or(DAMAGED)?;
                    if block >= u64::from(blocks) {
                        return Err(DAMAGED);
                    }
                    each(low_half(block));
                }
            }
        }
        Ok(())
    }

    /// About how many blocks, in a run of so many: enough to tell rare terms from frequent ones.
    pub(super) fn weight(self, blocks: u32) -> usize {
        match self {
            List::All => blocks as usize,
            List::Bitmap(bytes) => bytes.iter().map(|byte| byte.count_ones() as usize).sum(),
            List::Differences(bytes) => bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::store::sqlite::search::page_set::BlockSet;

    type Pages = Vec<(u32, Vec<u8>)>;

    fn write(pairs: &[u64], blocks: u32) -> Pages {
        let mut pages = Vec::new();
        write_pages(pairs, blocks, |first, page| {
            pages.push((first, page.to_vec()));
            Ok(())
        })
        .unwrap();
        pages
    }

    fn read(pages: &Pages, blocks: u32) -> Result<Vec<u64>, Damaged> {
        let mut pairs = Vec::new();
        for (first, page) in pages {
            for entry in entries(*first, page) {
                let (term, list) = entry?;
                list.for_each(blocks, |block| pairs.push(pair(term, block)))?;
            }
        }
        Ok(pairs)
    }

    /// The blocks of a term, by the way that a search takes.
    fn look_up(pages: &Pages, blocks: u32, term: u32) -> Result<Vec<u32>, Damaged> {
        let page = pages.iter().rfind(|(first, _)| *first <= term);
        let found = page.map_or(Ok(None), |(first, page)| find(*first, page, term))?;
        let mut set = BlockSet::default();
        set.fill(blocks);
        match found {
            Some(list) => set.keep(list)?,
            None => set.clear(),
        }
        assert_eq!(set.len() as usize, set.iter().count());
        Ok(set.iter().collect())
    }

    /// Sorted pairs, of terms that are rare, frequent and everywhere.
    fn pairs() -> impl Strategy<Value = (u32, Vec<u64>)> {
        let shares = prop::collection::vec((0..TERMS, 0..=8_u32), 0..300);
        (1..700_u32, shares, any::<u32>()).prop_map(|(blocks, shares, seed)| {
            let mut pairs: Vec<u64> = shares
                .iter()
                .flat_map(|(term, share)| {
                    let mixed = move |block: u32| {
                        let hash = (block ^ seed ^ term).wrapping_mul(0x9E37_79B1);
                        hash >> 29 < *share
                    };
                    (0..blocks)
                        .filter(move |block| mixed(*block))
                        .map(|block| pair(*term, block))
                })
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            (blocks, pairs)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn pages_give_back_their_pairs((blocks, pairs) in pairs(), other in 0..TERMS) {
            let pages = write(&pairs, blocks);
            prop_assert_eq!(read(&pages, blocks), Ok(pairs.clone()));
            let terms = pairs.iter().map(|pair| high_half(*pair)).step_by(97);
            for term in terms.chain([other]) {
                let of_term = pairs.iter().filter(|pair| high_half(**pair) == term);
                let expected: Vec<u32> = of_term.map(|pair| low_half(*pair)).collect();
                prop_assert_eq!(look_up(&pages, blocks, term), Ok(expected));
            }
        }

        #[test]
        fn damaged_pages_are_an_error_or_other_blocks_of_the_run_but_never_a_panic(
            (blocks, pairs) in pairs(),
            changes in prop::collection::vec((any::<Index>(), any::<Index>(), any::<u8>()), 1..9),
        ) {
            let mut pages = write(&pairs, blocks);
            prop_assume!(!pages.is_empty());
            let count = pages.len();
            for (page, at, byte) in changes {
                let page = &mut pages[page.index(count)].1;
                let at = at.index(page.len());
                page[at] = byte;
            }
            for pair in read(&pages, blocks).unwrap_or_default() {
                prop_assert!(low_half(pair) < blocks && high_half(pair) < TERMS);
            }
            for term in pairs.iter().map(|pair| high_half(*pair)).step_by(211) {
                for block in look_up(&pages, blocks, term).unwrap_or_default() {
                    prop_assert!(block < blocks);
                }
            }
        }

        #[test]
        fn any_bytes_may_be_read(page in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&vec![(TERMS - 9, page.clone())], 9);
            let _ = look_up(&vec![(0, page)], 9, 300);
        }
    }

    #[test]
    fn the_terms_of_a_tag_are_part_of_the_format() {
        assert_eq!(tag_term(b""), 0x01cb_f29c);
        assert_eq!(tag_term(b"todo"), 19_906_257);
        assert!(tag_term(b"todo") >= TERMS / 2 && tag_term(b"todo") < TERMS);
        assert_eq!(text_term(*b"abc"), 0x0061_6263);
    }
}
