//! What `install` found before it wrote, so that `uninstall` can bring it back to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::files::{File, Undo, read};
use crate::cli::env;
use scratchpad::disk::private;
use scratchpad::disk::private::cannot;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::text::hash::sha256_hex;

/// Written files, by path.
pub(super) struct Ledger {
    path: PathBuf,
    files: BTreeMap<String, Written>,
    /// Directories that we made and may be empty now.
    left: Vec<PathBuf>,
    /// Held until the end: two installers must not lose each other's entries.
    _turn: fs::File,
}

/// One file that we wrote.
#[derive(Serialize, Deserialize)]
struct Written {
    /// What was there before; nothing if there was no file.
    before: Option<String>,
    /// The hash of what we wrote.
    after: String,
    /// Directories that we made for it, the deepest first.
    directories: Vec<PathBuf>,
}

impl Ledger {
    pub(super) fn open() -> Result<Self> {
        let data = env::directories()?.data;
        private::create_dir(&data)?;
        let turn = private::take_turn(&data.join("installed.lock"), Duration::from_secs(10))?;
        let path = data.join("installed.json");
        let files = match read(&path)? {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| Error::store(format!("{}: {error}.", path.display())))?,
            None => BTreeMap::new(),
        };
        Ok(Self {
            path,
            files,
            left: Vec::new(),
            _turn: turn,
        })
    }

    /// Writes a file, after remembering what was there.
    pub(super) fn write(&mut self, file: &File, new: &str) -> Result<()> {
        let key = file.path.display().to_string();
        let known = self.files.remove(&key);
        let is_ours = |known: &Written| file.text.as_deref().map(hash) == Some(known.after.clone());
        let (before, mut directories) = match known {
            // We wrote it last: what we found then counts.
            Some(known) if is_ours(&known) => (known.before, known.directories),
            Some(known) => (
                file.removed(known.before.as_deref().unwrap_or_default())?,
                known.directories,
            ),
            None => (file.text.clone(), Vec::new()),
        };
        let missing = file.path.ancestors().skip(1).take_while(|it| !it.exists());
        directories.extend(missing.map(Path::to_owned));
        self.files.insert(
            key,
            Written {
                before,
                after: hash(new),
                directories,
            },
        );
        self.save()?;
        put(file, new)
    }

    /// How to undo what was written to a file.
    pub(super) fn undo(&self, file: &File) -> Result<Undo> {
        let known = self.files.get(&file.path.display().to_string());
        if let Some(known) = known
            && file.text.as_deref().map(hash).as_ref() == Some(&known.after)
        {
            return Ok(Undo::Restore(known.before.clone()));
        }
        let before = known.and_then(|known| known.before.as_deref());
        let left = file.removed(before.unwrap_or_default())?;
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

    /// Removes the directories that were made for files that are gone, the deepest first.
    pub(super) fn tidy(mut self) {
        self.left
            .sort_by_key(|directory| std::cmp::Reverse(directory.components().count()));
        for directory in &self.left {
            // One that holds something else by now stays.
            let _ = fs::remove_dir(directory);
        }
    }

    /// Puts a file back, or removes it.
    pub(super) fn take_back(&mut self, file: &File, new: Option<&str>) -> Result<()> {
        let known = self.files.remove(&file.path.display().to_string());
        if let Some(text) = new {
            put(file, text)?;
        } else {
            fs::remove_file(&file.path).map_err(|error| cannot("remove", &file.path, &error))?;
            self.left
                .extend(known.into_iter().flat_map(|known| known.directories));
        }
        self.save()
    }

    fn save(&self) -> Result<()> {
        if self.files.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(cannot("remove", &self.path, &error))
                }
                _ => Ok(()),
            };
        }
        let text = serde_json::to_vec_pretty(&self.files)
            .map_err(|error| Error::store(format!("{}: {error}.", self.path.display())))?;
        private::replace(&self.path, &text)
    }
}

fn hash(text: &str) -> String {
    sha256_hex(text.as_bytes())
}

fn put(file: &File, text: &str) -> Result<()> {
    let path = &file.path;
    // A host writes its file whenever it likes: what it wrote since must not be lost.
    if read(path)? != file.text {
        return Err(Error::refused(format!(
            "{} was written by somebody else meanwhile.",
            path.display()
        ))
        .as_kind(ErrorKind::Busy)
        .hint("try again."));
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)
            .map_err(|error| cannot("make the directory", directory, &error))?;
    }
    private::replace(path, text.as_bytes())?;
    #[cfg(unix)]
    if file.is_executable() {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .map_err(|error| cannot("make executable", path, &error))?;
    }
    Ok(())
}
