//! Nudges: one-line hints for an agent that forgets to use its memory. All are off by default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pad;
use super::tool;
use crate::model::json::whole::Whole;

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

/// Whether a reply looks like a plan: three or more numbered items, steps or boxes, outside code.
pub fn looks_like_a_plan(reply: &str) -> bool {
    const ENOUGH: usize = 3;
    let (mut numbered, mut steps, mut boxes) = (0, 0, 0);
    let mut fence: Option<&str> = None;
    for line in reply.lines() {
        let line = line.trim();
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
        {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_some() {
            continue;
        }
        numbered += usize::from(is_numbered(line));
        steps += usize::from(is_step(line));
        boxes += usize::from(is_box(line));
    }
    [numbered, steps, boxes]
        .iter()
        .any(|found| *found >= ENOUGH)
}

/// `1. text` or `1) text`
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = line.len() - rest.len();
    (1..=3).contains(&digits)
        && (rest.strip_prefix(['.', ')']))
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|rest| !rest.trim().is_empty())
}

/// `Step 1`, `## Phase 2: text`, `**Stage 3**`
fn is_step(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', '-', '_', ' ']);
    ["step", "phase", "stage"].iter().any(|word| {
        line.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
            && line
                .get(word.len()..)
                .and_then(|rest| rest.strip_prefix(' '))
                .is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
    })
}

/// `- [ ] text` or `* [x] text`
fn is_box(line: &str) -> bool {
    let item = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    item.is_some_and(|item| {
        ["[ ]", "[x]", "[X]"]
            .iter()
            .any(|mark| item.starts_with(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_recognised_by_its_items() {
        for plan in [
            "I will:\n1. read\n2. write\n3. test",
            "1) a\n\n2) b\n\n3) c",
            "## Phase 1: look\ntext\n## Phase 2: do\n## Phase 3: end",
            "**Step 1** a\n**Step 2** b\n- step 3: c",
            "- [ ] a\n- [x] b\n* [ ] c",
            "```\ncode\n```\n1. a\n2. b\n3. c",
        ] {
            assert!(looks_like_a_plan(plan), "{plan}");
        }
        for other in [
            "",
            "1. one\n2. two",
            "```\n1. a\n2. b\n3. c\n```",
            "~~~\n```\n1. a\n2. b\n3. c",
            "1.5 times\n2.5 times\n3.5 times",
            "stepping 1\nsteps 2\nstep by step",
            "- a\n- b\n- c",
            "2024. a\n2025. b\n2026. c",
            "1. a\n- [ ] b\nStep 3",
        ] {
            assert!(!looks_like_a_plan(other), "{other}");
        }
    }

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
