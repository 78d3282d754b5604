//! The context notes of a project, in `.scratchpad/scratch.yaml`.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::git;
use super::git::Sharing;
use crate::disk::files;
use crate::disk::private;
use crate::disk::private::cannot;
use crate::model::context::notes;
use crate::model::context::notes::{MAX_FILE_BYTES, NotesChange};
use crate::model::error::{Error, ErrorKind, Result};
use crate::project::{DIRECTORY, Project};

/// The file that another tool keeps its notes in; read while ours is absent.
const OLDER: &str = ".sap-devs/scratch.yaml";

/// The context notes of one project.
#[derive(Clone, Debug)]
pub struct ContextNotes {
    project: Project,
    timeout: Duration,
}

/// A file of notes as it was read.
struct NotesFile {
    path: PathBuf,
    text: String,
}

impl ContextNotes {
    /// The notes of a project; a change waits for other processes as long as this.
    pub fn of(project: &Project, timeout: Duration) -> Self {
        Self {
            project: project.clone(),
            timeout,
        }
    }

    /// The file that they are kept in.
    pub fn file(&self) -> PathBuf {
        self.project.root.join(DIRECTORY).join("scratch.yaml")
    }

    fn older_file(&self) -> PathBuf {
        self.project.root.join(OLDER)
    }

    /// The notes, oldest first.
    pub fn list(&self) -> Result<Vec<String>> {
        let Some(found) = self.found()? else {
            return Ok(Vec::new());
        };
        notes::notes(&found.text).map_err(|error| self.explained(error, &found))
    }

    /// The notes that say something, as they go into instruction files.
    pub(super) fn nonblank(&self) -> Result<Vec<String>> {
        let mut notes = self.list()?;
        notes.retain(|note| !note.trim().is_empty());
        Ok(notes)
    }

    /// Changes the notes and answers those that are left; with what was there, where it could be read.
    pub fn change(&self, change: &NotesChange) -> Result<Changed> {
        let is_absent = !self.file().exists() && !self.older_file().exists();
        if is_absent && !matches!(change, NotesChange::Add(_)) {
            notes::changed("", change)?;
            return Ok(Changed::default());
        }
        self.project.make_directory()?;
        // Two processes that add two notes must both succeed.
        let lock = self.file().with_extension("lock");
        let _turn = private::take_turn(&lock, self.timeout)?;
        match self.changed(change) {
            Err(error) if matches!(change, NotesChange::Clear) && is_damaged(&error) => {
                // It may be a link to what never held notes: the link goes, and that stays.
                if self.file().is_symlink() {
                    self.remove()?;
                }
                self.write(None)?;
                Ok(Changed {
                    was_damaged: true,
                    ..Changed::default()
                })
            }
            other => other,
        }
    }

    fn changed(&self, change: &NotesChange) -> Result<Changed> {
        let found = self.found()?.unwrap_or_else(|| NotesFile {
            path: self.file(),
            text: String::new(),
        });
        let nothing_changed = |error: Error| {
            let kind = error.kind();
            self.explained(Error::refused(&error).as_kind(kind), &found)
        };
        let before = notes::notes(&found.text).map_err(nothing_changed)?;
        let text = notes::changed(&found.text, change)?;
        let after = match &text {
            Some(text) => notes::notes(text).map_err(nothing_changed)?,
            None => Vec::new(),
        };
        self.write(text.as_deref())?;
        Ok(Changed {
            before,
            after,
            was_damaged: false,
        })
    }

    /// Puts the file in place, or removes it where nothing is left that it would say.
    fn write(&self, text: Option<&str>) -> Result<()> {
        let file = self.file();
        if text.is_some() {
            self.project.check_inside(&file)?;
        }
        match text {
            Some(text) => private::replace(&file, text.as_bytes()),
            // Without ours the older file would speak again.
            None if self.older_file().exists() => private::replace(&file, b"notes: []\n"),
            None => self.remove(),
        }
    }

    fn remove(&self) -> Result<()> {
        let file = self.file();
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(cannot("remove", &file, &error))
            }
            _ => Ok(()),
        }
    }

    /// How git shares the file: a repository may track it, or bring along a `.gitignore` that lets it in.
    pub fn sharing(&self) -> Sharing {
        git::sharing(&self.file())
    }

    fn found(&self) -> Result<Option<NotesFile>> {
        for path in [self.file(), self.older_file()] {
            if let Some(text) = files::read_small_text(&path, MAX_FILE_BYTES)? {
                return Ok(Some(NotesFile { path, text }));
            }
        }
        Ok(None)
    }

    fn explained(&self, error: Error, found: &NotesFile) -> Error {
        let error = error.within(found.path.display());
        if found.path == self.file() {
            return error.hint("correct the file, or remove it with `scratchpad context clear`.");
        }
        error.hint("correct the file, or leave it unread with `scratchpad context clear`.")
    }
}

/// What a change made of the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The notes before.
    pub before: Vec<String>,
    /// The notes now.
    pub after: Vec<String>,
    /// Whether there was a file that could not be read, and is gone.
    pub was_damaged: bool,
}

/// Whether the file itself is at fault, and not the system.
fn is_damaged(error: &Error) -> bool {
    error.kind() == ErrorKind::Refused
}
