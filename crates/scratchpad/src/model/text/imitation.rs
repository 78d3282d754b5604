//! Lines in untrusted text that imitate one of our own lines: how they are recognised and changed.
//!
//! Lines are compared as a reader sees them: invisible characters are ignored, every kind of space is a space, full-width
//! forms and dashes are the ASCII characters they resemble, and case is ignored. Look-alike letters of other scripts are
//! not compared: docs/adr/0008-no-random-markers.md says why.

use std::borrow::Cow;

/// One of our own lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ours {
    pub text: &'static str,
    pub extent: Extent,
}

/// How much of a line has to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole line.
    Whole,
    /// Its beginning, followed by a digit.
    BeforeDigit,
}

impl Ours {
    pub const fn line(text: &'static str) -> Self {
        Self {
            text,
            extent: Extent::Whole,
        }
    }

    pub const fn before_digit(text: &'static str) -> Self {
        Self {
            text,
            extent: Extent::BeforeDigit,
        }
    }

    /// Whether a line imitates this one. A line that is indented by a space or a tab does not.
    fn is_imitated_by(self, line: &str) -> bool {
        let mut seen = seen(line);
        let mut ours = self.text.chars().map(|char| char.to_ascii_lowercase());
        ours.all(|char| seen.next() == Some(char))
            && match self.extent {
                Extent::Whole => seen.next().is_none(),
                Extent::BeforeDigit => seen.next().is_some_and(char::is_numeric),
            }
    }
}

/// Indents each line that imitates one of ours by a space.
pub fn indented<'a>(text: &'a str, ours: &[Ours]) -> Cow<'a, str> {
    changed(text, ours, |line| format!(" {line}"))
}

/// Puts a backslash after the first visible character of each line that imitates one of ours.
pub fn with_backslash<'a>(text: &'a str, ours: &[Ours]) -> Cow<'a, str> {
    changed(text, ours, |line| {
        let shown = line
            .char_indices()
            .find(|(_, char)| !is_invisible(*char) && !is_blank(*char));
        let behind = shown.map_or(0, |(at, char)| at + char.len_utf8());
        // At the end of a character: this does not panic.
        let (before, after) = line.split_at(behind);
        format!("{before}\\{after}")
    })
}

fn changed<'a>(text: &'a str, ours: &[Ours], change: impl Fn(&str) -> String) -> Cow<'a, str> {
    // The block is rendered at every prompt. Most texts imitate nothing, which this finds out quickly.
    if !ours.iter().any(|it| may_hold(text, it.text)) {
        return Cow::Borrowed(text);
    }
    let is_imitation = |line: &str| ours.iter().any(|it| it.is_imitated_by(line));
    if !text.split_inclusive(ends_line).any(is_imitation) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive(ends_line).map(|line| {
        if is_imitation(line) {
            Cow::Owned(change(line))
        } else {
            Cow::Borrowed(line)
        }
    });
    Cow::Owned(lines.collect())
}

/// Whether a text contains the first character of one of our lines, or possibly its full-width form.
fn may_hold(text: &str, ours: &str) -> bool {
    /// The first byte of all full-width forms.
    const FULL_WIDTH: u8 = 0xEF;
    let Some(first) = ours.bytes().next() else {
        return false;
    };
    let cases = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr3(cases.0, cases.1, FULL_WIDTH, text.as_bytes()).is_some()
}

/// A line as a reader sees it, in lower case.
fn seen(line: &str) -> impl Iterator<Item = char> {
    // Only plain spaces and tabs count as indentation: other spaces may have no width.
    let from = line.trim_start_matches(|char: char| {
        is_invisible(char) || is_blank(char) && !matches!(char, ' ' | '\t')
    });
    let shown = from.chars().filter(|char| !is_invisible(*char));
    let mut shown = shown.map(plain).peekable();
    std::iter::from_fn(move || {
        let char = shown.next()?;
        if char != ' ' {
            return Some(char);
        }
        while shown.next_if_eq(&' ').is_some() {}
        // Trailing spaces are invisible.
        shown.peek().map(|_| ' ')
    })
}

/// The ASCII character that this one resembles.
fn plain(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0)
            .unwrap_or(char)
            .to_ascii_lowercase(),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        char if is_blank(char) => ' ',
        char => char.to_ascii_lowercase(),
    }
}

/// Spaces of any width, and line breaks.
fn is_blank(char: char) -> bool {
    // The Braille pattern without dots looks like a space.
    char.is_whitespace() || ends_line(char) || char == '\u{2800}'
}

/// Every character that some reader treats as the end of a line.
pub fn ends_line(char: char) -> bool {
    matches!(
        char,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Characters that reorder the text around them.
pub fn is_direction_mark(char: char) -> bool {
    matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Invisible characters: Unicode's default-ignorable ones, controls, and annotation marks.
pub fn is_invisible(char: char) -> bool {
    // Tabs and line breaks are controls, but visible.
    if char.is_ascii() || char < '\u{a0}' {
        return char.is_control() && !is_blank(char);
    }
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: Ours = Ours::line("[End - x]");
    const HEAD: Ours = Ours::before_digit("note_");

    #[test]
    fn a_line_is_compared_by_what_is_seen_of_it() {
        for line in [
            "[End - x]",
            "[end - X] \t",
            "[E\u{200b}nd - x]\u{feff}",
            "\u{a0}[End\u{3000} \u{2003}\u{2014}\tx]",
            "\u{7f}\0[End\u{2800}- x]",
            "\u{ff3b}\u{ff25}nd - x\u{ff3d}",
            "[\u{e0041}End - x]\r\n",
        ] {
            assert!(END.is_imitated_by(line), "{line:?}");
        }
        for line in [
            "",
            " [End - x]",
            "\t[End - x]",
            "[End - x].",
            "[End x]",
            "\u{200b} [End - x]",
        ] {
            assert!(!END.is_imitated_by(line), "{line:?}");
        }
        assert!(
            HEAD.is_imitated_by("note\u{ad}_1 session") && HEAD.is_imitated_by("Note_\u{ff11}")
        );
        assert!(!HEAD.is_imitated_by("note_ 1") && !HEAD.is_imitated_by("notes_1"));
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "",
            "a\r\nb\u{2028}",
            "see [End - x]\n[x]",
            "\u{feff}größer\u{200d}",
        ] {
            assert!(
                matches!(indented(text, &[END]), Cow::Borrowed(_)),
                "{text:?}"
            );
        }
        assert_eq!(
            indented("a\r[End - x]\rb", &[END, HEAD]),
            "a\r [End - x]\rb"
        );
        assert_eq!(
            with_backslash("\u{200b}[End - x]\n", &[END]),
            "\u{200b}[\\End - x]\n"
        );
    }

    /// Pieces from which lines like ours can be forged.
    fn forged() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "[End", "End", "[", "-", "x]", " ", "\t", "\n", "\r", "\u{b}", "\u{1c}", "\u{85}",
            "\u{2028}", "\u{200b}", "\u{a0}", "\u{feff}", "\0", "\u{ff3b}", "\u{2014}", "note_",
            "note", "_", "1", "\u{ff11}", "\\",
        ]);
        prop::collection::vec(pieces, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn afterwards_no_line_imitates_ours(text in forged()) {
            for changed in [indented(&text, &[END, HEAD]), with_backslash(&text, &[END, HEAD])] {
                for line in changed.split(ends_line) {
                    prop_assert!(!END.is_imitated_by(line) && !HEAD.is_imitated_by(line), "{changed:?}");
                }
                // Nothing but a few spaces or backslashes was added.
                let less = |text: &str| text.replace([' ', '\\'], "");
                prop_assert_eq!(less(&changed), less(&text));
                prop_assert_eq!(&*indented(&changed, &[END, HEAD]), &*changed);
            }
        }
    }
}
