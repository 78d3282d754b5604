//! What `install`, `inject` and `plugin` write to the files of hosts and projects, and how it is undone.
//!
//! [`places`] finds a host's files, [`install`] and [`inject`] change them, `undo` records what was there, [`checks`]
//! verifies the result. Context notes and packs hold what a person wants all agents to know.

pub mod checks;
pub mod files;
mod gather;
pub mod git;
pub mod inject;
pub mod install;
pub mod notes;
pub mod packs;
pub mod places;
pub mod transcripts;
mod undo;

use std::path::Path;

use crate::model::context::instructions::InstructionFacts;
use crate::model::error::Error;
use crate::model::host::path::Reach;
use crate::model::tool::Group;
use crate::model::tool::surface::Surface;
use crate::project::Project;

/// The facts for the instruction files of a project or of the person, and what could not be read.
///
/// An invalid file only leaves its part out: the rest is still worth writing.
pub fn gathered(
    reach: Reach,
    project: &Project,
    notes: &notes::ContextNotes,
    configuration: &Path,
    profile: &str,
    max_bytes: usize,
    switched_off: Vec<Group>,
) -> (InstructionFacts, Vec<Error>) {
    // A project's packs must not get into the files that all projects share.
    let own = (reach == Reach::Project).then_some(project);
    let mut library = packs::PackLibrary::read(configuration, own);
    let (profile, packs) = library.chosen(profile);
    let mut problems = library.problems;
    let listed = notes.for_agents().unwrap_or_else(|error| {
        // Whoever loaded the settings has warned of the whole directory.
        if reach == Reach::Global || project.unreadable().is_none() {
            problems.push(error);
        }
        Vec::new()
    });
    let mut surface = Surface::default();
    surface.groups.retain(|group| !switched_off.contains(group));
    let facts = InstructionFacts {
        profile,
        notes: listed,
        project: own.map(gather::project_facts),
        tools: surface.tools().iter().map(|tool| tool.name).collect(),
        switched_off,
        packs,
        max_bytes,
    };
    (facts, problems)
}
