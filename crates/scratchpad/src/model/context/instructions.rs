//! The text in instruction files: one function from facts to text.

use super::pack::{Pack, PackPart};
use super::region;
use super::toolchain::Toolchain;
use crate::model::error::Result;
use crate::model::text::escape::{contained, for_markdown, from_markdown, one_line};
use crate::model::text::quantity::{counted, grouped, shortened};
use crate::model::tool::Group;

/// The most bytes of a context note in a region.
pub const MAX_NOTE_BYTES: usize = 500;

/// The most characters shown of a name that comes from outside.
const MAX_NAME_CHARS: usize = 100;

const HEADER: &str =
    "# Scratchpad\n\nWritten by `scratchpad inject`; changes made here are overwritten.";
const CURRENT: &str = "## Current Context";
const RUNTIME: &str = "## Runtime Context";

/// Everything that a region is built from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionFacts {
    /// The name of the person's profile; empty if none is chosen.
    pub profile: String,
    /// Oldest first.
    pub notes: Vec<String>,
    /// `None` if the text is for all projects.
    pub project: Option<ProjectFacts>,
    /// The tools that the host may offer.
    pub tools: Vec<&'static str>,
    /// The groups of tools whose commands are left out.
    pub switched_off: Vec<Group>,
    /// Heaviest first.
    pub packs: Vec<Pack>,
    /// The most bytes of the region, markers included.
    pub max_bytes: usize,
}

/// What can be found out cheaply about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    /// The name of its directory.
    pub name: String,
    pub version_control: Option<VersionControl>,
    pub toolchain: Toolchain,
}

/// The version control of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionControl {
    /// `git`, `jj` and so on.
    pub system: &'static str,
    /// The branch that is checked out, if any.
    pub branch: Option<String>,
    /// The name of the remote; never its URL, which may contain a password.
    pub remote: Option<String>,
}

/// A section of the text, with the name to report if it has to be left out.
struct Section {
    name: String,
    text: String,
}

/// The text between the markers.
///
/// To stay within the budget, sections are left out from the end, then the oldest notes; a last line says so.
pub fn instructions(facts: &InstructionFacts) -> String {
    let room = facts.max_bytes.saturating_sub(region::CONTEXT.overhead());
    let notes: Vec<String> = facts.notes.iter().map(|note| note_line(note)).collect();
    let profile = profile_line(&facts.profile);
    let head = |from: usize| {
        let shown = notes.get(from..).unwrap_or_default().join("\n");
        let current = match shown.as_str() {
            "" => String::new(),
            shown => format!("{CURRENT}\n{shown}"),
        };
        let parts = [HEADER, &profile, &current];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n\n")
    };
    let sections = sections(facts);
    let whole = head(0);
    // Sum up sizes first instead of building a text that may not fit: there may be many long packs.
    let bytes_of = |section: &Section| section.text.len() + 2;
    let mut bytes = whole.len() + sections.iter().map(bytes_of).sum::<usize>();
    for kept in (0..=sections.len()).rev() {
        let (shown, left) = sections.split_at_checked(kept).unwrap_or_default();
        let said = match left {
            [] => String::new(),
            left => format!("\n\n{}", left_out(0, left, facts.max_bytes)),
        };
        if bytes + said.len() <= room {
            let mut text = whole;
            for section in shown {
                text.push_str("\n\n");
                text.push_str(&section.text);
            }
            return text + &said;
        }
        bytes -= shown.last().map_or(0, bytes_of);
    }
    // Not all notes fit: keep the newest, which matter most.
    let fixed = head(notes.len()).len() + CURRENT.len() + 4;
    let said = left_out(notes.len(), &sections, facts.max_bytes).len();
    let mut bytes = fixed + said;
    let fitting = notes
        .iter()
        .rev()
        .take_while(|line| {
            bytes += line.len() + 1;
            bytes <= room
        })
        .count();
    let from = notes.len() - fitting;
    format!(
        "{}\n\n{}",
        head(from),
        left_out(from, &sections, facts.max_bytes)
    )
}

fn left_out(notes: usize, sections: &[Section], max_bytes: usize) -> String {
    // Bounded, so that this line fits into the smallest budget however long the names are.
    const NAMED: usize = 6;
    const NAME_CHARS: usize = 40;
    let mut what: Vec<String> = Vec::new();
    if notes > 0 {
        what.push(counted(notes, "older context note", "older context notes"));
    }
    what.extend(
        sections
            .iter()
            .take(NAMED)
            .map(|section| shortened(&section.name, NAME_CHARS)),
    );
    if let Some(more) = sections.len().checked_sub(NAMED).filter(|more| *more > 0) {
        what.push(format!("{more} more"));
    }
    format!(
        "Left out, over the budget of {} bytes: {}.",
        grouped(max_bytes),
        what.join(", ")
    )
}

fn profile_line(name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("**Developer Profile:** {}", shown(name)),
    }
}

fn sections(facts: &InstructionFacts) -> Vec<Section> {
    let section = |name: &str, text: String| Section {
        name: name.to_owned(),
        text,
    };
    let joined = |part: PackPart| {
        let texts: Vec<String> = facts
            .packs
            .iter()
            .map(|pack| contained(pack.part(part)))
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n\n")
    };
    let headed = |heading: &str, part: PackPart| {
        let text = joined(part);
        (!text.is_empty()).then(|| section(heading, format!("## {heading}\n{text}")))
    };
    let mut all = vec![section("Runtime Context", runtime_context(facts))];
    let preamble = joined(PackPart::Preamble);
    if !preamble.is_empty() {
        all.push(section("preamble", preamble));
    }
    all.extend(headed("Constraints", PackPart::Constraints));
    for pack in &facts.packs {
        let text = contained(pack.part(PackPart::Context));
        if !text.is_empty() {
            let name = shown(&pack.name);
            let text = format!("## {name}\n{text}");
            all.push(Section { name, text });
        }
    }
    all.extend(headed("Canonical Patterns", PackPart::Patterns));
    all.extend(headed("Recommended Learning", PackPart::Learning));
    all.extend(headed("Known Errors", PackPart::Errors));
    all
}

fn runtime_context(facts: &InstructionFacts) -> String {
    let mut lines = vec![RUNTIME.to_owned()];
    if let Some(project) = &facts.project {
        lines.push(format!("- Project: {}", shown(&project.name)));
        if let Some(control) = &project.version_control {
            let mut parts = vec![control.system.to_owned()];
            parts.extend(
                control
                    .branch
                    .as_ref()
                    .map(|name| format!("branch {}", shown(name))),
            );
            parts.extend(
                control
                    .remote
                    .as_ref()
                    .map(|name| format!("remote {}", shown(name))),
            );
            lines.push(format!("- Version control: {}", parts.join(", ")));
        }
        let Toolchain {
            languages,
            build_tools,
            test,
        } = &project.toolchain;
        for (what, names) in [("Languages", languages), ("Build tools", build_tools)] {
            if !names.is_empty() {
                lines.push(format!("- {what}: {}", names.join(", ")));
            }
        }
        lines.extend(test.as_ref().map(|command| format!("- Tests: `{command}`")));
        lines.push(String::new());
    }
    let rows: Vec<&str> = (COMMANDS.into_iter())
        .filter(|(group, _)| group.is_none_or(|group| !facts.switched_off.contains(&group)))
        .map(|(_, row)| row)
        .collect();
    lines.push(format!("{COMMANDS_HEAD}\n{}", rows.join("\n")));
    if !facts.tools.is_empty() {
        lines.push(format!(
            "\nAs tools, where this host offers them: {}.",
            facts.tools.join(", ")
        ));
    }
    lines.join("\n")
}

/// The lines above [`COMMANDS`].
const COMMANDS_HEAD: &str = "\
Scratchpad keeps your working memory outside the context window:

| command | for |
|---|---|";

/// The commands for an agent that has a shell, each unless its group is switched off.
const COMMANDS: [(Option<Group>, &str); 5] = [
    (
        Some(Group::Pad),
        "| `scratchpad session show` | your pad: notes, plan, refs |",
    ),
    (
        Some(Group::Pad),
        "| `scratchpad session append-notes TEXT`, `set-plan TEXT`, `refs add REF` | update it after each step that matters |",
    ),
    (
        Some(Group::Notes),
        "| `scratchpad note search TEXT`, `note add TEXT --scope project` | facts to find again, in later sessions too |",
    ),
    (
        None,
        "| `scratchpad context list`, `context add TEXT`, `context clear` | the person's notes to all agents; change only if asked |",
    ),
    (
        Some(Group::Outputs),
        "| `scratchpad output read ID` | the full text of an output |",
    ),
];

/// A name that comes from outside, escaped and on one line.
fn shown(name: &str) -> String {
    shortened(&for_markdown(&one_line(name)), MAX_NAME_CHARS)
}

/// A context note as a line of a list.
fn note_line(note: &str) -> String {
    format!("- {}", for_markdown(&as_injected(note)))
}

/// A context note as it is written into a region: on one line, and truncated to the limit.
pub fn as_injected(note: &str) -> String {
    let line = one_line(note);
    if line.len() <= MAX_NOTE_BYTES {
        return line;
    }
    let end = line.floor_char_boundary(MAX_NOTE_BYTES);
    format!("{}...", line.get(..end).unwrap_or_default())
}

/// The context notes in a file's region, as [`as_injected`] wrote them.
pub fn notes_in(file: &[u8]) -> Result<Vec<String>> {
    let text = region::CONTEXT.text_of(file)?.unwrap_or_default();
    // Stop there: a pack further down may have the same heading.
    let ours = text.lines().take_while(|line| *line != RUNTIME);
    let mut lines = ours.skip_while(|line| *line != CURRENT).skip(1);
    let notes = std::iter::from_fn(|| lines.next()?.strip_prefix("- "));
    Ok(notes.map(from_markdown).collect())
}

#[cfg(test)]
mod tests;
