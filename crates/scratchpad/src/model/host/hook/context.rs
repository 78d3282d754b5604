//! The person's context notes: all of them at the start of a conversation, later only changes.

use std::hash::{DefaultHasher, Hasher as _};

use serde::{Deserialize, Serialize};

use crate::model::context::instructions::as_injected;
use crate::model::text::quantity::counted;

/// The maximum number of characters of context notes in an answer: the pad needs room too.
const MAX_NOTES_CHARS: usize = 3_000;
/// How many notes are remembered, newest first: more than fit into an answer.
const MAX_REMEMBERED: usize = 100;

/// The context notes that an agent was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenNotes {
    /// The root of their project; empty if none were given yet.
    pub project: String,
    /// The state of their files: while it is the same, they need not be read.
    pub stamp: String,
    /// A hash of each.
    hashes: Vec<u32>,
}

/// The current context notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesNow {
    pub project: String,
    pub stamp: String,
    /// Oldest first; `None` if they can't be read.
    pub notes: Option<Vec<String>>,
}

impl GivenNotes {
    /// Whether nothing was given yet.
    pub fn is_empty(&self) -> bool {
        self.stamp.is_empty()
    }

    /// All notes, for a new conversation. Remembers them.
    pub(super) fn begin(&mut self, now: &NotesNow) -> String {
        *self = Self::default();
        self.remember(now);
        headed("", now.notes.as_deref().unwrap_or_default())
    }

    /// The changes to notes that the agent has to know; empty for none. Remembers the notes.
    pub(super) fn update(&mut self, now: &NotesNow) -> String {
        let before = self.clone();
        self.remember(now);
        let Some(notes) = &now.notes else {
            return String::new();
        };
        let all: Vec<u32> = notes.iter().map(|note| hash(note)).collect();
        if before.hashes.iter().any(|given| !all.contains(given)) {
            return match notes.as_slice() {
                [] => "## Current Context (cleared: earlier notes no longer hold)".to_owned(),
                notes => headed(" (changed: only these notes still hold)", notes),
            };
        }
        let is_new = |hash: &u32| !before.hashes.contains(hash);
        let newest = notes.iter().zip(&all).rev().take(MAX_REMEMBERED);
        let mut new: Vec<String> = newest
            .filter(|(_, hash)| is_new(hash))
            .map(|(note, _)| note.clone())
            .collect();
        new.reverse();
        headed(" (new)", &new)
    }

    fn remember(&mut self, now: &NotesNow) {
        now.project.clone_into(&mut self.project);
        now.stamp.clone_into(&mut self.stamp);
        if let Some(notes) = &now.notes {
            let newest = notes.iter().rev().take(MAX_REMEMBERED);
            self.hashes = newest.map(|note| hash(note)).collect();
        }
    }
}

/// Hashes what an agent is shown of a note. If two notes collide, the second is not given until the next start.
fn hash(note: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    hasher.write(as_injected(note).as_bytes());
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// The notes below their header, one per line; only the newest if there are too many, nothing if there are none.
fn headed(remark: &str, notes: &[String]) -> String {
    let mut room = MAX_NOTES_CHARS;
    let mut lines: Vec<String> = Vec::new();
    for note in notes.iter().rev() {
        let line = format!("- {}", as_injected(note));
        let Some(left) = room.checked_sub(line.chars().count() + 1) else {
            break;
        };
        room = left;
        lines.push(line);
    }
    let hidden = notes.len() - lines.len();
    if hidden > 0 {
        lines.push(format!(
            "- ({} not shown: `scratchpad context` lists all)",
            counted(hidden, "older note", "older notes")
        ));
    }
    lines.reverse();
    if lines.is_empty() {
        return String::new();
    }
    format!("## Current Context{remark}\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(notes: &[String]) -> NotesNow {
        NotesNow {
            project: "/p".to_owned(),
            stamp: "1".to_owned(),
            notes: Some(notes.to_vec()),
        }
    }

    fn texts(notes: &[&str]) -> Vec<String> {
        notes.iter().map(|note| (*note).to_owned()).collect()
    }

    #[test]
    fn the_newest_notes_are_said_and_the_others_counted() {
        let begin = |notes: &[String]| GivenNotes::default().begin(&now(notes));
        assert_eq!(begin(&[]), "");
        assert_eq!(
            begin(&texts(&["Deploys are\nfrozen", "Ask first"])),
            "## Current Context\n- Deploys are frozen\n- Ask first"
        );
        let many: Vec<String> = (0..20)
            .map(|number| format!("{number} {}", "x".repeat(400)))
            .collect();
        let said = begin(&many);
        assert!(said.starts_with("## Current Context\n- (13 older notes not shown: `scratchpad context` lists all)\n- 13 x"));
        assert!(said.contains("\n- 19 x") && said.chars().count() < 3_200);
    }

    #[test]
    fn an_agent_hears_what_changed_and_each_change_once() {
        let mut given = GivenNotes::default();
        given.begin(&now(&texts(&["a", "b"])));
        let mut hears = |notes: &[&str]| given.update(&now(&texts(notes)));
        assert_eq!(hears(&["a", "b"]), "");
        assert_eq!(hears(&["a", "b", "c"]), "## Current Context (new)\n- c");
        assert_eq!(hears(&["a", "b", "c"]), "");
        assert_eq!(
            hears(&["a", "c"]),
            "## Current Context (changed: only these notes still hold)\n- a\n- c"
        );
        assert_eq!(hears(&["a", "c"]), "");
        assert_eq!(
            hears(&[]),
            "## Current Context (cleared: earlier notes no longer hold)"
        );
        assert_eq!(hears(&[]), "");
        assert_eq!(hears(&["a"]), "## Current Context (new)\n- a");
    }

    #[test]
    fn notes_that_can_not_be_read_are_as_they_were() {
        let mut given = GivenNotes::default();
        given.begin(&now(&texts(&["a"])));
        let broken = NotesNow {
            notes: None,
            stamp: "2".to_owned(),
            ..now(&[])
        };
        assert_eq!(given.update(&broken), "");
        assert_eq!(given.stamp, "2", "it is not read again until it changes");
        assert_eq!(
            given.update(&now(&texts(&["a", "b"]))),
            "## Current Context (new)\n- b"
        );
    }

    #[test]
    fn of_many_notes_only_the_changed_ones_are_said() {
        let mut many: Vec<String> = (0..500).map(|number| number.to_string()).collect();
        let mut given = GivenNotes::default();
        given.begin(&now(&many));
        assert_eq!(given.hashes.len(), MAX_REMEMBERED);
        many.push("new".to_owned());
        assert_eq!(given.update(&now(&many)), "## Current Context (new)\n- new");
        many.truncate(400);
        let said = given.update(&now(&many));
        assert!(said.starts_with("## Current Context (changed"), "{said}");
    }
}
