//! What is changed in an answer: long texts become references, and our tools join the upstream's.

use std::io::{self, Write};
use std::ops::Range;

use serde_json::Value;

use super::body::{Body, Edit};
use super::local_tools::Names;
use super::message::Answer;
use super::text::{NoText, Unescape};
use scratchpad::Scratchpad;
use scratchpad::model::error::Error;
use scratchpad::model::id::SessionId;
use scratchpad::model::text::hash::Sha256Stream;

/// A structure of up to so many bytes stands beside the reference as it is: a reference would be longer.
const STRUCTURE_INLINE: u64 = 256;

/// A call of a tool that passed. Texts above the threshold in its result are kept.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) threshold: u64,
    /// What the host says of the session beside the call.
    pub(super) session_id: Option<String>,
    pub(super) thread_id: Option<String>,
}

/// What is changed in a message, and whether anything was kept for it.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<Edit>,
    pub(super) keeps: bool,
}

impl Changes {
    /// These changes and more.
    pub(super) fn add(&mut self, more: Self) {
        self.edits.extend(more.edits);
        self.keeps |= more.keeps;
    }

    fn replace(&mut self, span: Range<u64>, with: Vec<u8>) {
        self.edits.push(Edit { span, with });
    }
}

/// Why a result passes as it came, though it is long.
pub(super) enum Trouble {
    /// A text of it can't be one.
    NoText,
    /// It can't be kept.
    Store(Error),
}

impl From<NoText> for Trouble {
    fn from(_: NoText) -> Self {
        Self::NoText
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Store(Error::store(format!("Can't keep the output: {error}.")))
    }
}

/// A page of tools: schemas of results that may be shortened go, for clients insist on them; behind the last
/// page come our tools.
pub(super) fn extended(
    answer: &Answer,
    names: &mut Names,
    may_shorten: impl Fn(&str) -> bool,
) -> Changes {
    let mut changes = Changes::default();
    let Some(tools) = &answer.tools else {
        return changes;
    };
    for tool in &tools.listed {
        if let (Some(name), Some(schema)) = (&tool.name, &tool.schema)
            && may_shorten(name)
        {
            changes.replace(schema.clone(), Vec::new());
        }
    }
    names.learn(tools);
    if !answer.has_more {
        changes.replace(tools.end..tools.end, names.listed(tools.is_empty));
    }
    changes
}

/// A result: each text above the threshold is kept, and a reference put in its place.
///
/// Hosts show the structure instead of the text, so it goes, with nothing lost: where it says something else
/// than the texts, it is kept too.
pub(super) fn shortened(
    pad: &Scratchpad,
    session: &SessionId,
    call: &Call,
    read_tool: &str,
    answer: &Answer,
    body: Body<'_>,
) -> Result<Changes, Trouble> {
    // All are staged before one is kept: a text that can't be one leaves the message as it is.
    let mut long = Vec::new();
    for text in &answer.texts {
        let mut staged = pad.stage_output()?;
        read_text(body, text, |ready| Ok(staged.write_all(ready)?))?;
        if staged.bytes() > call.threshold {
            long.push((text, staged));
        }
    }
    let keep = |staged| pad.keep_staged(session, &call.tool, staged, read_tool);
    let mut structure = None;
    if let (Some(found), false) = (&answer.structure, long.is_empty())
        && !is_told(&found.value, long.iter().map(|(text, _)| *text), body)?
    {
        structure = Some(if found.value.end - found.value.start <= STRUCTURE_INLINE {
            let mut small = Vec::new();
            body.pieces(found.value.clone(), |piece| {
                small.extend_from_slice(piece);
                Ok::<(), Trouble>(())
            })?;
            String::from_utf8(small).map_err(|_| Trouble::NoText)?
        } else {
            let mut staged = pad.stage_output()?;
            body.pieces(found.value.clone(), |piece| {
                staged.write_all(piece).map_err(Trouble::from)
            })?;
            keep(staged)?.text
        });
    }
    let mut references = Vec::new();
    for (text, staged) in long {
        references.push((text, keep(staged)?.text));
    }
    let mut changes = Changes {
        edits: Vec::new(),
        keeps: !references.is_empty(),
    };
    if let (Some((_, first)), Some(structure)) = (references.first_mut(), structure) {
        first.push_str("\nStructured content of the same result: ");
        first.push_str(&structure);
    }
    if let Some(structure) = answer.structure.as_ref().filter(|_| changes.keeps) {
        changes.replace(structure.span.clone(), Vec::new());
    }
    for (text, reference) in references {
        let quoted = Value::from(reference).to_string();
        changes.replace(text.clone(), quoted.into_bytes());
    }
    Ok(changes)
}

/// Whether one of the texts is the structure, apart from blanks; or is all that is in it, as `{"result": TEXT}`, which
/// is how the Python SDK wraps what a tool returns.
fn is_told<'a>(
    structure: &Range<u64>,
    texts: impl Iterator<Item = &'a Range<u64>>,
    body: Body<'_>,
) -> Result<bool, Trouble> {
    let mut dense = Dense::default();
    body.pieces(structure.clone(), |piece| {
        dense.push(piece);
        Ok::<_, Trouble>(())
    })?;
    let structure_hash = dense.end();
    let wrapped_hash = match wrapped(structure, body)?.map(|string| plain_hash(body, &string)) {
        Some(Err(Trouble::NoText)) | None => None,
        Some(hash) => Some(hash?),
    };
    for text in texts {
        let mut dense = Dense::default();
        read_text(body, text, |ready| {
            dense.push(ready);
            Ok(())
        })?;
        if dense.end() == structure_hash
            || (wrapped_hash.is_some() && Some(plain_hash(body, text)?) == wrapped_hash)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where the one string in `{"result": …}` stands, quotes included.
fn wrapped(structure: &Range<u64>, body: Body<'_>) -> Result<Option<Range<u64>>, Trouble> {
    const LONGEST: u64 = 40;
    let read = |span: Range<u64>| {
        let mut bytes = Vec::new();
        body.pieces(span, |piece| {
            bytes.extend_from_slice(piece);
            Ok::<_, Trouble>(())
        })?;
        Ok::<_, Trouble>(bytes)
    };
    let head = read(structure.start..structure.end.min(structure.start + LONGEST))?;
    let tail = read(structure.start.max(structure.end.saturating_sub(LONGEST))..structure.end)?;
    let begins = || {
        let rest = head.strip_prefix(b"{")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"result\"")?.trim_ascii_start();
        let rest = rest.strip_prefix(b":")?.trim_ascii_start();
        rest.starts_with(b"\"").then_some(head.len() - rest.len())
    };
    let ends = || {
        let rest = tail.strip_suffix(b"}")?.trim_ascii_end();
        rest.ends_with(b"\"").then_some(tail.len() - rest.len())
    };
    let string = begins()
        .zip(ends())
        .map(|(before, behind)| structure.start + before as u64..structure.end - behind as u64);
    let Some(string) = string.filter(|string| string.start + 1 < string.end) else {
        return Ok(None);
    };
    // A quote inside ends the string, and more follows.
    let (mut is_one, mut escaped) = (true, false);
    body.pieces(string.start + 1..string.end - 1, |piece| {
        for byte in piece {
            is_one &= escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        }
        Ok::<_, Trouble>(())
    })?;
    Ok((is_one && !escaped).then_some(string))
}

fn plain_hash(body: Body<'_>, string: &Range<u64>) -> Result<String, Trouble> {
    let mut hash = Sha256Stream::default();
    read_text(body, string, |ready| {
        hash.update(ready);
        Ok(())
    })?;
    Ok(hash.hex())
}

/// The hash of JSON without the blanks between its tokens.
#[derive(Default)]
struct Dense {
    hash: Sha256Stream,
    inside_string: bool,
    escaped: bool,
    kept: Vec<u8>,
}

impl Dense {
    fn push(&mut self, piece: &[u8]) {
        self.kept.clear();
        for &byte in piece {
            if !self.inside_string && byte.is_ascii_whitespace() {
                continue;
            }
            self.kept.push(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.inside_string,
                b'"' => self.inside_string = !self.inside_string,
                _ => {}
            }
        }
        self.hash.update(&self.kept);
    }

    fn end(self) -> String {
        self.hash.hex()
    }
}

/// Gives the text of the JSON string that stands here, quotes included.
fn read_text(
    body: Body<'_>,
    string: &Range<u64>,
    mut take: impl FnMut(&[u8]) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut text = Unescape::default();
    body.pieces(string.start + 1..string.end - 1, |piece| {
        text.push(piece)?;
        text.drain(&mut take)
    })?;
    Ok(text.end()?)
}
