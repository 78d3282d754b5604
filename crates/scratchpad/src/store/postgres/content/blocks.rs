//! Content in compressed blocks, each of which can be read and verified without the others.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use crate::disk::private;
use crate::disk::private::cannot;
use crate::model::error::{Error, Result};
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;

/// The size of a block before compression; the last may be smaller.
pub(crate) const BLOCK_BYTES: usize = 256 * 1024;
/// The maximum number of blocks fetched at once.
const MOST_AT_ONCE: usize = 16;
/// Half of a SHA-256 in hex digits, which is enough to rule out collisions.
const HASH_DIGITS: usize = 32;
/// The fastest level, which shrinks tool results to a fifth or a tenth.
const LEVEL: i32 = 1;

/// The compressed size and the hash of each block of a content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    blocks: Vec<(u64, String)>,
}

impl Index {
    /// The number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The stored form: one line per block.
    pub(crate) fn encoded(&self) -> String {
        let line = |(bytes, hash): &(u64, String)| format!("{bytes} {hash}\n");
        self.blocks.iter().map(line).collect()
    }

    /// Parses the [encoded](Self::encoded) form; `None` if it is invalid.
    pub(crate) fn decoded(text: &str) -> Option<Self> {
        let line = |line: &str| {
            let (bytes, hash) = line.split_once(' ')?;
            Some((bytes.parse().ok()?, hash.to_owned()))
        };
        let blocks = text.lines().map(line).collect::<Option<_>>()?;
        Some(Self { blocks })
    }

    /// The compressed sizes of some blocks; none for a range beyond the last block. What is then read from the wrong
    /// place fails the hash check.
    pub(crate) fn sizes(&self, blocks: Range<usize>) -> impl Iterator<Item = u64> {
        let some = self.blocks.get(blocks).unwrap_or_default();
        some.iter().map(|(bytes, _)| *bytes)
    }

    /// Decompresses a block; `None` if it is damaged.
    fn unpacked(&self, number: usize, block: &[u8]) -> Option<Vec<u8>> {
        let (_, hash) = self.blocks.get(number)?;
        let content = zstd::bulk::decompress(block, BLOCK_BYTES).ok()?;
        (hash_of(&content) == *hash).then_some(content)
    }
}

fn hash_of(content: &[u8]) -> String {
    let mut hash = sha256_hex(content);
    hash.truncate(HASH_DIGITS);
    hash
}

/// Compressed content that is not stored yet.
pub(crate) struct Packed {
    file: File,
    pub(crate) index: Index,
}

impl Packed {
    /// Compresses content to an unnamed temporary file in this directory, so that memory use does not depend on its
    /// size.
    pub(crate) fn of(content: &mut dyn Read, directory: &Path) -> Result<Self> {
        let failed = |error: io::Error| cannot("write in", directory, &error);
        private::create_dir(directory)?;
        let mut file = tempfile::tempfile_in(directory).map_err(failed)?;
        let mut index = Index::default();
        let mut zstd = zstd::bulk::Compressor::new(LEVEL).map_err(failed)?;
        let mut block = Vec::with_capacity(BLOCK_BYTES);
        loop {
            block.clear();
            let mut next = (&mut *content).take(BLOCK_BYTES as u64);
            let read = next.read_to_end(&mut block).map_err(|error| {
                Error::store(message!(
                    "Can't read the text to keep: {error}.",
                    error = error.to_string()
                ))
            })?;
            if read == 0 {
                return Ok(Self { file, index });
            }
            let packed = zstd.compress(&block).map_err(failed)?;
            file.write_all(&packed).map_err(failed)?;
            index.blocks.push((packed.len() as u64, hash_of(&block)));
        }
    }

    /// Some of the blocks, compressed.
    pub(crate) fn blocks(&mut self, blocks: Range<usize>) -> Result<Vec<Vec<u8>>> {
        let start: u64 = self.index.sizes(0..blocks.start).sum();
        let mut read = || -> io::Result<Vec<Vec<u8>>> {
            self.file.seek(SeekFrom::Start(start))?;
            let sizes = self.index.sizes(blocks.clone());
            sizes
                .map(|bytes| {
                    let mut block = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
                    self.file.read_exact(&mut block)?;
                    Ok(block)
                })
                .collect()
        };
        read().map_err(|error| {
            Error::store(message!(
                "Can't read the text to keep: {error}.",
                error = error.to_string()
            ))
        })
    }
}

/// Where the blocks of a content are stored.
pub(crate) trait Source: Send {
    /// Fetches compressed blocks; fewer if some are missing.
    fn fetch(&self, blocks: Range<usize>) -> Result<Vec<Vec<u8>>>;

    /// Records that a block is damaged.
    fn is_damaged(&self);
}

/// A reader that fetches blocks on demand, with read-ahead when reading sequentially.
pub(crate) struct Blocks<S> {
    source: S,
    index: Index,
    bytes: u64,
    at: u64,
    open: Option<(usize, Vec<u8>)>,
    waiting: VecDeque<Vec<u8>>,
    at_once: usize,
}

impl<S: Source> Blocks<S> {
    /// A reader for content of `bytes` bytes.
    pub(crate) fn new(source: S, index: Index, bytes: u64) -> Self {
        Self {
            source,
            index,
            bytes,
            at: 0,
            open: None,
            waiting: VecDeque::new(),
            at_once: 1,
        }
    }

    /// Fetches and decompresses a block.
    fn open(&mut self, number: usize) -> io::Result<()> {
        let is_next = self
            .open
            .as_ref()
            .is_some_and(|(last, _)| last + 1 == number);
        if !is_next {
            self.waiting.clear();
            self.at_once = 1;
        }
        if self.waiting.is_empty() {
            let end = self.index.len().min(number + self.at_once);
            let fetched = self.source.fetch(number..end).map_err(io::Error::other)?;
            self.waiting = fetched.into();
            // Sequential reads are likely to continue.
            self.at_once = (self.at_once * 2).min(MOST_AT_ONCE);
        }
        let block = self.waiting.pop_front();
        let content = block.and_then(|block| self.index.unpacked(number, &block));
        let Some(content) = content else {
            self.source.is_damaged();
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is damaged: it does not match what was kept",
            ));
        };
        self.open = Some((number, content));
        Ok(())
    }
}

impl<S: Source> Read for Blocks<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.bytes || buffer.is_empty() {
            return Ok(0);
        }
        let block = BLOCK_BYTES as u64;
        let number = usize::try_from(self.at / block).unwrap_or(usize::MAX);
        if !matches!(&self.open, Some((open, _)) if *open == number) {
            self.open(number)?;
        }
        let within = usize::try_from(self.at % block).unwrap_or(usize::MAX);
        let rest = self
            .open
            .as_ref()
            .and_then(|(_, content)| content.get(within..))
            .filter(|rest| !rest.is_empty())
            // An error, not the end: truncated content must not look complete.
            .ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a block of the output is too short",
                )
            })?;
        let read = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..read), rest.get(..read)) {
            to.copy_from_slice(from);
        }
        self.at += read as u64;
        Ok(read)
    }
}

impl<S: Source> Seek for Blocks<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use proptest::prelude::*;

    use super::*;

    /// Blocks in memory, and a log of the requests.
    #[derive(Default)]
    struct Memory {
        blocks: Vec<Vec<u8>>,
        asked: Arc<Mutex<Vec<Range<usize>>>>,
        damaged: Arc<Mutex<bool>>,
    }

    impl Source for Memory {
        fn fetch(&self, blocks: Range<usize>) -> Result<Vec<Vec<u8>>> {
            self.asked.lock().unwrap().push(blocks.clone());
            Ok(self.blocks[blocks].to_vec())
        }

        fn is_damaged(&self) {
            *self.damaged.lock().unwrap() = true;
        }
    }

    fn stored(content: &[u8]) -> (Memory, Index) {
        let directory = tempfile::tempdir().unwrap();
        let mut packed = Packed::of(&mut &*content, directory.path()).unwrap();
        let half = packed.index.len() / 2;
        let mut blocks = packed.blocks(half..packed.index.len()).unwrap();
        blocks.splice(0..0, packed.blocks(0..half).unwrap());
        let index = Index::decoded(&packed.index.encoded()).unwrap();
        assert_eq!(index, packed.index);
        let memory = Memory {
            blocks,
            ..Memory::default()
        };
        (memory, index)
    }

    fn text(bytes: usize) -> Vec<u8> {
        let lines = (0..).flat_map(|line| format!("line {line} of it\n").into_bytes());
        lines.take(bytes).collect()
    }

    #[test]
    fn the_end_of_a_large_content_costs_one_block() {
        let content = text(100 * BLOCK_BYTES + 17);
        let (memory, index) = stored(&content);
        let packed: usize = memory.blocks.iter().map(Vec::len).sum();
        assert!(packed * 4 < content.len(), "{packed}");
        let asked = memory.asked.clone();
        let mut reader = Blocks::new(memory, index, content.len() as u64);
        reader.seek(SeekFrom::End(-10)).unwrap();
        let mut end = Vec::new();
        reader.read_to_end(&mut end).unwrap();
        assert_eq!(end, content[content.len() - 10..]);
        assert_eq!(
            *asked.lock().unwrap(),
            vec![Range {
                start: 100,
                end: 101
            }]
        );

        // A sequential read fetches more at once, but never everything at once.
        asked.lock().unwrap().clear();
        reader.rewind().unwrap();
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert!(all == content);
        assert_eq!(
            asked.lock().unwrap()[..5],
            [0..1, 1..3, 3..7, 7..15, 15..31]
        );
        assert_eq!(asked.lock().unwrap().len(), 10);
    }

    #[test]
    fn a_damaged_block_is_an_error_and_the_others_are_read() {
        let content = text(3 * BLOCK_BYTES);
        let (whole, index) = stored(&content);
        let another = || Memory {
            blocks: whole.blocks.clone(),
            ..Memory::default()
        };
        let mut bad = another();
        bad.blocks[1][40] ^= 1;
        let mut swapped = another();
        swapped.blocks[1] = whole.blocks[2].clone();
        let mut huge = another();
        huge.blocks[1] = zstd::bulk::compress(&vec![0; 4 * BLOCK_BYTES], 1).unwrap();
        for memory in [bad, swapped, huge] {
            let damaged = memory.damaged.clone();
            let mut reader = Blocks::new(memory, index.clone(), content.len() as u64);
            let mut block = vec![0; BLOCK_BYTES];
            reader.read_exact(&mut block).unwrap();
            assert!(block == content[..BLOCK_BYTES]);
            assert!(!*damaged.lock().unwrap());
            let error = reader.read_exact(&mut block).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(*damaged.lock().unwrap());
            reader
                .seek(SeekFrom::Start(2 * BLOCK_BYTES as u64))
                .unwrap();
            reader.read_exact(&mut block).unwrap();
            assert!(block == content[2 * BLOCK_BYTES..]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 12))]
        #[test]
        fn any_part_is_what_it_was(bytes in 0..700_000_usize, seed: u8, places in prop::collection::vec((0..800_000_u64, 0..300_000_usize), 1..5)) {
            let content: Vec<u8> = text(bytes).iter().map(|byte| byte ^ seed).collect();
            let (memory, index) = stored(&content);
            let mut reader = Blocks::new(memory, index, content.len() as u64);
            for (at, length) in places {
                reader.seek(SeekFrom::Start(at)).unwrap();
                let mut part = Vec::new();
                (&mut reader).take(length as u64).read_to_end(&mut part).unwrap();
                let start = usize::try_from(at).unwrap().min(bytes);
                prop_assert!(part == content[start..bytes.min(start + length)]);
            }
        }
    }
}
