//! A set of pages of a run, for intersecting the lists of several terms.

use super::Damaged;
use super::postings::{DAMAGED, List};

/// A set of pages of a run, one bit each.
#[derive(Debug, Default)]
pub(super) struct PageSet {
    words: Vec<u64>,
    other: Vec<u64>,
    pages: u32,
}

impl PageSet {
    /// Sets this to all pages of a run.
    pub(super) fn fill(&mut self, pages: u32) {
        self.pages = pages;
        self.words.clear();
        self.words.resize(pages.div_ceil(64) as usize, u64::MAX);
        if let Some(last) = self.words.last_mut()
            && !pages.is_multiple_of(64)
        {
            *last = (1 << (pages % 64)) - 1;
        }
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The number of pages in the set.
    pub(super) fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Keeps only the pages that are also in the list.
    pub(super) fn keep(&mut self, list: List<'_>) -> Result<(), Damaged> {
        match list {
            List::All => {}
            List::Bitmap(bytes) => {
                if bytes.len() != self.pages.div_ceil(8) as usize {
                    return Err(DAMAGED);
                }
                let (whole, rest) = bytes.as_chunks::<8>();
                let rest = rest.iter().rev();
                let rest = rest.fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                let whole = whole.iter().map(|bytes| u64::from_le_bytes(*bytes));
                for (word, other) in self.words.iter_mut().zip(whole.chain([rest])) {
                    *word &= other;
                }
            }
            List::Differences(_) => {
                let other = &mut self.other;
                other.clear();
                other.resize(self.words.len(), 0);
                list.for_each(self.pages, |page| {
                    if let Some(word) = other.get_mut(page as usize / 64) {
                        *word |= 1 << (page % 64);
                    }
                })?;
                for (word, other) in self.words.iter_mut().zip(other) {
                    *word &= *other;
                }
            }
        }
        Ok(())
    }

    /// Its pages, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip(0_u32..).flat_map(|(word, number)| {
            let mut bits = *word;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(number * 64 + bit)
            })
        })
    }
}
