//! Paths of hosts' files, relative to directories that depend on the environment.

/// A path in one of a host's directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPath {
    /// The directory.
    pub base: HostDirectory,
    /// The path in it.
    pub path: &'static str,
}

/// A directory in which hosts keep files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostDirectory {
    /// The project's root.
    Project,
    /// The person's home directory.
    Home,
    /// The person's configuration directory, `~/.config` on Linux.
    Configuration,
    /// The directory for the settings of desktop applications, which differs on macOS.
    Application,
    /// A directory of the host's own.
    Own {
        /// The environment variable that moves it.
        variable: &'static str,
        /// The default, in the person's home directory; empty for the home directory itself.
        usual: &'static str,
    },
}

/// Whom a file applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One project.
    Project,
    /// All projects of the person.
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
    /// A path in this directory.
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
