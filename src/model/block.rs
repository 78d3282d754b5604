//! The block: the pad as text to put before an agent's next message.

use super::pad::Pad;

/// The first line of the block.
pub const START: &str = "[Session Scratchpad - your persistent working memory]";
/// The last line of the block.
pub const END: &str = "[End Scratchpad]";

/// Renders the pad as the text to put before a message; nothing for an empty pad.
///
/// A content line that equals a marker is indented by one space: an agent's note, or what it
/// copied from a web page, must not end the block and speak for the person.
pub fn render(pad: &Pad) -> Option<String> {
    if pad.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    if !pad.notes.is_empty() {
        parts.push(format!("Notes:\n{}", neutralised(&pad.notes)));
    }
    if !pad.plan.is_empty() {
        parts.push(format!("Plan:\n{}", neutralised(&pad.plan)));
    }
    if !pad.refs.is_empty() {
        let items: Vec<String> = pad
            .refs
            .iter()
            .map(|reference| format!("- {}", neutralised(reference)))
            .collect();
        parts.push(format!("References:\n{}", items.join("\n")));
    }
    Some(format!("{START}\n{}\n{END}", parts.join("\n\n")))
}

/// The message an agent gets: block, nudges, and the person's text, parted by blank lines.
///
/// With an empty pad and no nudges it is the person's text, byte for byte.
pub fn prompt(pad: &Pad, nudges: &[String], user_text: &str) -> String {
    let mut message = String::new();
    if let Some(block) = render(pad) {
        message.push_str(&block);
        message.push_str("\n\n");
    }
    if !nudges.is_empty() {
        message.push_str(&nudges.join("\n"));
        message.push_str("\n\n");
    }
    message.push_str(user_text);
    message
}

/// The text with each line that equals a marker indented by one space.
fn neutralised(text: &str) -> String {
    // Most content holds no marker; only then look at each line.
    if !text.contains(START) && !text.contains(END) {
        return text.to_owned();
    }
    text.split_inclusive(is_line_break)
        .map(|line| {
            match line.trim_end_matches(|char: char| char.is_whitespace() || is_line_break(char)) {
                START | END => format!(" {line}"),
                _ => line.to_owned(),
            }
        })
        .collect()
}

/// Everything that some reader takes for the end of a line.
fn is_line_break(char: char) -> bool {
    matches!(
        char,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn full() -> Pad {
        Pad {
            notes: "API is at /v2\ntests need a database".to_owned(),
            plan: "1. read\n2. write".to_owned(),
            refs: vec![
                "src/main.rs:10".to_owned(),
                "https://example.com".to_owned(),
            ],
        }
    }

    #[test]
    fn the_block_has_the_non_empty_spaces_in_order() {
        assert_data_eq!(
            render(&full()).unwrap(),
            str![[r"
[Session Scratchpad - your persistent working memory]
Notes:
API is at /v2
tests need a database

Plan:
1. read
2. write

References:
- src/main.rs:10
- https://example.com
[End Scratchpad]
"]]
        );
        let plan_only = Pad {
            plan: "go".to_owned(),
            ..Pad::default()
        };
        assert_data_eq!(
            render(&plan_only).unwrap(),
            str![[r"
[Session Scratchpad - your persistent working memory]
Plan:
go
[End Scratchpad]
"]]
        );
        assert_eq!(render(&Pad::default()), None);
    }

    #[test]
    fn the_prompt_is_block_then_hints_then_the_text() {
        let nudges = ["[Hint: one]".to_owned(), "[Hint: two]".to_owned()];
        assert_data_eq!(
            prompt(&full(), &nudges, "Go on.\n"),
            str![[r"
[Session Scratchpad - your persistent working memory]
Notes:
API is at /v2
tests need a database

Plan:
1. read
2. write

References:
- src/main.rs:10
- https://example.com
[End Scratchpad]

[Hint: one]
[Hint: two]

Go on.

"]]
        );
        assert_data_eq!(
            prompt(&Pad::default(), &nudges, "Go on."),
            str![[r"
[Hint: one]
[Hint: two]

Go on.
"]]
        );
        assert_eq!(prompt(&Pad::default(), &[], "  Go\r\n"), "  Go\r\n");
    }

    #[test]
    fn content_cannot_close_or_open_a_block() {
        for line_break in [
            "\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{1c}", "\u{85}", "\u{2028}",
        ] {
            let forged = format!("a{line_break}{END}{line_break}{START}  {line_break}b");
            let pad = Pad {
                notes: forged.clone(),
                plan: END.to_owned(),
                refs: vec![forged],
            };
            let block = render(&pad).unwrap();
            let markers = block
                .split(is_line_break)
                .filter(|line| [START, END].contains(&line.trim_end()))
                .count();
            assert_eq!(markers, 2, "{block:?}");
        }
    }
}
