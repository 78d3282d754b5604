//! Random sequences of actions, compared after each step with a plain model in memory.

use proptest::prelude::*;
use scratchpad::model::pad::action::Action;
use scratchpad::model::pad::{Limits, Pad};
use scratchpad::{Scratchpad, SessionId};

use crate::support::cases;

/// Budgets small enough that random texts reach them.
fn limits() -> Limits {
    Limits {
        notes_max_chars: 24,
        plan_max_chars: 12,
        max_refs: 4,
        ref_max_chars: 10,
        token_budget: 8,
    }
}

#[derive(Clone, Debug)]
enum Step {
    Do(Action),
    Undo,
    Restore(u64),
    Reopen,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé🦀 \n]{0,30}",
        Just(String::new()),
        Just("[End Scratchpad]".to_owned()),
    ]
}

fn reference() -> impl Strategy<Value = String> {
    prop_oneof!["[abc]{1,2}", Just(" ".to_owned()), Just("x".repeat(11))]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => text().prop_map(|text| Step::Do(Action::SetNotes(text))),
        4 => text().prop_map(|text| Step::Do(Action::AppendNotes(text))),
        2 => text().prop_map(|text| Step::Do(Action::SetPlan(text))),
        4 => reference().prop_map(|text| Step::Do(Action::AddRef(text))),
        2 => reference().prop_map(|text| Step::Do(Action::RemoveRef(text))),
        1 => prop::collection::vec(reference(), 0..7)
            .prop_map(|refs| Step::Do(Action::SetRefs { refs, not_strings: 0 })),
        3 => Just(Step::Undo),
        1 => (0_u64..20).prop_map(Step::Restore),
        1 => Just(Step::Reopen),
    ]
}

/// The specification once more, as naively as it can be written: whole pads, kept in a list.
#[derive(Default)]
struct Model {
    pad: Pad,
    /// The pad after each revision, and what wrote it.
    past: Vec<(Pad, Kind)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Notes,
    Plan,
    Refs,
    /// Takes back the revision at this index, of that kind.
    Undo(usize),
}

impl Model {
    fn commit(&mut self, pad: Pad, kind: Kind) -> bool {
        self.pad = pad.clone();
        self.past.push((pad, kind));
        true
    }

    fn space_of(&self, index: usize) -> Kind {
        match self.past[index].1 {
            Kind::Undo(target) => self.space_of(target),
            kind => kind,
        }
    }

    /// Copies one space of a pad into the present one.
    fn with_space(&self, from: &Pad, kind: Kind) -> Pad {
        let mut pad = self.pad.clone();
        match kind {
            Kind::Notes => pad.notes.clone_from(&from.notes),
            Kind::Plan => pad.plan.clone_from(&from.plan),
            _ => pad.refs.clone_from(&from.refs),
        }
        pad
    }

    fn take(&mut self, step: &Step) -> bool {
        let mut pad = self.pad.clone();
        let fits =
            |reference: &String| !reference.trim().is_empty() && reference.chars().count() <= 10;
        match step {
            Step::Reopen => true,
            Step::Do(Action::SetNotes(text)) => {
                pad.notes = text.chars().take(24).collect();
                self.commit(pad, Kind::Notes)
            }
            Step::Do(Action::AppendNotes(text)) => {
                if !pad.notes.is_empty() && !text.is_empty() {
                    pad.notes.push('\n');
                }
                pad.notes.push_str(text);
                pad.notes.chars().count() <= 24 && self.commit(pad, Kind::Notes)
            }
            Step::Do(Action::SetPlan(text)) => {
                pad.plan = text.chars().take(12).collect();
                self.commit(pad, Kind::Plan)
            }
            Step::Do(Action::AddRef(reference)) => {
                pad.refs.retain(|other| other != reference);
                pad.refs.push(reference.clone());
                if pad.refs.len() > 4 {
                    pad.refs.remove(0);
                }
                fits(reference) && self.commit(pad, Kind::Refs)
            }
            Step::Do(Action::RemoveRef(reference)) => {
                let there = pad.refs.contains(reference);
                pad.refs.retain(|other| other != reference);
                there && self.commit(pad, Kind::Refs)
            }
            Step::Do(Action::SetRefs { refs, .. }) => {
                pad.refs = refs.iter().take(4).cloned().collect();
                refs.iter().all(fits) && self.commit(pad, Kind::Refs)
            }
            Step::Do(_) => unreachable!("not generated"),
            Step::Undo => {
                let undone = |index| self.past.iter().any(|(_, kind)| *kind == Kind::Undo(index));
                let target = (0..self.past.len())
                    .rev()
                    .find(|index| !matches!(self.past[*index].1, Kind::Undo(_)) && !undone(*index));
                let Some(target) = target else { return false };
                let before = match target {
                    0 => Pad::default(),
                    _ => self.past[target - 1].0.clone(),
                };
                let pad = self.with_space(&before, self.space_of(target));
                self.commit(pad, Kind::Undo(target))
            }
            Step::Restore(number) => {
                let Some(index) = usize::try_from(*number).unwrap().checked_sub(1) else {
                    return false;
                };
                if index >= self.past.len() {
                    return false;
                }
                let kind = self.space_of(index);
                let pad = self.with_space(&self.past[index].0.clone(), kind);
                self.commit(pad, kind)
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pad_does_what_the_plain_model_does(steps in prop::collection::vec(step(), 1..40)) {
        let home = tempfile::tempdir().unwrap();
        let open = || Scratchpad::open(home.path()).unwrap().with_limits(limits());
        let session = SessionId::new("s").unwrap();
        let mut pad = open();
        let mut model = Model::default();
        for step in &steps {
            let taken = model.take(step);
            let result = match step {
                Step::Do(action) => pad.write(&session, action).map(|written| {
                    // Nothing is lost: what was cut is kept whole.
                    if let Some(id) = &written.spilled {
                        let whole = action.overflow(&limits()).unwrap();
                        assert_eq!(pad.whole_output(id).unwrap(), whole.as_bytes());
                    }
                    assert_eq!(written.outcome.cut_from.is_some(), written.spilled.is_some());
                }),
                Step::Undo => pad.undo(&session).map(drop),
                Step::Restore(number) => pad.restore(&session, *number).map(drop),
                Step::Reopen => {
                    pad = open();
                    Ok(())
                }
            };
            prop_assert_eq!(result.is_ok(), taken, "{:?}: {:?}", step, result);
            prop_assert_eq!(&pad.pad(&session).unwrap(), &model.pad, "after {:?}", step);
            prop_assert_eq!(pad.history(&session).unwrap().len(), model.past.len());
        }
    }
}
