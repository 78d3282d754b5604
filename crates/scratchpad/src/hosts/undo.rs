//! The undo record: what `install` and `inject` found before they wrote, so that it can be restored byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files::HostFile;
use crate::disk::files::read_small;
use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::replace_private;
use crate::model::error::{Error, Result};
use crate::model::host::install::Program;
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;
use crate::project::unique_name;

const MAX_BYTES: usize = 256 << 20;
const FILE: &str = "undo.json";
const LOCK: &str = "undo.lock";

/// The records of earlier versions, one of `install` and one of `inject`. Read, and deleted by the next write.
const INSTALLED: &str = "installed.json";
const INJECTED: &str = "injected.json";

#[derive(Debug)]
pub(super) struct UndoRecord {
    data: PathBuf,
    entries: Entries,
    is_changed: bool,
    /// Held while the record may be written: two writers must not lose each other's entries.
    lock: Option<fs::File>,
}

/// The content of the file. Paths are [`unique_name`]s.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Entries {
    /// Files that `install` wrote, by path.
    files: BTreeMap<String, WrittenFile>,
    /// Directories that we created.
    directories: BTreeSet<String>,
    /// Files shared by git that notes were written to, and that the person was warned about.
    warned: BTreeSet<String>,
}

/// A file that we wrote.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct WrittenFile {
    /// The content before; `None` if there was no file.
    before: Option<String>,
    /// The hash of what we wrote.
    after: String,
}

/// How to undo what we wrote to a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Undo {
    /// The file has nothing of ours.
    Nothing,
    /// Write back the content before; `None` deletes the file.
    Restore(Option<String>),
    /// Remove our entries; `None` deletes the file.
    Edit(Option<String>),
}

impl UndoRecord {
    /// Reads it without the lock.
    pub(super) fn read(data: &Path) -> Result<Self> {
        let mut record = Self {
            data: data.to_owned(),
            entries: parsed(&data.join(FILE))?.unwrap_or_default(),
            is_changed: false,
            lock: None,
        };
        record.take_over_older()?;
        Ok(record)
    }

    /// Takes the lock and reads it, to change it.
    pub(super) fn open(data: &Path, timeout: Duration) -> Result<Self> {
        private::create_dir(data)?;
        let lock = private::take_turn(&data.join(LOCK), timeout)?;
        Ok(Self {
            lock: Some(lock),
            ..Self::read(data)?
        })
    }

    fn take_over_older(&mut self) -> Result<()> {
        #[derive(Deserialize)]
        struct Installed {
            before: Option<String>,
            after: String,
            directories: Vec<String>,
        }
        #[derive(Deserialize)]
        struct Injected {
            made: Vec<String>,
            warned: Vec<String>,
        }
        let installed = parsed::<BTreeMap<String, Installed>>(&self.data.join(INSTALLED))?;
        for (path, file) in installed.into_iter().flatten() {
            let Installed { before, after, .. } = file;
            self.entries.directories.extend(file.directories);
            let written = WrittenFile { before, after };
            self.entries.files.entry(path).or_insert(written);
        }
        if let Some(injected) = parsed::<Injected>(&self.data.join(INJECTED))? {
            self.entries.directories.extend(injected.made);
            self.entries.warned.extend(injected.warned);
        }
        Ok(())
    }

    /// Writes it if it changed. Without entries, there is no file.
    pub(super) fn save(&mut self) -> Result<()> {
        if !self.is_changed || self.lock.is_none() {
            return Ok(());
        }
        let Entries {
            files,
            directories,
            warned,
        } = &self.entries;
        if files.is_empty() && directories.is_empty() && warned.is_empty() {
            remove(&self.data.join(FILE))?;
        } else {
            let path = self.data.join(FILE);
            let text = serde_json::to_vec_pretty(&self.entries).map_err(|error| {
                Error::store(message!(
                    "{path}: {error}.",
                    path = path.display(),
                    error = error.to_string()
                ))
            })?;
            replace_private(&path, &text)?;
        }
        remove(&self.data.join(INSTALLED))?;
        remove(&self.data.join(INJECTED))?;
        self.is_changed = false;
        Ok(())
    }

    /// Whether a file is as we last wrote it.
    pub(super) fn has(&self, file: &HostFile) -> bool {
        let known = self.entries.files.get(&unique_name(&file.path));
        known.is_some_and(|known| is_as_written(file, known))
    }

    /// The record of a file, to [`UndoRecord::reset`] it.
    pub(super) fn of_file(&self, path: &Path) -> Option<WrittenFile> {
        self.entries.files.get(&unique_name(path)).cloned()
    }

    /// Puts back the record of a file.
    pub(super) fn reset(&mut self, path: &Path, known: Option<WrittenFile>) {
        let name = unique_name(path);
        match known {
            Some(known) => self.entries.files.insert(name, known),
            None => self.entries.files.remove(&name),
        };
        self.is_changed = true;
    }

    /// Records what is in a file before `new` replaces it. If we wrote the file last, the earlier record stays.
    pub(super) fn add_file(&mut self, file: &HostFile, new: &str, program: &Program) -> Result<()> {
        let name = unique_name(&file.path);
        let before = match self.entries.files.get(&name) {
            None => file.text.clone(),
            Some(known) if is_as_written(file, known) => known.before.clone(),
            Some(known) => file.removed(known.before.as_deref().unwrap_or_default(), program)?,
        };
        let after = hash(new);
        let written = WrittenFile { before, after };
        self.entries.files.insert(name, written);
        self.is_changed = true;
        Ok(())
    }

    /// How to undo what we wrote to a file.
    pub(super) fn undo(&self, file: &HostFile, program: &Program) -> Result<Undo> {
        let known = self.entries.files.get(&unique_name(&file.path));
        if let Some(known) = known
            && is_as_written(file, known)
        {
            return Ok(Undo::Restore(known.before.clone()));
        }
        let before = known.and_then(|known| known.before.as_deref());
        let left = file.removed(before.unwrap_or_default(), program)?;
        let is_foreign = file
            .text
            .as_ref()
            .is_none_or(|text| !text.contains("scratchpad"));
        Ok(if is_foreign || left == file.text {
            Undo::Nothing
        } else {
            Undo::Edit(left)
        })
    }

    /// Drops the record of a file that is undone.
    pub(super) fn remove_file(&mut self, path: &Path) {
        self.is_changed |= self.entries.files.remove(&unique_name(path)).is_some();
    }

    /// Creates a directory and its missing ancestors, and records them.
    pub(super) fn make_directory(&mut self, directory: &Path) -> Result<()> {
        let missing: Vec<&Path> = directory
            .ancestors()
            .take_while(|directory| !directory.exists())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let names = missing.iter().map(|path| unique_name(path));
        self.entries.directories.extend(names);
        self.is_changed = true;
        // Recorded first: what is not recorded can't be undone.
        self.save()?;
        fs::create_dir_all(directory).map_err(|error| {
            self.remove_empty(directory);
            cannot("create the directory", directory, &error)
        })
    }

    /// Removes a directory and its ancestors, innermost first, until one is not empty or was not created by us.
    pub(super) fn remove_empty(&mut self, directory: &Path) {
        for directory in directory.ancestors() {
            let name = unique_name(directory);
            if !self.entries.directories.contains(&name) {
                break;
            }
            if fs::remove_dir(directory).is_err() && directory.exists() {
                break;
            }
            self.entries.directories.remove(&name);
            self.is_changed = true;
        }
    }

    /// Whether the person was warned about this file.
    pub(super) fn has_warned(&self, file: &Path) -> bool {
        self.entries.warned.contains(&unique_name(file))
    }

    /// Records that the person was warned about this file.
    pub(super) fn add_warned(&mut self, file: &Path) {
        self.is_changed |= self.entries.warned.insert(unique_name(file));
    }
}

/// Whether a file is as we last wrote it.
fn is_as_written(file: &HostFile, known: &WrittenFile) -> bool {
    file.text.as_deref().map(hash).as_ref() == Some(&known.after)
}

fn parsed<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let Some(bytes) = read_small(path, MAX_BYTES)? else {
        return Ok(None);
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        Error::store(message!(
            "{path}: {error}.",
            path = path.display(),
            error = error.to_string()
        ))
        .hint("move it away: then scratchpad's entries are removed, but no file is restored byte for byte.")
    })
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(cannot("remove", path, &error))
        }
        _ => Ok(()),
    }
}

fn hash(text: &str) -> String {
    sha256_hex(text.as_bytes())
}
