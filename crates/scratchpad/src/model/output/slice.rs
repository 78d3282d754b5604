//! Slices of an output: exact parts, never cut inside a character, never larger than an answer may be.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::probe::Probe;
use crate::model::error::{Error, Result};
use crate::model::text::bytes::{boundary_after, boundary_before, read_piece, shown};
use crate::model::text::message::{message, quoted};
use crate::model::text::quantity::shortened;

/// The part of an output that is asked for.
#[derive(Clone, Debug)]
pub enum Slice {
    /// All of it, or the first part if it is too large.
    Whole,
    /// Bytes from an offset.
    Bytes { offset: u64, limit: usize },
    /// Lines, counted from 1.
    Lines(LineRange),
    /// What a probe finds, from an offset in its answer.
    Probe(Probe, u64),
}

/// A range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRange {
    /// From the first to the last, inclusive.
    Between(u64, u64),
    /// The last N lines.
    Last(u64),
}

impl LineRange {
    /// Parses `120-180`, `120-` (to the end), `120` (one line) or `-40` (the last 40).
    pub fn parse(text: &str) -> Result<Self> {
        let number = |digits: &str| digits.trim().parse::<u64>().ok();
        let range = match text.trim().split_once('-') {
            None => number(text).map(|line| Self::Between(line, line)),
            Some(("", last)) => number(last).map(Self::Last),
            Some((first, "")) => number(first).map(|first| Self::Between(first, u64::MAX)),
            Some((first, last)) => number(first)
                .zip(number(last))
                .map(|(first, last)| Self::Between(first, last)),
        };
        match range {
            Some(Self::Between(first, last)) if first >= 1 && first <= last => {
                Ok(Self::Between(first, last))
            }
            Some(Self::Last(count)) if count >= 1 => Ok(Self::Last(count)),
            _ => Err(Error::refused(message!(
                "`lines` must be like \"120-180\" or \"-40\" (the last 40); {given} was given.",
                given = quoted(shortened(text, 40))
            ))),
        }
    }
}

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The text of the part; bytes that are not UTF-8 are escaped as `\xNN`.
    pub text: String,
    /// Whether all of it is UTF-8, so that nothing was escaped.
    pub is_exact: bool,
    /// Its byte range in the output.
    pub bytes: Range<u64>,
    /// For lines: the first and the last one that exist, and the total number of lines.
    pub lines: Option<(u64, u64, u64)>,
    /// Whether it is less than was asked for.
    pub shortened: bool,
}

/// The result of reading a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceResult {
    Part(Cut),
    /// It starts past the end; for lines, their total number.
    PastTheEnd(Option<u64>),
}

/// Reads bytes from an offset, at most `max` of them.
pub fn cut_bytes(
    content: &mut (impl Read + Seek + ?Sized),
    offset: u64,
    limit: usize,
    max: usize,
) -> io::Result<SliceResult> {
    let total = content.seek(SeekFrom::End(0))?;
    if offset >= total && offset > 0 {
        return Ok(SliceResult::PastTheEnd(None));
    }
    let end = offset.saturating_add(limit as u64).min(total);
    part(content, total, offset..end, max).map(SliceResult::Part)
}

/// Reads lines, at most `max` bytes of them.
pub fn cut_lines(
    content: &mut (impl Read + Seek + ?Sized),
    range: LineRange,
    max: usize,
) -> io::Result<SliceResult> {
    let ends = line_ends(content, &[])?;
    let (lines, bytes) = (ends.lines, ends.bytes);
    let (first, last) = match range {
        LineRange::Between(first, last) => (first, last.min(lines)),
        LineRange::Last(count) => (lines.saturating_sub(count) + 1, lines),
    };
    if first > lines {
        return Ok(SliceResult::PastTheEnd(Some(lines)));
    }
    let found = line_ends(content, &[first - 1, last])?.found;
    let [start, end] = found.as_slice() else {
        return Ok(SliceResult::PastTheEnd(Some(lines)));
    };
    let mut cut = part(content, bytes, *start..*end, max)?;
    cut.lines = Some((first, last, lines));
    Ok(SliceResult::Part(cut))
}

/// Reads a part, aligned to character boundaries.
fn part(
    content: &mut (impl Read + Seek + ?Sized),
    total: u64,
    wanted: Range<u64>,
    max: usize,
) -> io::Result<Cut> {
    // A few more bytes on both sides show where characters start and end.
    let from = wanted.start.saturating_sub(3);
    let until = wanted.end.min(wanted.start.saturating_add(max as u64));
    content.seek(SeekFrom::Start(from))?;
    let mut window = Vec::new();
    let mut near = &mut *content;
    Read::take(&mut near, (until + 4).min(total) - from).read_to_end(&mut window)?;
    let within = |at: u64| usize::try_from(at - from).unwrap_or(usize::MAX);
    let start = boundary_before(&window, within(wanted.start));
    let mut end = boundary_before(&window, within(until));
    if end <= start && wanted.end > wanted.start {
        // A limit smaller than a character must still make progress.
        end = boundary_after(&window, start + 1);
    }
    // An empty slice would look like the end of the output.
    let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let mut bytes = window.get(start..end).ok_or_else(missing)?;
    let mut text = shown(bytes);
    if text.len() > max && matches!(text, std::borrow::Cow::Owned(_)) {
        // Escaped as `\xNN`, a byte takes four.
        let end = match boundary_before(bytes, max / 4) {
            0 => boundary_after(bytes, 1),
            end => end,
        };
        bytes = bytes.get(..end).unwrap_or(bytes);
        text = shown(bytes);
    }
    let start = from + start as u64;
    let end = start + bytes.len() as u64;
    let asked_until = if wanted.end <= from + window.len() as u64 {
        from + boundary_before(&window, within(wanted.end)) as u64
    } else {
        wanted.end
    };
    Ok(Cut {
        is_exact: matches!(text, std::borrow::Cow::Borrowed(_)),
        text: text.into_owned(),
        shortened: end < asked_until,
        bytes: start..end,
        lines: None,
    })
}

/// The result of a pass over all lines.
struct Ends {
    lines: u64,
    bytes: u64,
    found: Vec<u64>,
}

/// Counts the lines, and finds where the wanted ones end; a last line without a line break ends with the content.
fn line_ends(content: &mut (impl Read + Seek + ?Sized), wanted: &[u64]) -> io::Result<Ends> {
    content.rewind()?;
    let mut ends = Ends {
        lines: 0,
        bytes: 0,
        found: Vec::new(),
    };
    let mut wanted = wanted.iter().peekable();
    while wanted.next_if(|line| **line == 0).is_some() {
        ends.found.push(0);
    }
    let mut buffer = vec![0; 64 * 1024];
    let mut ends_with_break = true;
    loop {
        let part = read_piece(content, &mut buffer)?;
        if part.is_empty() {
            break;
        }
        for at in memchr::memchr_iter(b'\n', part) {
            ends.lines += 1;
            while wanted.next_if(|line| **line == ends.lines).is_some() {
                ends.found.push(ends.bytes + at as u64 + 1);
            }
        }
        ends_with_break = part.ends_with(b"\n");
        ends.bytes += part.len() as u64;
    }
    ends.lines += u64::from(!ends_with_break);
    for _ in wanted {
        ends.found.push(ends.bytes);
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn part(content: &str, offset: u64, limit: usize, max: usize) -> (String, Range<u64>, bool) {
        match cut_bytes(&mut Cursor::new(content), offset, limit, max).unwrap() {
            SliceResult::Part(cut) => (cut.text, cut.bytes, cut.shortened),
            SliceResult::PastTheEnd(_) => panic!("past the end"),
        }
    }

    fn lines(content: &str, range: &str) -> (String, Option<(u64, u64, u64)>) {
        let range = LineRange::parse(range).unwrap();
        match cut_lines(&mut Cursor::new(content), range, 1_000).unwrap() {
            SliceResult::Part(cut) => (cut.text, cut.lines),
            SliceResult::PastTheEnd(total) => ("past".to_owned(), total.map(|total| (0, 0, total))),
        }
    }

    #[test]
    fn lines_come_with_their_line_breaks_as_from_sed() {
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
    fn invalid_ranges_are_refused() {
        for text in ["", "-", "0-3", "5-2", "a-b", "-0", "1-2-3", "1.5"] {
            let error = LineRange::parse(text).unwrap_err().to_string();
            assert!(error.contains("`lines` must be like"), "{text}: {error}");
        }
    }

    #[test]
    fn bytes_end_between_characters_and_always_make_progress() {
        let text = "größer";
        assert_eq!(part(text, 0, 3, 99), ("gr".to_owned(), 0..2, false));
        assert_eq!(part(text, 3, 3, 99), ("öß".to_owned(), 2..6, false));
        assert_eq!(part(text, 2, 1, 99), ("ö".to_owned(), 2..4, false));
        assert_eq!(part(text, 0, 99, 5), ("grö".to_owned(), 0..4, true));
        let past = cut_bytes(&mut Cursor::new("abc"), 3, 1, 99).unwrap();
        assert_eq!(past, SliceResult::PastTheEnd(None));
    }

    proptest! {
        #[test]
        fn continuing_at_the_end_of_each_part_gives_the_whole(text in "\\PC{0,80}", max in 1_usize..9) {
            let mut whole = String::new();
            let mut offset = 0;
            while offset < text.len() as u64 {
                let (part, bytes, _) = part(&text, offset, usize::MAX, max);
                prop_assert_eq!(bytes.start, offset);
                prop_assert!(bytes.end > offset);
                whole.push_str(&part);
                offset = bytes.end;
            }
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn parts_of_binary_content_leave_no_gap(
            pieces in prop::collection::vec(
                prop::sample::select(vec![b"\xff".as_slice(), b"\x80", b"\xe2\x82", b"a", "ö€🦀".as_bytes()]),
                1..40,
            ),
            limit in 1_usize..9,
            max in 1_usize..30,
        ) {
            let content = pieces.concat();
            let mut offset = 0;
            while offset < content.len() as u64 {
                let found = cut_bytes(&mut Cursor::new(&content), offset, limit, max).unwrap();
                let SliceResult::Part(cut) = found else { panic!("past the end") };
                prop_assert_eq!(cut.bytes.start, offset);
                prop_assert!(cut.bytes.end > offset);
                offset = cut.bytes.end;
            }
            prop_assert_eq!(offset, content.len() as u64);
        }

        #[test]
        fn lines_are_what_splitting_says(text in "[a\nö]{0,30}", first in 1_usize..9, more in 0_usize..9) {
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let (expected, lines) = (all.get(first - 1..all.len().min(first + more)), all.len() as u64);
            let range = LineRange::Between(first as u64, (first + more) as u64);
            match cut_lines(&mut Cursor::new(&text), range, 1_000).unwrap() {
                SliceResult::Part(cut) => prop_assert_eq!(cut.text, expected.unwrap().concat()),
                SliceResult::PastTheEnd(total) => {
                    prop_assert_eq!(total, Some(lines));
                    prop_assert!(first as u64 > lines);
                }
            }
        }

        #[test]
        fn no_bytes_make_it_fail(content: Vec<u8>, offset in 0_u64..40, limit in 0_usize..40, max in 0_usize..9) {
            cut_bytes(&mut Cursor::new(&content), offset, limit, max).unwrap();
            cut_lines(&mut Cursor::new(&content), LineRange::Last(limit as u64 + 1), max).unwrap();
        }
    }
}
