//! Finds the conversation that a fork was copied from, in the transcript or on the host's command line.

use serde_json::Value;

/// The original of a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Original {
    Named(String),
    /// The newest session in the directory.
    Newest,
}

/// The id of the original from the first line of a transcript, where Codex and Qwen Code write it.
pub fn original_in_transcript(first_line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(first_line).ok()?;
    let id = line
        .pointer("/payload/forked_from_id")
        .or_else(|| line.pointer("/forkedFrom/sessionId"))?;
    id.as_str().map(str::to_owned)
}

/// The original from the host's command line, for hosts that give it nowhere else: `claude --resume ID --fork-session`.
pub fn original_on_command_line(words: &[String]) -> Option<Original> {
    if !words.iter().any(|word| word == "--fork-session") {
        return None;
    }
    let mut after_flag = words.iter().zip(words.iter().skip(1));
    let named = after_flag.find_map(|(flag, value)| {
        let names = matches!(flag.as_str(), "--resume" | "-r");
        (names && !value.starts_with('-')).then_some(value.as_str())
    });
    let mut words_joined = words.iter();
    let joined = words_joined.find_map(|word| word.strip_prefix("--resume="));
    if let Some(id) = named.or(joined) {
        return Some(Original::Named(id.to_owned()));
    }
    let goes_on = |word: &String| matches!(word.as_str(), "--continue" | "-c");
    words.iter().any(goes_on).then_some(Original::Newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_name_the_original() {
        let cases = [
            (
                r#"{"ordinal":29,"type":"session_meta","payload":{"session_id":"b","id":"b","forked_from_id":"a","cwd":"/x"}}"#,
                Some("a"),
            ),
            (
                r#"{"uuid":"u","sessionId":"b","type":"user","forkedFrom":{"sessionId":"a","messageUuid":"u"}}"#,
                Some("a"),
            ),
            (
                r#"{"type":"session_meta","payload":{"id":"b","forked_from_id":null}}"#,
                None,
            ),
            ("half a li", None),
        ];
        for (line, expected) in cases {
            assert_eq!(original_in_transcript(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn the_command_line_names_the_original_of_a_fork_only() {
        let named = |id: &str| Some(Original::Named(id.to_owned()));
        let cases = [
            ("claude -p go --resume a --fork-session", named("a")),
            ("claude --fork-session -r a", named("a")),
            ("claude --fork-session --resume=a", named("a")),
            ("claude -c --fork-session go", Some(Original::Newest)),
            ("claude --continue --fork-session", Some(Original::Newest)),
            // The person chose from a list, so the command line has no id.
            ("claude --resume --fork-session", None),
            ("claude --resume a", None),
            ("claude", None),
        ];
        for (line, expected) in cases {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(original_on_command_line(&words), expected, "{line}");
        }
    }
}
