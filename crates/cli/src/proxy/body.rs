//! A message at hand: in memory, or, where it is large, in a file that has no name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// The longest message that is held in memory.
pub(super) const MAX_MEMORY_BYTES: usize = 2 * 1024 * 1024;
/// As much of a message is looked at at once.
const PIECE_BYTES: usize = 64 * 1024;

/// A message that can be read more than once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body<'a> {
    Memory(&'a [u8]),
    File(&'a File),
}

/// A part of a message that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Range<u64>,
    pub(super) with: Vec<u8>,
}

impl Body<'_> {
    /// Gives the bytes of a part, in order.
    pub(super) fn pieces<E: From<io::Error>>(
        self,
        span: Range<u64>,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Memory(bytes) => {
                let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                let part = bytes.get(offset(span.start)..offset(span.end));
                for piece in part.unwrap_or_default().chunks(PIECE_BYTES) {
                    take(piece)?;
                }
            }
            Self::File(mut file) => {
                file.seek(SeekFrom::Start(span.start))?;
                let mut left = span.end.saturating_sub(span.start);
                let mut buffer = vec![0; PIECE_BYTES];
                while left > 0 {
                    let room =
                        usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
                    let got = file.read(buffer.get_mut(..room).unwrap_or_default())?;
                    if got == 0 {
                        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                    }
                    left -= got as u64;
                    take(buffer.get(..got).unwrap_or_default())?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn len(self) -> io::Result<u64> {
        match self {
            Self::Memory(bytes) => Ok(bytes.len() as u64),
            Self::File(file) => Ok(file.metadata()?.len()),
        }
    }

    /// Writes the message with its edits, which stand in order; all else as it came.
    pub(super) fn write(self, edits: &[Edit], to: &mut impl Write) -> io::Result<()> {
        let mut at = 0;
        for edit in edits {
            self.pieces(at..edit.span.start, |piece| to.write_all(piece))?;
            to.write_all(&edit.with)?;
            at = edit.span.end;
        }
        self.pieces(at..self.len()?, |piece| to.write_all(piece))
    }
}
