//! Searching many outputs for a text: each is read once, in parts, whatever its size.

use std::io::{self, Read};

use regex::bytes::{Regex, RegexBuilder};

use crate::model::error::{Error, Result};
use crate::model::text::bytes::{one_line, read_piece};
use crate::model::text::message::{message, number};

const QUERY_MAX_CHARS: usize = 200;
/// Bytes read at once.
const PART: usize = 64 * 1024;
/// Bytes shown on each side of the first match.
const AROUND: usize = 60;

/// A text to find, ignoring case.
#[derive(Clone, Debug)]
pub struct Query {
    pattern: Regex,
    /// The most bytes a match may have.
    longest: usize,
}

/// Where a text was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    pub count: u64,
    /// The line of the first match.
    pub line: u64,
    /// The context of the first match, on one line.
    pub around: String,
}

impl Query {
    /// Checks and compiles a query.
    pub fn new(text: &str) -> Result<Self> {
        let chars = text.chars().count();
        if text.trim().is_empty() || chars > QUERY_MAX_CHARS {
            return Err(Error::refused(message!(
                "`query` takes a text of 1 to {max} characters; {chars} were given.",
                max = QUERY_MAX_CHARS.to_string(),
                chars = number(chars)
            )));
        }
        let pattern = RegexBuilder::new(&regex::escape(text))
            .case_insensitive(true)
            .build()
            .map_err(|error| {
                Error::refused(message!(
                    "`query` can't be used: {error}.",
                    error = error.to_string()
                ))
            })?;
        Ok(Self {
            pattern,
            longest: chars * 4,
        })
    }

    /// Searches a text; `None` if there is no match.
    pub fn find(&self, content: &mut (impl Read + ?Sized)) -> io::Result<Option<Hits>> {
        let mut hits: Option<Hits> = None;
        let mut buffer = vec![0; PART + self.longest + AROUND];
        // Bytes in the buffer, how many of them are searched already, and the line breaks before it.
        let (mut held, mut searched, mut breaks) = (0, 0, 0);
        loop {
            // At most `longest` and `AROUND` bytes are held, and the buffer has room for `PART` more: neither split panics.
            let (_, room) = buffer.split_at_mut(held);
            let read = read_piece(content, room)?.len();
            let (part, _) = buffer.split_at(held + read);
            // A match that starts near the end may continue in the next part.
            let sure = if read == 0 {
                part.len()
            } else {
                part.len().saturating_sub(self.longest)
            };
            let mut done = sure.max(searched);
            for found in self
                .pattern
                .find_iter(part.get(searched..).unwrap_or_default())
            {
                let (start, end) = (searched + found.start(), searched + found.end());
                if start >= sure {
                    break;
                }
                done = done.max(end);
                match &mut hits {
                    Some(hits) => hits.count += 1,
                    None => {
                        hits = Some(Hits {
                            count: 1,
                            line: breaks + count_breaks(part, start) + 1,
                            around: around(part, start, end),
                        });
                    }
                }
            }
            if read == 0 {
                return Ok(hits);
            }
            // What is before a match is shown with it.
            let kept = done.saturating_sub(AROUND);
            breaks += count_breaks(part, kept);
            let end = part.len();
            buffer.copy_within(kept..end, 0);
            (held, searched) = (end - kept, done - kept);
        }
    }
}

fn count_breaks(part: &[u8], until: usize) -> u64 {
    memchr::memchr_iter(b'\n', part.get(..until).unwrap_or_default()).count() as u64
}

/// The context of a match within its line, on one line.
fn around(part: &[u8], start: usize, end: usize) -> String {
    let before = part
        .get(start.saturating_sub(AROUND)..start)
        .unwrap_or_default();
    let before = before
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let after = part
        .get(end..(end + AROUND).min(part.len()))
        .unwrap_or_default();
    let after = after
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let line = [before, part.get(start..end).unwrap_or_default(), after].concat();
    // A character cut in two at either end decodes to U+FFFD and is dropped.
    one_line(String::from_utf8_lossy(&line).trim_matches('\u{fffd}'))
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A reader that returns only a few bytes at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(buffer.len()).min(5);
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn a_text_is_found_in_either_case() {
        let text = "one\ntwo größe here\nGRÖSSE and GRÖßE\n";
        let found = Query::new("Größe").unwrap().find(&mut text.as_bytes());
        assert_eq!(
            found.unwrap(),
            Some(Hits {
                count: 2,
                line: 2,
                around: "two größe here".to_owned()
            })
        );
        let none = Query::new("three").unwrap().find(&mut text.as_bytes());
        assert_eq!(none.unwrap(), None);
        assert!(Query::new("  ").is_err() && Query::new(&"x".repeat(201)).is_err());
    }

    #[test]
    fn what_is_before_a_match_is_shown_wherever_the_match_is() {
        let query = Query::new("vpn").unwrap();
        for before in [0, 5, PART - 30, PART, 2 * PART + 7] {
            let text = format!("{}\nfix the vpn", "x".repeat(before));
            let hits = query.find(&mut text.as_bytes()).unwrap().unwrap();
            assert_eq!(hits.around, "fix the vpn", "{before}");
            let hits = query.find(&mut Drops(text.as_bytes())).unwrap().unwrap();
            assert_eq!((hits.around.as_str(), hits.line), ("fix the vpn", 2));
        }
    }

    #[test]
    fn a_match_on_the_border_of_two_parts_is_found_once() {
        let query = Query::new("needle").unwrap();
        for shift in 0..12 {
            let mut text = vec![b'\n'; PART + query.longest - shift];
            text.extend_from_slice(b"needle\nneedle");
            text.resize(3 * PART, b'x');
            let hits = query.find(&mut text.as_slice()).unwrap().unwrap();
            assert_eq!(hits.count, 2, "{shift}");
            assert_eq!(hits.line, (PART + query.longest - shift) as u64 + 1);
        }
    }

    proptest! {
        #[test]
        fn finds_as_many_as_a_search_in_memory(text in "[ab\n]{0,60}", query in "[ab]{1,3}") {
            let expected = text.matches(&query).count() as u64;
            let hits = Query::new(&query).unwrap().find(&mut Drops(text.as_bytes())).unwrap();
            prop_assert_eq!(hits.map_or(0, |hits| hits.count), expected);
        }
    }
}
