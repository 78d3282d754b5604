//! Decides how to answer an event: one pure function over what the store knows.

use std::hash::{DefaultHasher, Hasher as _};

use serde_json::Value;

use super::Delivery;
use super::answer::Answer;
use super::context::NotesNow;
use super::event::{Event, EventKind, StartReason};
use super::receipt::Receipt;
use super::state::HookState;
use crate::model::host::Host;
use crate::model::id::Millis;
use crate::model::pad::Pad;
use crate::model::pad::block;
use crate::model::pad::block::{Fitted, PlanView, Room};
use crate::model::pad::nudge;
use crate::model::settings::hooks::HookSettings;

/// The maximum length of an answer: above 10,000 characters Claude Code and Codex show a stub instead.
pub const ROOM: Room = Room {
    chars: 9_500,
    tokens: 2_400,
};

/// Instructions for Claude Code's summary.
const SUMMARY: &str = "The session scratchpad keeps the plan, the notes and the references and is shown again \
                       after the summary: don't repeat what it holds, but keep ids and paths that are not in it \
                       word for word.";

/// What a decision depends on.
pub struct HookFacts<'a> {
    pub pad: &'a Pad,
    /// The pad's newest revision.
    pub revision: u64,
    pub hook_state: &'a HookState,
    /// Guidance for a new conversation; empty for none.
    pub start: &'a str,
    /// The person's context notes, if they may have changed since the agent was given them.
    pub context: Option<&'a NotesNow>,
    pub settings: &'a HookSettings,
    /// A time as the person's clock shows it.
    pub clock: &'a dyn Fn(Millis) -> String,
}

/// The answer, and the state to store.
#[derive(Debug, PartialEq, Eq)]
pub struct Decision {
    pub answer: Answer,
    pub hook_state: HookState,
    /// What was given back, if the conversation had lost it.
    pub receipt: Option<Receipt>,
}

/// Decides. Tool results that are too large are handled elsewhere: that needs the store of outputs.
pub fn decide(host: &Host, event: &Event, facts: &HookFacts<'_>) -> Decision {
    let mut hook_state = facts.hook_state.clone();
    hook_state.notice(facts.revision);
    let mut receipt = None;
    let answer = match &event.kind {
        EventKind::Start(source) => {
            hook_state.nudges.compacted |= *source == StartReason::Compaction;
            hook_state.given.clear();
            hook_state.mirror.lose();
            let view = plan_view(facts, &hook_state);
            let context = facts.context.map(|now| hook_state.context.begin(now));
            let start = joined([facts.start.to_owned(), context.unwrap_or_default()]);
            let block = (host.hooks.delivery == Delivery::WithPrompts)
                .then(|| give(facts, ROOM.beside(&start), &mut hook_state))
                .flatten();
            let is_given_back = matches!(source, StartReason::Compaction | StartReason::Resume);
            // Others give it with the next request.
            let shown = block.clone().or_else(|| {
                (host.hooks.delivery == Delivery::WithRequests)
                    .then(|| block::fit(facts.pad, &view, ROOM))
                    .flatten()
            });
            receipt = shown.filter(|_| is_given_back).map(|block| {
                Receipt::new(facts.pad, view != PlanView::Hidden, facts.revision, &block)
            });
            said([Some(start), block.map(|it| it.text)])
        }
        EventKind::Prompt => {
            let nudges = (hook_state.nudges)
                .at_prompt(facts.pad, &facts.settings.nudges)
                .join("\n");
            let context = changed_notes(facts, &mut hook_state);
            let beside = joined([context.clone(), nudges.clone()]);
            let block = (host.hooks.delivery == Delivery::WithPrompts)
                .then(|| give_if_due(facts, ROOM.beside(&beside), &mut hook_state))
                .flatten();
            said([Some(context), block.map(|it| it.text), Some(nudges)])
        }
        // The conversation was compacted in the middle of a turn and lost the block.
        EventKind::GoesOn if hook_state.nudges.compacted && hook_state.given.is_empty() => {
            said([give(facts, ROOM, &mut hook_state).map(|it| it.text)])
        }
        EventKind::ModelCall(first_message) => {
            let block = block::render_within(facts.pad, &plan_view(facts, &hook_state), ROOM);
            match (block, first_message) {
                (Some(block), Some(first)) => Answer::FirstMessage(format!("{first}\n\n{block}")),
                (Some(block), None) => Answer::Context(block),
                (None, _) => Answer::Nothing,
            }
        }
        EventKind::Compaction => {
            hook_state.nudges.compacted = true;
            // The cleared conversation no longer has what it was given.
            hook_state.given.clear();
            hook_state.mirror.lose();
            if facts.pad.is_empty() {
                Answer::Nothing
            } else {
                Answer::Summary(SUMMARY.to_owned())
            }
        }
        EventKind::Reply { text } => {
            hook_state.nudges.planned = text.as_deref().is_some_and(nudge::looks_like_a_plan);
            Answer::Nothing
        }
        EventKind::OwnTool(arguments) => {
            let mut arguments = arguments.clone();
            arguments.insert("session".to_owned(), Value::from(event.session.as_str()));
            Answer::Arguments(Value::Object(arguments))
        }
        EventKind::Tool(_) => {
            let nudges = if facts.settings.nudges.at_tools {
                nudge::due(facts.pad, &mut hook_state.nudges, &facts.settings.nudges).join("\n")
            } else {
                String::new()
            };
            let context = changed_notes(facts, &mut hook_state);
            let beside = joined([context.clone(), nudges.clone()]);
            let block = (host.hooks.delivery == Delivery::AfterTools)
                .then(|| give_if_due(facts, ROOM.beside(&beside), &mut hook_state))
                .flatten();
            said([Some(context), block.map(|it| it.text), Some(nudges)])
        }
        EventKind::GoesOn | EventKind::End | EventKind::ToolFailed(_) | EventKind::Compacted(_) => {
            Answer::Nothing
        }
    };
    Decision {
        answer,
        hook_state,
        receipt,
    }
}

/// The block, if it has changed since it was last given, or if that was too many turns ago.
fn give_if_due(facts: &HookFacts<'_>, room: Room, hook_state: &mut HookState) -> Option<Fitted> {
    let every = facts.settings.inject_every_turns;
    let is_long_ago = every > 0 && hook_state.nudges.turns - hook_state.given_at >= every;
    let is_due = is_mirrored(facts, hook_state) && hook_state.mirror.is_due(&facts.pad.plan);
    if is_given(facts, hook_state) && !is_long_ago && !is_due {
        return None;
    }
    give(facts, room, hook_state)
}

/// Whether the conversation has the current block: the same revision, or a later one with the same content.
fn is_given(facts: &HookFacts<'_>, hook_state: &mut HookState) -> bool {
    let is_same = !hook_state.given.is_empty()
        && (hook_state.given_revision == facts.revision
            || hook_state.given == hash(facts, hook_state));
    if is_same {
        hook_state.given_revision = facts.revision;
    }
    is_same
}

/// Renders the block and records that it was given.
fn give(facts: &HookFacts<'_>, room: Room, hook_state: &mut HookState) -> Option<Fitted> {
    let block = block::fit(facts.pad, &plan_view(facts, hook_state), room)?;
    hook_state.mirror.give();
    hook_state.given = hash(facts, hook_state);
    hook_state.given_revision = facts.revision;
    hook_state.given_chars = block.text.chars().count();
    hook_state.given_at = hook_state.nudges.turns;
    Some(block)
}

/// Whether the plan is the host's own list, which is in the conversation already.
fn is_mirrored(facts: &HookFacts<'_>, hook_state: &HookState) -> bool {
    hook_state.mirror.owns(&facts.pad.plan)
}

/// What to show of the plan now.
fn plan_view(facts: &HookFacts<'_>, hook_state: &HookState) -> PlanView {
    let mirror = &hook_state.mirror;
    if !is_mirrored(facts, hook_state) {
        PlanView::Open
    } else if mirror.is_due(&facts.pad.plan) {
        let time = (facts.clock)(mirror.at);
        PlanView::Headed(format!("Plan (from your task list, {time}):"))
    } else {
        PlanView::Hidden
    }
}

/// Hashes the whole pad without a mirrored plan, not the part that is shown: how much fits depends on the rest of the answer.
///
/// Collisions are harmless: the agent is not shown that change until the next start. If another version hashes differently, the block is given once more.
fn hash(facts: &HookFacts<'_>, hook_state: &HookState) -> String {
    let plan = if is_mirrored(facts, hook_state) {
        PlanView::Hidden
    } else {
        PlanView::Open
    };
    let shown = block::render_view(facts.pad, &plan).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    hasher.write(shown.as_bytes());
    format!("{:016x}", hasher.finish())
}

/// The changes to context notes since the agent was given them.
fn changed_notes(facts: &HookFacts<'_>, hook_state: &mut HookState) -> String {
    let update = |now| hook_state.context.update(now);
    facts.context.map(update).unwrap_or_default()
}

fn said<const N: usize>(parts: [Option<String>; N]) -> Answer {
    match joined(parts.map(Option::unwrap_or_default)) {
        text if text.is_empty() => Answer::Nothing,
        text => Answer::Context(text),
    }
}

/// Joins the parts that are not empty with blank lines.
fn joined<const N: usize>(parts: [String; N]) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
