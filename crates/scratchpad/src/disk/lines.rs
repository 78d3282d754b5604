//! Lines of a file of any size, in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is read; Scratchpad never writes a longer one.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Reads a file line by line.
pub struct Lines<R> {
    reader: R,
    max: usize,
    line: Vec<u8>,
    complete: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a reader, each of at most `max` bytes.
    pub fn new(reader: R, max: usize) -> Self {
        Self {
            reader,
            max,
            line: Vec::new(),
            complete: true,
        }
    }

    /// Whether the last line read ended with a line break.
    pub fn last_was_complete(&self) -> bool {
        self.complete
    }

    /// The next line without its line break; the inner `None` replaces a line that is too long.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator can't lend its line"
    )]
    pub fn next(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        self.line.clear();
        let mut too_long = false;
        let mut begun = false;
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                self.complete &= !begun;
                return Ok(begun.then(|| (!too_long).then_some(self.line.as_slice())));
            }
            begun = true;
            let end = memchr::memchr(b'\n', buffer);
            let (part, _) = buffer.split_at(end.unwrap_or(buffer.len()));
            too_long |= self.line.len() + part.len() > self.max;
            if too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some((!too_long).then_some(self.line.as_slice())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, max: usize) -> (Vec<Option<String>>, bool) {
        let mut found = Vec::new();
        // A tiny buffer, so that lines span several reads.
        let mut lines = Lines::new(io::BufReader::with_capacity(3, text.as_bytes()), max);
        while let Some(line) = lines.next().unwrap() {
            found.push(line.map(|line| String::from_utf8_lossy(line).into_owned()));
        }
        (found, lines.last_was_complete())
    }

    #[test]
    fn every_line_comes_whole_and_the_torn_one_last() {
        let expected = ["first", "", "third"].map(|line| Some(line.to_owned()));
        assert_eq!(lines("first\n\nthird", 99), (expected.to_vec(), false));
        assert_eq!(lines("first\n\nthird\n", 99), (expected.to_vec(), true));
        assert_eq!(lines("", 99), (vec![], true));
    }

    #[test]
    fn a_line_above_the_limit_is_passed_over_and_the_next_is_not() {
        let expected = vec![None, Some("ok".to_owned())];
        assert_eq!(lines("too long a line\nok\n", 4), (expected, true));
    }
}
