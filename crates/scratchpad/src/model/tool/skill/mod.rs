//! The skill: how to use these tools, at length. Hosts load it on demand, so it may be longer than the guidance.

use super::Group;
use super::surface::Surface;
use crate::model::text::quantity::grouped;

/// The skill's name, and that of its directory.
pub const NAME: &str = "scratchpad";

/// The skill for the tools of this surface in their full form; empty if there are none.
pub fn skill(surface: &Surface) -> String {
    let offers = |group| surface.groups.contains(&group);
    let offered: Vec<Group> = Group::ALL.into_iter().filter(|it| offers(*it)).collect();
    if offered.is_empty() {
        return String::new();
    }
    let things: Vec<&str> = offered.iter().map(|group| thing(*group)).collect();
    let occasions: Vec<&str> = offered.iter().map(|group| occasion(*group)).collect();
    let parts: Vec<String> = offered.iter().map(|it| part(*it, surface)).collect();
    format!(
        "---\nname: {NAME}\ndescription: \"Working memory outside the context window: {}. Use {}.\"\n---\n\n\
         # Scratchpad\n\n\
         The tools may have a prefix in front of these names (`mcp__…`). One that you are not offered is switched off.\n\n{}",
        things.join("; "),
        occasions.join(", "),
        parts.join("\n"),
    )
}

fn thing(group: Group) -> &'static str {
    match group {
        Group::Pad => "a pad with plan, notes and refs that survives compaction",
        Group::Notes => "searchable notes, also for later sessions",
        Group::Outputs => "large tool results kept whole, to read in slices",
    }
}

/// When to load the skill.
fn occasion(group: Group) -> &'static str {
    match group {
        Group::Pad => {
            "when a task has several steps, after a decision or a finding you will need again, after a compaction"
        }
        Group::Notes => "before working out what an earlier session may have noted",
        Group::Outputs => "when a result was replaced by a reference",
    }
}

fn part(group: Group, surface: &Surface) -> String {
    let spilled = if surface.groups.contains(&Group::Outputs) {
        "all of it is the output that it names"
    } else {
        "shorten the text and write it again"
    };
    let text = match group {
        Group::Pad => include_str!("pad.md"),
        Group::Notes => include_str!("notes.md"),
        Group::Outputs => include_str!("outputs.md"),
    };
    let figures = [
        ("{plan}", surface.pad.plan_max_chars),
        ("{notes}", surface.pad.notes_max_chars),
        ("{refs}", surface.pad.max_refs),
        ("{note}", surface.notes.max_chars),
        ("{tags}", surface.notes.max_tags),
    ];
    figures.iter().fold(
        text.replace("{spilled}", spilled),
        |text, (name, figure)| text.replace(name, &grouped(*figure)),
    )
}
