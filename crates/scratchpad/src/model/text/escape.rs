//! Escapes untrusted text, so that it can't control a terminal or break out of its place in an instruction file.

use super::bytes;
use super::imitation::is_direction_mark;

/// The text with control characters escaped, for a terminal.
pub fn for_terminal(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\n' | '\t' => char.to_string(),
            char if char.is_control() || is_direction_mark(char) => {
                char.escape_unicode().to_string()
            }
            char => char.to_string(),
        })
        .collect()
}

/// The same for JSON; the result is still JSON.
pub fn json_for_terminal(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\n' => char.to_string(),
            char if char.is_control() || is_direction_mark(char) => {
                format!("\\u{:04x}", u32::from(char))
            }
            char => char.to_string(),
        })
        .collect()
}

/// Replaces everything that some reader treats as the end of a line, and control sequences, with spaces.
pub(crate) fn one_line(text: &str) -> String {
    bytes::one_line(&text.replace("\r\n", " "))
}

/// The text with a backslash in each `<!--` and `-->`: some hosts hide what is in a comment.
///
/// If there are backslashes already, one is added, so that [`from_markdown`] can restore the text.
pub(crate) fn for_markdown(text: &str) -> String {
    with_backslashes(text, |count| count + 1)
}

/// The inverse of [`for_markdown`].
pub(crate) fn from_markdown(text: &str) -> String {
    with_backslashes(text, |count| count.saturating_sub(1))
}

/// Changes the number of backslashes in `<\!--` and `--\>`.
fn with_backslashes(text: &str, number: impl Fn(usize) -> usize) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let found = [("<", "!--"), ("--", ">")]
            .into_iter()
            .find_map(|(before, after)| {
                let behind = rest.strip_prefix(before)?;
                let bare = behind.trim_start_matches('\\');
                let rest = bare.strip_prefix(after)?;
                Some((before, behind.len() - bare.len(), after, rest))
            });
        if let Some((before, count, after, behind)) = found {
            changed.push_str(before);
            changed.push_str(&"\\".repeat(number(count)));
            // The dashes of `<!--` may begin a `-->`.
            let dashes = after.len() - after.trim_end_matches('-').len();
            // All of these are ASCII found at these places: neither split panics.
            changed.push_str(after.split_at(after.len() - dashes).0);
            rest = rest.split_at(rest.len() - behind.len() - dashes).1;
        } else {
            changed.push(char);
            // At the end of its first character: this does not panic.
            rest = rest.split_at(char.len_utf8()).1;
        }
    }
    changed
}

/// Closes what a pack's text leaves open, so that it does not swallow what follows.
pub(crate) fn contained(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut safe = text.to_owned();
    if let Some(open) = text.rfind("<!--")
        && !text.get(open..).unwrap_or_default().contains("-->")
    {
        safe = format!("{safe}\n-->");
    }
    if let Some(fence) = open_fence(&safe) {
        safe = format!("{safe}\n{fence}");
    }
    safe
}

/// The fence of a code block that is not closed.
fn open_fence(text: &str) -> Option<String> {
    let mut open: Option<String> = None;
    let mut is_comment = false;
    for line in text.lines() {
        let line = line.trim();
        // There are no fences in comments, and no comments in fences.
        is_comment |= open.is_none() && line.starts_with("<!--");
        if is_comment {
            is_comment = !line.contains("-->");
            continue;
        }
        let Some(mark) = line.chars().next().filter(|char| matches!(char, '`' | '~')) else {
            continue;
        };
        let fence: String = line.chars().take_while(|char| *char == mark).collect();
        match &open {
            Some(begun) if line == fence && fence.starts_with(begun.as_str()) => open = None,
            // Backticks with another backtick after them are inline code.
            None if fence.len() >= 3 && !line.trim_start_matches(mark).contains('`') => {
                open = Some(fence);
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        assert_eq!(
            for_terminal("a\u{1b}[2J\r\u{7}\u{9b}\u{202e}b\n\tc"),
            "a\\u{1b}[2J\\u{d}\\u{7}\\u{9b}\\u{202e}b\n\tc"
        );
        let value = serde_json::json!({"a": "\u{9b}2J\u{202e}\u{7f}"});
        let text = json_for_terminal(&value.to_string());
        assert_eq!(text, r#"{"a":"\u009b2J\u202e\u007f"}"#);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    #[test]
    fn comments_are_made_visible_and_can_be_had_back() {
        for (text, escaped) in [
            ("a <!-- b --> c", r"a <\!-- b --\> c"),
            (r"<\!-- --\>", r"<\\!-- --\\>"),
            ("<!-->", r"<\!--\>"),
            ("a --- b -> <! --", "a --- b -> <! --"),
        ] {
            assert_eq!(for_markdown(text), escaped);
            assert_eq!(from_markdown(escaped), text);
        }
    }

    #[test]
    fn what_a_pack_leaves_open_is_closed() {
        assert_eq!(contained("a <!-- b --> <!-- c"), "a <!-- b --> <!-- c\n-->");
        assert_eq!(contained("````\n```\nx"), "````\n```\nx\n````");
        assert_eq!(contained("```rust\nx\n```"), "```rust\nx\n```");
        assert_eq!(contained("~~~\n```\n~~~"), "~~~\n```\n~~~");
        assert_eq!(contained("<!--\n```\n-->\nx"), "<!--\n```\n-->\nx");
        assert_eq!(contained("<!-- ```\n```"), "<!-- ```\n```\n-->");
        assert_eq!(contained("```\n<!--"), "```\n<!--\n-->\n```");
        assert_eq!(contained("```x``` is code"), "```x``` is code");
    }
}
