//! What a conversation was given back after a compaction or a resume, for the person to see.

use serde::{Deserialize, Serialize};

use crate::model::id::Millis;
use crate::model::pad::Pad;
use crate::model::pad::block::Fitted;
use crate::model::pad::plan::{Count, items, open_part};
use crate::model::text::message::{Message, counted, message, number};
use crate::model::text::tokens;

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
    /// What the block had no room for, beside what it showed.
    #[serde(default, skip_serializing_if = "is_none")]
    plan_left_out: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    notes_left_out: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    refs_left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PlanReceipt {
    None,
    /// A plan without boxes or one that was cut, with the characters that were shown.
    Text(usize),
    Items {
        open: usize,
        total: usize,
    },
}

impl Receipt {
    /// Of a pad, as it was given in this block.
    pub(super) fn new(pad: &Pad, has_plan: bool, revision: u64, block: &Fitted) -> Self {
        let left_out = block.left_out;
        let count = Count::of(&items(&pad.plan));
        let plan = if !has_plan || pad.plan.is_empty() {
            PlanReceipt::None
        } else if left_out.plan_chars > 0 || count.total == 0 {
            let chars = open_part(&pad.plan).chars().count();
            PlanReceipt::Text(chars.saturating_sub(left_out.plan_chars))
        } else {
            PlanReceipt::Items {
                open: count.open(),
                total: count.total,
            }
        };
        Self {
            at: 0,
            event: String::new(),
            revision,
            plan,
            notes_chars: pad.notes.chars().count() - left_out.notes_chars,
            refs: pad.refs.len() - left_out.refs,
            tokens: tokens::estimate(&block.text),
            plan_left_out: left_out.plan_chars,
            notes_left_out: left_out.notes_chars,
            refs_left_out: left_out.refs,
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
            PlanReceipt::Text(chars) if self.plan_left_out > 0 => Some(message!(
                "plan {chars} of {total} characters",
                chars = number(chars),
                total = number(chars + self.plan_left_out)
            )),
            PlanReceipt::Text(chars) => {
                Some(message!("plan {chars} characters", chars = number(chars)))
            }
            PlanReceipt::Items { open, total } => Some(message!(
                "plan {open} open of {total}",
                open = number(open),
                total = number(total)
            )),
        };
        let notes = match (self.notes_chars, self.notes_left_out) {
            (0, 0) => None,
            (chars, 0) => Some(message!("notes {chars} characters", chars = number(chars))),
            (chars, left_out) => Some(message!(
                "notes {chars} of {total} characters",
                chars = number(chars),
                total = number(chars + left_out)
            )),
        };
        let refs = match (self.refs, self.refs_left_out) {
            (0, 0) => None,
            (refs, 0) => Some(counted(refs, "{number} ref", "{number} refs")),
            (refs, left_out) => Some(message!(
                "{shown} of {total} refs",
                shown = number(refs),
                total = number(refs + left_out)
            )),
        };
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
    use crate::model::pad::block::LeftOut;

    #[test]
    fn a_receipt_says_what_was_given_back() {
        let receipt = |plan: &str, notes: &str, refs: usize, left_out: LeftOut| {
            let pad = Pad {
                plan: plan.to_owned(),
                notes: notes.to_owned(),
                refs: vec!["a".to_owned(); refs],
            };
            let block = Fitted {
                text: "word ".repeat(10),
                left_out,
            };
            let message = Receipt::new(&pad, true, 12, &block).message();
            message.english().into_owned()
        };
        assert_eq!(
            receipt("- [x] a\n- [ ] b\n- [>] c", "noted", 4, LeftOut::default()),
            "Scratchpad gave back revision 12: plan 2 open of 3, notes 5 characters, 4 refs; about 10 tokens."
        );
        assert_eq!(
            receipt("go", "", 1, LeftOut::default()),
            "Scratchpad gave back revision 12: plan 2 characters, 1 ref; about 10 tokens."
        );
        let left_out = LeftOut {
            refs: 3,
            notes_chars: 3,
            plan_chars: 8,
        };
        assert_eq!(
            receipt("- [ ] b\n- [>] c", "noted", 4, left_out),
            "Scratchpad gave back revision 12: plan 7 of 15 characters, notes 2 of 5 characters, 1 of 4 refs; \
             about 10 tokens."
        );
    }

    #[test]
    fn a_receipt_that_an_earlier_version_stored_is_read() {
        let stored = r#"{"at":7,"event":"x","revision":2,"plan":"None","notes_chars":3,"refs":1,"tokens":9}"#;
        let receipt: Receipt = serde_json::from_str(stored).unwrap();
        assert_eq!(
            receipt.message().english(),
            "Scratchpad gave back revision 2: notes 3 characters, 1 ref; about 9 tokens."
        );
        assert_eq!(serde_json::to_string(&receipt).unwrap(), stored);
    }
}
