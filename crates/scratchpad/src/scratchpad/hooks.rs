//! Verbs on the hook events of hosts.

use std::io::Write as _;
use std::path::Path;

use super::Scratchpad;
use crate::ancestry;
use crate::disk::replace::replace_private;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::host::hook::{
    Answer, Decision, Delivery, Event, EventKind, GivenNotes, HookFacts, HookSettings, HookState,
    Mirror, NotesNow, ROOM, Receipt, StartReason, ToolResult, decide, is_left_alone, large_texts,
    task_call, with_texts,
};
use crate::model::host::{Host, process_names};
use crate::model::id::{Millis, SessionId};
use crate::model::output::ledger::Entry;
use crate::model::output::reference::named_output;
use crate::model::output::{Origin, tool};
use crate::model::pad::Pad;
use crate::model::pad::block;
use crate::model::pad::block::PlanView;
use crate::model::session::announce::{Remembered, announced, private_ancestors};
use crate::model::session::process::Process;
use crate::model::text::message::{Message, message};
use crate::model::tool::Group;
use crate::store::{Binding, Heard, HookCall, LastHookCall, OutputFilter};

/// The maximum number of texts of one result that are kept, as in the proxy. The rest pass unchanged.
const MAX_TEXTS: usize = 128;

#[derive(Clone, Copy)]
pub struct Hooked<'a> {
    pub host: &'static Host,
    pub event: &'a Event,
    /// The processes above the hook, nearest first.
    pub ancestors: &'a [Process],
    /// The conversation that this one is a copy of, as named by the host.
    pub original: Option<&'a SessionId>,
    /// The same, from the command line of the host's process.
    pub original_at_start: Option<&'a SessionId>,
    /// Guidance for a conversation that begins.
    pub start: &'a str,
    /// Whether the host's model has our tools.
    pub offers_tools: bool,
    /// Whether the host's own task list is kept as the plan.
    pub mirrors_tasks: bool,
    /// A time as the person's clock shows it.
    pub clock: &'a dyn Fn(Millis) -> String,
    /// The person's context notes; `None` if they look as they did when they were given.
    pub context: &'a dyn Fn(&GivenNotes) -> Option<NotesNow>,
    pub settings: &'a HookSettings,
    /// The branch that is checked out, empty if none is known; `None` at events at which no turn begins.
    pub branch: Option<&'a str>,
    /// The linked worktree; empty in the main one.
    pub worktree: &'a str,
}

/// What is to be said to a host.
#[derive(Debug)]
pub struct HookReply {
    pub answer: Answer,
    /// What was given back, for the person to see.
    pub receipt: Option<Message>,
}

impl From<Answer> for HookReply {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            receipt: None,
        }
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// Handles a hook call, and returns what the agent and the person should get.
    pub fn hooked(&self, hooked: &Hooked<'_>) -> Result<HookReply> {
        let without_hints = HookSettings::default();
        let hooked = &if self.offers(Group::Pad) {
            *hooked
        } else {
            Hooked {
                settings: &without_hints,
                ..*hooked
            }
        };
        match &hooked.event.kind {
            EventKind::Tool(result) => {
                let answer = self.shorten(hooked.host, &hooked.event.session, result)?;
                if hooked.mirrors_tasks
                    && self.offers(Group::Pad)
                    && let Some(call) = task_call(hooked.host.hooks.task_tools, result)
                {
                    let reply = self.mirror(hooked, &call)?;
                    return Ok(match answer {
                        Answer::Nothing => reply,
                        shortened => shortened.into(),
                    });
                }
                let may_speak = hooked.settings.nudges.at_tools
                    || hooked.host.hooks.delivery == Delivery::AfterTools;
                if answer == Answer::Nothing && may_speak {
                    return self.attend(hooked, &Mirror::default());
                }
                Ok(answer.into())
            }
            // The store is not needed: what is to be noted of them is noted after the answer.
            EventKind::ToolFailed(_) | EventKind::Compacted(_) => Ok(Answer::Nothing.into()),
            EventKind::End if hooked.event.is_sub_agent => Ok(Answer::Nothing.into()),
            EventKind::OwnTool(_) => {
                let nothing = (&Pad::default(), 0, &HookState::default());
                Ok(judge(hooked, nothing, None).answer.into())
            }
            // It precedes every request to the model, so it must be cheap: nothing is written.
            EventKind::ModelCall(_) => {
                let pad = self.shown_pad(&hooked.event.session)?;
                let hook_state = self.state_if_mirrored(&hooked.event.session, &pad)?;
                Ok(judge(hooked, (&pad, 0, &hook_state), None).answer.into())
            }
            EventKind::Start(source) => {
                let is_copy = hooked.original.is_some() || *source == StartReason::Fork;
                let mirror = if is_copy && self.offers(Group::Pad) {
                    self.inherit(hooked)?
                } else {
                    Mirror::default()
                };
                self.attend(hooked, &mirror)
            }
            _ => self.attend(hooked, &Mirror::default()),
        }
    }

    /// Records a call, and the binding that it creates or removes. `inherited` is what the original of a fork mirrored.
    fn attend(&self, hooked: &Hooked<'_>, inherited: &Mirror) -> Result<HookReply> {
        let call = self.call_of(hooked);
        let mut reply = HookReply::from(Answer::Nothing);
        self.store()?.attend(&call, &mut |session, hook_state| {
            let mut hook_state = hook_state.clone();
            if hook_state.mirror.is_empty() {
                hook_state.mirror.clone_from(inherited);
            }
            let empty = Pad::default();
            let (pad, revision) = session.map_or((&empty, 0), |it| (&it.pad, it.revision));
            let pad = if self.offers(Group::Pad) { pad } else { &empty };
            let (said, after, binding) = heard(hooked, &call, (pad, revision, &hook_state));
            reply = said;
            Heard {
                hook_state: after,
                binding,
                entries: self.costs(hooked, &reply.answer),
            }
        })?;
        Ok(reply)
    }

    /// What an answer costs in the window, and at the start of a conversation the list of our tools.
    pub(super) fn costs(&self, hooked: &Hooked<'_>, answer: &Answer) -> Vec<Entry> {
        let is_start = matches!(hooked.event.kind, EventKind::Start(_));
        let listed = (is_start && hooked.offers_tools).then(|| self.listed());
        let listed = listed.flatten();
        listed.into_iter().chain(self.injected(answer)).collect()
    }

    pub(super) fn call_of<'a>(&self, hooked: &'a Hooked<'_>) -> HookCall<'a> {
        HookCall {
            host: hooked.host.name,
            event: &hooked.event.name,
            session: &hooked.event.session,
            at: self.now(),
        }
    }

    /// Gives a forked conversation a copy of the original's pad. Returns what the original mirrored.
    fn inherit(&self, hooked: &Hooked<'_>) -> Result<Mirror> {
        let to = &hooked.event.session;
        let original = self.original_session(hooked)?;
        let Some(from) = original.filter(|from| from != to) else {
            return Ok(Mirror::default());
        };
        if self.session(&from)?.is_none() {
            return Ok(Mirror::default());
        }
        match self.fork_as(&from, to) {
            // It has a pad already: the host sent the event twice.
            Err(error) if error.kind() == ErrorKind::Refused => Ok(Mirror::default()),
            Err(error) => Err(error),
            // The copy counts its own revisions.
            Ok(()) => {
                let mut mirror = self.hook_state(&from)?.mirror;
                mirror.revision = 0;
                Ok(mirror)
            }
        }
    }

    /// Keeps the large texts of a tool result as outputs.
    fn shorten(&self, host: &Host, session: &SessionId, result: &ToolResult) -> Result<Answer> {
        let threshold = self.offload().threshold(host.name, &result.tool);
        let (true, Some(threshold)) = (host.hooks.replaces_results, threshold) else {
            return Ok(Answer::Nothing);
        };
        // A script would get the reference instead of its data; in Codex, as an error.
        if self.offload().leaves(result.call_id.as_deref()) {
            return Ok(Answer::Nothing);
        }
        // An agent that reads a file gets as much at once as when it reads an output.
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
        // All at once: a transaction for each would take most of the time.
        let (mut staged, mut is_kept) = (Vec::new(), Vec::new());
        for text in texts {
            let passes = staged.len() >= MAX_TEXTS || self.is_reference(text)?;
            is_kept.push(!passes);
            if !passes {
                let mut content = self.stage_output()?;
                content.write_all(text.as_bytes()).map_err(|error| {
                    Error::store(message!(
                        "Can't write the text to keep: {error}.",
                        error = error.to_string()
                    ))
                })?;
                staged.push(content);
            }
        }
        let origin = Origin {
            upstream: host.name,
            tool: &result.tool,
        };
        let mut kept = self
            .keep_all_staged(session, origin, staged, tool::READ)?
            .into_iter();
        let references: Vec<Option<String>> = is_kept
            .into_iter()
            .map(|is_kept| is_kept.then(|| kept.next()).flatten().map(|it| it.text))
            .collect();
        let kept: Vec<&str> = references.iter().flatten().map(String::as_str).collect();
        if kept.is_empty() {
            return Ok(Answer::Nothing);
        }
        let text = kept.join("\n\n");
        let mut response = result.response.clone();
        with_texts(&mut response, threshold, &mut references.into_iter());
        Ok(Answer::Result { response, text })
    }

    /// Whether a text is a reference: it names an output that is kept.
    fn is_reference(&self, text: &str) -> Result<bool> {
        let Some(id) = named_output(text) else {
            return Ok(false);
        };
        let found = self.store()?.outputs(OutputFilter::Ids(&[id]))?;
        Ok(!found.is_empty())
    }

    /// Writes the block of a session to a file that its host shows the agent on every turn.
    ///
    /// A file with somebody else's text is left alone.
    pub fn show_in(&self, file: &Path, session: &SessionId) -> Result<()> {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        let is_ours = old.trim().is_empty() || old.starts_with(block::START);
        let pad = self.shown_pad(session)?;
        let new = block::render_within(&pad, &PlanView::Open, ROOM).unwrap_or_default();
        if is_ours && new != old {
            replace_private(file, new.as_bytes())?;
        }
        Ok(())
    }

    pub fn last_hook_call(&self, host: &Host) -> Result<Option<LastHookCall>> {
        self.store()?.last_hook_call(host.name)
    }

    /// What a host gave back last, in any of its sessions.
    pub fn last_receipt(&self, host: &Host) -> Result<Option<Receipt>> {
        self.store()?.last_receipt(host.name)
    }

    /// Whether an agent of this host has written to a pad in this project.
    pub fn has_written_pad(&self, host: &Host) -> Result<bool> {
        self.store()?.has_written(host.name, &self.project)
    }
}

/// What the call does to the binding of its host's process.
fn bind(hooked: &Hooked<'_>, state: &mut HookState) -> Binding {
    let is_end = matches!(hooked.event.kind, EventKind::End);
    let is_prompt = matches!(hooked.event.kind, EventKind::Prompt);
    let may_bind = is_end || is_prompt || matches!(hooked.event.kind, EventKind::Start(_));
    if !may_bind || hooked.event.is_sub_agent {
        return Binding::Stays;
    }
    let own = hooked.host.processes;
    let above = private_ancestors(hooked.ancestors, own, &process_names());
    let is_running = |it: &Remembered| ancestry::is_running(it.0, &it.1);
    let found = announced(&above, own, &state.above, is_prompt, is_running);
    match found {
        None => Binding::Stays,
        Some(found) if is_end => {
            state.above.clear();
            Binding::Ends(found.host)
        }
        Some(found) => {
            state.above = found.remembered;
            Binding::Begins(found.host)
        }
    }
}

/// What to say, and what to remember of a call.
pub(super) fn heard(
    hooked: &Hooked<'_>,
    call: &HookCall<'_>,
    session: (&Pad, u64, &HookState),
) -> (HookReply, HookState, Binding) {
    let (_, _, hook_state) = session;
    let context = is_given_notes(hooked)
        .then(|| (hooked.context)(&hook_state.context))
        .flatten();
    let decision = judge(hooked, session, context.as_ref());
    let receipt = decision.receipt;
    let receipt = receipt.map(|receipt| receipt.at(call.event, call.at));
    let reply = HookReply {
        answer: decision.answer,
        receipt: receipt.as_ref().map(Receipt::message),
    };
    let mut after = decision.hook_state;
    after.receipt = receipt.or(after.receipt);
    let binding = bind(hooked, &mut after);
    if let Some(branch) = hooked.branch {
        branch.clone_into(&mut after.branch);
        hooked.worktree.clone_into(&mut after.worktree);
    }
    (reply, after, binding)
}

/// Whether an event is one at which agents are given context notes.
fn is_given_notes(hooked: &Hooked<'_>) -> bool {
    let is_heard_after_tools = hooked.host.hooks.delivery == Delivery::AfterTools;
    match hooked.event.kind {
        EventKind::Start(_) => true,
        EventKind::Prompt => !is_heard_after_tools,
        EventKind::Tool(_) => is_heard_after_tools,
        _ => false,
    }
}

fn judge(
    hooked: &Hooked<'_>,
    (pad, revision, hook_state): (&Pad, u64, &HookState),
    context: Option<&NotesNow>,
) -> Decision {
    let facts = HookFacts {
        pad,
        revision,
        hook_state,
        start: hooked.start,
        context,
        settings: hooked.settings,
        clock: hooked.clock,
    };
    decide(hooked.host, hooked.event, &facts)
}
