//! The format of a page: the folded text and the metadata of some notes of one scope.
//!
//! `text FF text FF … text FF | head | length of the head (4 bytes, little-endian)`
//!
//! FF never occurs in UTF-8, so no match spans two notes, and the whole text is searched at once.
//! The head is read only after a match. It has the number of notes, then for each: the length of
//! its text, its key and its time of change (as differences from the previous note), its id (as the
//! difference from that time, usually 0, because an id is the millisecond of the note's creation),
//! its version, the length of its tags, and the tags, each with its length.

use super::Damaged;
use super::varint;
use super::varint::{Reader, unzigzag, zigzag};

/// Terminates each text in a page.
pub(super) const END: u8 = 0xFF;

/// A page of this size fits into one 4,096-byte page of the file, without an overflow page.
pub(super) const PAGE_BYTES: usize = 4040;

/// A note in a page; the ranges are offsets in the text and in the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: i64,
    pub(super) id: i64,
    pub(super) version: i64,
    pub(super) updated: i64,
    start: usize,
    end: usize,
    tags_start: usize,
    tags_end: usize,
}

/// The stored bytes of a page, split into their parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    /// The texts of all notes, each terminated by [`END`].
    pub(super) text: &'a [u8],
    head: &'a [u8],
}

impl<'a> Page<'a> {
    #[inline]
    pub(super) fn new(data: &'a [u8]) -> Result<Self, Damaged> {
        let damaged = Damaged("a page is cut off");
        let (rest, length) = data.split_last_chunk::<4>().ok_or(damaged)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged)?;
        let start = rest.len().checked_sub(length).ok_or(damaged)?;
        let (text, head) = rest.split_at_checked(start).ok_or(damaged)?;
        Ok(Self { text, head })
    }

    /// Reads the head into `entries`, which is overwritten, so that one vector serves many pages.
    pub(super) fn read(self, entries: &mut Vec<Entry>) -> Result<(), Damaged> {
        entries.clear();
        self.read_head(entries)
            .ok_or(Damaged("the head of a page does not fit its text"))
    }

    fn read_head(self, entries: &mut Vec<Entry>) -> Option<()> {
        let mut reader = Reader::new(self.head);
        let mut last = Entry::default();
        let mut start = 0;
        for _ in 0..reader.number()? {
            let end = reader.size()?.checked_add(start)?;
            let key = last.key.wrapping_add(unzigzag(reader.number()?));
            let updated = last.updated.wrapping_add(unzigzag(reader.number()?));
            let id = updated.wrapping_add(unzigzag(reader.number()?));
            let version = reader.number()?.cast_signed();
            let tags = reader.size()?;
            let tags_start = self.head.len() - reader.remaining();
            reader.bytes(tags)?;
            last = Entry {
                key,
                id,
                version,
                updated,
                start,
                end,
                tags_start,
                tags_end: tags_start + tags,
            };
            if self.text.get(end) != Some(&END) {
                return None;
            }
            start = end + 1;
            entries.push(last);
        }
        (reader.is_empty() && start == self.text.len()).then_some(())
    }

    /// The text of a note in this page.
    #[inline]
    pub(super) fn text_of(self, entry: &Entry) -> Result<&'a [u8], Damaged> {
        let text = self.text.get(entry.start..entry.end);
        text.ok_or(Damaged("the text of a note is not in its page"))
    }

    /// The tags of a note in this page, in the form of [`put_tags`].
    #[inline]
    pub(super) fn tags_of(self, entry: &Entry) -> Result<&'a [u8], Damaged> {
        let tags = self.head.get(entry.tags_start..entry.tags_end);
        tags.ok_or(Damaged("the tags of a note are not in its page"))
    }
}

impl Entry {
    /// The range of its text in the text of the page.
    #[inline]
    pub(super) fn range(&self) -> (usize, usize) {
        (self.start, self.end)
    }
}

/// Appends folded tags in their stored form.
pub(super) fn put_tags<'a>(tags: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for tag in tags {
        varint::put(out, tag.len() as u64);
        out.extend_from_slice(tag.as_bytes());
    }
}

/// The tags of a note; stops at invalid bytes.
pub(super) fn tags(stored: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut reader = Reader::new(stored);
    std::iter::from_fn(move || {
        let length = reader.size()?;
        reader.bytes(length)
    })
}

/// A note to be packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packable<'a> {
    pub(super) key: i64,
    pub(super) id: i64,
    pub(super) version: i64,
    pub(super) updated: i64,
    /// Folded text.
    pub(super) text: &'a [u8],
    /// In the form of [`put_tags`].
    pub(super) tags: &'a [u8],
}

impl Packable<'_> {
    /// An upper bound of the bytes that the note takes, except for extreme values.
    ///
    /// It depends on the note alone, not on its neighbours, so leaving out notes never needs more pages,
    /// and a run can be rewritten in place.
    fn cost(&self) -> usize {
        let id = varint::length(zigzag(self.id.wrapping_sub(self.updated)));
        self.text.len() + self.tags.len() + id + 14
    }
}

/// Builds pages.
#[derive(Debug, Default)]
pub(super) struct Builder {
    text: Vec<u8>,
    head: Vec<u8>,
    notes: u64,
    cost: usize,
    last_key: i64,
    last_updated: i64,
}

impl Builder {
    pub(super) fn is_empty(&self) -> bool {
        self.notes == 0
    }

    /// Whether the note fits into a page of at most `bytes`; an empty page takes any note.
    pub(super) fn fits(&self, note: &Packable<'_>, bytes: usize) -> bool {
        /// The number of notes, the first differences, and the length of the head.
        const REST: usize = 24;
        self.is_empty() || self.cost + note.cost() + REST <= bytes
    }

    pub(super) fn push(&mut self, note: &Packable<'_>) {
        self.cost += note.cost();
        self.text.extend_from_slice(note.text);
        self.text.push(END);
        let head = &mut self.head;
        varint::put(head, note.text.len() as u64);
        varint::put(head, zigzag(note.key.wrapping_sub(self.last_key)));
        varint::put(head, zigzag(note.updated.wrapping_sub(self.last_updated)));
        varint::put(head, zigzag(note.id.wrapping_sub(note.updated)));
        varint::put(head, note.version.cast_unsigned());
        varint::put(head, note.tags.len() as u64);
        head.extend_from_slice(note.tags);
        self.last_key = note.key;
        self.last_updated = note.updated;
        self.notes += 1;
    }

    /// The finished page; the builder is then empty.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, Damaged> {
        let Self {
            text: mut data,
            head,
            notes,
            ..
        } = std::mem::take(self);
        let start = data.len();
        varint::put(&mut data, notes);
        data.extend_from_slice(&head);
        let length = u32::try_from(data.len() - start)
            .map_err(|_| Damaged("a page has more than 4 GB of tags"))?;
        data.extend_from_slice(&length.to_le_bytes());
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Note = (i64, i64, i64, i64, String, Vec<String>);

    fn build(notes: &[Note]) -> Vec<u8> {
        let mut builder = Builder::default();
        for (key, id, version, updated, text, tags) in notes {
            let mut stored = Vec::new();
            put_tags(tags.iter().map(String::as_str), &mut stored);
            builder.push(&Packable {
                key: *key,
                id: *id,
                version: *version,
                updated: *updated,
                text: text.as_bytes(),
                tags: &stored,
            });
        }
        builder.finish().unwrap()
    }

    fn read(data: &[u8]) -> Result<Vec<Note>, Damaged> {
        let as_text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let page = Page::new(data)?;
        let mut entries = Vec::new();
        page.read(&mut entries)?;
        entries
            .iter()
            .map(|entry| {
                let tags = tags(page.tags_of(entry)?).map(as_text).collect();
                let text = as_text(page.text_of(entry)?);
                let Entry { key, id, .. } = *entry;
                Ok((key, id, entry.version, entry.updated, text, tags))
            })
            .collect()
    }

    fn notes() -> impl Strategy<Value = Vec<Note>> {
        let tags = prop::collection::vec("[a-zж]{0,5}", 0..3);
        let note = (
            any::<i64>(),
            any::<i64>(),
            any::<i64>(),
            any::<i64>(),
            ".{0,40}",
            tags,
        );
        prop::collection::vec(note, 0..12)
    }

    proptest! {
        #[test]
        fn a_page_gives_back_its_notes(notes in notes()) {
            prop_assert_eq!(read(&build(&notes)), Ok(notes));
        }

        #[test]
        fn a_damaged_page_is_an_error_or_other_notes_but_never_a_panic(
            notes in notes(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut data = build(&notes);
            for (at, byte) in changes {
                let at = at.index(data.len());
                data[at] = byte;
            }
            let _ = read(&data);
            data.truncate(cut.index(data.len()));
            let _ = read(&data);
        }

        #[test]
        fn any_bytes_may_be_read(data in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&data);
        }
    }

    #[test]
    fn pages_fill_their_leaf_and_no_more() {
        for (length, expected) in [(40, 73), (270, 14), (5000, 1)] {
            let text = "t".repeat(length);
            let note = |number: i64| Packable {
                key: 70_000 + number,
                id: 1_790_000_000_000 + number * 1_000_000,
                version: 3,
                updated: 1_790_000_000_000 + number * 1_000_000,
                text: text.as_bytes(),
                tags: &[],
            };
            let mut builder = Builder::default();
            let mut notes = 0;
            while builder.fits(&note(notes), PAGE_BYTES) {
                builder.push(&note(notes));
                notes += 1;
            }
            assert_eq!(notes, expected);
            let bytes = builder.finish().unwrap().len();
            assert!(bytes <= PAGE_BYTES.max(length + 40), "{bytes}");
        }
    }

    #[test]
    fn a_text_that_does_not_end_where_the_head_says_is_damage() {
        let tags = Vec::new;
        let mut data = build(&[
            (1, 1, 1, 1, "one".into(), tags()),
            (2, 2, 1, 2, "two".into(), tags()),
        ]);
        assert!(read(&data).is_ok());
        data[3] = b'e';
        read(&data).unwrap_err();
    }
}
