//! Nudges: one-line hints for an agent that forgets to use its memory. All are off by default.

mod plan;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pad;
use super::tool;
use crate::model::json::whole::Whole;
pub use plan::looks_like_a_plan;

/// How often each nudge is given, in turns; 0 for never. Part of the settings.
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

/// What nudges depend on, stored between hook calls.
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
                "[Hint: your scratchpad is empty after {turns} turns. Call {tool} with set_plan or append_notes: it survives compaction.]"
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
                "[Hint: your scratchpad was last written {unused} turns ago. Call {tool} to bring notes and plan up to date.]"
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
}
