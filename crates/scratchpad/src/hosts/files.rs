//! The files that `install` writes, with and without our parts.

use std::fs;
use std::path::{Path, PathBuf};

use super::places::Places;
use crate::disk::files::read_small_text;
use crate::disk::private::cannot;
use crate::disk::replace::replace_private;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::host::Host;
use crate::model::host::install::{InstallPart, Program};
use crate::model::host::path::{HostDirectory, HostPath, Reach};
use crate::model::text::message::{Message, message};
use crate::project::Project;

/// The largest host file that is read.
const MAX_BYTES: usize = 64 << 20;

/// A file of a host, and our parts of it.
pub struct HostFile {
    pub path: PathBuf,
    /// Its content; `None` if there is no file.
    pub text: Option<String>,
    /// Our parts that belong in it.
    pub parts: Vec<&'static InstallPart>,
}

/// The files of a host; one file may have several parts.
pub fn files_of(host: &'static Host, places: &Places, reach: Reach) -> Result<Vec<HostFile>> {
    let mut files: Vec<HostFile> = Vec::new();
    for part in host.parts(reach) {
        let path = path_of(part, places)?;
        if let Some(file) = files.iter_mut().find(|file| file.path == path) {
            file.parts.push(part);
        } else {
            let text = read(&path)?;
            files.push(HostFile {
                path,
                text,
                parts: vec![part],
            });
        }
    }
    Ok(files)
}

/// The name that our server has in these files, and the path of the program there.
pub(super) fn own_server(files: &[HostFile], program: &Program) -> Option<(String, String)> {
    files.iter().find_map(|file| {
        let text = file.text.as_deref().unwrap_or_default();
        let mut parts = file.parts.iter();
        parts.find_map(|part| part.kind.own_server(text, program))
    })
}

/// The file that has a part, else the one to write it to.
fn path_of(part: &InstallPart, places: &Places) -> Result<PathBuf> {
    let mut first = None;
    for path in part.preferred {
        let path = checked(HostPath { path, ..part.place }, places)?;
        if !path.is_file() {
            continue;
        }
        if read(&path)?.is_some_and(|text| part.kind.is_there(&text, &Program::default())) {
            return Ok(path);
        }
        first.get_or_insert(path);
    }
    first.map_or_else(|| checked(part.place, places), Ok)
}

/// The path of a place; one in the project must not lead out of it.
fn checked(place: HostPath, places: &Places) -> Result<PathBuf> {
    let path = places.path(place)?;
    if place.base == HostDirectory::Project {
        let root = places.project.clone();
        Project::rooted(&root).check_inside(&path)?;
    }
    Ok(path)
}

/// The text of a file; `None` if there is no file.
pub fn read(path: &Path) -> Result<Option<String>> {
    read_small_text(path, MAX_BYTES)
}

impl HostFile {
    /// The titles of our parts in it: of the optional ones, those that are in one of these texts.
    pub fn titles(&self, texts: &[&str]) -> Message {
        let is_there = |part: &&&InstallPart| {
            let has = |text: &&str| part.kind.is_there(text, &Program::default());
            !part.kind.is_optional() || texts.iter().any(has)
        };
        let parts = self.parts.iter().filter(is_there);
        Message::joined(parts.map(|part| part.kind.title()), ", ")
    }

    /// Whether any part of ours is in it, of any version.
    pub fn is_wired(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        self.parts
            .iter()
            .any(|part| part.kind.is_there(text, &Program::default()))
    }

    /// Whether our hooks are in it, of any version.
    pub fn has_our_hooks(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        let mut parts = self.parts.iter();
        parts.any(|part| part.kind.is_hooks() && part.kind.is_there(text, &Program::default()))
    }

    /// Refuses to replace somebody else's server.
    pub(super) fn check_names(&self, program: &Program) -> Result<()> {
        let text = self.text.as_deref().unwrap_or_default();
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| {
            part.kind
                .check_name(text, program)
                .map_err(|error| error.within(self.path.display()))
        })
    }

    /// Its text with our parts.
    pub(super) fn added(&self, program: &Program) -> Result<String> {
        let mut text = self.text.clone().unwrap_or_default();
        for part in &self.parts {
            if part.kind.is_whole_file() && !text.is_empty() && !text.contains("scratchpad") {
                return Err(Error::refused(message!(
                    "{path} already exists and was not written by scratchpad.",
                    path = self.path.display()
                ))
                .hint("move it away, or call scratchpad from it."));
            }
            text = part
                .kind
                .added(&text, program)
                .map_err(|error| error.within(self.path.display()))?;
        }
        Ok(text)
    }

    /// Its text without our parts; `before` is the text that we found originally.
    pub(super) fn removed(&self, before: &str, program: &Program) -> Result<Option<String>> {
        let mut text = self.text.clone();
        for part in &self.parts {
            let Some(left) = text else { break };
            text = part
                .kind
                .removed(&left, before, program)
                .map_err(|error| error.within(self.path.display()))?;
        }
        Ok(text)
    }

    /// The same file, known with another content.
    pub(super) fn with_text(&self, text: Option<String>) -> Self {
        Self {
            path: self.path.clone(),
            text,
            parts: self.parts.clone(),
        }
    }

    /// Replaces it, or deletes it, unless it changed since it was read.
    pub(super) fn replace(&self, new: Option<&str>) -> Result<()> {
        // A host may write its file at any time, and its changes must not be lost.
        if read(&self.path)? != self.text {
            return Err(Error::refused(message!(
                "{path} was changed by another program in the meantime.",
                path = self.path.display()
            ))
            .as_kind(ErrorKind::Busy)
            .hint("try again."));
        }
        // The rights of the directory alone would allow it.
        if fs::metadata(&self.path).is_ok_and(|found| found.permissions().readonly()) {
            return Err(Error::refused(message!(
                "{path} is read-only.",
                path = self.path.display()
            ))
            .hint("make it writable."));
        }
        let Some(new) = new else {
            return fs::remove_file(&self.path)
                .map_err(|error| cannot("remove", &self.path, &error));
        };
        replace_private(&self.path, new.as_bytes())?;
        #[cfg(unix)]
        if self.parts.iter().any(|part| part.kind.is_executable()) {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&self.path, fs::Permissions::from_mode(0o755))
                .map_err(|error| cannot("make executable", &self.path, &error))?;
        }
        Ok(())
    }
}
