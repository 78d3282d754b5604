//! How large a text is, in bytes and in estimated tokens.

use std::io::{self, Read};
use std::ops::AddAssign;

use crate::model::text::tokens::estimate;

/// Up to this size, each character is weighed; beyond, the rest is taken to be like what is before it. No context window
/// holds as much.
const WEIGHED: usize = 64 << 10;

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub bytes: u64,
    /// Estimated.
    pub tokens: u64,
}

impl Size {
    pub fn of(text: &str) -> Self {
        let start = text.get(..text.floor_char_boundary(WEIGHED));
        Self::of_start(start.unwrap_or(text), text.len() as u64)
    }

    /// The size of a text of so many bytes that is read from its start.
    pub fn of_reader(content: &mut impl Read, bytes: u64) -> io::Result<Self> {
        let mut start = Vec::new();
        content.take(WEIGHED as u64).read_to_end(&mut start)?;
        Ok(Self::of_start(&String::from_utf8_lossy(&start), bytes))
    }

    fn of_start(start: &str, bytes: u64) -> Self {
        let weighed = Self {
            bytes: start.len() as u64,
            tokens: estimate(start) as u64,
        };
        if bytes <= WEIGHED as u64 {
            return Self { bytes, ..weighed };
        }
        weighed.part(bytes)
    }

    /// A text of so many bytes in which tokens are as long as in this one.
    #[must_use]
    pub fn part(self, bytes: u64) -> Self {
        let tokens = u128::from(self.tokens) * u128::from(bytes) / u128::from(self.bytes.max(1));
        Self {
            bytes,
            tokens: u64::try_from(tokens).unwrap_or(u64::MAX),
        }
    }

    /// What is left of it without this.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_weighed_by_its_beginning() {
        let line = "an ordinary line of a log, number 12345\n";
        let size = |times: usize| Size::of(&line.repeat(times));
        let (short, long) = (size(100), size(100_000));
        assert_eq!(short.tokens, estimate(&line.repeat(100)) as u64);
        assert_eq!(long.bytes, 100_000 * line.len() as u64);
        assert!(long.tokens.abs_diff(short.tokens * 1_000) < short.tokens * 20);
        let mut reader = io::Cursor::new(line.repeat(100_000));
        assert_eq!(Size::of_reader(&mut reader, long.bytes).unwrap(), long);
        assert_eq!(Size::of(""), Size::default());
        assert_eq!(Size::default().part(5).tokens, 0);
    }
}
