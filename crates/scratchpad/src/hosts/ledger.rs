//! What injecting has to remember: the directories it made, and the files it warned about.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::files::read_small;
use crate::disk::private;
use crate::model::error::Result;
use crate::project::unique_name;

const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The ledger, in the data directory.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Ledger {
    #[serde(skip)]
    file: PathBuf,
    #[serde(skip)]
    is_changed: bool,
    /// Directories that did not exist before, by [`unique_name`].
    made: Vec<String>,
    /// Shared files that notes went into, which the person was told of; by [`unique_name`].
    warned: Vec<String>,
}

impl Ledger {
    /// Reads it; one that is missing or damaged is empty.
    pub(super) fn read(data: &Path) -> Self {
        let file = data.join("injected.json");
        let bytes = read_small(&file, MAX_BYTES).ok().flatten();
        let ledger: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            file,
            ..ledger.unwrap_or_default()
        }
    }

    /// Puts it in place, if there is anything new in it.
    pub(super) fn write(&mut self) -> Result<()> {
        if self.is_changed {
            private::replace(&self.file, serde_json::json!(self).to_string().as_bytes())?;
        }
        self.is_changed = false;
        Ok(())
    }

    /// Remembers directories that are about to be made.
    pub(super) fn add_made(&mut self, directories: &[PathBuf]) -> Result<()> {
        let names = directories.iter().map(|path| unique_name(path));
        self.made.extend(names);
        self.is_changed |= !directories.is_empty();
        self.write()
    }

    /// Removes those of these directories that were made, innermost first, until one is needed or not ours.
    pub(super) fn remove_made(&mut self, directories: &[PathBuf]) {
        for directory in directories {
            let name = unique_name(directory);
            let Some(at) = self.made.iter().position(|made| *made == name) else {
                break;
            };
            if fs::remove_dir(directory).is_err() && directory.exists() {
                break;
            }
            self.made.remove(at);
            self.is_changed = true;
        }
    }

    /// Whether the person was told of this file.
    pub(super) fn has_warned(&self, file: &Path) -> bool {
        self.warned.contains(&unique_name(file))
    }

    /// Remembers that they were.
    pub(super) fn add_warned(&mut self, file: &Path) {
        self.warned.push(unique_name(file));
        self.is_changed = true;
    }
}
