//! Nudges: one-line hints for an agent that forgets to use its memory. All are off by default.

mod plan;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pad;
use super::tool;
use crate::model::json::whole::Whole;
use crate::model::text::quantity::counted;
pub use plan::looks_like_a_plan;

/// How often each nudge is given, in turns; 0 for never, which is the default. Part of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NudgeSettings {
    /// Hint at the pad if it is still empty after this many turns, and again every that many turns; 0 for never.
    #[serde(rename = "nudge_after_turns", with = "Whole::<0, 10_000>")]
    pub after_turns: u64,
    /// Hint at the pad if it is empty and the last reply was a plan, at most once in this many turns; 0 for never.
    #[serde(rename = "nudge_on_plan", with = "Whole::<0, 10_000>")]
    pub on_plan: u64,
    /// Hint at the pad after a compaction, at most once in this many turns; 0 for never.
    #[serde(rename = "nudge_after_compaction", with = "Whole::<0, 10_000>")]
    pub after_compaction: u64,
    /// Hint at the pad if it has not been written for this many turns, and again every that many turns; 0 for never.
    #[serde(rename = "nudge_turns_since_last_use", with = "Whole::<0, 10_000>")]
    pub turns_since_last_use: u64,
    /// Whether hints are also given after tool calls, if the host accepts a hook's text there.
    #[serde(rename = "nudge_at_tools")]
    pub at_tools: bool,
}

impl NudgeSettings {
    /// Few hints: none for an agent that writes now and then, five in forty turns for one that never does.
    pub fn gentle() -> Self {
        Self {
            after_turns: 8,
            on_plan: 4,
            after_compaction: 2,
            turns_since_last_use: 15,
            at_tools: false,
        }
    }

    /// Whether a prompt may get a nudge.
    pub fn is_on(&self) -> bool {
        let Self {
            after_turns,
            on_plan,
            after_compaction,
            turns_since_last_use,
            at_tools: _,
        } = self;
        [after_turns, on_plan, after_compaction, turns_since_last_use]
            .into_iter()
            .any(|every| *every > 0)
    }
}

/// The user's next message, and what happened since the last one.
///
/// Only nudges depend on more than the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<'a> {
    pub(crate) text: &'a str,
    last_reply: Option<&'a str>,
    compacted: bool,
}

impl<'a> Turn<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            last_reply: None,
            compacted: false,
        }
    }

    /// Adds the agent's last reply, for the nudge about a plan that is not on the pad.
    #[must_use]
    pub fn after_reply(self, reply: &'a str) -> Self {
        Self {
            last_reply: Some(reply),
            ..self
        }
    }

    /// Says that the conversation was compacted since the last message.
    #[must_use]
    pub fn after_compaction(self) -> Self {
        Self {
            compacted: true,
            ..self
        }
    }
}

impl<'a> From<&'a str> for Turn<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

impl<'a> From<&'a String> for Turn<'a> {
    fn from(text: &'a String) -> Self {
        Self::new(text)
    }
}

/// What nudges depend on, stored between two prompts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NudgeState {
    /// The number of prompts so far.
    pub turns: u64,
    /// The turn at which the pad's current revision was first seen.
    pub revised_at: u64,
    /// Whether the conversation has been compacted since the last prompt.
    pub compacted: bool,
    /// Whether the last reply looked like a plan.
    pub planned: bool,
    /// The turn of the last nudge of each kind.
    pub nudged: [Option<u64>; 4],
}

impl NudgeState {
    /// Counts a prompt, and returns the nudges to put in front of it.
    pub fn at_prompt(&mut self, pad: &Pad, settings: &NudgeSettings) -> Vec<String> {
        self.turns += 1;
        let lines = due(pad, self, settings);
        self.compacted = false;
        self.planned = false;
        lines
    }

    /// Records what happened since the last prompt, for an agent loop that calls nothing in between.
    pub fn since_last_prompt(&mut self, turn: &Turn<'_>) {
        self.compacted |= turn.compacted;
        if let Some(reply) = turn.last_reply {
            self.planned = looks_like_a_plan(reply);
        }
    }
}

/// The nudges that are due this turn. Records in `state` that they were given.
pub fn due(pad: &Pad, state: &mut NudgeState, settings: &NudgeSettings) -> Vec<String> {
    let tool = tool::NAME;
    let turns = state.turns;
    let unused = turns.saturating_sub(state.revised_at);
    let empty = pad.is_empty();
    let cases = [
        (
            settings.after_turns,
            empty && turns >= settings.after_turns,
            format!(
                "[Hint: your scratchpad is empty after {}. Call {tool} with set_plan or append_notes: it survives compaction.]",
                counted(turns, "turn", "turns")
            ),
        ),
        (
            settings.on_plan,
            empty && state.planned,
            format!("[Hint: your last reply was a plan. Call {tool} with set_plan to keep it.]"),
        ),
        (
            settings.after_compaction,
            state.compacted,
            format!(
                "[Hint: the conversation was just compacted. Call {tool} with append_notes for what must not be lost next time.]"
            ),
        ),
        (
            settings.turns_since_last_use,
            !empty && unused >= settings.turns_since_last_use,
            format!(
                "[Hint: your scratchpad was last written {} ago. Call {tool} to bring notes and plan up to date.]",
                counted(unused, "turn", "turns")
            ),
        ),
    ];
    let mut lines = Vec::new();
    for ((every, is_due, line), nudged) in cases.into_iter().zip(&mut state.nudged) {
        let is_rested = nudged.is_none_or(|last| turns.saturating_sub(last) >= every);
        if every > 0 && is_due && is_rested {
            *nudged = Some(turns);
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::tokens::estimate;

    #[test]
    fn a_nudge_repeats_at_its_own_interval() {
        let settings = NudgeSettings {
            after_turns: 3,
            ..NudgeSettings::default()
        };
        let mut state = NudgeState::default();
        let mut nudged = Vec::new();
        for turn in 1..=10 {
            state.turns = turn;
            if !due(&Pad::default(), &mut state, &settings).is_empty() {
                nudged.push(turn);
            }
        }
        assert_eq!(nudged, [3, 6, 9]);
    }

    #[test]
    fn each_nudge_has_its_own_reason_and_only_comes_if_it_is_on() {
        let all = NudgeSettings {
            after_turns: 2,
            on_plan: 1,
            after_compaction: 1,
            turns_since_last_use: 2,
            at_tools: false,
        };
        let full = Pad {
            plan: "go".to_owned(),
            ..Pad::default()
        };
        let state = |turns, planned, compacted| NudgeState {
            turns,
            compacted,
            planned,
            ..NudgeState::default()
        };
        let cases: [(&Pad, NudgeState, &[&str]); 6] = [
            (&Pad::default(), state(1, false, false), &[]),
            (
                &Pad::default(),
                state(2, true, false),
                &["empty after 2", "was a plan"],
            ),
            (&Pad::default(), state(1, false, true), &["just compacted"]),
            (&full, state(1, true, false), &[]),
            (&full, state(2, true, false), &["last written 2 turns ago"]),
            (&full, state(1, false, true), &["just compacted"]),
        ];
        for (pad, before, expected) in cases {
            let said = due(pad, &mut before.clone(), &all);
            assert_eq!(said.len(), expected.len(), "{before:?}: {said:?}");
            for (line, part) in said.iter().zip(expected) {
                assert!(line.contains(part) && line.contains(tool::NAME), "{line}");
                assert!(line.starts_with("[Hint: ") && line.ends_with(']'), "{line}");
            }
            assert_eq!(
                due(pad, &mut before.clone(), &NudgeSettings::default()),
                [] as [&str; 0]
            );
        }
    }

    #[test]
    fn gentle_hints_are_few_and_an_agent_that_writes_gets_none() {
        let settings = NudgeSettings::gentle();
        let hints = |pad: &Pad, writes_every: u64, replies_with_plans: bool| {
            let mut state = NudgeState::default();
            let mut given = Vec::new();
            for turn in 1..=40 {
                if turn % writes_every == 0 {
                    state.revised_at = state.turns;
                }
                state.planned = replies_with_plans;
                given.extend(state.at_prompt(pad, &settings));
            }
            let tokens: usize = given.iter().map(|hint| estimate(hint)).sum();
            (given.len(), tokens.next_multiple_of(50))
        };
        let written = Pad {
            plan: "1. go".to_owned(),
            ..Pad::default()
        };
        let never = u64::MAX;
        assert_eq!(hints(&written, 10, true), (0, 0), "it writes now and then");
        assert_eq!(
            hints(&Pad::default(), never, false),
            (5, 150),
            "it never writes"
        );
        assert_eq!(
            hints(&Pad::default(), never, true),
            (15, 350),
            "nor what it plans"
        );
        assert_eq!(hints(&written, never, false), (2, 100), "it wrote once");
    }
}
