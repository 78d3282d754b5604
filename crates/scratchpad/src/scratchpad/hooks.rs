//! Verbs on what hosts announce through their hooks.

use std::io::Write as _;
use std::path::Path;

use super::Scratchpad;
use crate::disk::private;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::host::Host;
use crate::model::host::hook::{
    Answer, Delivery, Event, EventKind, Facts, HookSettings, HookState, ROOM, StartReason,
    ToolResult, decide, is_left_alone, large_texts, with_texts,
};
use crate::model::id::SessionId;
use crate::model::output::tool;
use crate::model::pad::Pad;
use crate::model::pad::block;
use crate::model::session::process::{Process, host_of};
use crate::model::text::message::message;
use crate::store::{Attended, Binding, HookCall};

/// How a hook was called.
#[derive(Clone, Copy, Debug)]
pub struct Hooked<'a> {
    /// The host that calls.
    pub host: &'static Host,
    /// The event that it sent.
    pub event: &'a Event,
    /// The processes above the hook, nearest first.
    pub ancestors: &'a [Process],
    /// The conversation that this one is a copy of, as the host says.
    pub original: Option<&'a SessionId>,
    /// The same, from the command line that started the host's process.
    pub original_at_start: Option<&'a SessionId>,
    /// What is said at the start of a conversation, before the block.
    pub start: &'a str,
    /// What the person chose.
    pub settings: &'a HookSettings,
}

#[doc(hidden)]
impl Scratchpad {
    /// Takes a call of a hook, and answers what the agent should get.
    pub fn hooked(&self, hooked: &Hooked<'_>) -> Result<Answer> {
        match &hooked.event.kind {
            EventKind::Tool(result) => {
                let answer = self.shorten(hooked.host, &hooked.event.session, result)?;
                let may_speak = hooked.settings.nudges.at_tools
                    || hooked.host.hooks.delivery == Delivery::AfterTools;
                if answer == Answer::Nothing && may_speak {
                    return self.attend(hooked);
                }
                Ok(answer)
            }
            // The store is not needed.
            EventKind::OwnTool(_) => Ok(judge(hooked, &Pad::default(), 0, &HookState::default()).0),
            // It changes nothing, and comes before every request to the model.
            EventKind::ModelCall(_) => {
                let pad = self.pad(&hooked.event.session)?;
                Ok(judge(hooked, &pad, 0, &HookState::default()).0)
            }
            EventKind::Start(source) => {
                if hooked.original.is_some() || *source == StartReason::Fork {
                    self.inherit(hooked)?;
                }
                self.attend(hooked)
            }
            _ => self.attend(hooked),
        }
    }

    /// Remembers a call, with the binding that it makes or ends.
    fn attend(&self, hooked: &Hooked<'_>) -> Result<Answer> {
        let binding = match (&hooked.event.kind, host_of(hooked.ancestors)) {
            _ if hooked.event.is_sub_agent => Binding::Stays,
            (EventKind::Start(_) | EventKind::Prompt, Some(process)) => Binding::Begins(process),
            (EventKind::End, Some(process)) => Binding::Ends(process),
            _ => Binding::Stays,
        };
        let call = HookCall {
            host: hooked.host.name,
            event: &hooked.event.name,
            session: &hooked.event.session,
            binding,
            at: self.now(),
        };
        let mut answer = Answer::Nothing;
        self.store()?.attend(&call, &mut |session, attention| {
            let empty = Pad::default();
            let (pad, revision) = session.map_or((&empty, 0), |it| (&it.pad, it.revision));
            let (said, after) = judge(hooked, pad, revision, attention);
            answer = said;
            after
        })?;
        Ok(answer)
    }

    /// Gives a forked conversation a copy of the original's pad.
    fn inherit(&self, hooked: &Hooked<'_>) -> Result<()> {
        let to = &hooked.event.session;
        let original = self.original_session(hooked)?;
        let Some(from) = original.filter(|from| from != to) else {
            return Ok(());
        };
        if self.session(&from)?.is_none() {
            return Ok(());
        }
        match self.fork_as(&from, to) {
            // It has a pad already: the host said the same twice.
            Err(error) if error.kind() == ErrorKind::Refused => Ok(()),
            done => done,
        }
    }

    /// Keeps the large texts of a tool's result as outputs.
    fn shorten(&self, host: &Host, session: &SessionId, result: &ToolResult) -> Result<Answer> {
        let threshold = self.offload().threshold(host.name, &result.tool);
        let (true, Some(threshold)) = (host.hooks.replaces_results, threshold) else {
            return Ok(Answer::Nothing);
        };
        // A script would get the reference in place of its data; in Codex, as an error.
        if self.offload().leaves(result.call_id.as_deref()) {
            return Ok(Answer::Nothing);
        }
        // Of a file that it chose to read, an agent gets as much at once as of an output.
        let threshold = if result.is_file() {
            threshold.max(self.output_limits.read_max_bytes as u64)
        } else {
            threshold
        };
        let texts = large_texts(&result.response, threshold);
        if texts.is_empty() {
            return Ok(Answer::Nothing);
        }
        let own_files = self.store()?.directory().unwrap_or_default();
        if is_left_alone(result, &own_files.to_string_lossy()) {
            return Ok(Answer::Nothing);
        }
        let mut references = Vec::new();
        for text in texts {
            let mut staged = self.stage_output()?;
            staged.write_all(text.as_bytes()).map_err(|error| {
                Error::store(message!(
                    "Can't write what is to be kept: {error}.",
                    error = error.to_string()
                ))
            })?;
            let kept = self.keep_staged(session, &result.tool, staged, tool::READ)?;
            references.push(kept.text);
        }
        let text = references.join("\n\n");
        let mut response = result.response.clone();
        with_texts(&mut response, threshold, &mut references.into_iter());
        Ok(Answer::Result { response, text })
    }

    /// Puts the block of a session into a file that its host shows the agent in each turn.
    ///
    /// A file with a text of somebody else is left alone.
    pub fn show_in(&self, file: &Path, session: &SessionId) -> Result<()> {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        let is_ours = old.trim().is_empty() || old.starts_with(block::START);
        let new = block::render_within(&self.pad(session)?, ROOM).unwrap_or_default();
        if is_ours && new != old {
            private::replace(file, new.as_bytes())?;
        }
        Ok(())
    }

    /// The last call of a host's hooks.
    pub fn last_attended(&self, host: &Host) -> Result<Option<Attended>> {
        self.store()?.last_attended(host.name)
    }
}

fn judge(
    hooked: &Hooked<'_>,
    pad: &Pad,
    revision: u64,
    attention: &HookState,
) -> (Answer, HookState) {
    let facts = Facts {
        pad,
        revision,
        attention,
        start: hooked.start,
        settings: hooked.settings,
    };
    let decision = decide(hooked.host, hooked.event, &facts);
    (decision.answer, decision.attention)
}
