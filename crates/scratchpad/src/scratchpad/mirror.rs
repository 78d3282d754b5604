//! The host's own task list, kept as the plan.

use super::Scratchpad;
use super::hooks::{HookReply, Hooked, heard};
use crate::model::error::Result;
use crate::model::host::hook::mirror::ACTION;
use crate::model::host::hook::{Answer, HookState, TaskCall};
use crate::model::id::SessionId;
use crate::model::pad::plan::items;
use crate::model::pad::revision::{RevisionHead, Write};
use crate::model::pad::{Content, Pad, Space};
use crate::store::{Attended, Heard, View};

impl Scratchpad {
    /// Keeps the list that a call of the host's task tool left, unless the agent has a plan of its own, and handles the call
    /// like that of any other tool.
    pub(super) fn mirror(&self, hooked: &Hooked<'_>, call: &TaskCall) -> Result<HookReply> {
        let hook_call = self.call_of(hooked);
        let mut reply = HookReply::from(Answer::Nothing);
        let mut written = None;
        self.store()?
            .attend_writing(&hook_call, &self.project, &mut |view, hook_state| {
                let (pad, revision) = view
                    .session()
                    .map_or((Pad::default(), 0), |it| (it.pad.clone(), it.revision));
                let mut mirrored = hook_state.clone();
                mirrored.notice(revision);
                let writes = self.mirrored(call, view, (&pad, revision), &mut mirrored)?;
                // What the mirror writes is no use of the pad by the agent.
                let revision = revision + writes.len() as u64;
                mirrored.revision = revision;
                written = (!writes.is_empty()).then_some(revision);
                let mut after = pad;
                for write in &writes {
                    after.put(write.content.clone());
                }
                let (said, hook_state, binding) =
                    heard(hooked, &hook_call, (&after, revision, &mirrored));
                reply = said;
                let entries = self.costs(hooked, &reply.answer);
                Ok(Attended {
                    heard: Heard {
                        hook_state,
                        binding,
                        entries,
                    },
                    writes,
                })
            })?;
        if let Some(revision) = written {
            self.thin(hook_call.session, revision);
        }
        Ok(reply)
    }

    fn mirrored(
        &self,
        call: &TaskCall,
        view: &dyn View,
        (pad, revision): (&Pad, u64),
        hook_state: &mut HookState,
    ) -> Result<Vec<Write>> {
        let mirror = &mut hook_state.mirror;
        // Nobody wrote since the mirror did.
        let is_last = revision > 0 && mirror.revision == revision;
        let is_own = is_last || (!pad.plan.is_empty() && is_mirrored(&view.log()?));
        let is_free = is_own || pad.plan.is_empty();
        let plan = is_free.then_some(pad.plan.as_str());
        let max_chars = self.limits.plan_max_chars;
        let new = mirror.hear(call, plan, max_chars, self.now());
        let new = new.map(|plan| self.cleaned(&plan).0.into_owned());
        // The host's list differs from the plan by its secrets alone.
        let new = new.filter(|new| pad.plan.is_empty() || *new != pad.plan);
        let writes: Vec<Write> = new
            .map(|plan| Write::new(ACTION, Content::Plan(plan)))
            .into_iter()
            .collect();
        if is_own || !writes.is_empty() {
            mirror.revision = revision + writes.len() as u64;
        }
        Ok(writes)
    }

    /// What hooks remember of a session.
    pub(super) fn hook_state(&self, session: &SessionId) -> Result<HookState> {
        let found = (self.store()?).last_calls_about(std::slice::from_ref(session))?;
        Ok(found
            .into_iter()
            .next()
            .map_or_else(HookState::default, |call| call.hook_state))
    }

    /// The same, if it may matter to what is shown of this pad: that is one more read before every request.
    pub(super) fn state_if_mirrored(&self, session: &SessionId, pad: &Pad) -> Result<HookState> {
        if items(&pad.plan).is_empty() {
            return Ok(HookState::default());
        }
        self.hook_state(session)
    }
}

/// Whether the mirror wrote the plan last, by the revisions of its session.
pub(super) fn is_mirrored(log: &[RevisionHead]) -> bool {
    let last = log.iter().rev().find(|head| head.space == Space::Plan);
    last.is_some_and(|head| head.action == ACTION)
}
