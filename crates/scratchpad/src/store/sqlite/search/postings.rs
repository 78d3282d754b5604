//! The format of a run's index: which of its pages contain which term.
//!
//! A term is three bytes of folded text, or the hash of a folded tag. The index is a sequence of leaves,
//! each with as many entries as fit into one page of the file; the key of a leaf contains its first term.
//!
//! An entry is: the difference from the previous term; a number that encodes the form and the length
//! of the list of pages; the list. The number is 0 for all pages of the run, odd for a bitmap, and even
//! for differences from the previous page; without its lowest bit it is the length.

use super::Damaged;
use super::page::{END, Entry, Page, tags};
use super::varint;
use super::varint::Reader;

/// A leaf of this size fits into one 4,096-byte page of the file, without an overflow page.
const LEAF_BYTES: usize = 4030;

/// The upper bound of terms: 2²⁴ for three bytes, then 2²⁴ for hashes of tags.
const TERMS: u32 = 1 << 25;

pub(super) const DAMAGED: Damaged = Damaged("a leaf of postings makes no sense");

/// The term for three bytes of text.
#[inline]
pub(super) fn text_term([first, second, third]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, first, second, third])
}

/// The term for a folded tag: FNV-1a, part of the stored format.
pub(super) fn tag_term(folded: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in folded {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (TERMS / 2) | (high_half(hash) >> 8)
}

/// A term and a page that contains it, as one sortable number.
pub(super) fn pair(term: u32, page: u32) -> u64 {
    u64::from(term) << 32 | u64::from(page)
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

/// Collects the terms of pages.
pub(super) struct Collector {
    /// One bit per term: seen in the current page.
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

    /// Adds the terms of the page with this number in the run.
    pub(super) fn add(&mut self, number: u32, page: Page<'_>) -> Result<(), Damaged> {
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
        for bytes in page.text.array_windows::<3>() {
            if !bytes.contains(&END) {
                add(text_term(*bytes));
            }
        }
        page.read(&mut self.entries)?;
        for entry in &self.entries {
            tags(page.tags_of(entry)?).for_each(|tag| add(tag_term(tag)));
        }
        for pair in self.pairs.iter().skip(from) {
            if let Some(word) = self.met.get_mut(high_half(*pair) as usize / 64) {
                *word = 0;
            }
        }
        Ok(())
    }

    /// All terms with their pages, sorted.
    pub(super) fn finish(mut self) -> Vec<u64> {
        self.pairs.sort_unstable();
        self.pairs
    }
}

/// Writes sorted pairs as leaves of a run of `pages` pages; returns each leaf with its first term.
pub(super) fn write_leaves(
    pairs: &[u64],
    pages: u32,
    mut write: impl FnMut(u32, &[u8]) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    /// The most bytes of a difference between terms.
    const DIFFERENCE: usize = 5;
    let mut leaf = Vec::with_capacity(LEAF_BYTES);
    let (mut first, mut before) = (0, 0);
    let (mut list, mut entry) = (Vec::new(), Vec::new());
    for pairs in pairs.chunk_by(|left, right| high_half(*left) == high_half(*right)) {
        let term = pairs.first().map_or(0, |pair| high_half(*pair));
        entry.clear();
        put_list(pairs, pages, &mut list, &mut entry);
        if !leaf.is_empty() && leaf.len() + entry.len() + DIFFERENCE > LEAF_BYTES {
            write(first, &leaf)?;
            leaf.clear();
        }
        if leaf.is_empty() {
            (first, before) = (term, term);
        }
        varint::put(&mut leaf, u64::from(term - before));
        leaf.extend_from_slice(&entry);
        before = term;
    }
    if !leaf.is_empty() {
        write(first, &leaf)?;
    }
    Ok(())
}

/// Appends the pages of one term, in the shortest of the three forms.
fn put_list(pairs: &[u64], pages: u32, list: &mut Vec<u8>, entry: &mut Vec<u8>) {
    let bitmap = pages.div_ceil(8) as usize;
    if pairs.len() == pages as usize {
        varint::put(entry, 0);
        return;
    }
    list.clear();
    let mut before = 0;
    for pair in pairs {
        let page = low_half(*pair);
        varint::put(list, u64::from(page - before));
        before = page;
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
        let page = low_half(*pair);
        if let Some(byte) = entry.get_mut(start + page as usize / 8) {
            *byte |= 1 << (page % 8);
        }
    }
}

/// The stored list of the pages that contain a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum List<'a> {
    All,
    Bitmap(&'a [u8]),
    Differences(&'a [u8]),
}

/// The entries of a leaf: each term with its pages. Stops after an error.
pub(super) fn entries(
    first: u32,
    leaf: &[u8],
) -> impl Iterator<Item = Result<(u32, List<'_>), Damaged>> {
    let mut reader = Reader::new(leaf);
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

/// The pages of a term, if the leaf contains it.
pub(super) fn find(first: u32, leaf: &[u8], term: u32) -> Result<Option<List<'_>>, Damaged> {
    for entry in entries(first, leaf) {
        let (found, list) = entry?;
        if found >= term {
            return Ok((found == term).then_some(list));
        }
    }
    Ok(None)
}

impl List<'_> {
    /// Calls `each` with each page of a run of `pages` pages.
    pub(super) fn for_each(self, pages: u32, mut each: impl FnMut(u32)) -> Result<(), Damaged> {
        match self {
            List::All => (0..pages).for_each(each),
            List::Bitmap(bytes) => {
                for (byte, start) in bytes.iter().zip((0..pages).step_by(8)) {
                    let mut bits = *byte;
                    while bits != 0 {
                        let page = start + bits.trailing_zeros();
                        bits &= bits - 1;
                        if page >= pages {
                            return Err(DAMAGED);
                        }
                        each(page);
                    }
                }
            }
            List::Differences(bytes) => {
                let mut reader = Reader::new(bytes);
                let mut page = 0_u64;
                while !reader.is_empty() {
                    let difference = reader.number().ok_or(DAMAGED)?;
                    page = page.checked_add(difference).ok_or(DAMAGED)?;
                    if page >= u64::from(pages) {
                        return Err(DAMAGED);
                    }
                    each(low_half(page));
                }
            }
        }
        Ok(())
    }

    /// The approximate number of pages, in a run of `pages`: enough to tell rare terms from frequent ones.
    pub(super) fn weight(self, pages: u32) -> usize {
        match self {
            List::All => pages as usize,
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
    use crate::store::sqlite::search::page_set::PageSet;

    type Leaves = Vec<(u32, Vec<u8>)>;

    fn write(pairs: &[u64], pages: u32) -> Leaves {
        let mut leaves = Vec::new();
        write_leaves(pairs, pages, |first, leaf| {
            leaves.push((first, leaf.to_vec()));
            Ok(())
        })
        .unwrap();
        leaves
    }

    fn read(leaves: &Leaves, pages: u32) -> Result<Vec<u64>, Damaged> {
        let mut pairs = Vec::new();
        for (first, leaf) in leaves {
            for entry in entries(*first, leaf) {
                let (term, list) = entry?;
                list.for_each(pages, |page| pairs.push(pair(term, page)))?;
            }
        }
        Ok(pairs)
    }

    /// The pages of a term, looked up the way a search does.
    fn look_up(leaves: &Leaves, pages: u32, term: u32) -> Result<Vec<u32>, Damaged> {
        let leaf = leaves.iter().rfind(|(first, _)| *first <= term);
        let found = leaf.map_or(Ok(None), |(first, leaf)| find(*first, leaf, term))?;
        let mut set = PageSet::default();
        set.fill(pages);
        match found {
            Some(list) => set.keep(list)?,
            None => set.clear(),
        }
        assert_eq!(set.len() as usize, set.iter().count());
        Ok(set.iter().collect())
    }

    /// Sorted pairs, of rare, frequent and ubiquitous terms.
    fn pairs() -> impl Strategy<Value = (u32, Vec<u64>)> {
        let shares = prop::collection::vec((0..TERMS, 0..=8_u32), 0..300);
        (1..700_u32, shares, any::<u32>()).prop_map(|(pages, shares, seed)| {
            let mut pairs: Vec<u64> = shares
                .iter()
                .flat_map(|(term, share)| {
                    let mixed = move |page: u32| {
                        let hash = (page ^ seed ^ term).wrapping_mul(0x9E37_79B1);
                        hash >> 29 < *share
                    };
                    (0..pages)
                        .filter(move |page| mixed(*page))
                        .map(|page| pair(*term, page))
                })
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            (pages, pairs)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

        #[test]
        fn leaves_give_back_their_pairs((pages, pairs) in pairs(), other in 0..TERMS) {
            let leaves = write(&pairs, pages);
            prop_assert_eq!(read(&leaves, pages), Ok(pairs.clone()));
            let terms = pairs.iter().map(|pair| high_half(*pair)).step_by(97);
            for term in terms.chain([other]) {
                let from = pairs.partition_point(|pair| high_half(*pair) < term);
                let of_term = pairs[from..].iter().take_while(|pair| high_half(**pair) == term);
                let expected: Vec<u32> = of_term.map(|pair| low_half(*pair)).collect();
                prop_assert_eq!(look_up(&leaves, pages, term), Ok(expected));
            }
        }

        #[test]
        fn damaged_leaves_are_an_error_or_other_pages_of_the_run_but_never_a_panic(
            (pages, pairs) in pairs(),
            changes in prop::collection::vec((any::<Index>(), any::<Index>(), any::<u8>()), 1..9),
        ) {
            let mut leaves = write(&pairs, pages);
            prop_assume!(!leaves.is_empty());
            let count = leaves.len();
            for (leaf, at, byte) in changes {
                let leaf = &mut leaves[leaf.index(count)].1;
                let at = at.index(leaf.len());
                leaf[at] = byte;
            }
            for pair in read(&leaves, pages).unwrap_or_default() {
                prop_assert!(low_half(pair) < pages && high_half(pair) < TERMS);
            }
            for term in pairs.iter().map(|pair| high_half(*pair)).step_by(211) {
                for page in look_up(&leaves, pages, term).unwrap_or_default() {
                    prop_assert!(page < pages);
                }
            }
        }

        #[test]
        fn any_bytes_may_be_read(leaf in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&vec![(TERMS - 9, leaf.clone())], 9);
            let _ = look_up(&vec![(0, leaf)], 9, 300);
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
