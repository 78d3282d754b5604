//! Where the files of hosts are on this machine.

use std::path::PathBuf;

use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::host::path::{HostDirectory, HostPath};

/// The base directories of this person's hosts.
#[derive(Clone, Debug)]
pub struct Places {
    pub project: PathBuf,
    /// The home directory, if known.
    pub home: Option<PathBuf>,
    /// The configuration directory (such as `~/.config`), if known.
    pub configuration: Option<PathBuf>,
    /// Where desktop applications keep their settings, if known.
    pub application: Option<PathBuf>,
    /// Host directories set by environment variables, by variable.
    pub moved: Vec<(&'static str, PathBuf)>,
}

impl Places {
    pub fn path(&self, place: HostPath) -> Result<PathBuf> {
        let base = self.directory(place.base).ok_or_else(|| {
            Error::usage("No home directory to find hosts in: HOME is not set to an absolute path. Nothing was changed.")
                .hint("set HOME, or use --project.")
        })?;
        Ok(base.join(place.path))
    }

    /// Whether the person has this host.
    pub fn has(&self, host: &Host) -> bool {
        let mut marks = host.marks.iter();
        marks.any(|mark| self.path(*mark).is_ok_and(|path| path.exists()))
    }

    /// Whether the project uses this host.
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
