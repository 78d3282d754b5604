//! Where the files of hosts are: the one place that turns what is known of a host into paths of this machine.

use std::path::PathBuf;

use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::host::path::{HostDirectory, HostPath};

/// The directories that hosts keep their files in, as this person has them.
#[derive(Clone, Debug)]
pub struct Places {
    /// The project's root.
    pub project: PathBuf,
    /// The person's home, where it is known.
    pub home: Option<PathBuf>,
    /// The person's directory of configurations, where it is known.
    pub configuration: Option<PathBuf>,
    /// Where programs with windows keep a person's settings, where it is known.
    pub application: Option<PathBuf>,
    /// Directories of hosts that a variable moves, by its name.
    pub moved: Vec<(&'static str, PathBuf)>,
}

impl Places {
    /// The path of a host's file.
    pub fn path(&self, place: HostPath) -> Result<PathBuf> {
        let base = self.directory(place.base).ok_or_else(|| {
            Error::usage("There is no home directory to find hosts in: HOME is not set to an absolute path. Nothing was changed.")
                .hint("set HOME, or use --project.")
        })?;
        Ok(base.join(place.path))
    }

    /// Whether the person has a host.
    pub fn has(&self, host: &Host) -> bool {
        let mut marks = host.marks.iter();
        marks.any(|mark| self.path(*mark).is_ok_and(|path| path.exists()))
    }

    /// Whether a host is used in the project.
    pub fn is_used_in_project(&self, host: &Host) -> bool {
        let mut marks = host.project_marks.iter();
        marks.any(|mark| self.project.join(mark).exists())
    }

    fn directory(&self, base: HostDirectory) -> Option<PathBuf> {
        match base {
            HostDirectory::Project => Some(self.project.clone()),
            HostDirectory::Home => self.home.clone(),
            HostDirectory::Configuration => self.configuration.clone(),
            HostDirectory::Application => self.application.clone(),
            HostDirectory::Own { variable, usual } => {
                let mut moved = self.moved.iter();
                match moved.find(|(name, _)| *name == variable) {
                    Some((_, path)) => Some(path.clone()),
                    None => self.home.as_ref().map(|home| home.join(usual)),
                }
            }
        }
    }
}
