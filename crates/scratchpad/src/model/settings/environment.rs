//! Environment variables that look like settings and are none.

use super::layers::{Known, known};
use super::other_names::meant_by;
use crate::model::error::Error;
use crate::model::text::message::{Message, message, quoted};
use crate::model::text::nearest::nearest;
use crate::model::text::quantity::shortened;

/// How the names of our variables begin.
pub const PREFIX: &str = "SCRATCHPAD_";
/// Variables that are read and are not settings; the last by `compose.yaml`.
const NO_SETTINGS: [&str; 3] = [
    "SCRATCHPAD_HOME",
    "SCRATCHPAD_SESSION",
    "SCRATCHPAD_PROJECT",
];

/// The error for a variable with our prefix that nothing reads; it names the one that may have been meant.
pub fn unread(name: &str) -> Option<Error> {
    let bare = name.strip_prefix(PREFIX)?;
    let settings: Vec<String> = known().iter().map(Known::variable).collect();
    let names = settings.iter().map(String::as_str).chain(NO_SETTINGS);
    if names.clone().any(|known| known == name) {
        return None;
    }
    // All have the prefix, so it makes none more alike.
    let bare_names = names.filter_map(|name| name.strip_prefix(PREFIX));
    let near = nearest(bare, bare_names, 1).into_iter().next();
    let near = meant_by(bare).map(Known::variable).or_else(|| {
        let name = near?;
        Some(format!("{PREFIX}{name}"))
    });
    let hint = near.map_or_else(
        || Message::from("`scratchpad config show` lists the settings."),
        |name| message!("did you mean `{name}`?", name),
    );
    let shown = quoted(shortened(name, 80));
    Some(Error::usage(message!("Unknown setting {name}.", name = shown)).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_reads_is_told_with_the_variable_that_was_meant() {
        for (name, meant) in [
            ("SCRATCHPAD_MAXTOKENS", "SCRATCHPAD_PAD_TOKEN_BUDGET"),
            ("SCRATCHPAD_MAX_TOKENS", "SCRATCHPAD_PAD_TOKEN_BUDGET"),
            ("SCRATCHPAD_THRESHOLD", "SCRATCHPAD_OUTPUTS_THRESHOLD"),
            (
                "SCRATCHPAD_OUTPUT_THRESHOLD",
                "SCRATCHPAD_OUTPUTS_THRESHOLD",
            ),
            ("SCRATCHPAD_SESION", "SCRATCHPAD_SESSION"),
            ("SCRATCHPAD_pad_max_refs", "SCRATCHPAD_PAD_MAX_REFS"),
        ] {
            let error = unread(name).unwrap();
            assert_eq!(
                error.explained("\n").english(),
                format!("Unknown setting {name:?}.\nHint: did you mean `{meant}`?"),
            );
        }
        let error = unread("SCRATCHPAD_0").unwrap().explained("\n");
        assert!(error.english().contains("config show"), "{error}");
    }

    #[test]
    fn what_is_read_is_no_error() {
        for name in [
            "SCRATCHPAD_HOME",
            "SCRATCHPAD_PAD_MAX_REFS",
            "PATH",
            "SCRATCHPAD",
        ] {
            assert_eq!(unread(name), None, "{name}");
        }
    }
}
