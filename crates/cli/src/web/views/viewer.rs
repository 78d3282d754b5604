//! An output: as numbered lines, as a tree or as a table. However large it is, one page of it is read.

use std::io::Read as _;

use askama::Template;
use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{table, tree};
use crate::web::ask::{Ask, page};
use crate::web::body::Chunks;
use crate::web::fields::encoded;
use crate::web::guard::SANDBOX;
use crate::web::html::{Frame, of_session, shown};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::ProjectId;
use scratchpad::model::output::tool::{OutputCall, READ, output_call};
use scratchpad::model::output::{Kind, OutputHead};
use scratchpad::model::text::quantity::shortened;
use scratchpad::{OutputId, Scratchpad};

/// How much of an output is on one page.
const PAGE_BYTES: usize = 64 * 1024;
const PAGE_LINES: usize = 500;
/// The longest line that is shown whole, in characters.
const LINE_CHARS: usize = 2_000;
/// How much is read at once when all is downloaded.
const CHUNK: usize = 64 * 1024;

#[derive(Template)]
#[template(path = "output.html")]
struct View {
    p: Frame,
    id: String,
    head: Head,
    project: String,
    chosen: &'static str,
    views: Vec<&'static str>,
    range: String,
    grep: String,
    lines: Vec<Line>,
    /// What was found, or why nothing could be looked for.
    found: Option<String>,
    problem: Option<(String, String)>,
    next: Option<String>,
    tree: Option<tree::Tree>,
    table: Option<table::Table>,
    call: String,
}

struct Head {
    tools: String,
    upstream: String,
    kind: &'static str,
    bytes: u64,
    lines: u64,
    kept: i64,
    session_address: String,
    is_pinned: bool,
}

impl Head {
    fn new(head: &OutputHead) -> Self {
        Self {
            tools: shown(&head.tools.join(", ")),
            upstream: shown(&head.upstream),
            kind: head.kind.name(),
            bytes: head.bytes,
            lines: head.lines,
            kept: head.kept,
            session_address: of_session(head.session.as_str()),
            is_pinned: head.pinned_by.is_some(),
        }
    }
}

/// A line of a log.
struct Line {
    number: u64,
    /// Its parts; the class of one is empty, or says how severe its word is.
    parts: Vec<(&'static str, String)>,
    /// How many characters are not shown.
    rest: usize,
}

impl Line {
    fn new(number: u64, text: &str) -> Self {
        let chars = text.chars().count();
        let text = if chars > LINE_CHARS {
            text.chars().take(LINE_CHARS).collect()
        } else {
            text.to_owned()
        };
        Self {
            number,
            parts: parts(&shown(&without_colours(&text))),
            rest: chars.saturating_sub(LINE_CHARS),
        }
    }
}

/// The text without the sequences that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|char: char| !char.is_ascii_digit() && char != ';');
        let (codes, behind) = after.split_at(end.unwrap_or(after.len()));
        if let Some(behind) = behind.strip_prefix('m') {
            rest = behind;
        } else {
            out.push_str("\u{1b}[");
            out.push_str(codes);
            rest = behind;
        }
    }
    out + rest
}

/// A line, with the words that say how bad it is set apart.
fn parts(text: &str) -> Vec<(&'static str, String)> {
    const WORDS: [(&str, &str); 8] = [
        ("error", "bad"),
        ("fatal", "bad"),
        ("panicked", "bad"),
        ("failed", "bad"),
        ("failure", "bad"),
        ("warning", "warn"),
        ("warn", "warn"),
        ("deprecated", "warn"),
    ];
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    for word in text.split_inclusive(|char: char| !char.is_ascii_alphanumeric()) {
        let bare = word.trim_end_matches(|char: char| !char.is_ascii_alphanumeric());
        let mut known = WORDS.iter();
        let class = known.find(|(name, _)| bare.eq_ignore_ascii_case(name));
        let class = class.map_or("", |(_, class)| class);
        let behind = word.get(bare.len()..).unwrap_or_default();
        match parts.last_mut() {
            Some(("", last)) if class.is_empty() => last.push_str(word),
            _ if class.is_empty() => parts.push(("", word.to_owned())),
            _ => {
                parts.push((class, bare.to_owned()));
                parts.push(("", behind.to_owned()));
            }
        }
    }
    parts
}

/// Reads a slice as an agent would; `max` bytes of it at most.
pub(super) fn slice(pad: &Scratchpad, arguments: &Value, max: usize) -> Result<String> {
    match output_call(READ, arguments) {
        Some(Ok(OutputCall::Read(call))) => {
            let reply = pad.read_output(&call, Some(max))?;
            Ok(reply.text().into_owned())
        }
        Some(Err(error)) => Err(error),
        _ => Err(Error::store("The call is not a slice of an output.")),
    }
}

pub(in crate::web) fn show(ask: &Ask, id: &str) -> Result<Response> {
    let id = OutputId::new(id)?;
    let head = ask.pad().output_head(&id)?;
    let session = ask.pad().session(&head.session)?;
    let project = session
        .and_then(|it| it.project)
        .unwrap_or_else(|| ProjectId::new(""));
    let views = match head.kind {
        Kind::Json => vec!["tree", "table", "log"],
        Kind::Csv => vec!["table", "log"],
        Kind::Markdown | Kind::Text => vec!["log"],
    };
    let asked = ask.query.get("view");
    let (range, grep) = (ask.query.get("lines").trim(), ask.query.get("grep"));
    let slices = !range.is_empty() || !grep.is_empty();
    let chosen = views.iter().copied().find(|view| *view == asked);
    let first = views.first().copied().unwrap_or("log");
    let view = if slices {
        "log"
    } else {
        chosen.unwrap_or(first)
    };
    let p = ask.frame("outputs", Some(project.clone()));
    let mut page_of = View {
        id: id.to_string(),
        head: Head::new(&head),
        project: project.to_string(),
        chosen: view,
        views,
        range: range.to_owned(),
        grep: grep.to_owned(),
        lines: Vec::new(),
        found: None,
        problem: None,
        next: None,
        tree: None,
        table: None,
        call: json!({"id": id.as_str()}).to_string(),
        p,
    };
    if let Err(error) = page_of.fill(ask, &id, &head) {
        let (what, hint) = page_of.p.error(&error);
        page_of.problem = Some((shown(&what), shown(&hint)));
    }
    page(&page_of)
}

impl View {
    fn fill(&mut self, ask: &Ask, id: &OutputId, head: &OutputHead) -> Result<()> {
        let pad = ask.pad();
        if !self.grep.is_empty() {
            let arguments = json!({"id": id.as_str(), "grep": self.grep, "context": 2});
            self.call = shown(&arguments.to_string());
            self.found = Some(shown(&slice(pad, &arguments, PAGE_BYTES)?));
            return Ok(());
        }
        if !self.range.is_empty() {
            let arguments = json!({"id": id.as_str(), "lines": self.range});
            self.call = shown(&arguments.to_string());
            let text = slice(pad, &arguments, PAGE_BYTES)?;
            self.lines = numbered(&text, first_of(&self.range, head.lines));
            return Ok(());
        }
        match self.chosen {
            "tree" => {
                let tree = tree::read(ask, id)?;
                self.call.clone_from(&tree.call);
                self.tree = Some(tree);
            }
            "table" => self.table = Some(table::read(ask, id, head)?),
            _ => self.read_log(ask, id)?,
        }
        Ok(())
    }

    /// One page of lines, from a byte.
    fn read_log(&mut self, ask: &Ask, id: &OutputId) -> Result<()> {
        let at = ask.query.number("at").unwrap_or(0);
        let first = ask.query.number("n").unwrap_or(1).max(1);
        let (cut, total) = ask.pad().look_at_output(id, at, PAGE_BYTES)?;
        let Some(cut) = cut else { return Ok(()) };
        let has_more = cut.bytes.end < total;
        let mut text = cut.text.as_str();
        // Escaped bytes are longer than what they stand for: then the page ends where it was read to.
        if cut.is_exact {
            let lines = text.match_indices('\n').map(|(at, _)| at + 1);
            let ends: Vec<usize> = lines.take(PAGE_LINES).collect();
            if let Some(end) = ends.last()
                && (has_more || ends.len() == PAGE_LINES)
            {
                text = text.get(..*end).unwrap_or(text);
            }
        }
        let end = if cut.is_exact {
            at + text.len() as u64
        } else {
            cut.bytes.end
        };
        self.lines = numbered(text, first);
        let lines = text.matches('\n').count() as u64;
        self.next = (end < total).then(|| format!("/o/{id}?view=log&at={end}&n={}", first + lines));
        Ok(())
    }
}

fn numbered(text: &str, first: u64) -> Vec<Line> {
    let lines = (first..).zip(text.lines());
    lines
        .map(|(number, line)| Line::new(number, line))
        .collect()
}

/// The first line of a range like `120-180` or `-40`.
fn first_of(range: &str, total: u64) -> u64 {
    let first = range.split('-').next().unwrap_or_default().trim();
    first.parse().unwrap_or_else(|_| {
        let last = range.trim_start_matches('-').trim().parse().unwrap_or(0);
        total.saturating_sub(last) + 1
    })
}

/// The address of a view of an output.
pub(super) fn address(id: &OutputId, view: &str, rest: &[(&str, &str)]) -> String {
    let rest = rest
        .iter()
        .map(|(name, value)| format!("&{name}={}", encoded(value)));
    format!("/o/{id}?view={view}{}", rest.collect::<String>())
}

/// All bytes, to be kept as a file. A browser does nothing with them.
pub(in crate::web) fn raw(ask: &Ask, id: &str) -> Result<Response> {
    let id = OutputId::new(id)?;
    let (content, bytes) = ask.pad().output(&id)?;
    let (send, chunks) = Chunks::channel(2);
    tokio::task::spawn_blocking(move || {
        let mut content = content.take(bytes);
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = content.read(&mut chunk) {
            let part = chunk.get(..read).unwrap_or_default();
            if send
                .blocking_send(Ok(Bytes::copy_from_slice(part)))
                .is_err()
            {
                break;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, SANDBOX.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!(
                "attachment; filename=\"{}.txt\"",
                shortened(id.as_str(), 64)
            ),
        ),
        (header::CONTENT_LENGTH, bytes.to_string()),
    ];
    Ok((headers, chunks.into_body()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_say_how_bad_it_is_are_set_apart() {
        let found = parts("error[E0308]: no errors, WARNING: x failed");
        let found: Vec<_> = found
            .iter()
            .map(|(class, text)| (*class, text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("bad", "error"),
                ("", "[E0308]: no errors, "),
                ("warn", "WARNING"),
                ("", ": x "),
                ("bad", "failed"),
                ("", "")
            ]
        );
    }

    #[test]
    fn colours_go_and_other_sequences_stay_to_be_shown() {
        assert_eq!(without_colours("\u{1b}[1;31mred\u{1b}[0m"), "red");
        assert_eq!(without_colours("\u{1b}[2J"), "\u{1b}[2J");
        assert_eq!(without_colours("\u{1b}["), "\u{1b}[");
    }

    #[test]
    fn ranges_begin_where_they_say() {
        assert_eq!(
            [first_of("120-180", 9), first_of("-4", 9), first_of("7", 9)],
            [120, 6, 7]
        );
    }
}
