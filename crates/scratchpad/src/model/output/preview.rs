//! What a text shows of itself: its beginning, its end, and the lines that report an error.

use std::collections::BTreeMap;

use super::Kind;
use super::describe::Description;
use super::json_shape::JsonShape;
use crate::model::text::quantity::{grouped, shortened};

/// A line that does not fit whole shows this much of its beginning.
const CUT_CHARS: usize = 80;
/// What an only line that does not fit whole also shows of its end.
const CUT_END_CHARS: usize = 40;

/// Less of a line says nothing.
const LEAST_CHARS: usize = 24;

/// A line of a text, and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    /// Without control characters and without blanks at its end.
    pub text: String,
    /// Whether this is all of it.
    pub is_whole: bool,
}

impl Description {
    /// Whether a preview is made of numbered lines.
    pub fn is_previewed_by_lines(&self) -> bool {
        self.shape.is_none() && self.kind != Kind::Csv
    }

    /// A preview of at most `chars` characters: one line for JSON and CSV, numbered lines for other texts.
    pub fn preview(&self, chars: usize) -> String {
        self.preview_within(chars, usize::MAX)
    }

    /// A preview of at most `chars` characters and `bytes` bytes.
    pub fn preview_within(&self, chars: usize, bytes: usize) -> String {
        if chars == 0 {
            return String::new();
        }
        let text = match (&self.shape, self.kind) {
            (Some(JsonShape::Array(items, item)), Kind::Json) => {
                let head = format!("[Array with {} items]", grouped(*items));
                match item {
                    Some(item) => {
                        let left = chars.saturating_sub(head.len() + " each ".len());
                        format!("{head} each {}", item.within(left))
                    }
                    None => head,
                }
            }
            (Some(shape), Kind::Json) => shape.within(chars),
            (Some(shape), _) => {
                let head = "JSON Lines, the first ";
                format!("{head}{}", shape.within(chars.saturating_sub(head.len())))
            }
            (None, Kind::Csv) => format!(
                "[CSV with {} rows] {}",
                grouped(self.lines.saturating_sub(1)),
                self.columns.join(", ")
            ),
            (None, _) => return Lines::of(self, chars, bytes).text(),
        };
        fitted(&text, chars, bytes)
    }
}

/// The lines of a preview while it is filled.
struct Lines {
    chosen: BTreeMap<u64, String>,
    chars: usize,
    bytes: usize,
}

impl Lines {
    /// Errors first: the last, the first, and from the end on, because summaries come last. Then the ends of the text, in turn.
    fn of(description: &Description, chars: usize, bytes: usize) -> Self {
        let mut lines = Self {
            chosen: BTreeMap::new(),
            chars,
            bytes,
        };
        // In documents such words report nothing.
        let errors: &[Line] = match description.kind {
            Kind::Text => &description.error_lines,
            _ => &[],
        };
        let last_first = errors.last().into_iter().chain(errors.first());
        for line in last_first.chain(errors.iter().rev()) {
            lines.add(line);
        }
        let (head, tail) = (&description.head, &description.tail);
        let is_only = description.lines <= 1 || (head.len() == 1 && tail.is_empty());
        for position in 0..head.len().max(tail.len()) {
            for line in [head.get(position), tail.get(position)]
                .into_iter()
                .flatten()
            {
                let is_end = position == 0;
                if !lines.add(line) && is_end {
                    lines.add_cut(line, is_only.then_some(&description.ending));
                }
            }
        }
        lines
    }

    /// Adds a line if it fits whole.
    fn add(&mut self, line: &Line) -> bool {
        line.is_whole && self.add_text(line.number, &line.text)
    }

    /// Adds the beginning of a line, and the end of the text if that is given.
    fn add_cut(&mut self, line: &Line, ending: Option<&String>) {
        let mut text = shortened(&line.text, CUT_CHARS);
        if let Some(ending) = ending {
            let skipped = ending.chars().count().saturating_sub(CUT_END_CHARS);
            text.extend(ending.chars().skip(skipped));
        } else if !text.ends_with('…') {
            text.push('…');
        }
        // A short preview takes less of it.
        while !self.add_text(line.number, &text) {
            let less = text.chars().count() * 2 / 3;
            if less < LEAST_CHARS {
                return;
            }
            text = shortened(&text, less);
        }
    }

    fn add_text(&mut self, number: u64, text: &str) -> bool {
        if self.chosen.contains_key(&number) {
            return true;
        }
        let line = format!("{number}:{text}\n");
        let (chars, bytes) = (line.chars().count(), line.len());
        // The last line has no line break.
        if chars > self.chars + 1 || bytes > self.bytes.saturating_add(1) {
            return false;
        }
        self.chars = self.chars.saturating_sub(chars);
        self.bytes = self.bytes.saturating_sub(bytes);
        self.chosen.insert(number, line);
        true
    }

    fn text(self) -> String {
        let mut text: String = self.chosen.into_values().collect();
        text.pop();
        text
    }
}

/// Truncates the text to this many characters and bytes, with an ellipsis.
fn fitted(text: &str, chars: usize, bytes: usize) -> String {
    let mut chars = chars;
    while text.chars().count() > chars || text.len() > bytes {
        let cut = shortened(text, chars.saturating_sub(1));
        if cut.len() <= bytes {
            return cut;
        }
        chars = chars.saturating_sub(8);
        if chars < 8 {
            return String::new();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{assert_data_eq, str};
    use std::io::Cursor;

    fn preview(text: &str, chars: usize) -> String {
        let found = Description::of(&mut Cursor::new(text)).unwrap();
        found.preview(chars)
    }

    #[test]
    fn both_ends_are_shown_in_whole_lines_with_their_numbers() {
        let lines: Vec<String> = (1..=100)
            .map(|number| format!("this is line {number}\n\n"))
            .collect();
        let text = lines.concat();
        assert_data_eq!(
            preview(&text, 100),
            str![[r#"
1:this is line 1
3:this is line 2
5:this is line 3
197:this is line 99
199:this is line 100
"#]]
        );
    }

    #[test]
    fn lines_that_report_errors_go_first() {
        let text: String = (1..=1_000)
            .map(|number| match number {
                300 => "error[E0308]: mismatched types\n".to_owned(),
                301 => "  --> src/main.rs:3:5\n".to_owned(),
                990 => "test result: FAILED. 1 passed; 1 failed\n".to_owned(),
                number => format!("compiling crate number {number}\n"),
            })
            .collect();
        assert_data_eq!(
            preview(&text, 110),
            str![[r#"
1:compiling crate number 1
300:error[E0308]: mismatched types
990:test result: FAILED. 1 passed; 1 failed
"#]]
        );
    }

    #[test]
    fn of_an_only_long_line_both_ends_are_shown() {
        let text = format!("begin {} end", "x".repeat(10_000));
        let shown = preview(&text, 200);
        assert!(
            shown.starts_with("1:begin xxx") && shown.ends_with("xxx end"),
            "{shown}"
        );
        assert_eq!(shown.chars().count(), 123);
        let text = format!("short\n{}\nlast\n", "y".repeat(10_000));
        assert_eq!(preview(&text, 200), "1:short\n3:last");
    }

    #[test]
    fn csv_has_its_rows_and_columns() {
        let text = format!("id,name,state\n{}", "1,a,open\n".repeat(1_200));
        assert_eq!(preview(&text, 200), "[CSV with 1,200 rows] id, name, state");
        assert_eq!(preview(&text, 0), "");
    }

    proptest! {
        #[test]
        fn a_preview_is_never_longer_than_asked(
            text in "(error )?\\PC{0,80}(\n(error )?\\PC{0,80}){0,9}", chars in 0_usize..90, bytes in 0_usize..90
        ) {
            let found = Description::of(&mut Cursor::new(&text)).unwrap();
            let shown = found.preview_within(chars, bytes);
            prop_assert!(shown.chars().count() <= chars && shown.len() <= bytes, "{shown}");
        }
    }
}
