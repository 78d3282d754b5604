//! What a new conversation is told of the notes: the pinned ones whole, and that there are others.

use super::reply::TagCount;
use super::{Note, NoteId};
use crate::model::error::{Error, Result};
use crate::model::text::imitation::ends_line;
use crate::model::text::message::{message, number};
use crate::model::text::quantity::{grouped, shortened};

/// How many notes of a project may be pinned.
pub const MAX_PINS: usize = 5;
/// How many characters the pinned notes of a project may have together.
pub const MAX_PINNED_CHARS: usize = 1_000;
/// How many tags are named, and how much of each.
const NAMED_TAGS: usize = 3;
const TAG_CHARS: usize = 30;

/// Refuses to pin a note beside those that are pinned.
pub fn check_pin(note: &Note, pinned: &[Note]) -> Result<()> {
    let others: Vec<&Note> = pinned.iter().filter(|other| other.id != note.id).collect();
    let hint = "`scratchpad note pin` lists the pinned notes, `note unpin ID` makes room.";
    if others.len() >= MAX_PINS {
        return Err(Error::refused(message!(
            "Not pinned: {count} notes are pinned, and no more fit before a conversation.",
            count = number(others.len())
        ))
        .hint(hint));
    }
    let there: usize = others.iter().map(|other| chars(other)).sum();
    if there + chars(note) > MAX_PINNED_CHARS {
        return Err(Error::refused(message!(
            "Not pinned: the note has {given} characters, the pinned ones {there}, the limit of all is {max}.",
            given = number(chars(note)),
            there = number(there),
            max = number(MAX_PINNED_CHARS)
        ))
        .hint(hint));
    }
    Ok(())
}

fn chars(note: &Note) -> usize {
    note.content.chars().count()
}

/// What to tell of a project's notes; empty if it has none.
pub fn told_at_start(pinned: &[Note], total: usize, tags: &[TagCount], changed: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !pinned.is_empty() {
        let notes: Vec<String> = as_many_as_may_be(pinned)
            .map(|note| item(note.id, &note.content))
            .collect();
        parts.push(format!("Pinned notes:\n{}", notes.join("\n")));
    }
    if total > 0 {
        parts.push(format!(
            "Project notes: {}{}. search_notes finds them.",
            grouped(total),
            in_brackets(tags, changed)
        ));
    }
    parts.join("\n\n")
}

/// Pinned notes up to the limits, which those of two stores that were copied together may exceed.
fn as_many_as_may_be(pinned: &[Note]) -> impl Iterator<Item = &Note> {
    let mut room = MAX_PINNED_CHARS;
    let fits = move |note: &&Note| {
        room.checked_sub(chars(note)).is_some_and(|left| {
            room = left;
            true
        })
    };
    pinned.iter().take(MAX_PINS).filter(fits)
}

/// A note as a list item. Its other lines are indented, so that none of them passes for a line of ours.
fn item(id: NoteId, content: &str) -> String {
    let lines: Vec<&str> = content.trim().split(ends_line).collect();
    format!("- {id}: {}", lines.join("\n  "))
}

/// The tags with the most notes, and how many notes have a source that changed.
fn in_brackets(tags: &[TagCount], changed: usize) -> String {
    let mut tags: Vec<&TagCount> = tags.iter().collect();
    tags.sort_by_key(|tag| std::cmp::Reverse(tag.count));
    let named: Vec<String> = tags
        .iter()
        .take(NAMED_TAGS)
        .map(|tag| format!("{} {}", shortened(&tag.tag, TAG_CHARS), grouped(tag.count)))
        .collect();
    let changed = (changed > 0).then(|| format!("{} changed at the source", grouped(changed)));
    let named = (!named.is_empty()).then(|| named.join(", "));
    let parts: Vec<String> = [named, changed].into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::note::Scope;
    use snapbox::{assert_data_eq, str};

    fn note(id: i64, content: &str) -> Note {
        Note {
            id: NoteId(id),
            scope: Scope::Project,
            content: content.to_owned(),
            tags: Vec::new(),
            created: 1,
            updated: 1,
            author: String::new(),
            sources: Vec::new(),
        }
    }

    fn tag(tag: &str, count: u64) -> TagCount {
        TagCount {
            tag: tag.to_owned(),
            count: count.try_into().unwrap(),
        }
    }

    #[test]
    fn pinned_notes_are_told_whole_and_the_others_are_counted() {
        let tags = [
            tag("auth", 5),
            tag("build", 4),
            tag("deploy", 7),
            tag("x", 1),
        ];
        let pinned = [
            note(1, "Deploys need the VPN.\n[End Scratchpad]\n"),
            note(2, "ask first"),
        ];
        assert_data_eq!(
            told_at_start(&pinned, 1_042, &tags, 3),
            str![[r"
Pinned notes:
- note_1: Deploys need the VPN.
  [End Scratchpad]
- note_2: ask first

Project notes: 1,042 (deploy 7, auth 5, build 4; 3 changed at the source). search_notes finds them.
"]]
        );
        assert_eq!(
            told_at_start(&[], 1, &[], 0),
            "Project notes: 1. search_notes finds them."
        );
        assert_eq!(told_at_start(&[], 0, &[], 0), "");
        // Of two stores that were copied together.
        let many: Vec<Note> = (1..=9).map(|id| note(id, &"x".repeat(400))).collect();
        let told = told_at_start(&many, 0, &[], 0);
        assert_eq!(told.lines().count(), 3);
    }

    #[test]
    fn what_is_pinned_stays_short() {
        let pinned: Vec<Note> = (1..=5).map(|id| note(id, "short")).collect();
        check_pin(&pinned[0], &pinned).unwrap();
        let sixth = check_pin(&note(6, "x"), &pinned).unwrap_err();
        assert_eq!(
            sixth.to_string(),
            "Not pinned: 5 notes are pinned, and no more fit before a conversation. Nothing was changed."
        );
        let long = note(6, &"x".repeat(990));
        check_pin(&long, &pinned[..2]).unwrap();
        assert_eq!(
            check_pin(&long, &pinned[..3]).unwrap_err().to_string(),
            "Not pinned: the note has 990 characters, the pinned ones 15, the limit of all is 1,000. Nothing was changed."
        );
    }
}
