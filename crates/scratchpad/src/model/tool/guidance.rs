//! The instructions for using the memory as a whole; each tool's own description has the details.

use super::{Group, Tool};
use crate::model::note::tool as note_tools;
use crate::model::output::tool as output_tools;

/// The longest text: hosts truncate longer ones.
pub const MAX_CHARS: usize = 2_000;

/// How to use these tools; empty if there are none. Never mentions a tool that is not offered.
pub fn guidance(tools: &[Tool]) -> String {
    let offered = |name: &str| tools.iter().any(|tool| tool.name == name);
    let mut parts = Vec::new();
    if let Some(pad) = tools.iter().find(|tool| tool.group == Group::Pad) {
        parts.push(format!(
            "{} is your working memory: it survives context compaction and restarts. \
             Keep in it your plan (set_plan), what you found out and decided (append_notes; set_notes to rewrite it shorter), \
             and the paths, links and ids you will need again (refs.add). Write after each step that matters, not at the end. \
             If you don't know where the work stands, call it with action get before you start over.",
            pad.name
        ));
    }
    if offered("add_note") {
        parts.push(
            "Single facts to find again go into notes: add_note with tags; scope project keeps one for later sessions. \
             search_notes before you work something out again."
                .to_owned(),
        );
    }
    if offered(note_tools::COMPACT_NAME) {
        parts.push(
            "Single facts to find again go into notes (action add, with tags; scope project keeps one for later sessions). \
             Search them before you work something out again."
                .to_owned(),
        );
    }
    if offered(output_tools::READ) {
        parts.push(
            "Texts too long for your context are kept whole as outputs, and replaced by a reference: scratchpad_read gives \
             the lines, matches or JSON you need of one, scratchpad_list finds them."
                .to_owned(),
        );
    }
    if offered(output_tools::COMPACT_NAME) {
        parts.push(
            "Texts too long for your context are kept whole as outputs, and replaced by a reference: `outputs` with an id gives \
             the lines, matches or JSON you need of one, without an id it finds them."
                .to_owned(),
        );
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tool::surface::{Form, Names, Surface};

    /// Every surface that the flags can select.
    fn surfaces() -> Vec<Surface> {
        let mut all = Vec::new();
        for chosen in 0..8_u8 {
            let groups: Vec<Group> = Group::ALL
                .into_iter()
                .zip([1, 2, 4])
                .filter(|(_, bit)| chosen & bit != 0)
                .map(|(group, _)| group)
                .collect();
            for form in [Form::Full, Form::Compact] {
                for names in [Names::Plain, Names::Dotted] {
                    let groups = groups.clone();
                    all.push(Surface {
                        groups,
                        form,
                        names,
                    });
                }
            }
        }
        all
    }

    #[test]
    fn guidance_names_only_tools_that_are_offered() {
        let all_names: Vec<&str> = surfaces()
            .iter()
            .flat_map(Surface::tools)
            .map(|tool| tool.name)
            .collect();
        for surface in surfaces() {
            let tools = surface.tools();
            let text = guidance(&tools);
            assert!(text.chars().count() < MAX_CHARS);
            assert_eq!(text.is_empty(), tools.is_empty());
            for name in &all_names {
                // `notes` and `outputs` are ordinary words too.
                let said = name.contains('_') && text.contains(name);
                let there = tools.iter().any(|tool| tool.name == *name);
                assert!(
                    !said || there,
                    "{name} is said, but not offered: {surface:?}"
                );
            }
            for group in Group::ALL {
                let sentence = match group {
                    Group::Pad => "your working memory",
                    Group::Notes => "Single facts",
                    Group::Outputs => "as outputs",
                };
                let offered = surface.groups.contains(&group);
                assert_eq!(text.contains(sentence), offered, "{surface:?}");
            }
        }
    }
}
