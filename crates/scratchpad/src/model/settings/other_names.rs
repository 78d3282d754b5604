//! Other names under which settings are known: those that users of similar tools bring with them.

use super::layers::{Known, known};

/// The prefix that some configurations put in front of every key.
pub(super) const PREFIX: &str = "scratchpad";

/// Names without their section, in snake case, and the settings that they mean.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("nudge_on_plan_detected", "nudge_on_plan"),
    ("max_tokens", "pad.token_budget"),
    ("threshold_bytes", "outputs.threshold"),
    ("max_age_ms", "outputs.max_age"),
    ("max_cache_size_bytes", "outputs.max_total_bytes"),
    ("preview_length", "outputs.preview_length"),
    ("include_preview", "outputs.include_preview"),
];

/// The name of the setting that `name` means: without the prefix, in snake case, and not one of the other names.
///
/// Whether there is such a setting is for the caller to find out.
pub(super) fn own_name(name: &str) -> String {
    let bare = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_prefix('.'));
    let name = snake_case(bare.unwrap_or(name));
    let meant = OTHER_NAMES.into_iter().find(|(other, own)| {
        let in_section = own
            .split_once('.')
            .and_then(|(section, _)| name.strip_prefix(section)?.strip_prefix('.'));
        *other == name || in_section == Some(other)
    });
    meant.map_or(name, |(_, own)| own.to_owned())
}

/// The setting that a name without dots means, however its words are joined, with or without its section: `MAXTOKENS`.
pub(super) fn meant_by(name: &str) -> Option<&'static Known> {
    let joined = |name: &str| name.replace(['_', '.'], "").to_ascii_lowercase();
    let given = joined(name);
    let own = OTHER_NAMES
        .into_iter()
        .find(|(other, _)| joined(other) == given);
    let own = own.map(|(_, own)| own);
    let mut settings = known().iter();
    settings.find(|known| {
        let last = known.name.rsplit('.').next().unwrap_or_default();
        own == Some(known.name.as_str()) || joined(&known.name) == given || joined(last) == given
    })
}

/// Converts camelCase to snake case; other names are unchanged.
fn snake_case(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len() + 4);
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            spelled.push('_');
        }
        spelled.push(char.to_ascii_lowercase());
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_name_means_a_setting() {
        for (other, own) in OTHER_NAMES {
            assert!(known().iter().any(|known| known.name == own), "{own}");
            assert_eq!(own_name(other), own);
        }
    }

    #[test]
    fn prefix_and_camel_case_make_no_difference() {
        for (name, own) in [
            ("scratchpad.nudgeOnPlanDetected", "nudge_on_plan"),
            ("nudgeOnPlan", "nudge_on_plan"),
            ("pad.maxTokens", "pad.token_budget"),
            ("scratchpad.outputs.maxAgeMs", "outputs.max_age"),
            ("scratchpad.pad.max_refs", "pad.max_refs"),
            ("pad.thresholdBytes", "pad.threshold_bytes"),
            ("scratchpads", "scratchpads"),
        ] {
            assert_eq!(own_name(name), own, "{name}");
        }
    }
}
