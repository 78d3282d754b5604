//! A project's context: notes that the person writes, and the instruction files that carry them to agents.
//!
//! Beside the pad, and without its store: what is here are files that the person and the hosts read too.

mod gather;
pub mod git;
pub mod inject;
mod ledger;
pub mod notes;
pub mod packs;

use std::path::Path;

use crate::model::context::instructions::Facts;
use crate::model::error::Error;
use crate::model::host::targets::Reach;
use crate::model::tool::surface::Surface;
use crate::project::Project;

/// What there is to write about a project, or for all of them; and what could not be read for it.
///
/// A file that is wrong leaves its part out: the rest is still worth writing.
pub fn gathered(
    reach: Reach,
    project: &Project,
    notes: &notes::ContextNotes,
    configuration: &Path,
    profile: &str,
    max_bytes: usize,
) -> (Facts, Vec<Error>) {
    // What a project brings along must not get into the files of all the others.
    let own = (reach == Reach::Project).then_some(project);
    let mut library = packs::PackLibrary::read(configuration, own);
    let (profile, packs) = library.chosen(profile);
    let mut problems = library.problems;
    let listed = match reach {
        Reach::Global => Vec::new(),
        Reach::Project => notes.said().unwrap_or_else(|error| {
            problems.push(error);
            Vec::new()
        }),
    };
    let facts = Facts {
        profile,
        notes: listed,
        project: own.map(gather::project_facts),
        tools: Surface::default()
            .tools()
            .iter()
            .map(|tool| tool.name)
            .collect(),
        packs,
        max_bytes,
    };
    (facts, problems)
}
