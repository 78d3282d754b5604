//! The instructions for using the memory as a whole; each tool's own description has the details.

use super::surface::{Form, Surface};
use super::{Group, Tool};
use crate::model::text::quantity::grouped;

/// The longest text: hosts truncate longer ones.
pub const MAX_CHARS: usize = 2_000;

/// How to use the tools of this surface; empty if there are none. Never mentions a tool that is not offered.
pub fn guidance(surface: &Surface) -> String {
    let tools = surface.tools();
    let parts: Vec<String> = Group::ALL
        .into_iter()
        .filter_map(|group| {
            let tool = tools.iter().find(|tool| tool.group == group)?;
            Some(match group {
                Group::Pad => of_the_pad(tool, surface),
                Group::Notes => of_notes(surface),
                Group::Outputs => of_outputs(surface.form),
            })
        })
        .collect();
    parts.join("\n")
}

fn of_the_pad(tool: &Tool, surface: &Surface) -> String {
    let limits = &surface.pad;
    format!(
        "{name} is your working memory outside the context window: it survives compaction. Keep in it your plan \
         (set_plan, {plan} characters; steps as `- [ ]` lines), what you found out and decided (append_notes; set_notes to rewrite it, {notes}), and the \
         paths, links and ids you will need again (refs.add, {refs}). Write after each step that matters, not at the end, and \
         mark the plan's steps as they are active, done or blocked. Leave out file contents and tool output (note where they are), the history of \
         what you did, guesses, and the request itself. When it is full, rewrite it shorter: keep what is still needed. If you don't know \
         where the work stands, call it with action get before you start over.",
        name = tool.name,
        plan = grouped(limits.plan_max_chars),
        notes = grouped(limits.notes_max_chars),
        refs = grouped(limits.max_refs),
    )
}

fn of_notes(surface: &Surface) -> String {
    let chars = grouped(surface.notes.max_chars);
    match surface.form {
        Form::Full => format!(
            "Single facts to find again go into notes ({chars} characters each). search_notes before you work something out again, \
             and before you add: update_note rather than the same twice, delete_note what is no longer true. add_note with tags; \
             scope project keeps one for later sessions. Name the code a note is about as path:line; of one that says `changed since`, \
             look at the code and update it."
        ),
        Form::Compact => format!(
            "Single facts to find again go into notes ({chars} characters each). Search them before you work something out again, and \
             before you add: update rather than the same twice, delete what is no longer true. Add with tags; scope project keeps \
             one for later sessions."
        ),
    }
}

fn of_outputs(form: Form) -> String {
    let how = match form {
        Form::Full => {
            "scratchpad_read gives the lines, matches or JSON you need of one, scratchpad_list finds them."
        }
        Form::Compact => {
            "`outputs` with an id gives the lines, matches or JSON you need of one, without an id it finds them."
        }
    };
    format!(
        "Texts too long for your context are kept whole as outputs, and replaced by a reference: {how}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tool::surface::Names;

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
                        ..Surface::default()
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
            let text = guidance(&surface);
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
