//! A message, in memory or, if it is large, in an unnamed temporary file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;

use scratchpad::model::text::bytes::read_piece;

/// The longest message that is held in memory.
pub(super) const MAX_MEMORY_BYTES: usize = 2 * 1024 * 1024;
/// The chunk size for reading a message.
const PIECE_BYTES: usize = 64 * 1024;

/// A message that can be read more than once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body<'a> {
    Memory(&'a [u8]),
    File(&'a File),
}

/// A part of a message, and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Range<u64>,
    pub(super) with: Vec<u8>,
}

/// The bytes of a part of a message; `None` if it reaches beyond the end.
pub(super) fn part<'a>(bytes: &'a [u8], span: &Range<u64>) -> Option<&'a [u8]> {
    let at = |offset: u64| usize::try_from(offset).ok();
    bytes.get(at(span.start)?..at(span.end)?)
}

/// A line with these edits, whole or as a batch of the messages at these positions. `None` if a position is not in it.
pub(super) fn changed(
    line: &[u8],
    messages: Option<&[&Range<u64>]>,
    edits: &[Edit],
) -> Option<Vec<u8>> {
    let mut changed = Vec::with_capacity(line.len() + 64);
    let Some(messages) = messages else {
        let body = Body::Memory(line);
        let is_right = body.allows(edits).unwrap_or(false);
        return (is_right && body.write(edits, &mut changed).is_ok()).then_some(changed);
    };
    changed.push(b'[');
    for (number, span) in messages.iter().enumerate() {
        if number > 0 {
            changed.push(b',');
        }
        let within = edits
            .iter()
            .filter(|edit| span.contains(&edit.span.start))
            .map(|edit| Edit {
                span: edit.span.start - span.start..edit.span.end - span.start,
                with: edit.with.clone(),
            });
        let within: Vec<Edit> = within.collect();
        Body::Memory(part(line, span)?)
            .write(&within, &mut changed)
            .ok()?;
    }
    changed.extend_from_slice(b"]\n");
    Some(changed)
}

impl Body<'_> {
    /// Passes the bytes of a part to `take`, in order. Fails if the part reaches beyond the end of the message: passing
    /// on fewer bytes would lose data silently.
    pub(super) fn pieces<E: From<io::Error>>(
        self,
        span: Range<u64>,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Memory(bytes) => {
                let part = part(bytes, &span).ok_or_else(incomplete)?;
                for piece in part.chunks(PIECE_BYTES) {
                    take(piece)?;
                }
            }
            Self::File(mut file) => {
                let mut left = span.end.checked_sub(span.start).ok_or_else(incomplete)?;
                file.seek(SeekFrom::Start(span.start))?;
                let mut buffer = vec![0; PIECE_BYTES];
                while left > 0 {
                    let room =
                        usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
                    // Never more than the buffer has: this does not panic.
                    let (room, _) = buffer.split_at_mut(room);
                    let piece = read_piece(&mut file, room)?;
                    if piece.is_empty() {
                        return Err(incomplete().into());
                    }
                    left -= piece.len() as u64;
                    take(piece)?;
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

    /// Whether the edits are in order, do not overlap, and are inside the message.
    pub(super) fn allows(self, edits: &[Edit]) -> io::Result<bool> {
        let mut at = 0;
        let in_order = edits.iter().all(|Edit { span, .. }| {
            let is_next = at <= span.start && span.start <= span.end;
            at = span.end;
            is_next
        });
        Ok(in_order && (edits.is_empty() || at <= self.len()?))
    }

    /// Writes the message with its edits, which are in order; everything else is unchanged.
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

fn incomplete() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(body: Body<'_>, edits: &[Edit]) -> io::Result<Vec<u8>> {
        let mut to = Vec::new();
        body.write(edits, &mut to)?;
        Ok(to)
    }

    fn edit(span: Range<u64>, with: &str) -> Edit {
        Edit {
            span,
            with: with.into(),
        }
    }

    #[test]
    fn a_part_that_is_not_there_is_an_error_and_not_silence() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abcdef").unwrap();
        for body in [Body::Memory(b"abcdef"), Body::File(&file)] {
            let read = |span: Range<u64>| {
                let mut bytes = Vec::new();
                let take = |piece: &[u8]| {
                    bytes.extend_from_slice(piece);
                    Ok::<_, io::Error>(())
                };
                body.pieces(span, take).map(|()| bytes)
            };
            assert_eq!(read(1..4).unwrap(), b"bcd");
            assert_eq!(read(6..6).unwrap(), b"");
            for span in [4..9, 7..9, Range { start: 4, end: 1 }] {
                let error = read(span.clone()).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{span:?}");
            }
        }
    }

    #[test]
    fn edits_that_overlap_or_go_beyond_the_message_are_an_error() {
        let body = Body::Memory(b"abcdef");
        let good = [edit(1..2, "-"), edit(2..2, "+"), edit(4..6, "")];
        assert!(body.allows(&good).unwrap());
        assert_eq!(written(body, &good).unwrap(), b"a-+cd");
        assert!(body.allows(&[]).unwrap());
        for bad in [
            [edit(1..3, ""), edit(2..4, "")],
            [edit(3..4, ""), edit(1..2, "")],
            [edit(1..2, ""), edit(5..7, "")],
        ] {
            assert!(!body.allows(&bad).unwrap(), "{bad:?}");
            assert!(written(body, &bad).is_err(), "{bad:?}");
        }
    }
}
