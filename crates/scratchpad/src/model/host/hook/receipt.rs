//! What a conversation was given back after a compaction or a resume, for the person to see.

use serde::{Deserialize, Serialize};

use crate::model::id::Millis;
use crate::model::pad::Pad;
use crate::model::pad::plan::{Count, items};
use crate::model::text::message::{Message, counted, message, number};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub at: Millis,
    /// The event, by the host's name for it.
    pub event: String,
    pub revision: u64,
    plan: PlanReceipt,
    notes_chars: usize,
    refs: usize,
    tokens: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PlanReceipt {
    None,
    /// A plan without boxes, with its characters.
    Text(usize),
    Items {
        open: usize,
        total: usize,
    },
}

impl Receipt {
    /// Of a pad, as it was given in a block of so many tokens.
    pub(super) fn new(pad: &Pad, has_plan: bool, revision: u64, tokens: usize) -> Self {
        let count = Count::of(&items(&pad.plan));
        let plan = match count.total {
            _ if !has_plan || pad.plan.is_empty() => PlanReceipt::None,
            0 => PlanReceipt::Text(pad.plan.chars().count()),
            total => PlanReceipt::Items {
                open: count.open(),
                total,
            },
        };
        Self {
            at: 0,
            event: String::new(),
            revision,
            plan,
            notes_chars: pad.notes.chars().count(),
            refs: pad.refs.len(),
            tokens,
        }
    }

    #[must_use]
    pub fn at(self, event: &str, at: Millis) -> Self {
        Self {
            at,
            event: event.to_owned(),
            ..self
        }
    }

    pub fn message(&self) -> Message {
        let plan = match self.plan {
            PlanReceipt::None => None,
            PlanReceipt::Text(chars) => {
                Some(message!("plan {chars} characters", chars = number(chars)))
            }
            PlanReceipt::Items { open, total } => Some(message!(
                "plan {open} open of {total}",
                open = number(open),
                total = number(total)
            )),
        };
        let notes = (self.notes_chars > 0)
            .then(|| message!("notes {chars} characters", chars = number(self.notes_chars)));
        let refs = (self.refs > 0).then(|| counted(self.refs, "{number} ref", "{number} refs"));
        let parts = [plan, notes, refs].into_iter().flatten();
        message!(
            "Scratchpad gave back revision {revision}: {parts}; about {tokens} tokens.",
            revision = number(self.revision),
            parts = Message::joined(parts, ", "),
            tokens = number(self.tokens)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_says_what_was_given_back() {
        let receipt = |plan: &str, notes: &str, refs: usize| {
            let pad = Pad {
                plan: plan.to_owned(),
                notes: notes.to_owned(),
                refs: vec!["a".to_owned(); refs],
            };
            let message = Receipt::new(&pad, true, 12, 460).message();
            message.english().into_owned()
        };
        assert_eq!(
            receipt("- [x] a\n- [ ] b\n- [>] c", "noted", 4),
            "Scratchpad gave back revision 12: plan 2 open of 3, notes 5 characters, 4 refs; about 460 tokens."
        );
        assert_eq!(
            receipt("go", "", 1),
            "Scratchpad gave back revision 12: plan 2 characters, 1 ref; about 460 tokens."
        );
    }
}
