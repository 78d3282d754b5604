//! Sources of notes: the lines of files that a note speaks of, and what became of them.
//!
//! The lines are hashed and not the file: most changes of a file leave the lines of a note alone, or only move them.

use std::collections::BTreeSet;

use crate::model::error::{Error, Result};
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::{message, number, quoted};
use crate::model::text::quantity::shortened;

/// How many sources a note has at most.
pub const MAX_SOURCES: usize = 8;
/// The largest file that is looked at.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// How much of the lines is kept as text.
const MAX_TEXT_BYTES: usize = 2_048;
/// How many places with the same first line are compared whole.
const MAX_PLACES: usize = 1_000;

/// Lines of a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineSpan {
    /// Relative to the root of the project, as the note has it.
    pub path: String,
    pub first: usize,
    pub last: usize,
}

impl LineSpan {
    /// As a note names it.
    pub fn name(&self) -> String {
        let Self { path, first, last } = self;
        if first == last {
            format!("{path}:{first}")
        } else {
            format!("{path}:{first}-{last}")
        }
    }
}

/// Lines as they were when the note was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub span: LineSpan,
    /// Of the lines, without blanks at their ends.
    pub sha256: String,
    /// The first of these lines, or all.
    pub text: String,
    /// The branch and the commit that were checked out, if known.
    pub branch: String,
    pub commit: String,
}

/// What became of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    /// The same lines begin at this line now.
    Moved(usize),
    Changed,
    /// There is no such file any more.
    Gone,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved(_) => "moved",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    /// Whether the note may no longer be true.
    pub fn is_stale(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }
}

/// A source, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedSource {
    pub span: LineSpan,
    pub verdict: Verdict,
    /// The file that has the lines now, if its file is gone.
    pub file: Option<String>,
    /// The branch that was checked out when the note was written, if it is not the reader's own and the lines differ.
    pub branch: String,
}

impl JudgedSource {
    /// What an answer says of it. On another branch, lines may differ without having been changed since.
    pub fn new(source: &Source, verdict: Verdict, file: Option<String>, branch: &str) -> Self {
        let is_elsewhere = verdict != Verdict::Same && !branch.is_empty();
        let noted_on = if is_elsewhere && source.branch != branch {
            source.branch.clone()
        } else {
            String::new()
        };
        Self {
            span: source.span.clone(),
            verdict,
            file,
            branch: noted_on,
        }
    }
}

/// What an answer says of a source; nothing if it is as it was.
pub fn remark(source: &JudgedSource) -> Option<String> {
    let became = match (source.verdict, &source.file) {
        (Verdict::Same, _) => return None,
        (Verdict::Moved(line), None) => format!("moved to {line}"),
        (Verdict::Moved(line), Some(file)) => format!("moved to {file}:{line}"),
        (Verdict::Changed, _) => "changed since".to_owned(),
        (Verdict::Gone, _) => "gone".to_owned(),
    };
    let branch = match source.branch.as_str() {
        "" => String::new(),
        branch => format!(", noted on branch {branch}"),
    };
    Some(format!("{}: {became}{branch}", source.span.name()))
}

/// The lines that sources name, each once; refuses one that names none, and too many.
pub fn given_lines(given: &[String]) -> Result<Vec<LineSpan>> {
    if given.len() > MAX_SOURCES {
        return Err(Error::refused(message!(
            "Note not saved: {given} sources, the limit is {max}.",
            given = number(given.len()),
            max = number(MAX_SOURCES)
        ))
        .hint("keep those without which the note would be wrong."));
    }
    let mut spans = Vec::new();
    for text in given {
        let found = span(text.trim()).ok_or_else(|| no_lines(text))?;
        if !spans.contains(&found) {
            spans.push(found);
        }
    }
    Ok(spans)
}

/// The error for a source that is no lines of a file here.
pub fn no_lines(source: &str) -> Error {
    Error::refused(message!(
        "Note not saved: {source} names no lines of a file in the project.",
        source = quoted(shortened(source, 100))
    ))
    .hint("a source is path:line or path:line-line, like src/auth.rs:120-140; the path begins at the root of the project.")
}

/// Whether these lines say enough to be recognised in another file.
pub fn is_telling(source: &Source) -> bool {
    const LEAST: usize = 12;
    let telling = source.text.chars().filter(|char| char.is_alphanumeric());
    telling.take(LEAST).count() == LEAST
}

/// The lines of a file that a source may have become: anywhere in it.
pub fn found_in(source: &Source, file: &str) -> Option<usize> {
    match judge(source, Some(file)) {
        Verdict::Same => Some(source.span.first),
        Verdict::Moved(line) => Some(line),
        Verdict::Changed | Verdict::Gone => None,
    }
}

/// The lines that a text names, as `path:line` and `path:line-line`, each once.
pub fn named_lines(text: &str) -> Vec<LineSpan> {
    let mut seen = BTreeSet::new();
    let words = text.split(|char: char| char.is_whitespace() || "`\"'()[]{}<>,;|*".contains(char));
    let spans = words
        .filter_map(span)
        .filter(|span| seen.insert(span.clone()));
    spans.take(MAX_SOURCES).collect()
}

fn span(word: &str) -> Option<LineSpan> {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let (path, lines) = word.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |digits: &str| -> Option<usize> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    let (first, last) = (number(first)?, number(last)?);
    // A name with a dot or a slash: `localhost:8080` and `10:30` are something else.
    let is_path = path.contains(['.', '/']) && !path.contains(':') && !path.ends_with('/');
    (is_path && 0 < first && first <= last).then(|| LineSpan {
        path: path.strip_prefix("./").unwrap_or(path).to_owned(),
        first,
        last,
    })
}

/// A source as it is in this file now; `None` if the file has no such lines, or only blank ones.
pub fn taken(span: &LineSpan, file: &str, branch: &str, commit: &str) -> Option<Source> {
    let lines = lines(file);
    let last = span.last.min(lines.len());
    let block = lines.get(span.first.checked_sub(1)?..last)?;
    let text = block.join("\n");
    if text.trim().is_empty() {
        return None;
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    Some(Source {
        span: LineSpan {
            last,
            ..span.clone()
        },
        sha256: sha256_hex(text.as_bytes()),
        text: text.get(..end).unwrap_or(&text).to_owned(),
        branch: branch.to_owned(),
        commit: commit.to_owned(),
    })
}

/// What became of a source in its file, as that is now.
pub fn judge(source: &Source, file: Option<&str>) -> Verdict {
    let Some(file) = file else {
        return Verdict::Gone;
    };
    let lines = lines(file);
    let LineSpan { first, last, .. } = source.span;
    let (start, count) = (first.saturating_sub(1), last.saturating_sub(first) + 1);
    let is_at = |at: usize| {
        let block = lines.get(at..at + count);
        block.is_some_and(|block| sha256_hex(block.join("\n").as_bytes()) == source.sha256)
    };
    if is_at(start) {
        return Verdict::Same;
    }
    let opening = source.text.split('\n').next().unwrap_or_default();
    let is_cut = opening.len() >= MAX_TEXT_BYTES - 4;
    let alike = |line: &str| line == opening || (is_cut && line.starts_with(opening));
    let places = lines.iter().enumerate().filter(|(_, line)| alike(line));
    let mut places: Vec<usize> = places.map(|(at, _)| at).take(MAX_PLACES).collect();
    places.sort_by_key(|at| at.abs_diff(start));
    match places.into_iter().find(|at| is_at(*at)) {
        Some(at) => Verdict::Moved(at + 1),
        None => Verdict::Changed,
    }
}

/// The lines of a file without blanks and carriage returns at their ends, which formatters change.
fn lines(file: &str) -> Vec<&str> {
    file.lines().map(str::trim_end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines_of(path: &str, first: usize, last: usize) -> LineSpan {
        LineSpan {
            path: path.to_owned(),
            first,
            last,
        }
    }

    #[test]
    fn lines_are_found_in_the_text_of_a_note() {
        let text = "Retries are in src/retry.rs:12-30 (see `src/retry.rs:12-30`, Makefile.am:3). \
            Not localhost:8080, https://example.com:443, 10:30, src/a.rs:0, src/a.rs:9-3, a/b/:2 or 3.5:1-x; ./docs/a.md:7.";
        let expected = [
            lines_of("src/retry.rs", 12, 30),
            lines_of("Makefile.am", 3, 3),
            lines_of("docs/a.md", 7, 7),
        ];
        assert_eq!(named_lines(text), expected);
        let many: Vec<String> = (1..20).map(|line| format!("a.rs:{line}")).collect();
        assert_eq!(named_lines(&many.join(" ")).len(), MAX_SOURCES);
    }

    #[test]
    fn lines_are_the_same_moved_changed_or_gone() {
        let file = "a\nb\nc\nd\n";
        let source = taken(&lines_of("f", 2, 3), file, "main", "").unwrap();
        let became = |file: &str| judge(&source, Some(file));
        assert_eq!(became(file), Verdict::Same);
        // Elsewhere in the file, and at the ends of lines.
        assert_eq!(became("x\nb  \r\nc\r\ny"), Verdict::Same);
        assert_eq!(became("new\na\nb\nc"), Verdict::Moved(3));
        assert_eq!(became("b\nb\nc\nb\nc"), Verdict::Same);
        assert_eq!(became("a\nb\nC\nd"), Verdict::Changed);
        assert_eq!(became(""), Verdict::Changed);
        assert_eq!(judge(&source, None), Verdict::Gone);
        let said = |verdict| remark(&JudgedSource::new(&source, verdict, None, "main"));
        assert_eq!(said(Verdict::Same), None);
        assert_eq!(said(Verdict::Moved(3)).unwrap(), "f:2-3: moved to 3");
        let elsewhere = JudgedSource::new(&source, Verdict::Changed, None, "other");
        assert_eq!(
            remark(&elsewhere).unwrap(),
            "f:2-3: changed since, noted on branch main"
        );
        let renamed = JudgedSource::new(&source, Verdict::Moved(9), Some("g".to_owned()), "");
        assert_eq!(remark(&renamed).unwrap(), "f:2-3: moved to g:9");
    }

    #[test]
    fn lines_that_are_not_there_or_blank_are_no_source() {
        assert_eq!(taken(&lines_of("f", 4, 4), "a\nb\nc", "", ""), None);
        assert_eq!(taken(&lines_of("f", 2, 3), "a\n  \n\nd", "", ""), None);
        let cut = taken(&lines_of("f", 2, 30), "a\nb\nc", "", "").unwrap();
        assert_eq!(cut.span, lines_of("f", 2, 3));
        let long = format!("a\n{}\nb", "ß".repeat(5_000));
        let source = taken(&lines_of("f", 2, 3), &long, "", "").unwrap();
        assert_eq!(
            judge(&source, Some(&format!("new\n{long}"))),
            Verdict::Moved(3)
        );
    }

    proptest! {
        /// Lines that did not change are never said to have changed, whatever is added around them.
        #[test]
        fn unchanged_lines_are_never_said_to_have_changed(
            file in proptest::collection::vec("[a-c ]{0,3}", 1..12),
            first in 1_usize..12, count in 0_usize..4,
            before in proptest::collection::vec("[a-c ]{0,3}", 0..6),
            after in proptest::collection::vec("[a-c ]{0,3}", 0..6),
        ) {
            let span = lines_of("f", first, first + count);
            let Some(source) = taken(&span, &file.join("\n"), "", "") else { return Ok(()) };
            let grown = [before, file, after].concat().join("\r\n");
            let verdict = judge(&source, Some(&grown));
            prop_assert!(matches!(verdict, Verdict::Same | Verdict::Moved(_)), "{:?}", verdict);
        }
    }
}
