//! Edits answers: replaces long texts with references, and adds the local tools to the upstream's.

use std::io::{self, Write};
use std::ops::Range;

use serde_json::Value;

use super::body::{Body, Edit};
use super::id::Id;
use super::local_tools::{Names, Offer};
use super::message::{Answer, ListedTool, Message, Params, Structure};
use scratchpad::Scratchpad;
use scratchpad::model::error::Error;
use scratchpad::model::id::SessionId;
use scratchpad::model::json::{Compact, InvalidString, Unescape};
use scratchpad::model::output::Origin;
use scratchpad::model::text::hash::Sha256Stream;
use scratchpad::model::text::message::message;

/// Structured content of up to this many bytes follows the reference inline: a reference to it would be longer.
const STRUCTURE_INLINE: u64 = 256;

/// A tool call. Texts above the threshold in its result are kept.
pub(super) struct Call {
    upstream: String,
    tool: String,
    pub(super) threshold: u64,
    /// The session that the host names in the call.
    pub(super) session_id: Option<String>,
    pub(super) thread_id: Option<String>,
}

impl Call {
    pub(super) fn new(upstream: &str, tool: &str, threshold: u64, params: &Params) -> Self {
        Self {
            upstream: upstream.to_owned(),
            tool: tool.to_owned(),
            threshold,
            session_id: params.session_id.clone(),
            thread_id: params.thread_id.clone(),
        }
    }
}

/// The edits of a message, and whether anything was kept for them.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<Edit>,
    pub(super) keeps: bool,
}

impl Changes {
    pub(super) fn add(&mut self, more: Self) {
        self.edits.extend(more.edits);
        self.keeps |= more.keeps;
    }

    /// Gives an answer the id that the client knows.
    pub(super) fn rename(&mut self, message: &Message, client_id: Option<&Id>) {
        if let Some(id) = client_id {
            self.replace(message.id_at.clone(), id.raw().to_vec());
        }
    }

    fn replace(&mut self, span: Range<u64>, with: Vec<u8>) {
        self.edits.push(Edit { span, with });
    }
}

/// Why a long result passes unchanged.
pub(super) enum Trouble {
    /// One of its strings is not valid text.
    NoText,
    /// Keeping it failed.
    Store(Error),
}

impl From<InvalidString> for Trouble {
    fn from(_: InvalidString) -> Self {
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
        Self::Store(Error::store(message!(
            "Can't keep the output: {error}.",
            error = error.to_string()
        )))
    }
}

/// Edits a page of tools. Removes the output schemas of tools whose results may be shortened, because clients enforce
/// them, and adds the local tools to the last page.
pub(super) fn extended(
    answer: &Answer,
    names: &mut Names,
    may_shorten: impl Fn(&str) -> bool,
    is_hidden: impl Fn(&str) -> bool,
    offer: Offer,
) -> Changes {
    let mut changes = Changes::default();
    let Some(tools) = &answer.tools else {
        return changes;
    };
    let is_hidden = |tool: &&ListedTool| tool.name.as_deref().is_some_and(&is_hidden);
    for tool in tools.listed.iter().filter(|tool| !is_hidden(tool)) {
        if let (Some(name), Some(schema)) = (&tool.name, &tool.schema)
            && may_shorten(name)
        {
            changes.replace(schema.clone(), Vec::new());
        }
    }
    let removed = removed(&tools.listed, is_hidden);
    let is_empty = tools.is_empty || tools.listed.iter().all(|tool| is_hidden(&tool));
    for span in removed {
        changes.replace(span, Vec::new());
    }
    names.learn(tools);
    if !answer.has_more && offer != Offer::Nothing {
        changes.replace(tools.end..tools.end, names.listed(is_empty, offer));
    }
    changes
}

/// What to cut out of a list so that these tools are not in it, with the commas between them.
fn removed(tools: &[ListedTool], is_hidden: impl Fn(&&ListedTool) -> bool) -> Vec<Range<u64>> {
    let mut removed = Vec::new();
    let mut has_one_before = false;
    let mut tools = tools.iter().peekable();
    while let Some(tool) = tools.next() {
        if !is_hidden(&tool) {
            has_one_before = true;
            continue;
        }
        let mut end = tool.span.end;
        while let Some(next) = tools.next_if(&is_hidden) {
            end = next.span.end;
        }
        let start = if let Some(comma) = tool.comma.filter(|_| has_one_before) {
            comma
        } else {
            end = tools.peek().map_or(end, |next| next.span.start);
            tool.span.start
        };
        removed.push(start..end);
    }
    removed
}

/// Edits a result: each text above the threshold is kept and replaced with a reference.
///
/// Structured content is removed, because hosts show it instead of the text. If it differs from the texts, it is kept
/// too, so that nothing is lost.
pub(super) fn shortened(
    scratchpad: &Scratchpad,
    session: &SessionId,
    call: &Call,
    read_tool: &str,
    answer: &Answer,
    body: Body<'_>,
) -> Result<Changes, Trouble> {
    // All are staged before any is kept: if one is not valid text, the message stays unchanged.
    let mut long = Vec::new();
    for text in &answer.texts {
        let mut staged = scratchpad.stage_output()?;
        read_text(body, text, |ready| Ok(staged.write_all(ready)?))?;
        if staged.bytes() > call.threshold {
            long.push((text, staged));
        }
    }
    let origin = Origin {
        upstream: &call.upstream,
        tool: &call.tool,
    };
    let keep = |staged| scratchpad.keep_staged(session, origin, staged, read_tool);
    let mut structure = None;
    if let (Some(found), false) = (&answer.structure, long.is_empty())
        && !says_the_same(found, long.iter().map(|(text, _)| *text), body)?
    {
        structure = Some(if found.value.end - found.value.start <= STRUCTURE_INLINE {
            let mut small = Vec::new();
            body.pieces(found.value.clone(), |piece| {
                small.extend_from_slice(piece);
                Ok::<(), Trouble>(())
            })?;
            String::from_utf8(small).map_err(|_| Trouble::NoText)?
        } else {
            let mut staged = scratchpad.stage_output()?;
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

/// Whether one of the texts equals the structure, apart from whitespace, or is its only content: the Python SDK wraps
/// what a tool returns as `{"result": TEXT}`.
fn says_the_same<'a>(
    structure: &Structure,
    texts: impl Iterator<Item = &'a Range<u64>>,
    body: Body<'_>,
) -> Result<bool, Trouble> {
    let mut hash = CompactHash::default();
    body.pieces(structure.value.clone(), |piece| {
        hash.push(piece);
        Ok::<_, Trouble>(())
    })?;
    let structure_hash = hash.hex();
    let wrapped = structure.wrapped.as_ref();
    let wrapped_hash = match wrapped.map(|string| text_hash(body, string)) {
        Some(Err(Trouble::NoText)) | None => None,
        Some(hash) => Some(hash?),
    };
    for text in texts {
        let mut hash = CompactHash::default();
        read_text(body, text, |ready| {
            hash.push(ready);
            Ok(())
        })?;
        if hash.hex() == structure_hash
            || (wrapped_hash.is_some() && Some(text_hash(body, text)?) == wrapped_hash)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The hash of the text in a JSON string, which includes its quotes.
fn text_hash(body: Body<'_>, string: &Range<u64>) -> Result<String, Trouble> {
    let mut hash = Sha256Stream::default();
    read_text(body, string, |ready| {
        hash.update(ready);
        Ok(())
    })?;
    Ok(hash.hex())
}

/// Hashes JSON without the whitespace between its tokens.
#[derive(Default)]
struct CompactHash {
    compact: Compact,
    hash: Sha256Stream,
    /// Tokens are collected, because hashing each separately would be slower.
    buffer: Vec<u8>,
}

impl CompactHash {
    fn push(&mut self, piece: &[u8]) {
        self.buffer.clear();
        let buffer = &mut self.buffer;
        self.compact
            .push(piece, |tokens| buffer.extend_from_slice(tokens));
        self.hash.update(&self.buffer);
    }

    fn hex(self) -> String {
        self.hash.hex()
    }
}

/// Decodes a JSON string, which includes its quotes, and passes its text to `take`.
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
