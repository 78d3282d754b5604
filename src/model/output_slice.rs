//! Slices of an output: exact parts, never cut inside a character, never more than an answer may hold.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{Error, Result};
use super::quantity::shortened;

/// The most bytes that one answer holds.
pub const READ_MAX_BYTES: usize = 32 * 1024;

/// Which part of an output is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// All of it, or the first part if that is too much.
    Whole,
    /// Bytes from an offset.
    Bytes {
        /// Where to begin.
        offset: usize,
        /// How many.
        limit: usize,
    },
    /// Lines, counted from 1.
    Lines(LineRange),
}

/// Which lines are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRange {
    /// From the first to the last of these, both included.
    Between(usize, usize),
    /// The last so many.
    Last(usize),
}

impl LineRange {
    /// Reads `120-180`, `120-` (to the end), `120` (one line) or `-40` (the last 40).
    pub fn parse(text: &str) -> Result<Self> {
        let number = |digits: &str| digits.trim().parse::<usize>().ok();
        let range = match text.trim().split_once('-') {
            None => number(text).map(|line| Self::Between(line, line)),
            Some(("", last)) => number(last).map(Self::Last),
            Some((first, "")) => number(first).map(|first| Self::Between(first, usize::MAX)),
            Some((first, last)) => number(first)
                .zip(number(last))
                .map(|(first, last)| Self::Between(first, last)),
        };
        match range {
            Some(Self::Between(first, last)) if first >= 1 && first <= last => {
                Ok(Self::Between(first, last))
            }
            Some(Self::Last(count)) if count >= 1 => Ok(Self::Last(count)),
            _ => Err(Error::refused(format!(
                "`lines` must be like \"120-180\" or \"-40\" (the last 40); {:?} was given.",
                shortened(text, 40)
            ))),
        }
    }
}

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The part; what is not UTF-8 in it is replaced by U+FFFD.
    pub text: Cow<'a, str>,
    /// Where it lies, in bytes.
    pub bytes: Range<usize>,
    /// The first and the last line asked for that are there, and how many lines there are; only for lines.
    pub lines: Option<(usize, usize, usize)>,
    /// Whether less is here than was asked for.
    pub shortened: bool,
}

/// What became of asking for a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// It is here.
    Part(Cut<'a>),
    /// It begins after the end; the number of lines there are, where lines were asked for.
    PastTheEnd(Option<usize>),
}

/// Takes a part out of an output, at most `max` bytes of it.
pub fn cut<'a>(content: &'a [u8], slice: &Slice, max: usize) -> Found<'a> {
    let (wanted, lines) = match *slice {
        Slice::Whole => (0..content.len(), None),
        Slice::Bytes { offset, limit } => {
            if offset >= content.len() && offset > 0 {
                return Found::PastTheEnd(None);
            }
            let end = offset.saturating_add(limit).min(content.len());
            (offset..end, None)
        }
        Slice::Lines(range) => {
            let starts = line_starts(content);
            let total = starts.len();
            let (first, last) = match range {
                LineRange::Between(first, last) => (first, last.min(total)),
                LineRange::Last(count) => (total.saturating_sub(count) + 1, total),
            };
            let Some(&start) = starts.get(first - 1) else {
                return Found::PastTheEnd(Some(total));
            };
            let end = starts.get(last).copied().unwrap_or(content.len());
            (start..end, Some((first, last, total)))
        }
    };
    let start = boundary_before(content, wanted.start);
    let mut end = boundary_before(content, wanted.end.min(start.saturating_add(max)));
    if end <= start && wanted.end > start {
        // A limit smaller than a character still has to get on.
        end = boundary_after(content, start + 1);
    }
    let part = content.get(start..end).unwrap_or_default();
    Found::Part(Cut {
        text: String::from_utf8_lossy(part),
        shortened: end < boundary_before(content, wanted.end),
        bytes: start..end,
        lines,
    })
}

/// Where each line begins.
fn line_starts(content: &[u8]) -> Vec<usize> {
    let after_breaks = memchr::memchr_iter(b'\n', content).map(|at| at + 1);
    std::iter::once(0)
        .chain(after_breaks)
        .filter(|start| *start < content.len())
        .collect()
}

fn is_inside_character(content: &[u8], at: usize) -> bool {
    content.get(at).is_some_and(|byte| byte & 0xC0 == 0x80)
}

/// The place itself, or the beginning of the character it lies in.
fn boundary_before(content: &[u8], at: usize) -> usize {
    let at = at.min(content.len());
    // A character has at most three bytes after its first; more of them are no text.
    (0..4)
        .map(|back| at.saturating_sub(back))
        .find(|at| !is_inside_character(content, *at))
        .unwrap_or(at)
}

/// The place itself, or the end of the character it lies in.
fn boundary_after(content: &[u8], at: usize) -> usize {
    (at..at + 4)
        .find(|at| !is_inside_character(content, *at))
        .unwrap_or(at)
        .min(content.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(content: &str, slice: &Slice, max: usize) -> (String, Range<usize>, bool) {
        match cut(content.as_bytes(), slice, max) {
            Found::Part(cut) => (cut.text.into_owned(), cut.bytes, cut.shortened),
            Found::PastTheEnd(_) => panic!("past the end"),
        }
    }

    fn lines(content: &str, range: &str) -> (String, Option<(usize, usize, usize)>) {
        let slice = Slice::Lines(LineRange::parse(range).unwrap());
        match cut(content.as_bytes(), &slice, 1_000) {
            Found::Part(cut) => (cut.text.into_owned(), cut.lines),
            Found::PastTheEnd(total) => ("past".to_owned(), total.map(|total| (0, 0, total))),
        }
    }

    #[test]
    fn lines_come_with_their_ends_like_sed_gives_them() {
        let text = "one\ntwo\nthree";
        assert_eq!(
            lines(text, "1-2"),
            ("one\ntwo\n".to_owned(), Some((1, 2, 3)))
        );
        assert_eq!(lines(text, "2"), ("two\n".to_owned(), Some((2, 2, 3))));
        assert_eq!(
            lines(text, "2-"),
            ("two\nthree".to_owned(), Some((2, 3, 3)))
        );
        assert_eq!(lines(text, "3-9"), ("three".to_owned(), Some((3, 3, 3))));
        assert_eq!(lines(text, "-1"), ("three".to_owned(), Some((3, 3, 3))));
        assert_eq!(lines(text, "-9"), (text.to_owned(), Some((1, 3, 3))));
        assert_eq!(lines(text, "4-5"), ("past".to_owned(), Some((0, 0, 3))));
        assert_eq!(lines("one\n", "-1"), ("one\n".to_owned(), Some((1, 1, 1))));
    }

    #[test]
    fn ranges_that_mean_nothing_are_refused() {
        for text in ["", "-", "0-3", "5-2", "a-b", "-0", "1-2-3", "1.5"] {
            let error = LineRange::parse(text).unwrap_err().to_string();
            assert!(error.contains("`lines` must be like"), "{text}: {error}");
        }
    }

    #[test]
    fn bytes_end_between_characters_and_always_get_on() {
        let bytes = |offset, limit| Slice::Bytes { offset, limit };
        assert_eq!(
            part("größer", &bytes(0, 3), 99),
            ("gr".to_owned(), 0..2, false)
        );
        assert_eq!(
            part("größer", &bytes(3, 3), 99),
            ("öß".to_owned(), 2..6, false)
        );
        assert_eq!(
            part("größer", &bytes(2, 1), 99),
            ("ö".to_owned(), 2..4, false)
        );
        assert_eq!(
            part("größer", &Slice::Whole, 5),
            ("grö".to_owned(), 0..4, true)
        );
        assert_eq!(cut(b"abc", &bytes(3, 1), 99), Found::PastTheEnd(None));
    }

    proptest! {
        #[test]
        fn going_on_from_the_end_of_each_part_gives_the_whole(text in "\\PC{0,80}", max in 1_usize..9) {
            let mut whole = String::new();
            let mut offset = 0;
            while offset < text.len() {
                let slice = Slice::Bytes { offset, limit: usize::MAX };
                let (part, bytes, _) = part(&text, &slice, max);
                prop_assert_eq!(bytes.start, offset);
                prop_assert!(bytes.end > offset);
                whole.push_str(&part);
                offset = bytes.end;
            }
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn no_bytes_whatever_make_it_fail(content: Vec<u8>, offset in 0_usize..40, limit in 0_usize..40, max in 0_usize..9) {
            cut(&content, &Slice::Bytes { offset, limit }, max);
            cut(&content, &Slice::Lines(LineRange::Last(limit + 1)), max);
        }
    }
}
