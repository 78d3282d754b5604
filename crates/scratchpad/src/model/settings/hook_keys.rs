//! The settings of hooks and nudges.

use super::keys::{Key, Kind, Setter};

const fn turns(name: &'static str, about: &'static str) -> Key {
    Key {
        name,
        kind: Kind::Whole {
            default: 0,
            min: 0,
            max: 10_000,
        },
        setter: Setter::Anyone,
        about,
    }
}

/// After how many turns the block is given again, changed or not.
pub const INJECT_EVERY_TURNS: Key = turns(
    "inject_every_turns",
    "Hooks give the block again after so many turns, changed or not; 0 for only when it changed.",
);
/// Nudge about an empty pad.
pub const NUDGE_AFTER_TURNS: Key = turns(
    "nudge_after_turns",
    "Hint at the pad when it is still empty after so many turns, and every so many; 0 for never.",
);
/// Nudge about a plan that is not on the pad.
pub const NUDGE_ON_PLAN: Key = turns(
    "nudge_on_plan",
    "Hint at the pad when it is empty and the last reply was a plan, at most every so many turns; 0 for never.",
);
/// Nudge after a compaction.
pub const NUDGE_AFTER_COMPACTION: Key = turns(
    "nudge_after_compaction",
    "Hint at the pad after a compaction, at most every so many turns; 0 for never.",
);
/// Nudge about a pad that is not kept up to date.
pub const NUDGE_TURNS_SINCE_LAST_USE: Key = turns(
    "nudge_turns_since_last_use",
    "Hint at the pad when it was not written for so many turns, and every so many; 0 for never.",
);
/// Nudge after tool calls as well.
pub const NUDGE_AT_TOOLS: Key = Key {
    name: "nudge_at_tools",
    kind: Kind::Switch { default: false },
    setter: Setter::Anyone,
    about: "Whether hints also come after tool calls, where the host lets a hook speak there.",
};

/// Whether this is the name of a nudge in its other spelling, like `nudgeAfterTurns`.
pub fn is_camel_case(key: &Key, name: &str) -> bool {
    if !key.name.starts_with("nudge_") || name.contains('_') {
        return false;
    }
    let mut spelled = String::new();
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            spelled.push('_');
        }
        spelled.push(char.to_ascii_lowercase());
    }
    spelled == key.name
}
