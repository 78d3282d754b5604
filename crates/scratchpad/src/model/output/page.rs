//! A page of an answer: a window over a text that is written once, from its start, and not buffered as a whole.

use std::io::{self, Write};

use crate::model::text::bytes::{boundary_after, boundary_before};

/// The part of an answer that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub offset: u64,
    /// The most bytes to return.
    pub limit: usize,
}

/// A writer that keeps only the wanted part of a text.
#[derive(Debug)]
pub struct Page {
    wanted: Wanted,
    held: Vec<u8>,
    total: u64,
}

/// A finished page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub bytes: Vec<u8>,
    /// The offset of the next page, if there is one.
    pub next: Option<u64>,
    /// The size of the whole answer.
    pub total: u64,
}

impl Page {
    pub fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            held: Vec::new(),
            total: 0,
        }
    }

    /// How many bytes have been written so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Ends the page at a line break if there is one, and never inside a character.
    pub fn finish(mut self) -> Shown {
        let limit = self.wanted.limit;
        let held_until = self.wanted.offset + self.held.len() as u64;
        if held_until < self.total || self.held.len() > limit {
            let page = self.held.get(..limit).unwrap_or(&self.held);
            let end = match memchr::memrchr(b'\n', page) {
                Some(at) => at + 1,
                None => match boundary_before(&self.held, limit) {
                    // A limit smaller than a character must still make progress.
                    0 => boundary_after(&self.held, 1),
                    end => end,
                },
            };
            self.held.truncate(end);
        }
        let next = self.wanted.offset + self.held.len() as u64;
        Shown {
            next: (next < self.total && !self.held.is_empty()).then_some(next),
            bytes: self.held,
            total: self.total,
        }
    }
}

impl Write for Page {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let skip = self.wanted.offset.saturating_sub(self.total);
        let fresh = usize::try_from(skip)
            .ok()
            .and_then(|skip| part.get(skip..))
            .unwrap_or_default();
        // A few more bytes show where the last character ends.
        let room = self.wanted.limit.saturating_add(4) - self.held.len();
        self.held
            .extend_from_slice(fresh.get(..room.min(fresh.len())).unwrap_or_default());
        self.total += part.len() as u64;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, offset: u64, limit: usize) -> Shown {
        let mut page = Page::new(Wanted { offset, limit });
        for part in text.as_bytes().chunks(3) {
            page.write_all(part).unwrap();
        }
        page.finish()
    }

    #[test]
    fn a_page_ends_at_a_line_break_if_it_can() {
        let page = shown("one\ntwo\nthree\n", 0, 10);
        assert_eq!(
            (page.bytes.as_slice(), page.next),
            (b"one\ntwo\n".as_slice(), Some(8))
        );
        assert_eq!(page.total, 14);
        let page = shown("one\ntwo\nthree\n", 8, 10);
        assert_eq!(
            (page.bytes.as_slice(), page.next),
            (b"three\n".as_slice(), None)
        );
        assert_eq!(shown("one\n", 9, 10).bytes, b"");
    }

    proptest! {
        #[test]
        fn pages_add_up_to_the_whole(text in "(\\PC|\n){0,60}", limit in 1_usize..20) {
            let (mut whole, mut offset) = (Vec::new(), Some(0));
            while let Some(at) = offset {
                let page = shown(&text, at, limit);
                prop_assert!(page.bytes.len() <= limit.max(4));
                prop_assert!(std::str::from_utf8(&page.bytes).is_ok());
                whole.extend_from_slice(&page.bytes);
                offset = page.next;
            }
            prop_assert_eq!(whole, text.into_bytes());
        }
    }
}
