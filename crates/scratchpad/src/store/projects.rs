//! Projects: what belongs to each, and the repositories that they are.

use crate::model::context::known::KnownRepository;
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};

/// A project in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectHead {
    pub id: ProjectId,
    /// The name that a person gave it; empty if none did.
    pub name: String,
    pub sessions: usize,
    /// The notes that all its sessions see.
    pub notes: usize,
    pub outputs: usize,
    /// When something of it was last written.
    pub used: Millis,
}

/// What became another project's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MovedRows {
    pub sessions: usize,
    pub notes: usize,
    pub outputs: usize,
}

/// Stores which projects there are. Paths are those of this machine.
pub trait Projects: Send + Sync {
    /// The projects that have a session, a note or an output, the last used first.
    fn projects(&self) -> Result<Vec<ProjectHead>>;

    /// Those of these projects that have a session, a note or an output.
    fn projects_in_use(&self, among: &[ProjectId]) -> Result<Vec<ProjectId>>;

    /// Names a project, or takes its name away.
    fn name_project(&self, project: &ProjectId, name: Option<&str>) -> Result<()>;

    /// Makes all that belongs to a project another's, with its name if that has none, in one transaction.
    fn move_project(&self, from: &ProjectId, into: &ProjectId) -> Result<MovedRows>;

    /// The repository that has this common directory.
    fn repository(&self, path: &str) -> Result<Option<KnownRepository>>;

    /// The repositories of this machine, the one that was seen last first.
    fn repositories(&self) -> Result<Vec<KnownRepository>>;

    /// Remembers a repository by its path.
    fn put_repository(&self, repository: &KnownRepository, at: Millis) -> Result<()>;

    fn forget_repository(&self, path: &str) -> Result<()>;
}
