//! Settings for hooks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::json::whole::Whole;
use crate::model::pad::nudge::NudgeSettings;

/// When hooks put the pad in front of a prompt, and when they hint at it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HookSettings {
    /// Hooks give the block again after this many turns, changed or not; 0 for only when it has changed.
    #[serde(with = "Whole::<0, 10_000>")]
    pub inject_every_turns: u64,
    #[serde(flatten)]
    pub nudges: NudgeSettings,
}
