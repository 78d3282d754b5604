//! The context notes of a project, in `.scratchpad/scratch.yaml`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use super::git;
use super::git::Sharing;
use crate::disk::files;
use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::replace_private;
use crate::model::context::notes;
use crate::model::context::notes::{MAX_FILE_BYTES, NotesChange};
use crate::model::error::{Error, ErrorKind, Result};
use crate::project::{DIRECTORY, Project};

/// The notes file of another tool, which is read if ours does not exist.
const OLDER: &str = ".sap-devs/scratch.yaml";

/// The context notes of one project.
#[derive(Clone, Debug)]
pub struct ContextNotes {
    project: Project,
    timeout: Duration,
}

/// A notes file as it was read.
struct NotesFile {
    path: PathBuf,
    text: String,
}

impl ContextNotes {
    /// The notes of a project. `timeout` is how long a change waits for other processes.
    pub fn of(project: &Project, timeout: Duration) -> Self {
        Self {
            project: project.clone(),
            timeout,
        }
    }

    pub fn file(&self) -> PathBuf {
        self.project.root.join(DIRECTORY).join("scratch.yaml")
    }

    fn older_file(&self) -> PathBuf {
        self.project.root.join(OLDER)
    }

    pub fn list(&self) -> Result<Vec<String>> {
        let Some(found) = self.found()? else {
            return Ok(Vec::new());
        };
        notes::notes(&found.text).map_err(|error| self.explained(error, &found))
    }

    /// What the file looks like from outside: if this is the same, so are the notes.
    pub fn stamp(&self) -> String {
        let mut files = [self.file(), self.older_file()].into_iter();
        let found = files.find_map(|path| fs::metadata(path).ok());
        found.map_or_else(|| "none".to_owned(), |found| look(&found))
    }

    /// The notes that are not blank: those that go into instruction files.
    pub(super) fn nonblank(&self) -> Result<Vec<String>> {
        let mut notes = self.list()?;
        notes.retain(|note| !note.trim().is_empty());
        Ok(notes)
    }

    /// Changes the notes; returns them before and after.
    pub fn change(&self, change: &NotesChange) -> Result<Changed> {
        let is_absent = !self.file().exists() && !self.older_file().exists();
        if is_absent && !matches!(change, NotesChange::Add(_)) {
            notes::changed("", change)?;
            return Ok(Changed::default());
        }
        self.project.make_directory()?;
        // Two processes that each add a note must both succeed.
        let lock = self.file().with_extension("lock");
        let _turn = private::take_turn(&lock, self.timeout)?;
        match self.changed(change) {
            Err(error) if matches!(change, NotesChange::Clear) && is_damaged(&error) => {
                // It may be a link to a file that never held notes: remove the link, not its target.
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

    /// Writes the file, or removes it if no notes are left.
    fn write(&self, text: Option<&str>) -> Result<()> {
        let file = self.file();
        if text.is_some() {
            self.project.check_inside(&file)?;
        }
        match text {
            Some(text) => replace_private(&file, text.as_bytes()),
            // Without our file, the other tool's would be read again.
            None if self.older_file().exists() => replace_private(&file, b"notes: []\n"),
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

    /// How git shares the file: a repository may track it, or contain a `.gitignore` that includes it.
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
            return error.hint("fix the file, or remove it with `scratchpad context clear`.");
        }
        error.hint("fix the file, or ignore it with `scratchpad context clear`.")
    }
}

fn look(found: &fs::Metadata) -> String {
    let written = found.modified().ok();
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let written = written.unwrap_or_default().as_nanos();
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let inode = 0;
    format!("{written:x}-{:x}-{inode:x}", found.len())
}

/// The notes before and after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub before: Vec<String>,
    pub after: Vec<String>,
    /// Whether the file could not be parsed, and was discarded.
    pub was_damaged: bool,
}

/// Whether the content of the file is at fault, not the system.
fn is_damaged(error: &Error) -> bool {
    error.kind() == ErrorKind::Refused
}
