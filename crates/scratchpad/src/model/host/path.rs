//! Where hosts keep their files, as far as it is known without an environment.

/// A path below one of a host's directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPath {
    /// What it is below.
    pub base: HostDirectory,
    /// The path.
    pub path: &'static str,
}

/// A directory that hosts keep files in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostDirectory {
    /// The project's root.
    Project,
    /// The person's home.
    Home,
    /// The person's directory of configurations, `~/.config` on Linux.
    Configuration,
    /// Where programs with windows keep a person's settings, which is elsewhere on macOS.
    Application,
    /// A directory of the host's own.
    Own {
        /// The variable that moves it.
        variable: &'static str,
        /// Where it is otherwise, in the person's home; empty for the home itself.
        usual: &'static str,
    },
}

/// Whose files are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the project.
    Project,
    /// Those for every project of the person.
    Global,
}

impl Reach {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

impl HostDirectory {
    /// A path below it.
    pub(super) const fn path(self, path: &'static str) -> HostPath {
        HostPath { base: self, path }
    }
}

pub(super) const fn in_project(path: &'static str) -> HostPath {
    HostDirectory::Project.path(path)
}

pub(super) const fn in_home(path: &'static str) -> HostPath {
    HostDirectory::Home.path(path)
}

pub(super) const fn in_configuration(path: &'static str) -> HostPath {
    HostDirectory::Configuration.path(path)
}
