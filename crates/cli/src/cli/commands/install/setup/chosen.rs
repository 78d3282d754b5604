//! What a person answers to the one question.

use scratchpad::model::error::Result;
use scratchpad::model::host;
use scratchpad::model::host::Host;

/// What to set up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) hosts: Vec<&'static Host>,
    /// Whether agents are to be reminded of their pad.
    pub(super) hints: bool,
}

/// Reads `y`, `hints`, or names of hosts; `None` if it is a no.
pub(super) fn read_answer(text: &str, found: &[&'static Host]) -> Result<Option<Answer>> {
    let text = text.to_lowercase();
    let words = text.split(|char: char| char.is_whitespace() || char == ',');
    let mut all = false;
    let mut hints = false;
    let mut hosts = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        match word {
            "n" | "no" | "nein" => return Ok(None),
            "y" | "yes" | "j" | "ja" | "all" | "alle" => all = true,
            "hints" | "hinweise" => hints = true,
            name => hosts.push(host::installable(name)?),
        }
    }
    // `hints` alone is a yes to the rest.
    if all || (hints && hosts.is_empty()) {
        hosts = found.to_vec();
    }
    Ok((!hosts.is_empty()).then_some(Answer { hosts, hints }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_or_a_name_sets_anything_up() {
        let found = ["claude", "codex"].map(|name| host::installable(name).unwrap());
        let names = |text: &str| {
            let answer = read_answer(text, &found).unwrap()?;
            let names = answer.hosts.into_iter().map(|host| host.name);
            Some((names.collect::<Vec<_>>().join(" "), answer.hints))
        };
        let some = |names: &str, hints| Some((names.to_owned(), hints));
        for (text, expected) in [
            ("", None),
            ("n", None),
            ("nein danke", None),
            ("Y", some("claude codex", false)),
            ("ja hinweise", some("claude codex", true)),
            ("hints", some("claude codex", true)),
            ("codex", some("codex", false)),
            ("codex, hints", some("codex", true)),
            ("claude-code", some("claude", false)),
        ] {
            assert_eq!(names(text), expected, "{text:?}");
        }
        assert!(read_answer("claud", &found).is_err());
    }
}
