//! Reads and writes lines without changing a byte, and never interleaves two of them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::body::{Body, MAX_MEMORY_BYTES};

/// The read size, which is the capacity of a pipe.
const BUFFER_BYTES: usize = 64 * 1024;
/// A buffer that has grown beyond this is freed after its line.
const KEPT_LINE_BYTES: usize = 512 * 1024;

/// Reads lines.
pub(super) struct LineReader<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// How many bytes of the buffer the last line borrowed.
    shown: usize,
}

/// The next line, with its line break, if it has one.
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// Its beginning; the rest must be read with [`LineReader::rest`].
    Long(Vec<u8>),
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(read: R) -> Self {
        Self {
            read: BufReader::with_capacity(BUFFER_BYTES, read),
            line: Vec::new(),
            shown: 0,
        }
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.read.consume(std::mem::take(&mut self.shown));
        if self.line.capacity() > KEPT_LINE_BYTES {
            self.line = Vec::new();
        }
        self.line.clear();
        loop {
            let piece = fill(&mut self.read)?;
            if piece.is_empty() {
                return Ok((!self.line.is_empty()).then_some(Line::Whole(&self.line)));
            }
            let (part, is_end) = up_to_break(piece);
            let taken = part.len();
            if is_end && self.line.is_empty() {
                self.shown = taken;
                // The same buffer as above, borrowed again for the caller: this does not panic.
                let (line, _) = self.read.buffer().split_at(taken);
                return Ok(Some(Line::Whole(line)));
            }
            self.line.extend_from_slice(part);
            self.read.consume(taken);
            if is_end {
                return Ok(Some(Line::Whole(&self.line)));
            }
            if self.line.len() >= MAX_MEMORY_BYTES {
                return Ok(Some(Line::Long(std::mem::take(&mut self.line))));
            }
        }
    }

    /// Passes the rest of a long line to `take` in pieces, its line break included.
    pub(super) fn rest(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        loop {
            let piece = fill(&mut self.read)?;
            let (part, is_end) = up_to_break(piece);
            let taken = part.len();
            if taken == 0 {
                return Ok(());
            }
            let result = take(part);
            self.read.consume(taken);
            result?;
            if is_end {
                return Ok(());
            }
        }
    }
}

/// The piece up to and including its first line break, and whether it has one.
fn up_to_break(piece: &[u8]) -> (&[u8], bool) {
    let end = memchr::memchr(b'\n', piece).map(|at| at + 1);
    // `end` is at most the length of `piece`: this never panics.
    let (part, _) = piece.split_at(end.unwrap_or(piece.len()));
    (part, end.is_some())
}

/// Fills the buffer if it is empty. Interrupted reads are retried.
fn fill<R: Read>(read: &mut BufReader<R>) -> io::Result<&[u8]> {
    while let Err(error) = read.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(read.buffer())
}

/// Writes lines, one at a time, from any thread.
pub(super) struct LineWriter<W>(Mutex<Inner<W>>);

struct Inner<W> {
    /// `None` once it is closed, or the reader is gone.
    write: Option<W>,
    /// The last line has no line break yet.
    is_open: bool,
}

/// Exclusive use of the writer for one line.
pub(super) struct Turn<'a, W>(MutexGuard<'a, Inner<W>>);

impl<W: Write> LineWriter<W> {
    pub(super) fn new(write: W) -> Self {
        Self(Mutex::new(Inner {
            write: Some(write),
            is_open: false,
        }))
    }

    /// Locks the writer, and ends the last line if it has no line break.
    pub(super) fn turn(&self) -> Turn<'_, W> {
        let mut turn = Turn(self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if std::mem::take(&mut turn.0.is_open) {
            // If the reader is gone, writing the line fails too.
            let _ = turn.write_all(b"\n");
        }
        turn
    }

    /// Writes a line.
    pub(super) fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut turn = self.turn();
        turn.write_all(line)?;
        turn.0.is_open = !line.ends_with(b"\n");
        Ok(())
    }

    /// Closes the writer, unless a line is being written: if nobody reads, waiting for that could take forever.
    pub(super) fn close(&self) {
        if let Ok(mut inner) = self.0.try_lock() {
            inner.write = None;
        }
    }
}

impl<W> Turn<'_, W> {
    /// Notes that the line written in this turn has no line break.
    pub(super) fn leave_open(&mut self) {
        self.0.is_open = true;
    }
}

impl<W: Write> Write for Turn<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(write) = &mut self.0.write else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let written = write.write(bytes);
        if let Err(error) = &written
            && error.kind() != io::ErrorKind::Interrupted
        {
            // Part of a line may have been written, so nothing after it would parse.
            self.0.write = None;
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.write.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// The result of spooling a long line.
pub(super) enum Spooled {
    /// The file has all of it.
    Whole(File),
    /// Writing failed: the line is the file, then these bytes, then what has not been read yet.
    Partly(Option<File>, Vec<u8>, io::Error),
}

/// Spools a long line to an unnamed temporary file.
pub(super) fn spool<R: Read>(head: Vec<u8>, reader: &mut LineReader<R>) -> io::Result<Spooled> {
    let mut file = match tempfile::tempfile() {
        Ok(file) => file,
        Err(error) => return Ok(Spooled::Partly(None, head, error)),
    };
    let mut written = 0;
    if let Err(error) = file.write_all(&head) {
        return Ok(Spooled::Partly(None, head, error));
    }
    written += head.len() as u64;
    drop(head);
    let mut failed = None;
    let read = reader.rest(|piece| {
        file.write_all(piece).map_err(|error| {
            failed = Some((error, piece.to_vec()));
            io::Error::from(io::ErrorKind::StorageFull)
        })?;
        written += piece.len() as u64;
        Ok(())
    });
    match (failed, read) {
        (Some((error, piece)), _) => {
            // The file may contain the beginning of `piece`.
            file.set_len(written)?;
            Ok(Spooled::Partly(Some(file), piece, error))
        }
        (None, Ok(())) => Ok(Spooled::Whole(file)),
        (None, Err(error)) => Err(error),
    }
}

/// Passes on the part that was read of a line that could not be spooled.
pub(super) fn copy_beginning(
    file: Option<&File>,
    bytes: &[u8],
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(file) = file {
        let body = Body::File(file);
        body.pieces(0..body.len()?, &mut take)?;
    }
    take(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_unchanged() {
        let long = [b"x".repeat(MAX_MEMORY_BYTES + 70_000), b"\n".to_vec()].concat();
        let sent = [
            b"a\n\n\r\n".as_slice(),
            &b"b".repeat(100_000),
            b"\n",
            &long,
            b"c\nhalf",
        ]
        .concat();
        let mut reader = LineReader::new(sent.as_slice());
        let mut seen = Vec::new();
        let mut lines = 0;
        loop {
            let long = match reader.next().unwrap() {
                None => break,
                Some(Line::Whole(line)) => {
                    assert!(line.ends_with(b"\n") || line == b"half");
                    seen.extend_from_slice(line);
                    false
                }
                Some(Line::Long(head)) => {
                    seen.extend_from_slice(&head);
                    true
                }
            };
            if long {
                reader
                    .rest(|piece| {
                        seen.extend_from_slice(piece);
                        Ok(())
                    })
                    .unwrap();
            }
            lines += 1;
        }
        assert!(seen == sent);
        assert_eq!(lines, 7);
    }

    #[test]
    fn a_half_line_is_ended_before_the_next() {
        let mut written = Vec::new();
        let writer = LineWriter::new(&mut written);
        for line in ["half", "whole\n", "more\n"] {
            writer.write(line.as_bytes()).unwrap();
        }
        assert_eq!(written, b"half\nwhole\nmore\n");
    }
}
