//! The instruction files that hosts read.

use super::Host;
use super::path::HostPath;

/// An instruction file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionFile {
    /// Its path.
    pub place: HostPath,
    /// The front matter of a file that we create, for hosts that need it to apply the file.
    pub front_matter: &'static str,
}

/// The instruction files of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionFiles {
    /// The file for a project.
    pub project: Option<InstructionFile>,
    /// The file for all projects.
    pub global: Option<InstructionFile>,
    /// The name of the entry for the host's private file, if it has one.
    pub private_twin: Option<&'static str>,
}

impl InstructionFiles {
    pub(super) const NONE: Self = Self {
        project: None,
        global: None,
        private_twin: None,
    };

    pub(super) const fn in_project(place: HostPath) -> Self {
        Self {
            project: Some(plain(place)),
            ..Self::NONE
        }
    }

    pub(super) const fn new(project: HostPath, global: HostPath) -> Self {
        Self {
            project: Some(plain(project)),
            global: Some(plain(global)),
            private_twin: None,
        }
    }
}

const fn plain(place: HostPath) -> InstructionFile {
    InstructionFile {
        place,
        front_matter: "",
    }
}

/// The hosts whose hooks give their agents the context notes of this project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookedHosts {
    /// Those whose hooks have run.
    pub calling: Vec<&'static Host>,
    /// Those whose hooks are installed, but have not run yet.
    pub silent: Vec<&'static Host>,
}

impl HookedHosts {
    /// Whether all readers of a file get the context notes from a hook, so that the file does not need them.
    pub fn give_notes(&self, readers: &[&Host]) -> bool {
        let is_known = |host: &&&Host| **host != &super::any::HOST;
        let mut known = readers.iter().filter(is_known).peekable();
        known.peek().is_some() && known.all(|host| self.calling.contains(host))
    }
}
