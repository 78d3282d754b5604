//! The context notes of a project, in `.scratchpad/scratch.yaml`, and those for all projects, beside the person's settings.

use std::fs;
use std::path::{Path, PathBuf};
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

/// The name of our file.
const FILE: &str = "scratch.yaml";

/// The context notes of one project, or those for all projects.
#[derive(Clone, Debug)]
pub struct ContextNotes {
    place: Place,
    timeout: Duration,
}

#[derive(Clone, Debug)]
enum Place {
    Project(Project),
    /// The person's directory of settings.
    Person(PathBuf),
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
            place: Place::Project(project.with_context()),
            timeout,
        }
    }

    /// Moves what versions that kept worktrees apart kept in this one to where all of them keep it; returns how many notes
    /// it had. A file that came with the repository is in every worktree anyway.
    pub fn take_from_worktree(project: &Project, timeout: Duration) -> Result<usize> {
        let shared = Self::of(project, timeout);
        let own = Self {
            place: Place::Project(project.clone()),
            timeout,
        };
        if own.file() == shared.file() || !own.file().exists() || own.came_with() {
            return Ok(0);
        }
        let known = shared.list()?;
        let notes = own.list()?;
        for note in notes.iter().filter(|note| !known.contains(note)) {
            shared.change(&NotesChange::Add(note.clone()))?;
        }
        own.change(&NotesChange::Clear)?;
        Ok(notes.len())
    }

    /// The notes for all projects of the person with these settings.
    pub fn of_person(configuration: &Path, timeout: Duration) -> Self {
        Self {
            place: Place::Person(configuration.to_owned()),
            timeout,
        }
    }

    pub fn file(&self) -> PathBuf {
        match &self.place {
            Place::Project(project) => project.root.join(DIRECTORY).join(FILE),
            Place::Person(configuration) => configuration.join(FILE),
        }
    }

    fn older_file(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Project(project) => Some(project.root.join(OLDER)),
            Place::Person(_) => None,
        }
    }

    /// Where the notes may be, in the order in which to look.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        [Some(self.file()), self.older_file()].into_iter().flatten()
    }

    fn has_older_file(&self) -> bool {
        self.older_file().is_some_and(|file| file.exists())
    }

    pub fn list(&self) -> Result<Vec<String>> {
        let Some(found) = self.found()? else {
            return Ok(Vec::new());
        };
        notes::notes(&found.text).map_err(|error| self.explained(error, &found))
    }

    /// What the file looks like from outside: if this is the same, so are the notes.
    pub fn stamp(&self) -> String {
        let found = self.files().find_map(|path| fs::metadata(path).ok());
        found.map_or_else(|| "none".to_owned(), |found| look(&found))
    }

    /// The notes as agents are given them: those that the repository brought along say so.
    pub fn for_agents(&self) -> Result<Vec<String>> {
        let mut notes = self.list()?;
        notes.retain(|note| !note.trim().is_empty());
        if !notes.is_empty() && self.came_with() {
            for note in &mut notes {
                note.insert_str(0, notes::CAME_WITH);
            }
        }
        Ok(notes)
    }

    /// Changes the notes; returns them before and after.
    pub fn change(&self, change: &NotesChange) -> Result<Changed> {
        let is_absent = !self.files().any(|file| file.exists());
        if is_absent && !matches!(change, NotesChange::Add(_)) {
            notes::changed("", change)?;
            return Ok(Changed::default());
        }
        match &self.place {
            Place::Project(project) => project.make_directory()?,
            Place::Person(configuration) => private::create_dir(configuration)?,
        }
        // Two processes that each add a note must both succeed.
        let lock = self.file().with_extension("lock");
        self.check_place(&lock)?;
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
            self.check_place(&file)?;
        }
        match text {
            Some(text) => replace_private(&file, text.as_bytes()),
            // Without our file, the other tool's would be read again.
            None if self.has_older_file() => replace_private(&file, b"notes: []\n"),
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

    /// Refuses a file that leads out of the project.
    fn check_place(&self, file: &Path) -> Result<()> {
        match &self.place {
            Place::Project(project) => project.check_inside(file),
            Place::Person(_) => Ok(()),
        }
    }

    /// Whether the file came with the repository, or was committed to it since. Doesn't run git.
    fn came_with(&self) -> bool {
        let of_project = matches!(self.place, Place::Project(_));
        let found = self.files().find(|path| path.exists());
        of_project && found.is_some_and(|path| git::is_tracked(&path))
    }

    fn found(&self) -> Result<Option<NotesFile>> {
        for path in self.files().filter(|path| path.exists()) {
            // Its text would be given to agents.
            self.check_place(&path)?;
            if let Some(text) = files::read_small_text(&path, MAX_FILE_BYTES)? {
                return Ok(Some(NotesFile { path, text }));
            }
        }
        Ok(None)
    }

    fn explained(&self, error: Error, found: &NotesFile) -> Error {
        let error = error.within(found.path.display());
        if found.path == self.file() {
            return error.hint(match self.place {
                Place::Project(_) => "fix the file, or remove it with `scratchpad context clear`.",
                Place::Person(_) => {
                    "fix the file, or remove it with `scratchpad context clear --global`."
                }
            });
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
