//! Passing an output on by reference: the value that stands for it in the arguments of a call.

use std::io::Read;

use serde::de::IgnoredAny;

use super::Scratchpad;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::id::{OutputId, SessionId};
use crate::model::output::Origin;
use crate::model::output::page::Wanted;
use crate::model::output::pass::{Part, Passed, Passing};
use crate::model::output::probe::Probe;
use crate::model::output::slice::{LineRange, SliceResult, cut_lines};
use crate::model::output::tool::READ;
use crate::model::text::message::{Message, counted, message, number};
use crate::store::OutputFilter;

#[doc(hidden)]
impl Scratchpad {
    /// Where outputs may be passed on.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }

    /// What a reference stands for, as JSON. `to` is the tool that gets it. A text is passed as a string, exactly.
    pub fn passed(&self, session: &SessionId, passed: &Passed, to: Origin<'_>) -> Result<Vec<u8>> {
        let id = &passed.id;
        self.check_flow(id, to)?;
        match &passed.part {
            Part::Whole => as_string(&self.whole_text(id)?),
            Part::Lines(range) => as_string(&self.lines_of_text(id, *range)?),
            Part::Json(expression) => self.one_value(session, id, &Probe::Json(expression.clone())),
            Part::Text(filter) => {
                let value = self.one_value(session, id, &Probe::Text(filter.clone()))?;
                if value.starts_with(b"\"") {
                    return Ok(value);
                }
                Err(refused("`text` gave no text.")
                    .hint("end the filter with | tostring, or use ?json=."))
            }
        }
    }

    /// Refuses what no flow allows.
    fn check_flow(&self, id: &OutputId, to: Origin<'_>) -> Result<()> {
        let store = self.store()?;
        let found = store.outputs(OutputFilter::Ids(std::slice::from_ref(id)))?;
        let Some(head) = found.first() else {
            // What reading it says is why it can't be passed.
            self.output(id)?;
            return Err(refused(message!(
                "Output {id} is not in the list.",
                id = id.to_string()
            )));
        };
        if self.passing.allows(head, to) {
            return Ok(());
        }
        if head.upstream == to.upstream && !to.upstream.is_empty() {
            return Err(refused(message!(
                "Output {id} came from a server called {name}, as many are: it is not known to be this one.",
                id = id.to_string(),
                name = to.upstream
            ))
            .hint("ask the user; they give each server a name: scratchpad proxy --name NAME -- COMMAND."));
        }
        let from = match head.upstream.as_str() {
            "" => message!("a place that is not known"),
            upstream => Message::Verbatim(upstream.to_owned()),
        };
        Err(refused(message!(
            "Output {id} came from {from}, and may not go to {upstream}.",
            id = id.to_string(),
            from,
            upstream = to.upstream
        ))
        .hint(message!(
            "ask the user; they allow it with: scratchpad config set outputs.pass '{flows}'",
            flows = self.passing.with(head, to)
        )))
    }

    fn whole_text(&self, id: &OutputId) -> Result<String> {
        let (content, bytes) = self.output(id)?;
        if bytes > self.passing.pass_max_bytes {
            return Err(self.too_large(id, bytes));
        }
        let mut whole = Vec::new();
        content
            .take(bytes)
            .read_to_end(&mut whole)
            .map_err(|error| unreadable(id, &error))?;
        String::from_utf8(whole).map_err(|_| self.not_text(id))
    }

    fn lines_of_text(&self, id: &OutputId, range: LineRange) -> Result<String> {
        let (mut content, bytes) = self.output(id)?;
        let found = cut_lines(&mut content, range, self.most_passed())
            .map_err(|error| unreadable(id, &error))?;
        match found {
            SliceResult::Part(cut) if cut.shortened => Err(self.too_large(id, bytes)),
            SliceResult::Part(cut) if !cut.is_exact => Err(self.not_text(id)),
            SliceResult::Part(cut) => Ok(cut.text),
            SliceResult::PastTheEnd(lines) => Err(refused(message!(
                "Output {id} has only {lines}.",
                id = id.to_string(),
                lines = counted(lines.unwrap_or(0), "{number} line", "{number} lines")
            ))),
        }
    }

    /// The one value that an expression gives.
    fn one_value(&self, session: &SessionId, id: &OutputId, probe: &Probe) -> Result<Vec<u8>> {
        probe.check()?;
        let way = probe.name();
        let (content, bytes) = self.output(id)?;
        let wanted = Wanted {
            offset: 0,
            // The value ends with a line break.
            limit: self.most_passed().saturating_add(1),
        };
        let (found, shown) = self.probe(probe, content, bytes, wanted, Some(session))?;
        match found.count {
            0 => {
                return Err(look_first(
                    refused(message!("`{way}` gave no value.", way)),
                    id,
                ));
            }
            1 => {}
            many => {
                return Err(refused(message!(
                    "`{way}` gave {many} values.",
                    way,
                    many = number(many)
                ))
                .hint("put the filter in [ ] to pass them as an array."));
            }
        }
        if shown.next.is_some() {
            return Err(self.too_large(id, shown.total - 1));
        }
        let value = shown.bytes.trim_ascii_end();
        if serde_json::from_slice::<IgnoredAny>(value).is_err() {
            let why = message!("`{way}` gave what JSON can't say, like nan.", way);
            return Err(look_first(refused(why), id));
        }
        Ok(value.to_vec())
    }

    fn most_passed(&self) -> usize {
        usize::try_from(self.passing.pass_max_bytes).unwrap_or(usize::MAX)
    }

    fn too_large(&self, id: &OutputId, bytes: u64) -> Error {
        refused(message!(
            "That is too much of output {id}: {bytes} bytes; up to {most} are passed on.",
            id = id.to_string(),
            bytes = number(bytes),
            most = number(self.passing.pass_max_bytes)
        ))
        .hint(PASS_A_PART)
    }

    fn not_text(&self, id: &OutputId) -> Error {
        let refused = refused(message!(
            "Output {id} is not text: it is not UTF-8.",
            id = id.to_string()
        ));
        match self.store().ok().and_then(|store| store.file(id)) {
            Some(file) => refused.hint(message!(
                "its file: {file}",
                file = file.display().to_string()
            )),
            None => refused,
        }
    }
}

/// The hint where too much would be passed.
pub const PASS_A_PART: &str = "pass a part: ?json=…, ?lines=….";

fn as_string(text: &str) -> Result<Vec<u8>> {
    serde_json::to_vec(text).map_err(|error| Error::store(error.to_string()))
}

fn look_first(error: Error, id: &OutputId) -> Error {
    error.hint(message!(
        "look at it first: {tool} {call}",
        tool = READ,
        call = serde_json::json!({"id": id.as_str(), "json": "…"}).to_string()
    ))
}

fn refused(why: impl Into<Message>) -> Error {
    Error::new(ErrorKind::Refused, why)
}

fn unreadable(id: &OutputId, error: &std::io::Error) -> Error {
    Error::store(message!(
        "Can't read output {id}: {error}.",
        id = id.to_string(),
        error = error.to_string()
    ))
}
