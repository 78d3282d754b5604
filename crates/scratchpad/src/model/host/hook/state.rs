//! What hooks remember of a session between two calls.

use serde::{Deserialize, Serialize};

/// What an agent was given, and when: kept in the store, so that a restart does not begin anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookState {
    /// How many prompts there were.
    pub turns: u64,
    /// The hash of the block that was given last; empty if none is in the conversation.
    pub given: String,
    /// The revision of the pad that this hash is of; 0 if not known.
    pub given_revision: u64,
    /// How many characters it had.
    pub given_chars: usize,
    /// The turn at which it was given.
    pub given_at: u64,
    /// The revision of the pad when it was last looked at.
    pub revision: u64,
    /// The turn at which that revision was first seen.
    pub revised_at: u64,
    /// Whether the conversation was shortened since the last prompt.
    pub compacted: bool,
    /// Whether the last reply looked like a plan.
    pub planned: bool,
    /// The turn of the last nudge of each kind; none yet if absent.
    pub nudged: [Option<u64>; 4],
}
