//! Verbs on outputs.

use std::io::{self, Read, Write};

use super::{Scratchpad, probing};
use crate::model::error::{Error, Result};
use crate::model::id::{OutputId, ProjectId, SessionId};
use crate::model::output::Origin;
use crate::model::output::describe::Description;
use crate::model::output::ledger::Entry;
use crate::model::output::ledger::size::Size;
use crate::model::output::page::{Shown, Wanted};
use crate::model::output::probe::{Found, Probe};
use crate::model::output::reference::{Reader, Reference, ReferenceFacts};
use crate::model::output::reply;
use crate::model::output::reply::Listed;
use crate::model::output::room::Room;
use crate::model::output::slice::{Cut, Slice, SliceResult, cut_bytes, cut_lines};
use crate::model::output::sql;
use crate::model::output::sql::Source;
use crate::model::output::tool;
use crate::model::output::tool::{OutputCall, ReadCall};
use crate::model::text::message::{Message, Value, message, number, quoted};
use crate::model::text::nearest::nearest;
use crate::model::text::quantity::shortened;
use crate::model::tool::Reply;
use crate::store::{OutputDraft, OutputFilter, Staged, Stored};

/// The largest output that is read into memory.
const WHOLE_MAX_BYTES: u64 = 64 << 20;

/// The longest name of a tool that is stored with an output, in characters.
const TOOL_MAX_CHARS: usize = 200;

/// Whether a text was kept as an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is small, or outputs are off: use the text itself.
    No,
    /// It was kept: use the reference instead.
    As(Reference),
}

impl Scratchpad {
    /// Keeps a tool result that is larger than the threshold, and so too large for the context window.
    ///
    /// An error if it can't be kept, or if there is no room for it: then use the text itself.
    pub fn keep_output(&self, session: &SessionId, tool: &str, text: &[u8]) -> Result<Kept> {
        self.keep_large(session, Origin { upstream: "", tool }, text, tool::READ)
    }

    /// Like [`Self::keep_output`]; `reader` is the tool that reads it, by its name in that host.
    pub(super) fn keep_large(
        &self,
        session: &SessionId,
        origin: Origin<'_>,
        text: &[u8],
        reader: &str,
    ) -> Result<Kept> {
        let threshold = self.offload.threshold(origin.upstream, origin.tool);
        if threshold.is_none_or(|threshold| text.len() as u64 <= threshold) {
            return Ok(Kept::No);
        }
        let mut staged = self.stage_output()?;
        staged.write_all(text).map_err(|error| not_staged(&error))?;
        let reference = self.keep_staged(session, origin, staged, reader)?;
        self.sync_outputs()?;
        Ok(Kept::As(reference))
    }
}

/// Who can see an output.
#[derive(Clone, Copy, Debug)]
enum SeenBy<'a> {
    /// All sessions of a project.
    Project(&'a ProjectId),
    /// Only the session whose pad was cut from it.
    Session,
}

#[doc(hidden)]
impl Scratchpad {
    /// Starts an output: write its content to the result. Dropping that discards it.
    pub fn stage_output(&self) -> Result<Staged> {
        self.store()?.stage()
    }

    /// Keeps what was staged, and returns the reference that replaces it.
    ///
    /// `reader` is how the agent reads it: a tool, by its name in that host, or the command line. Once this returns,
    /// killing the process loses nothing; [`Self::sync_outputs`] makes the output survive a power loss.
    pub fn keep_staged<'a>(
        &self,
        session: &SessionId,
        origin: Origin<'_>,
        staged: Staged,
        reader: impl Into<Reader<'a>>,
    ) -> Result<Reference> {
        let mut references = self.keep_all_staged(session, origin, vec![staged], reader)?;
        references
            .pop()
            .ok_or_else(|| Error::store("The store did not say what it kept."))
    }

    /// The same for several texts, in their order. If one can't be kept, use all texts themselves.
    pub fn keep_all_staged<'a>(
        &self,
        session: &SessionId,
        origin: Origin<'_>,
        staged: Vec<Staged>,
        reader: impl Into<Reader<'a>>,
    ) -> Result<Vec<Reference>> {
        let descriptions = staged.iter().map(description_of);
        let descriptions: Vec<Description> = descriptions.collect::<Result<_>>()?;
        let store = self.store()?;
        let reader = reader.into();
        let reference = |id: &OutputId, description: &Description| {
            Reference::new(&ReferenceFacts {
                id,
                tool: origin.tool,
                description,
                preview_chars: self.output_limits.preview_chars(),
                reader,
                file: store.file(id).as_deref(),
            })
        };
        // The ledger is written with the outputs, so their references must be known before; ids are almost never longer.
        let mut entries = Vec::new();
        for (staged, description) in staged.iter().zip(&descriptions) {
            let hash = staged.hash();
            let id = OutputId::new(hash.get(..OutputId::MIN_DIGITS).unwrap_or(&hash))?;
            let (bytes, text) = (staged.bytes(), reference(&id, description).text);
            entries.push(self.kept_entries(origin, &mut staged.reader()?, bytes, &text));
        }
        let seen_by = SeenBy::Project(&self.project);
        let ids = self.keep_as(session, seen_by, origin, &descriptions, staged, &entries)?;
        let kept = ids.iter().zip(&descriptions);
        Ok(kept
            .map(|(id, description)| reference(id, description))
            .collect())
    }

    /// Keeps the whole of a text that is cut for a session's pad, durably: only that session sees it, and it is never
    /// pruned while a revision of the pad needs it.
    pub(super) fn keep_for_pad(
        &self,
        session: &SessionId,
        tool: &str,
        text: &[u8],
    ) -> Result<OutputId> {
        let mut staged = self.stage_output()?;
        staged.write_all(text).map_err(|error| not_staged(&error))?;
        let description = description_of(&staged)?;
        let origin = Origin { upstream: "", tool };
        let kept = self.keep_as(
            session,
            SeenBy::Session,
            origin,
            &[description],
            vec![staged],
            &[],
        )?;
        self.store()?.sync()?;
        let id = kept.into_iter().next();
        id.ok_or_else(|| Error::store("The store did not say what it kept."))
    }

    fn keep_as(
        &self,
        session: &SessionId,
        seen_by: SeenBy<'_>,
        origin: Origin<'_>,
        descriptions: &[Description],
        staged: Vec<Staged>,
        entries: &[Vec<Entry>],
    ) -> Result<Vec<OutputId>> {
        let preview_chars = self.output_limits.preview_chars();
        let previews = descriptions.iter();
        let previews: Vec<String> = previews.map(|it| it.preview(preview_chars)).collect();
        let (project, is_pinned) = match seen_by {
            SeenBy::Project(project) => (Some(project), false),
            SeenBy::Session => (None, true),
        };
        let now = self.now();
        let upstream = shortened(origin.upstream, TOOL_MAX_CHARS - 1);
        let tool = shortened(origin.tool, TOOL_MAX_CHARS - 1);
        let described = descriptions.iter().zip(&previews);
        // A text for a pad has no entries.
        let entries = entries
            .iter()
            .map(Vec::as_slice)
            .chain(std::iter::repeat(&[][..]));
        let described = described.zip(entries);
        let drafts = described.map(|((description, preview), entries)| OutputDraft {
            origin: Origin {
                upstream: &upstream,
                tool: &tool,
            },
            session,
            project,
            kind: description.kind,
            lines: description.lines,
            preview,
            is_pinned,
            at: now,
            room: (!is_pinned).then(|| Room::new(&self.output_limits, now)),
            entries,
        });
        self.store()?.keep_all(drafts.zip(staged).collect())
    }

    /// Makes kept outputs durable, and prunes. Call it after the reply has been sent.
    pub fn sync_outputs(&self) -> Result<()> {
        self.store()?.sync()?;
        self.prune_outputs().map(drop)
    }

    /// A reader at the start of an output, and the output's size. Counts as a use.
    pub fn output(&self, id: &OutputId) -> Result<(Box<dyn Stored>, u64)> {
        let store = self.store()?;
        match store.read(id)? {
            Some(found) => {
                // Best effort: a read-only store can still be read.
                let _ = store.touch(id, self.now());
                Ok(found)
            }
            None => Err(self.no_such_output(id)?),
        }
    }

    /// The whole of an output in memory; an error if it is too large.
    pub fn whole_output(&self, id: &OutputId) -> Result<Vec<u8>> {
        let (content, bytes) = self.output(id)?;
        if bytes > WHOLE_MAX_BYTES {
            return Err(Error::refused(message!(
                "Output {id} has {bytes} bytes; up to {whole_max_bytes} are returned whole.",
                id = id.to_string(),
                bytes = number(bytes),
                whole_max_bytes = number(WHOLE_MAX_BYTES)
            ))
            .hint(message!("read a part of it: {read}.", read = tool::READ)));
        }
        let mut whole = Vec::new();
        content
            .take(bytes)
            .read_to_end(&mut whole)
            .map_err(|error| {
                Error::store(message!(
                    "Can't read output {id}: {error}.",
                    id = id.to_string(),
                    error = error.to_string()
                ))
            })?;
        Ok(whole)
    }

    /// Text of at most `max` bytes of an output, from an offset, and the output's size; no text past the end.
    pub fn output_page(
        &self,
        id: &OutputId,
        offset: u64,
        max: usize,
    ) -> Result<(Option<Cut>, u64)> {
        let (mut content, total) = self.output(id)?;
        let found = cut_bytes(&mut content, offset, usize::MAX, max).map_err(|error| {
            Error::store(message!(
                "Can't read output {id}: {error}.",
                id = id.to_string(),
                error = error.to_string()
            ))
        })?;
        Ok(match found {
            SliceResult::Part(cut) => (Some(cut), total),
            SliceResult::PastTheEnd(_) => (None, total),
        })
    }

    /// The same for a person who looks at it: at once however large it is, and not counted as a use.
    pub fn look_at_output(
        &self,
        id: &OutputId,
        offset: u64,
        max: usize,
    ) -> Result<(Option<Cut>, u64)> {
        let found = self.store()?.peek(id)?;
        let Some((mut content, total)) = found else {
            return Err(self.no_such_output(id)?);
        };
        Ok(match cut_bytes(&mut content, offset, usize::MAX, max) {
            Ok(SliceResult::Part(cut)) => (Some(cut), total),
            Ok(SliceResult::PastTheEnd(_)) => (None, total),
            Err(error) => {
                return Err(Error::store(message!(
                    "Can't read output {id}: {error}.",
                    id = id.to_string(),
                    error = error.to_string()
                )));
            }
        })
    }

    pub(super) fn no_such_output(&self, id: &OutputId) -> Result<Error> {
        let store = self.store()?;
        if let Some(at) = store.removed(id)? {
            return Ok(Error::not_found(message!(
                "Output {id} is no longer kept: it was removed at {time}.",
                id = id.to_string(),
                time = Value::Time(at)
            ))
            .hint("rerun what produced it."));
        }
        let error = Error::not_found(message!(
            "Output {id} not found: it was never kept here.",
            id = id.to_string()
        ));
        Ok(match self.nearest_outputs(id.as_str())? {
            Some(near) => error.hint(near),
            None => error,
        })
    }

    /// The error for a beginning of an id that no output has.
    pub(super) fn no_output_begins(&self, beginning: &str) -> Result<Error> {
        let near = self.nearest_outputs(beginning)?;
        Ok(Error::not_found(message!(
            "No output begins with {beginning}.",
            beginning = quoted(beginning)
        ))
        .hint(near.unwrap_or_else(|| "`scratchpad output list` shows the ids.".into())))
    }

    /// The ids most like this one, as a hint.
    fn nearest_outputs(&self, id: &str) -> Result<Option<Message>> {
        let kept = self.store()?.outputs(OutputFilter::Everything)?;
        let near = nearest(id, kept.iter().map(|output| output.id.as_str()), 3);
        Ok((!near.is_empty()).then(|| message!("the nearest: {ids}.", ids = near.join(", "))))
    }

    /// Reads a part of an output: at most `max` bytes, by default the limit for agents.
    pub fn read_output(&self, call: &ReadCall, max: Option<usize>) -> Result<Reply> {
        self.read_part(None, call, max)
    }

    fn read_part(
        &self,
        session: Option<&SessionId>,
        call: &ReadCall,
        max: Option<usize>,
    ) -> Result<Reply> {
        let (mut content, total) = self.output(&call.id)?;
        let for_agents = self.output_limits.read_max_bytes;
        let asked = call.limit().unwrap_or(tool::PAGE_BYTES);
        let page_max = max.map_or(asked.min(for_agents), |max| call.limit().unwrap_or(max));
        let max = max.unwrap_or(for_agents);
        let failed = |error: io::Error| {
            Error::store(message!(
                "Can't read output {id}: {error}.",
                id = call.id.to_string(),
                error = error.to_string()
            ))
        };
        Ok(match &call.slice {
            Slice::Whole => {
                let found = cut_bytes(&mut content, 0, usize::MAX, max).map_err(failed)?;
                reply::part(call, total, found)
            }
            Slice::Bytes { offset, limit } => {
                let found = cut_bytes(&mut content, *offset, *limit, max).map_err(failed)?;
                reply::part(call, total, found)
            }
            Slice::Lines(range) => {
                let found = cut_lines(&mut content, *range, max).map_err(failed)?;
                reply::part(call, total, found)
            }
            Slice::Probe(probe, offset) => {
                let wanted = Wanted {
                    offset: *offset,
                    limit: page_max,
                };
                let (found, shown) = self.probe(probe, content, total, wanted, session)?;
                reply::found(call, probe, total, &found, &shown)
            }
        })
    }

    /// Runs a probe over an output; returns what it found, and the wanted part of it.
    pub(super) fn probe(
        &self,
        probe: &Probe,
        content: Box<dyn Stored>,
        bytes: u64,
        wanted: Wanted,
        session: Option<&SessionId>,
    ) -> Result<(Found, Shown)> {
        let (probe, content) = self.whole_probe(probe, content, bytes)?;
        let asked = probing::Asked {
            probe: &probe,
            bytes,
            wanted,
            session,
            cancel: &self.cancel,
        };
        match &self.program {
            Some(program) => probing::in_process_of(program, &self.probes, &asked, content),
            None => probing::here(&asked, content),
        }
    }

    /// A probe with all that it reads: a query may name other outputs too.
    fn whole_probe(
        &self,
        probe: &Probe,
        content: Box<dyn Stored>,
        bytes: u64,
    ) -> Result<(Probe, Box<dyn Read + Send>)> {
        let mut whole = probe.clone();
        let mut content: Box<dyn Read + Send> = Box::new(content);
        let mut all = bytes;
        if let Probe::Sql { query, sources } = &mut whole {
            sources.push(Source::own(bytes));
            for other in sql::others(query)? {
                let (more, bytes) = self.output(&other)?;
                sources.push(Source::other(&other, bytes));
                content = Box::new(content.chain(more));
                all = all.saturating_add(bytes);
            }
        }
        let most = probing::MAX_JSON_BYTES;
        if matches!(whole, Probe::Grep { .. }) || all <= most {
            return Ok((whole, content));
        }
        Err(Error::refused(message!(
            "`{way}` works on outputs of up to {most} bytes; this takes {bytes}.",
            way = whole.name(),
            most = number(most),
            bytes = number(all)
        ))
        .hint("slice it by `grep` or `offset`, or run jq on its file."))
    }

    /// Runs an output tool whose arguments are already parsed.
    pub(super) fn output_tool(
        &self,
        session: &SessionId,
        call: &OutputCall,
        written: Size,
    ) -> Result<Reply> {
        let reply = match call {
            OutputCall::Read(call) => self.read_part(Some(session), call, None),
            OutputCall::List { query, tool, limit } => {
                let outputs = self.list_outputs(session)?;
                let found = self.find_outputs(outputs, query.as_ref(), tool.as_deref())?;
                Ok(self.outputs_listed(&found, *limit))
            }
        }?;
        self.book_read(session, call, written, &reply);
        Ok(reply)
    }

    pub fn outputs_listed(&self, found: &[Listed], limit: usize) -> Reply {
        reply::listed(found, limit, self.output_limits.max_total_bytes)
    }
}

fn description_of(staged: &Staged) -> Result<Description> {
    Description::of(&mut staged.reader()?).map_err(|error| {
        Error::store(message!(
            "Can't read the text to keep: {error}.",
            error = error.to_string()
        ))
    })
}

fn not_staged(error: &std::io::Error) -> Error {
    Error::store(message!(
        "Can't write the text to keep: {error}. Nothing was changed.",
        error = error.to_string()
    ))
}
