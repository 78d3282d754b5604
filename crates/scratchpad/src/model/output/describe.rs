//! Describes a text in one pass and little memory: its kind, size, first and last lines, and apparent error lines.

use std::collections::VecDeque;
use std::io::{self, Read, Seek};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Kind;
use super::csv;
use super::cut::Cut;
use super::json_shape::JsonShape;
use super::markdown::looks_like_markdown;
use super::preview::Line;
use crate::model::text::bytes::{one_line, read_piece, shown};

/// Up to this size, JSON is parsed in memory, which is faster.
const IN_MEMORY: u64 = 4 << 20;
/// Bytes scanned at once: reusing one buffer is cheaper than allocating the whole text.
const PART: usize = 64 * 1024;
/// Bytes kept of the start and of the end.
const EDGE: usize = 2_048;
/// The most error lines kept, at the beginning and at the end each.
const ERROR_LINES: usize = 8;
/// Bytes kept of an error line.
const ERROR_LINE: usize = 1_024;
/// Bytes searched for signs of Markdown.
const MARKDOWN_WITHIN: usize = 64 * 1024;

/// What a reference says about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub kind: Kind,
    pub bytes: u64,
    pub lines: u64,
    /// The shape of JSON; for JSON Lines, of the first line.
    pub shape: Option<JsonShape>,
    /// The names of the columns of CSV.
    pub columns: Vec<String>,
    /// The first lines that are not blank.
    pub head: Vec<Line>,
    /// The last lines that are not blank, the last one first.
    pub tail: Vec<Line>,
    /// How the last line ends.
    pub ending: String,
    /// The first and the last lines that look like errors.
    pub error_lines: Vec<Line>,
    /// How many lines look like errors.
    pub errors: u64,
    /// The line number of the first of them.
    pub first_error: u64,
    /// Whether all of it is UTF-8.
    pub is_text: bool,
    /// Set if the host had truncated it before.
    pub cut: Option<Cut>,
}

impl Description {
    pub fn of(content: &mut (impl Read + Seek)) -> io::Result<Self> {
        let bytes = content.seek(io::SeekFrom::End(0))?;
        content.rewind()?;
        let mut start = vec![0; EDGE];
        let start = read_piece(content, &mut start)?;
        content.rewind()?;
        let mut scan = Scan::default();
        let mut shape = None;
        if !begins_json(start) {
            scan.take_all(content, true)?;
        } else if bytes <= IN_MEMORY {
            let mut whole = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
            content.read_to_end(&mut whole)?;
            shape = JsonShape::of_slice(&whole);
            scan.take(&whole, shape.is_none());
        } else {
            shape = JsonShape::of_reader(&mut io::BufReader::with_capacity(PART, &mut *content));
            content.rewind()?;
            scan.take_all(content, shape.is_none())?;
        }
        scan.finish(bytes, shape, content)
    }
}

fn begins_json(start: &[u8]) -> bool {
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// The number of a line, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: u64,
    offset: u64,
}

/// The state between two parts.
#[derive(Default)]
struct Scan {
    bytes: u64,
    breaks: u64,
    ends_with_break: bool,
    start: Vec<u8>,
    end: Vec<u8>,
    markdown_start: Vec<u8>,
    /// Where the line that continues in the next part began.
    line_start: u64,
    errors: u64,
    first_errors: Vec<Place>,
    last_errors: VecDeque<Place>,
    /// Whether the line that continues in the next part has been counted as an error.
    is_counted: bool,
    not_text: bool,
    /// The first bytes of a character that continues in the next part.
    open: Vec<u8>,
}

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)\b(?:error|errors|fatal|panic|panicked|exception|traceback|fail|fails|failed|failure|failures)\b",
    )
    .ok()
});

impl Scan {
    /// Scans the whole text in parts.
    fn take_all(&mut self, content: &mut impl Read, looks_for_errors: bool) -> io::Result<()> {
        let mut buffer = vec![0; PART];
        let mut held = 0;
        loop {
            // What is held is less than a part, since `end_of_words` is never 0: neither split panics.
            let (_, room) = buffer.split_at_mut(held);
            let read = read_piece(content, room)?.len();
            let filled = held + read;
            let (part, _) = buffer.split_at(filled);
            let end = if read == 0 {
                filled
            } else {
                end_of_words(part)
            };
            // `end_of_words` returns an offset within the part: this does not panic.
            let (words, _) = part.split_at(end);
            self.take(words, looks_for_errors);
            if read == 0 {
                return Ok(());
            }
            buffer.copy_within(end..filled, 0);
            held = filled - end;
        }
    }

    fn take(&mut self, part: &[u8], looks_for_errors: bool) {
        if part.is_empty() {
            return;
        }
        if looks_for_errors {
            self.count_errors(part);
        }
        let room =
            |wanted: usize, has: usize| part.get(..wanted.saturating_sub(has).min(part.len()));
        self.start
            .extend_from_slice(room(EDGE, self.start.len()).unwrap_or_default());
        let markdown = room(MARKDOWN_WITHIN, self.markdown_start.len()).unwrap_or_default();
        self.markdown_start.extend_from_slice(markdown);
        self.end.extend_from_slice(
            part.get(part.len().saturating_sub(EDGE)..)
                .unwrap_or_default(),
        );
        let surplus = self.end.len().saturating_sub(EDGE);
        self.end.drain(..surplus);
        self.check_text(part);
        if let Some(at) = memchr::memrchr(b'\n', part) {
            self.line_start = self.bytes + at as u64 + 1;
        }
        self.bytes += part.len() as u64;
        self.breaks += count_breaks(part);
        self.ends_with_break = part.ends_with(b"\n");
    }

    fn count_errors(&mut self, part: &[u8]) {
        let Some(pattern) = ERROR.as_ref() else {
            return;
        };
        let next_line = |from: usize| {
            let rest = part.get(from..).unwrap_or_default();
            memchr::memchr(b'\n', rest).map(|end| from + end)
        };
        // A line counts once.
        let mut next = if self.is_counted {
            next_line(0)
        } else {
            Some(0)
        };
        let (mut number, mut counted) = (self.breaks + 1, 0);
        while let Some(at) = next {
            let Some(found) = pattern.find_at(part, at) else {
                self.is_counted = false;
                return;
            };
            number += count_breaks(part.get(counted..found.start()).unwrap_or_default());
            counted = found.start();
            let before = part.get(..found.start()).unwrap_or_default();
            let offset = memchr::memrchr(b'\n', before)
                .map_or(self.line_start, |at| self.bytes + at as u64 + 1);
            self.add_error(Place { number, offset });
            next = next_line(found.end());
        }
        self.is_counted = true;
    }

    fn add_error(&mut self, place: Place) {
        self.errors += 1;
        if self.first_errors.len() < ERROR_LINES {
            self.first_errors.push(place);
            return;
        }
        if self.last_errors.len() == ERROR_LINES {
            self.last_errors.pop_front();
        }
        self.last_errors.push_back(place);
    }

    fn check_text(&mut self, part: &[u8]) {
        if self.not_text {
            return;
        }
        let joined;
        let part = if self.open.is_empty() {
            part
        } else {
            joined = [std::mem::take(&mut self.open).as_slice(), part].concat();
            joined.as_slice()
        };
        if let Err(error) = std::str::from_utf8(part) {
            match error.error_len() {
                None => {
                    self.open = part.get(error.valid_up_to()..).unwrap_or_default().to_vec();
                }
                Some(_) => self.not_text = true,
            }
        }
    }

    fn finish(
        self,
        bytes: u64,
        shape: Option<JsonShape>,
        content: &mut (impl Read + Seek),
    ) -> io::Result<Description> {
        let lines = self.breaks + u64::from(!self.ends_with_break && bytes > 0);
        let is_json = matches!(shape, Some(JsonShape::Array(..) | JsonShape::Object(..)));
        let shape = shape.or_else(|| json_lines(&self.start, lines));
        let columns = csv::columns(&self.start).filter(|_| shape.is_none());
        let kind = if is_json {
            Kind::Json
        } else if columns.is_some() {
            Kind::Csv
        } else if shape.is_none() && looks_like_markdown(&self.markdown_start) {
            Kind::Markdown
        } else {
            Kind::Text
        };
        let cut = Cut::of(&self.start);
        let header = cut.map_or(0, |cut| cut.header);
        let errors = self.first_errors.iter().chain(&self.last_errors);
        let error_lines = errors
            .map(|place| line_at(content, *place))
            .collect::<io::Result<_>>()?;
        Ok(Description {
            kind,
            bytes,
            lines,
            shape,
            columns: columns.unwrap_or_default(),
            tail: tail(&self.end, lines, bytes, header_lines(&self.start, header)),
            head: head(&self.start, header, bytes),
            ending: ending(&self.end),
            errors: self.errors,
            first_error: self.first_errors.first().map_or(0, |place| place.number),
            error_lines,
            is_text: !self.not_text && self.open.is_empty(),
            cut,
        })
    }
}

/// The lines at the start of a text, behind a header.
fn head(start: &[u8], header: usize, bytes: u64) -> Vec<Line> {
    let (header, start) = start.split_at_checked(header).unwrap_or_default();
    let number = count_breaks(header) + 1;
    let is_all = (header.len() + start.len()) as u64 == bytes;
    let mut pieces = start.split(|byte| *byte == b'\n').peekable();
    let mut lines = Vec::new();
    for number in number.. {
        let Some(piece) = pieces.next() else { break };
        let is_whole = is_all || pieces.peek().is_some();
        // Of an incomplete line only the first is of use.
        if is_whole || lines.is_empty() {
            lines.extend(line(number, piece, is_whole));
        }
    }
    lines
}

fn header_lines(start: &[u8], header: usize) -> u64 {
    count_breaks(start.get(..header).unwrap_or_default())
}

/// The lines at the end of a text, behind the lines of a header, the last one first.
fn tail(end: &[u8], lines: u64, bytes: u64, header: u64) -> Vec<Line> {
    let is_all = end.len() as u64 == bytes;
    let end = end.strip_suffix(b"\n").unwrap_or(end);
    let mut pieces = end.rsplit(|byte| *byte == b'\n').peekable();
    let mut found = Vec::new();
    for back in 0..lines.saturating_sub(header) {
        let Some(piece) = pieces.next() else { break };
        // The first piece begins inside a line.
        if is_all || pieces.peek().is_some() {
            found.extend(line(lines - back, piece, true));
        }
    }
    found
}

/// The last characters of a text.
fn ending(end: &[u8]) -> String {
    let last = end.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    one_line(&shown(last.unwrap_or_default()))
}

/// A line of a message; `None` if it is blank.
fn line(number: u64, piece: &[u8], is_whole: bool) -> Option<Line> {
    let text = one_line(&shown(piece)).trim_end().to_owned();
    (!text.is_empty()).then_some(Line {
        number,
        text,
        is_whole,
    })
}

fn line_at(content: &mut (impl Read + Seek), place: Place) -> io::Result<Line> {
    content.seek(io::SeekFrom::Start(place.offset))?;
    let mut piece = Vec::new();
    content.take(ERROR_LINE as u64).read_to_end(&mut piece)?;
    let end = memchr::memchr(b'\n', &piece);
    let text = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
    let is_whole = end.is_some() || piece.len() < ERROR_LINE;
    let found = line(place.number, text, is_whole);
    // It has a word that looks like an error, unless that comes later.
    Ok(found.unwrap_or(Line {
        number: place.number,
        text: String::new(),
        is_whole: false,
    }))
}

/// Where a part may end without splitting a word: after its last line, else after its last word. A part that is a
/// single word is taken whole.
fn end_of_words(part: &[u8]) -> usize {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memrchr(b'\n', part)
        .or_else(|| part.iter().rposition(|byte| !in_word(byte)))
        .map_or(part.len(), |at| at + 1)
}

fn count_breaks(part: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', part).count() as u64
}

/// The shape of the first line, if the text looks like JSON Lines.
fn json_lines(start: &[u8], lines: u64) -> Option<JsonShape> {
    let first = start.split(|byte| *byte == b'\n').next()?;
    if lines < 2 || !begins_json(first) || first.len() == start.len() {
        return None;
    }
    JsonShape::of_slice(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{assert_data_eq, str};
    use std::io::Cursor;

    fn describe(text: &[u8]) -> Description {
        Description::of(&mut Cursor::new(text)).unwrap()
    }

    #[test]
    fn each_kind_is_recognised_and_previewed() {
        let rows: Vec<String> = [
            r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#,
            r#"{"total":2,"items":[1,2]}"#,
            "{\"a\":1}\n{\"a\":2}\n",
            "{\"a\":1} and more",
            "# Title\n\ntext\n",
            "- one\n- two\n",
            "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
            "5 - 3\n- alone\n",
            "--- a\n+++ b\n@@ -1 +1 @@\n- one\n+ two\n",
            "\n\n  first\nsecond\nERROR: third failed\n\n",
            "one line",
            "\"a string\"",
            "",
        ]
        .map(|text| {
            let found = describe(text.as_bytes());
            format!(
                "{} {} {}/{} {}",
                found.kind.name(),
                found.lines,
                found.errors,
                found.first_error,
                found.preview(60)
            )
        })
        .into();
        assert_data_eq!(
            rows.join("\n"),
            str![[r#"
json 1 0/0 [Array with 2 items] each {id: number, name: string}
json 1 0/0 {total: number, items: [2 × number]}
text 2 0/0 JSON Lines, the first {a: number}
text 1 0/0 1:{"a":1} and more
markdown 3 0/0 1:# Title
3:text
markdown 2 0/0 1:- one
2:- two
markdown 3 0/0 1:| a | b |
2:|---|:-:|
3:| 1 | 2 |
text 2 0/0 1:5 - 3
2:- alone
text 5 0/0 1:--- a
2:+++ b
3:@@ -1 +1 @@
4:- one
5:+ two
text 6 1/5 3:  first
4:second
5:ERROR: third failed
text 1 0/0 1:one line
text 1 0/0 1:"a string"
text 0 0/0 
"#]]
        );
    }

    #[test]
    fn a_line_longer_than_a_part_counts_once() {
        let text = format!("ok\n{}\nlast error\n", "an error and ".repeat(PART / 4));
        let found = describe(text.as_bytes());
        assert_eq!((found.lines, found.errors, found.first_error), (3, 2, 2));
    }

    #[test]
    fn bytes_that_are_not_text_are_noticed() {
        assert!(describe("größer".as_bytes()).is_text);
        assert!(!describe(b"caf\xe9 bar").is_text);
        assert!(!describe(b"cut \xe2\x82").is_text);
    }

    proptest! {
        /// Parts may end inside a line or a character.
        #[test]
        fn scanning_in_parts_gives_the_same_as_the_whole(text in "(error|ok|größer|\n|\r| ){0,40}", cut in 0_usize..200) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            // Like `take_all`, end no part inside a word.
            let cut = end_of_words(&bytes[..cut]);
            prop_assume!(cut == 0 || !bytes[cut - 1].is_ascii_alphanumeric());
            let mut scan = Scan::default();
            scan.take(&bytes[..cut], true);
            scan.take(&bytes[cut..], true);
            let found = scan.finish(bytes.len() as u64, None, &mut Cursor::new(bytes));
            prop_assert_eq!(found.unwrap(), describe(bytes));
        }
    }
}
