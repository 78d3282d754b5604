//! What a person may choose about hooks.

use crate::model::pad::nudge::NudgeSettings;

/// How often hooks speak.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSettings {
    /// Give the block again after this many turns, changed or not; 0 for never.
    pub inject_every_turns: u64,
    /// When to nudge.
    pub nudges: NudgeSettings,
}
