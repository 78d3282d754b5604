//! Describes a text in one pass and little memory: its kind, size, first and last line, and apparent error lines.

use std::io::{self, Read, Seek};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Kind;
use super::cut::Cut;
use super::json_shape::JsonShape;
use crate::model::text::bytes::{one_line, read_piece, shown};
use crate::model::text::quantity::shortened;

/// Up to this size, JSON is parsed in memory, which is faster.
const IN_MEMORY: u64 = 4 << 20;
/// Bytes scanned at once: reusing one buffer is cheaper than allocating the whole text.
const PART: usize = 64 * 1024;
/// Bytes kept of the start and of the end.
const EDGE: usize = 2_048;
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
    /// The first non-blank line.
    pub first: String,
    /// The last non-blank line; empty if it equals the first.
    pub last: String,
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
        Ok(scan.finish(bytes, shape))
    }

    /// A preview of at most `chars` characters.
    pub fn preview(&self, chars: usize) -> String {
        let text = match (&self.shape, self.kind) {
            (Some(JsonShape::Array(items, item)), Kind::Json) => {
                let item = item.as_ref().map(|item| format!(" each {item}"));
                format!("[Array with {items} items]{}", item.unwrap_or_default())
            }
            (Some(shape), Kind::Json) => shape.to_string(),
            (Some(shape), _) => format!("JSON Lines, the first {shape}"),
            (None, _) if self.last.is_empty() => self.first.clone(),
            (None, _) => {
                // Both ends; each may use the space that the other leaves.
                let room = chars.saturating_sub(3);
                let (first, last) = (self.first.chars().count(), self.last.chars().count());
                let for_last = last.min(room.saturating_sub(first).max(room / 2));
                let for_first = room.saturating_sub(for_last);
                return format!(
                    "{} … {}",
                    fitted(&self.first, for_first),
                    fitted(&self.last, for_last)
                );
            }
        };
        fitted(&text, chars)
    }
}

/// Truncates the text to at most `chars` characters, with an ellipsis.
fn fitted(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        text.to_owned()
    } else {
        shortened(text, chars.saturating_sub(1))
    }
}

fn begins_json(start: &[u8]) -> bool {
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
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
    errors: u64,
    first_error: u64,
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
        while let Some(at) = next {
            let Some(found) = pattern.find_at(part, at) else {
                self.is_counted = false;
                return;
            };
            self.errors += 1;
            if self.first_error == 0 {
                let before = part.get(..found.start()).unwrap_or_default();
                self.first_error = self.breaks + count_breaks(before) + 1;
            }
            next = next_line(found.end());
        }
        self.is_counted = true;
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

    fn finish(self, bytes: u64, shape: Option<JsonShape>) -> Description {
        let lines = self.breaks + u64::from(!self.ends_with_break && bytes > 0);
        let is_json = matches!(shape, Some(JsonShape::Array(..) | JsonShape::Object(..)));
        let shape = shape.or_else(|| json_lines(&self.start, lines));
        let kind = if is_json {
            Kind::Json
        } else if shape.is_none() && looks_like_markdown(&self.markdown_start) {
            Kind::Markdown
        } else {
            Kind::Text
        };
        let cut = Cut::of(&self.start);
        let header = cut.map_or(0, |cut| cut.header);
        let start = self.start.get(header..).unwrap_or_default();
        let first = edge_line(start.split(|byte| *byte == b'\n'));
        let last = edge_line(self.end.rsplit(|byte| *byte == b'\n'));
        Description {
            kind,
            bytes,
            lines,
            shape,
            last: if lines > 1 && last != first {
                last
            } else {
                String::new()
            },
            first,
            errors: self.errors,
            first_error: self.first_error,
            is_text: !self.not_text && self.open.is_empty(),
            cut,
        }
    }
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

/// The first non-blank line, as one line of a message.
fn edge_line<'a>(lines: impl Iterator<Item = &'a [u8]>) -> String {
    let mut texts = lines.map(|line| one_line(&shown(line)).trim().to_owned());
    texts.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Whether there is a heading, a list or a table.
fn looks_like_markdown(start: &[u8]) -> bool {
    let mut items = 0;
    let (mut above, mut rest): (&[u8], &[u8]) = (&[], start);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (line, behind) = rest.split_at_checked(end).unwrap_or_default();
        rest = behind.strip_prefix(b"\n").unwrap_or_default();
        if line.starts_with(b"@@ -") {
            // A diff: its lines look like list items.
            return false;
        }
        let line = line.trim_ascii();
        let is_there = match line.first() {
            Some(b'#') => is_heading(line),
            Some(b'|' | b':') => is_rule(line, above),
            Some(b'-') if is_rule(line, above) => true,
            Some(b'-' | b'*' | b'+' | b'0'..=b'9') => {
                items += usize::from(is_item(line));
                items >= 2
            }
            _ => false,
        };
        if is_there {
            return true;
        }
        above = line;
    }
    false
}

fn is_heading(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&marks) && line.get(marks) == Some(&b' ')
}

fn is_item(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = line.get(digits..).unwrap_or_default();
    match digits {
        0 => behind.get(1) == Some(&b' '),
        _ => behind.starts_with(b". "),
    }
}

/// Whether this is the delimiter row below a table's header.
fn is_rule(line: &[u8], above: &[u8]) -> bool {
    line.contains(&b'-')
        && line.contains(&b'|')
        && line.iter().all(|byte| b"|-: ".contains(byte))
        && above.contains(&b'|')
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
text 1 0/0 {"a":1} and more
markdown 3 0/0 # Title … text
markdown 2 0/0 - one … - two
markdown 3 0/0 | a | b | … | 1 | 2 |
text 2 0/0 5 - 3 … - alone
text 5 0/0 --- a … + two
text 6 1/5 first … ERROR: third failed
text 1 0/0 one line
text 1 0/0 "a string"
text 0 0/0 
"#]]
        );
    }

    #[test]
    fn both_ends_of_a_text_share_the_preview() {
        let text = format!("{}\nmiddle\n{}\n", "a".repeat(300), "z".repeat(300));
        let preview = describe(text.as_bytes()).preview(41);
        assert_eq!(
            preview,
            format!("{}… … {}…", "a".repeat(18), "z".repeat(18))
        );
        let text = format!("short\nmiddle\n{}\n", "z".repeat(300));
        assert_eq!(
            describe(text.as_bytes()).preview(20),
            "short … zzzzzzzzzzz…"
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
            prop_assert_eq!(scan.finish(bytes.len() as u64, None), describe(bytes));
        }

        #[test]
        fn a_preview_is_never_longer_than_asked(text in "\\PC{0,80}(\n\\PC{0,80}){0,3}", chars in 10_usize..60) {
            prop_assert!(describe(text.as_bytes()).preview(chars).chars().count() <= chars);
        }
    }
}
