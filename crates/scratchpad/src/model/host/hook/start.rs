//! What an agent is told when a conversation begins, before its pad.

use crate::model::context::instructions::as_injected;
use crate::model::text::quantity::counted;

/// The most characters of context notes: the pad must find room beside them.
const MAX_NOTES_CHARS: usize = 3_000;

/// Guidance and the person's context notes, each only where there is one; the newest notes where there are many.
pub fn start_text(guidance: &str, context_notes: &[String]) -> String {
    let mut room = MAX_NOTES_CHARS;
    let mut lines: Vec<String> = Vec::new();
    for note in context_notes.iter().rev() {
        let line = format!("- {}", as_injected(note));
        let Some(left) = room.checked_sub(line.chars().count() + 1) else {
            break;
        };
        room = left;
        lines.push(line);
    }
    let hidden = context_notes.len() - lines.len();
    if hidden > 0 {
        lines.push(format!(
            "- ({} not shown: `scratchpad context` lists all)",
            counted(hidden, "older note", "older notes")
        ));
    }
    lines.reverse();
    let notes = if lines.is_empty() {
        String::new()
    } else {
        format!("## Current Context\n{}", lines.join("\n"))
    };
    let parts: Vec<&str> = [guidance, &notes]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_notes_are_said_and_the_others_counted() {
        assert_eq!(start_text("", &[]), "");
        assert_eq!(start_text("Use it.", &[]), "Use it.");
        let notes = ["Deploys are\nfrozen".to_owned(), "Ask first".to_owned()];
        assert_eq!(
            start_text("Use it.", &notes),
            "Use it.\n\n## Current Context\n- Deploys are frozen\n- Ask first"
        );
        let many: Vec<String> = (0..20)
            .map(|number| format!("{number} {}", "x".repeat(400)))
            .collect();
        let said = start_text("", &many);
        assert!(said.starts_with("## Current Context\n- (13 older notes not shown: `scratchpad context` lists all)\n- 13 x"));
        assert!(said.contains("\n- 19 x") && said.chars().count() < 3_200);
    }
}
