//! Searching an output: matching lines with their numbers; for very long lines, only the context of each match.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

use regex::bytes::{Regex, RegexBuilder};

use crate::model::error::{Error, Result};
use crate::model::text::bytes::{boundary_after, boundary_before, shown};
use crate::model::text::message::{message, number, quoted};
use crate::model::text::quantity::shortened;

/// Of longer lines, only the parts around matches are shown.
const LONG_LINE: usize = 500;
/// Bytes shown on each side of a match in a long line.
const AROUND: usize = 160;
/// The most bytes shown of one match.
const MATCH_MAX: usize = 400;
/// The longest window that several matches share.
const WINDOW_MAX: usize = 800;
const PATTERN_MAX_CHARS: usize = 2_000;
/// The most memory that a compiled pattern may take.
const PATTERN_MAX_BYTES: usize = 4 << 20;
/// The most lines of context around a match.
pub const MAX_CONTEXT: u64 = 100;

#[derive(Clone, Debug)]
pub struct Grep {
    pattern: Regex,
    context: usize,
}

impl Grep {
    /// Checks and compiles a pattern.
    pub fn new(pattern: &str, ignore_case: bool, context: u64) -> Result<Self> {
        let chars = pattern.chars().count();
        if chars == 0 || chars > PATTERN_MAX_CHARS {
            return Err(Error::refused(message!(
                "`grep` takes a pattern of 1 to {pattern_max_chars} characters; {value} were given.",
                pattern_max_chars = number(PATTERN_MAX_CHARS),
                value = number(chars)
            )));
        }
        if context > MAX_CONTEXT {
            return Err(Error::refused(message!(
                "`context` takes up to {MAX_CONTEXT} lines; {context} were given.",
                MAX_CONTEXT = MAX_CONTEXT.to_string(),
                context = number(context)
            )));
        }
        let pattern = RegexBuilder::new(pattern)
            .case_insensitive(ignore_case)
            .size_limit(PATTERN_MAX_BYTES)
            .build()
            .map_err(|error| bad_pattern(pattern, &error))?;
        Ok(Self {
            pattern,
            context: usize::try_from(context).unwrap_or(0),
        })
    }

    /// Writes the matching lines; returns the number of matches.
    pub fn search(&self, mut content: impl BufRead, out: &mut impl Write) -> io::Result<u64> {
        let mut search = Search {
            context: self.context,
            before: VecDeque::new(),
            after: 0,
            shown_until: 0,
            matches: 0,
        };
        let mut line = Vec::new();
        let (mut number, mut start) = (0, 0);
        loop {
            line.clear();
            let read = content.read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(search.matches);
            }
            number += 1;
            let ended = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = ended.strip_suffix(b"\r").unwrap_or(ended);
            let at = Place { number, start };
            if self.pattern.is_match(text) {
                search.lead_in(at.number, out)?;
                if text.len() <= LONG_LINE {
                    search.matches += 1;
                    at.write(b':', text, out)?;
                } else {
                    search.matches += self.pattern.find_iter(text).count() as u64;
                    for window in windows(&self.pattern, text) {
                        at.write_part(b':', text, window, out)?;
                    }
                }
                search.shown_until = at.number;
                search.after = self.context;
            } else if search.after > 0 {
                search.after -= 1;
                at.write_context(text, out)?;
                search.shown_until = at.number;
            } else if self.context > 0 {
                search.remember(at, text);
            }
            start += read as u64;
        }
    }
}

/// The state between two lines.
struct Search {
    context: usize,
    /// The last lines, rendered as context for a match that may follow.
    before: VecDeque<(u64, Vec<u8>)>,
    /// How many more lines of context to show after a match.
    after: usize,
    /// The last line that was shown.
    shown_until: u64,
    matches: u64,
}

impl Search {
    fn remember(&mut self, at: Place, text: &[u8]) {
        if self.before.len() == self.context {
            self.before.pop_front();
        }
        let mut line = Vec::new();
        // Writing to memory can't fail.
        let _ = at.write_context(text, &mut line);
        self.before.push_back((at.number, line));
    }

    /// Writes the separator and the lines of context before a match.
    fn lead_in(&mut self, number: u64, out: &mut impl Write) -> io::Result<()> {
        let first = self.before.front().map_or(number, |(number, _)| *number);
        if self.context > 0 && self.shown_until > 0 && first > self.shown_until + 1 {
            out.write_all(b"--\n")?;
        }
        for (_, line) in self.before.drain(..) {
            out.write_all(&line)?;
        }
        Ok(())
    }
}

/// A line's number, and its byte offset in the output.
#[derive(Clone, Copy)]
struct Place {
    number: u64,
    start: u64,
}

impl Place {
    fn write(self, mark: u8, text: &[u8], out: &mut impl Write) -> io::Result<()> {
        write!(out, "{}{}", self.number, char::from(mark))?;
        out.write_all(shown(text).as_bytes())?;
        out.write_all(b"\n")
    }

    /// Writes a part of a line, with its byte offset in the output.
    fn write_part(
        self,
        mark: u8,
        text: &[u8],
        part: std::ops::Range<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write!(
            out,
            "{}@{}{}",
            self.number,
            self.start + part.start as u64,
            char::from(mark)
        )?;
        let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let part = text.get(part).ok_or_else(missing)?;
        out.write_all(shown(part).as_bytes())?;
        out.write_all(b"\n")
    }

    fn write_context(self, text: &[u8], out: &mut impl Write) -> io::Result<()> {
        if text.len() <= LONG_LINE {
            self.write(b'-', text, out)
        } else {
            self.write_part(b'-', text, 0..boundary_before(text, AROUND), out)
        }
    }
}

/// The parts of a long line around its matches; nearby matches share one.
fn windows(pattern: &Regex, text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut windows: Vec<std::ops::Range<usize>> = Vec::new();
    for found in pattern.find_iter(text) {
        let start = boundary_before(text, found.start().saturating_sub(AROUND));
        let shown_end = found.end().min(found.start() + MATCH_MAX);
        let end = boundary_after(text, (shown_end + AROUND).min(text.len()));
        match windows.last_mut() {
            Some(last) if start < last.end && end - last.start <= WINDOW_MAX => last.end = end,
            // Already shown by the last window.
            Some(last) if found.end() <= last.end => {}
            _ => windows.push(start..end),
        }
    }
    windows
}

fn bad_pattern(pattern: &str, error: &regex::Error) -> Error {
    let parsed = regex_syntax::Parser::new().parse(pattern);
    let position = |start: &regex_syntax::ast::Position, what: &dyn std::fmt::Display| {
        let rest = pattern.get(start.offset..).unwrap_or_default();
        Error::refused(message!("`grep` is invalid at character {place}, before {rest}: {why}.", place = (pattern.get(..start.offset).unwrap_or_default().chars().count() + 1).to_string(), rest = quoted(shortened(rest, 20)), why = what.to_string()))
        .hint("it is a regular expression: put a backslash before each of \\ . + * ? ( ) [ ] { } | ^ $ that is meant literally.")
    };
    match (&parsed, error) {
        (Err(regex_syntax::Error::Parse(error)), _) => position(&error.span().start, error.kind()),
        (Err(regex_syntax::Error::Translate(error)), _) => {
            position(&error.span().start, error.kind())
        }
        (_, regex::Error::CompiledTooBig(limit)) => Error::refused(message!(
            "`grep` is too large: compiled, it needs more than {max} bytes.",
            max = number(*limit)
        ))
        .hint("use smaller repetitions."),
        _ => Error::refused(message!(
            "`grep` is invalid: {error}.",
            error = error.to_string()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{IntoData, assert_data_eq, str};

    fn grep(text: &str, pattern: &str, context: u64) -> String {
        let mut out = Vec::new();
        let grep = Grep::new(pattern, false, context).unwrap();
        let matches = grep.search(text.as_bytes(), &mut out).unwrap();
        format!("{}= {matches}\n", String::from_utf8(out).unwrap())
    }

    #[test]
    fn matching_lines_come_with_numbers_and_context() {
        let text = "a1\nb\r\nc1\nd\ne\nf\ng1\n";
        let all = [
            grep(text, "1$", 0),
            grep(text, "1", 1),
            grep(text, "^b$", 9),
            grep(text, "x", 1),
        ];
        assert_data_eq!(
            all.concat(),
            str![[r#"
1:a1
3:c1
7:g1
= 3
1:a1
2-b
3:c1
4-d
--
6-f
7:g1
= 3
1-a1
2:b
3-c1
4-d
5-e
6-f
7-g1
= 1
= 0

"#]]
        );
    }

    #[test]
    fn only_the_parts_around_matches_of_a_long_line_are_shown() {
        let rows: Vec<String> = (0..800)
            .map(|row| format!("{{\"id\":{row},\"name\":\"größe {row}\"}}"))
            .collect();
        let text = format!("first\n[{}]\n", rows.join(","));
        let found = grep(&text, "\"id\":(400|401|700)\\b", 1);
        assert!(found.len() < 1_024, "{found}");
        for line in found.lines().filter(|line| line.starts_with("2@")) {
            let (place, part) = line.split_once(':').unwrap();
            let start: usize = place.strip_prefix("2@").unwrap().parse().unwrap();
            assert_eq!(text.get(start..start + part.len()), Some(part));
        }
        assert_eq!(found.matches("\"id\":400").count(), 1, "{found}");
        assert_eq!(found.matches("\"id\":401").count(), 1, "{found}");
        assert!(found.starts_with("1-first\n2@"), "{found}");
        assert!(found.ends_with("= 3\n"), "{found}");
    }

    #[test]
    fn an_invalid_pattern_is_refused_with_the_position_of_the_mistake() {
        let mut errors: Vec<String> = ["a(b", "x[z-a]", "\\p{Nope}", "", "(?P<a>x)(?P<a>y)"]
            .map(|pattern| Grep::new(pattern, false, 0).unwrap_err().to_string())
            .into();
        errors.push(
            Grep::new("(\\w{900}){900}", false, 0)
                .unwrap_err()
                .to_string(),
        );
        errors.push(Grep::new("a", false, 101).unwrap_err().to_string());
        assert_data_eq!(errors.join("\n"), str![[r#"
`grep` is invalid at character 2, before "(b": unclosed group. Nothing was changed.
`grep` is invalid at character 3, before "z-a]": invalid character class range, the start must be <= the end. Nothing was changed.
`grep` is invalid at character 1, before "\\p{Nope}": Unicode property not found. Nothing was changed.
`grep` takes a pattern of 1 to 2,000 characters; 0 were given. Nothing was changed.
`grep` is invalid at character 13, before "a>y)": duplicate capture group name. Nothing was changed.
`grep` is too large: compiled, it needs more than 4,194,304 bytes. Nothing was changed.
`context` takes up to 100 lines; 101 were given. Nothing was changed.
"#]].raw());
    }

    proptest! {
        #[test]
        fn matching_lines_are_those_that_contain_the_word(lines in prop::collection::vec("[abö ]{0,6}", 0..20)) {
            let text = lines.join("\n");
            let expected: Vec<String> = text
                .split_inclusive('\n')
                .zip(1..)
                .filter(|(line, _)| line.contains("ab"))
                .map(|(line, number)| format!("{number}:{}\n", line.trim_end_matches('\n')))
                .collect();
            let mut out = Vec::new();
            Grep::new("ab", false, 0).unwrap().search(text.as_bytes(), &mut out).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected.concat());
        }

        #[test]
        fn no_pattern_and_no_bytes_make_it_fail(pattern in "\\PC{0,20}", content: Vec<u8>, context in 0_u64..3) {
            if let Ok(grep) = Grep::new(&pattern, true, context) {
                grep.search(content.as_slice(), &mut Vec::new()).unwrap();
            }
        }
    }
}
