//! What a project's file may not set: it belongs to whoever wrote the repository.

use super::layers::Setting;
use crate::model::error::{Error, Result};
use crate::model::text::message::{Message, message, number};

/// Settings, or whole sections, that only the user may choose, each with the reason.
const FOR_THE_USER: [(&str, &str); 13] = [
    ("language", "you choose what you read"),
    (
        "project.id",
        "it would choose whose notes you read and write",
    ),
    ("author", "it says who you are"),
    ("store.", "it chooses where your data goes"),
    ("doctor.", "you choose what is checked for you"),
    ("notes.digest", "it says what is kept of your work"),
    ("retention.", "it would choose what is deleted"),
    ("secrets.", "it would choose which secrets are stored"),
    ("outputs.pass", "it chooses who gets your data"),
    ("outputs.pass_max_bytes", "it chooses who gets your data"),
    ("outputs.max_age", "it chooses where your data goes"),
    ("outputs.max_total_bytes", "it chooses where your data goes"),
    (
        "outputs.max_bytes_per_upstream",
        "it chooses where your data goes",
    ),
];

/// Whether a setting says in which store, or under which name there, the data of this project is.
pub fn says_where_data_is(name: &str) -> bool {
    matches!(name, "store.url" | "store.outputs" | "project.id")
}

/// Refuses a setting that a project's file may not set.
pub fn check(name: &str) -> Result<()> {
    let matches = |entry: &str| match entry.strip_suffix('.') {
        Some(_) => name.starts_with(entry),
        None => name == entry,
    };
    match FOR_THE_USER.iter().find(|(entry, _)| matches(entry)) {
        None => Ok(()),
        Some((_, reason)) => Err(Error::usage(message!(
            "A project may not set `{name}`: {reason}.",
            name,
            reason = Message::from(*reason)
        ))
        .hint(message!(
            "set it for yourself: `scratchpad config set {name} VALUE`.",
            name
        ))),
    }
}

/// How many times its default a project may set a budget to.
const MOST_TIMES: u64 = 10;

/// Refuses a budget so large that it is none: what exceeds it would fill the window of every agent.
pub fn check_value(setting: &Setting) -> Result<()> {
    let is_budget = ["pad.", "notes.", "outputs.", "inject."]
        .iter()
        .any(|section| setting.name().starts_with(section));
    let (Some(default), Some(value)) = (setting.default().as_u64(), setting.shown().as_u64())
    else {
        return Ok(());
    };
    let most = default.saturating_mul(MOST_TIMES);
    if !is_budget || value <= most {
        return Ok(());
    }
    Err(Error::usage(message!(
        "A project may set `{name}` to {most} at most, ten times the default; it says {value}.",
        name = setting.name(),
        most = number(most),
        value = number(value)
    ))
    .hint(message!(
        "set it for yourself: `scratchpad config set {name} VALUE`.",
        name = setting.name()
    )))
}

#[cfg(test)]
mod tests {
    use super::super::layers::known;
    use super::*;
    use snapbox::{assert_data_eq, str};

    #[test]
    fn every_setting_that_is_not_listed_may_be_set_by_a_project() {
        for (entry, _) in FOR_THE_USER {
            assert!(
                known()
                    .iter()
                    .any(|setting| setting.name.starts_with(entry))
            );
        }
        let allowed: Vec<&str> = known()
            .iter()
            .map(|setting| setting.name.as_str())
            .filter(|name| check(name).is_ok())
            .collect();
        // A new setting appears here: may a repository that you clone choose it?
        assert_data_eq!(
            allowed.join("\n"),
            str![[r#"
profile
pad.enabled
pad.notes_max_chars
pad.plan_max_chars
pad.max_refs
pad.ref_max_chars
pad.token_budget
plan.mirror
notes.enabled
notes.max_chars
notes.max_tags
outputs.enabled
outputs.threshold
outputs.rules
outputs.code_mode
outputs.preview_length
outputs.include_preview
outputs.read_max_bytes
proxy.hide
inject.max_bytes
inject_every_turns
nudge_after_turns
nudge_on_plan
nudge_after_compaction
nudge_turns_since_last_use
nudge_at_tools
"#]]
        );
    }
}
