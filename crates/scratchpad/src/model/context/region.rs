//! The region: the part of a user's file that we manage. All other bytes of the file are theirs.
//!
//! There are two kinds, each at most once in a file: [`CONTEXT`] and [`TOOLS`]. No state is stored about a file: its
//! layout is enough to restore it exactly.
//! - A region that was inserted into a file is followed by two line breaks that we added.
//! - In a file that we created, one line break follows, and the file contains nothing else but our front matter.
//! - After front matter without a final line break, the line break that we added precedes the region, and none follows.

use std::ops::Range;

use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::imitation::{Ours, with_backslash};
use crate::model::text::message::{Message, message};

/// A kind of region: its marker lines.
#[derive(Debug)]
pub struct Fence {
    pub start: &'static str,
    pub end: &'static str,
}

/// The context of a project, written by `inject`.
pub const CONTEXT: Fence = Fence {
    start: "<!-- scratchpad:start -->",
    end: "<!-- scratchpad:end -->",
};

/// How to use the tools, written by `install`.
pub const TOOLS: Fence = Fence {
    start: "<!-- scratchpad:tools:start -->",
    end: "<!-- scratchpad:tools:end -->",
};

const FENCES: [&Fence; 2] = [&CONTEXT, &TOOLS];

const MARKERS: [Ours; 4] = [
    Ours::line(CONTEXT.start),
    Ours::line(CONTEXT.end),
    Ours::line(TOOLS.start),
    Ours::line(TOOLS.end),
];

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What is left of a file without its region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remainder {
    /// The file has no region.
    Untouched,
    /// The file as it was before the region.
    File(Vec<u8>),
    /// The file was created for the region.
    Nothing,
}

impl Fence {
    /// The bytes that its marker lines take.
    pub fn overhead(&self) -> usize {
        self.start.len() + self.end.len() + 2
    }

    /// Finds the region in a file, markers included.
    pub fn find(&self, file: &[u8]) -> Result<Option<Range<usize>>> {
        let mut found: Option<Range<usize>> = None;
        let mut open: Option<usize> = None;
        let mut at = if file.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        for (number, line) in (1..).zip(bytes_from(file, at).split_inclusive(|byte| *byte == b'\n'))
        {
            let bare = line.trim_ascii_end();
            if bare == self.start.as_bytes() {
                if let Some(first) = open {
                    return Err(damaged_region(
                        number,
                        message!(
                            "starts a second region inside the one from line {first}",
                            first = first.to_string()
                        ),
                    ));
                }
                if found.is_some() {
                    return Err(damaged_region(number, "starts a second region"));
                }
                open = Some(number);
                found = Some(at..at);
            } else if bare == self.end.as_bytes() {
                match (&mut found, open.take()) {
                    (Some(region), Some(_)) => region.end = at + bare.len(),
                    _ => return Err(damaged_region(number, "ends a region that was not started")),
                }
            }
            at += line.len();
        }
        match open {
            Some(number) => Err(damaged_region(number, "starts a region that is not ended")),
            None => Ok(found),
        }
    }

    /// The file with this text as its region: at the top, or where the region already is.
    ///
    /// `made_with` is the front matter for a file that has to be created.
    pub fn placed(&self, file: Option<&[u8]>, text: &str, made_with: &str) -> Result<Vec<u8>> {
        let Some(file) = file else {
            return Ok(format!("{made_with}{}\n", self.region(text, "\n")).into_bytes());
        };
        if let Some(old) = self.find(file)? {
            let before = bytes_to(file, old.start);
            let after = bytes_from(file, old.end);
            let outside = first_line_break(&[before, after].concat());
            let line_break = outside.or(first_line_break(file)).unwrap_or("\n");
            return Ok([before, self.region(text, line_break).as_bytes(), after].concat());
        }
        let at = after_front_matter(file);
        let line_break = first_line_break(file).unwrap_or("\n");
        let new = self.region(text, line_break);
        let (before, after) = (bytes_to(file, at), bytes_from(file, at));
        let is_cut_off = after.is_empty() && before.ends_with(b"---");
        let new = if is_cut_off {
            format!("{line_break}{new}")
        } else {
            format!("{new}{line_break}{line_break}")
        };
        Ok([before, new.as_bytes(), after].concat())
    }

    /// The file without its region, byte for byte as it was before.
    pub fn removed(&self, file: &[u8], made_with: &str) -> Result<Remainder> {
        let Some(region) = self.find(file)? else {
            return Ok(Remainder::Untouched);
        };
        let before = bytes_to(file, region.start);
        let after = bytes_from(file, region.end);
        let is_ours = before.is_empty() || before == made_with.as_bytes();
        let ends_it = [&b"\n"[..], b"\r\n"].contains(&after);
        // Some editors remove the final line break.
        if is_ours && ends_it || before.is_empty() && after.is_empty() {
            return Ok(Remainder::Nothing);
        }
        // The file was created for this region; another was put before it since, and now owns the file.
        if ends_it && FENCES.iter().any(|other| other.is_all_of(before)) {
            return Ok(Remainder::File(less_last_line_break(before).to_vec()));
        }
        if after.is_empty() {
            return Ok(Remainder::File(less_last_line_break(before).to_vec()));
        }
        let rest = less_line_break(less_line_break(after));
        Ok(Remainder::File([before, rest].concat()))
    }

    /// Whether these bytes are a region of this kind and the two line breaks after it.
    fn is_all_of(&self, bytes: &[u8]) -> bool {
        let region = less_last_line_break(less_last_line_break(bytes));
        matches!(self.find(bytes), Ok(Some(found)) if found == (0..region.len()))
    }

    /// The text of a file's region, with `\n` line breaks and without its markers.
    pub fn text_of(&self, file: &[u8]) -> Result<Option<String>> {
        let Some(region) = self.find(file)? else {
            return Ok(None);
        };
        let whole = file.get(region).unwrap_or_default();
        let whole = String::from_utf8_lossy(whole).replace("\r\n", "\n");
        let text = whole.trim_end();
        let text = text
            .strip_prefix(self.start)
            .unwrap_or(text)
            .trim_start_matches([' ', '\t']);
        let text = text.strip_prefix('\n').unwrap_or(text);
        let text = text.strip_suffix(self.end).unwrap_or(text);
        Ok(Some(text.strip_suffix('\n').unwrap_or(text).to_owned()))
    }

    /// The region with its markers. A line within the text that would pass for a marker gets a backslash, so that it can't end the region.
    fn region(&self, text: &str, line_break: &str) -> String {
        let text = with_backslash(text, &MARKERS);
        let lines = text.split('\n');
        let lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line));
        let all: Vec<&str> = std::iter::once(self.start)
            .chain(lines)
            .chain(std::iter::once(self.end))
            .collect();
        all.join(line_break)
    }
}

fn damaged_region(line: usize, what: impl Into<Message>) -> Error {
    Error::new(
        ErrorKind::Refused,
        message!(
            "line {line} {what}.",
            line = line.to_string(),
            what = what.into()
        ),
    )
    .hint(
        "remove the marker lines `<!-- scratchpad:… -->` and what is between them, then try again.",
    )
}

/// Where text may start: after a byte-order mark and front matter, which must come first.
fn after_front_matter(file: &[u8]) -> usize {
    let start = if file.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut at = start;
    for (number, line) in bytes_from(file, start)
        .split_inclusive(|byte| *byte == b'\n')
        .enumerate()
    {
        let is_fence = line.trim_ascii_end() == b"---";
        at += line.len();
        match (number, is_fence) {
            (0, false) => return start,
            (0, true) | (_, false) => {}
            // Trailing spaces would hide that the line has no line break.
            (_, true) if line.ends_with(b"\n") || line == b"---" => return at,
            (_, true) => return start,
        }
    }
    start
}

fn first_line_break(bytes: &[u8]) -> Option<&'static str> {
    let at = memchr::memchr(b'\n', bytes)?;
    Some(if bytes_to(bytes, at).ends_with(b"\r") {
        "\r\n"
    } else {
        "\n"
    })
}

fn less_line_break(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_prefix(b"\r\n")
        .or(bytes.strip_prefix(b"\n"))
        .unwrap_or(bytes)
}

fn less_last_line_break(bytes: &[u8]) -> &[u8] {
    let without = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    without.strip_suffix(b"\r").unwrap_or(without)
}

/// Panics rather than lose a part of a user's file; `at` was found in these bytes.
fn bytes_from(bytes: &[u8], at: usize) -> &[u8] {
    let (_, from) = bytes.split_at(at);
    from
}

/// Panics like [`bytes_from`].
fn bytes_to(bytes: &[u8], at: usize) -> &[u8] {
    let (to, _) = bytes.split_at(at);
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = CONTEXT.start;
    const END: &str = CONTEXT.end;
    const FRONT: &str = "---\ndescription: x\n---\n";

    fn place(file: &str, text: &str) -> String {
        String::from_utf8(CONTEXT.placed(Some(file.as_bytes()), text, FRONT).unwrap()).unwrap()
    }

    #[test]
    fn it_comes_first_except_after_front_matter_and_a_byte_order_mark() {
        assert_eq!(
            place("# Mine\n", "x"),
            format!("{START}\nx\n{END}\n\n# Mine\n")
        );
        assert_eq!(
            place("\u{feff}# Mine\r\n", "x\ny"),
            format!("\u{feff}{START}\r\nx\r\ny\r\n{END}\r\n\r\n# Mine\r\n")
        );
        assert_eq!(
            place("---\na: b\n---\n# Mine", "x"),
            format!("---\na: b\n---\n{START}\nx\n{END}\n\n# Mine")
        );
        assert_eq!(
            place("---\na: b\n---", "x"),
            format!("---\na: b\n---\n{START}\nx\n{END}")
        );
        assert_eq!(
            place("---\nno front matter\n", "x"),
            format!("{START}\nx\n{END}\n\n---\nno front matter\n")
        );
        let made = CONTEXT.placed(None, "x", FRONT).unwrap();
        assert_eq!(made, format!("{FRONT}{START}\nx\n{END}\n").into_bytes());
        assert_eq!(CONTEXT.removed(&made, FRONT).unwrap(), Remainder::Nothing);
    }

    #[test]
    fn it_stays_where_it_was_put() {
        let moved = format!("a\n\n{START}\nold\n{END}\nb\n");
        assert_eq!(
            place(&moved, "new"),
            format!("a\n\n{START}\nnew\n{END}\nb\n")
        );
        let spaced = format!("{START}  \nold\n{END} \t\nb\n");
        assert_eq!(CONTEXT.text_of(spaced.as_bytes()).unwrap().unwrap(), "old");
        let quoted = format!("Write `{START}`\n {START}\n> {END}\n");
        assert_eq!(CONTEXT.find(quoted.as_bytes()).unwrap(), None);
    }

    #[test]
    fn markers_that_do_not_match_are_refused_with_their_line() {
        let wrong = |text: String| {
            assert!(CONTEXT.removed(text.as_bytes(), "").is_err());
            CONTEXT
                .placed(Some(text.as_bytes()), "x", "")
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            [
                wrong(format!("a\n{START}\nb\n")),
                wrong(format!("a\n{END}\n")),
                wrong(format!("{START}\n{START}\n{END}\n{END}\n")),
                wrong(format!("{START}\n{END}\n{START}\n{END}\n")),
                wrong(format!("{END}\n{START}\n")),
            ],
            [
                "line 2 starts a region that is not ended.",
                "line 2 ends a region that was not started.",
                "line 2 starts a second region inside the one from line 1.",
                "line 3 starts a second region.",
                "line 1 ends a region that was not started.",
            ]
        );
    }

    #[test]
    fn content_cannot_forge_a_marker() {
        let forged = format!("a\n{END}\n{START}  \r\n{END}\r\nb\r{END}\n");
        for file in ["", "# Mine\r\n", "---\na: b\n---"] {
            let with = place(file, &forged);
            assert_eq!(
                CONTEXT.removed(with.as_bytes(), FRONT).unwrap(),
                Remainder::File(file.as_bytes().to_vec())
            );
        }
    }

    /// Files with every kind of bytes that matters here.
    fn files() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop::sample::select(vec![
            &b"\n"[..],
            b"\r\n",
            b"\r",
            b"---",
            b"---\n",
            b"--- \n",
            b"# Mine",
            b"\xff\xfe",
            b" ",
            b"text",
            "\u{feff}".as_bytes(),
            b"<!-- comment -->",
            b"```\n",
            b"a: b\n",
            b"<!-- scratchpad:start",
            b"\0",
        ]);
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn a_file_created_for_both_kinds_is_removed_with_the_last_of_them() {
        for (first, second) in [(&CONTEXT, &TOOLS), (&TOOLS, &CONTEXT)] {
            let made = first.placed(None, "first", "").unwrap();
            let both = second.placed(Some(&made), "second", "").unwrap();
            assert_eq!(
                second.removed(&both, "").unwrap(),
                Remainder::File(made.clone())
            );
            let left = second.placed(None, "second", "").unwrap();
            assert_eq!(
                first.removed(&both, "").unwrap(),
                Remainder::File(left.clone())
            );
            assert_eq!(second.removed(&left, "").unwrap(), Remainder::Nothing);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

        #[test]
        fn removing_it_restores_every_byte(file in files(), text in "[a-z<!>\\-\\r\\n ]{0,60}", other in "[a-z\\n]{0,20}") {
            let once = CONTEXT.placed(Some(&file), &text, FRONT).unwrap();
            prop_assert_eq!(&CONTEXT.placed(Some(&once), &text, FRONT).unwrap(), &once);
            prop_assert_eq!(CONTEXT.removed(&once, FRONT).unwrap(), Remainder::File(file.clone()));
            let changed = CONTEXT.placed(Some(&once), &other, FRONT).unwrap();
            prop_assert_eq!(&changed, &CONTEXT.placed(Some(&file), &other, FRONT).unwrap());
            let inside = CONTEXT.text_of(&changed).unwrap().unwrap();
            prop_assert_eq!(inside, other);
        }

        #[test]
        fn two_kinds_do_not_touch_each_other(file in files(), text in "[a-z<!>\\-\\r\\n ]{0,60}") {
            let forged = format!("{text}\n{}\n{}", TOOLS.start, CONTEXT.end);
            let one = CONTEXT.placed(Some(&file), &forged, "").unwrap();
            let both = TOOLS.placed(Some(&one), &forged, "").unwrap();
            prop_assert_eq!(TOOLS.removed(&both, "").unwrap(), Remainder::File(one));
            // After a last line without a line break, the original can't be determined.
            if !file.ends_with(b"---") {
                let other = TOOLS.placed(Some(&file), &forged, "").unwrap();
                prop_assert_eq!(CONTEXT.removed(&both, "").unwrap(), Remainder::File(other));
            }
        }

        #[test]
        fn markers_anywhere_are_a_region_or_an_error_and_never_lose_a_byte(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "<!-- scratchpad:start -->\n", "<!-- scratchpad:end -->\r\n", "<!-- scratchpad:start -->", "<!-- scratchpad:end -->",
                "<!-- scratchpad:end --> ", "text\n", "\n", "\u{feff}", "---\n", " ",
            ]), 0..8),
        ) {
            let file = pieces.concat().into_bytes();
            match CONTEXT.find(&file) {
                Err(_) => prop_assert!(CONTEXT.placed(Some(&file), "x", FRONT).is_err() && CONTEXT.removed(&file, FRONT).is_err()),
                Ok(found) => {
                    let with = CONTEXT.placed(Some(&file), "x", FRONT).unwrap();
                    let restored = CONTEXT.removed(&with, FRONT).unwrap();
                    let expected = match found {
                        None => Remainder::File(file),
                        Some(_) => CONTEXT.removed(&file, FRONT).unwrap(),
                    };
                    prop_assert_eq!(restored, expected);
                }
            }
        }
    }
}
