//! What an agent would be given now: the same decision as in a hook, with nothing written.

use super::Scratchpad;
use crate::model::error::Result;
use crate::model::host::Host;
use crate::model::host::hook::{
    Answer, Event, EventKind, HookFacts, HookSettings, HookState, NotesNow, Receipt, StartReason,
    decide,
};
use crate::model::id::{Millis, SessionId};
use crate::model::text::message::Message;
use crate::store::LastHookCall;

/// Whose agent, and what is known of its surroundings.
pub struct AskedOf<'a> {
    pub host: &'static Host,
    /// The guidance that its hook gives at a start; empty where the server gives it.
    pub guidance: &'a str,
    /// The person's context notes.
    pub context: &'a NotesNow,
    pub settings: &'a HookSettings,
    /// A time as the person's clock shows it.
    pub clock: &'a dyn Fn(Millis) -> String,
}

/// What an agent would be given, by its host's hooks.
#[derive(Debug)]
pub struct Given {
    /// When its conversation is compacted.
    pub after_compaction: String,
    /// With the person's next message; empty if it has everything already.
    pub with_next_prompt: String,
    /// What of the pad is in the first of these, and what there is no room for.
    pub receipt: Option<Message>,
    /// The last call of the host about the session.
    pub last: Option<LastHookCall>,
}

#[doc(hidden)]
impl Scratchpad {
    /// What the agent of a session would be given now.
    pub fn given(&self, session: &SessionId, asked: &AskedOf<'_>) -> Result<Given> {
        let calls = (self.store()?).last_calls_about(std::slice::from_ref(session))?;
        let last = calls.into_iter().next();
        let hook_state = last
            .as_ref()
            .map_or_else(HookState::default, |call| call.hook_state.clone());
        let pad = self.shown_pad(session)?;
        let revision = self.session(session)?.map_or(0, |found| found.revision);
        let notes = self.notes_at_start(session)?;
        let start = [asked.guidance, &notes];
        let start = start.into_iter().filter(|part| !part.is_empty());
        let start = start.collect::<Vec<_>>().join("\n\n");
        let judged = |kind, start: &str, context| {
            let event = Event {
                name: String::new(),
                session: session.clone(),
                is_sub_agent: false,
                directory: None,
                transcript: None,
                original: None,
                replied_ago: None,
                kind,
            };
            let facts = HookFacts {
                pad: &pad,
                revision,
                hook_state: &hook_state,
                start,
                context,
                settings: asked.settings,
                clock: asked.clock,
            };
            decide(asked.host, &event, &facts)
        };
        let at_start = EventKind::Start(StartReason::Compaction);
        let compacted = judged(at_start, &start, Some(asked.context));
        let has_changed = asked.context.stamp != hook_state.context.stamp;
        let context = has_changed.then_some(asked.context);
        Ok(Given {
            receipt: compacted.receipt.as_ref().map(Receipt::message),
            after_compaction: text_of(compacted.answer),
            with_next_prompt: text_of(judged(EventKind::Prompt, "", context).answer),
            last,
        })
    }
}

fn text_of(answer: Answer) -> String {
    match answer {
        Answer::Context(text) | Answer::Summary(text) | Answer::FirstMessage(text) => text,
        _ => String::new(),
    }
}
