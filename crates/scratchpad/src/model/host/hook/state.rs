//! What hooks and `prompt` store about a session between calls.

use serde::{Deserialize, Serialize};

use super::context::GivenNotes;
use super::mirror::Mirror;
use super::receipt::Receipt;
use crate::model::id::Millis;
use crate::model::pad::nudge::NudgeState;
use crate::model::session::announce::Remembered;

/// What an agent was given, and when. Stored, so that it survives a restart of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookState {
    /// Turn counters for nudges.
    #[serde(flatten)]
    pub nudges: NudgeState,
    /// The hash of the block that was given last; empty if the conversation has none.
    pub given: String,
    /// The revision that was hashed; 0 if unknown.
    pub given_revision: u64,
    /// Its length in characters.
    pub given_chars: usize,
    /// The turn at which it was given.
    pub given_at: u64,
    /// The revision of the pad at the last call.
    pub revision: u64,
    /// The processes above the last call that started or prompted; only the host, once it is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<Remembered>,
    #[serde(skip_serializing_if = "GivenNotes::is_empty")]
    pub context: GivenNotes,
    #[serde(skip_serializing_if = "Mirror::is_empty")]
    pub mirror: Mirror,
    /// What was given back last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// The number of the note with the session's digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Millis>,
    /// The branch that was checked out at the last start or prompt; empty if that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The linked worktree in which that was; empty in the main one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worktree: String,
}

impl HookState {
    /// Records the pad's revision; a new one counts as a write in this turn.
    pub fn notice(&mut self, revision: u64) {
        if self.revision != revision {
            self.revision = revision;
            self.nudges.revised_at = self.nudges.turns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form in which earlier versions stored it, before the counters became a struct.
    const WRITTEN: &str = r#"{"turns":3,"given":"00aa","given_revision":7,"given_chars":12,"given_at":2,"revision":7,"revised_at":1,"compacted":true,"planned":false,"nudged":[null,2,null,null]}"#;

    #[test]
    fn a_state_that_is_in_a_store_already_is_read() {
        let state: HookState = serde_json::from_str(WRITTEN).unwrap();
        let expected = HookState {
            nudges: NudgeState {
                turns: 3,
                revised_at: 1,
                compacted: true,
                planned: false,
                nudged: [None, Some(2), None, None],
            },
            given: "00aa".to_owned(),
            given_revision: 7,
            given_chars: 12,
            given_at: 2,
            revision: 7,
            above: Vec::new(),
            context: GivenNotes::default(),
            mirror: Mirror::default(),
            receipt: None,
            digest: None,
            branch: String::new(),
            worktree: String::new(),
        };
        assert_eq!(state, expected);
        let written = serde_json::to_value(&state).unwrap();
        assert_eq!(
            written,
            serde_json::from_str::<serde_json::Value>(WRITTEN).unwrap()
        );
        assert_eq!(
            serde_json::from_str::<HookState>("{}").unwrap(),
            HookState::default()
        );
    }
}
