//! The repository that a project is in, from the files of its worktree and of git, without running git.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::MAX_GIT_BYTES;
use crate::disk::files;
use crate::model::context::repository;

/// The most worktrees of one repository that are looked at.
const MOST_WORKTREES: usize = 200;

/// A git repository: what its worktrees have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the working tree that we are in.
    pub top: PathBuf,
    /// What names it: its main working tree, or the repository itself if that is bare.
    pub home: PathBuf,
    /// Git's common directory.
    pub shared: PathBuf,
}

impl Repository {
    /// The repository of a working tree with this `.git`; `None` if what that names does not know this tree.
    ///
    /// A `.git` file came with a directory, which may be somebody else's: anybody can write the path of a private
    /// repository into it. So a repository counts only if it names the working tree too, or lies inside it.
    pub(super) fn of_tree(top: &Path, mark: &fs::Metadata) -> Option<Self> {
        let at = |home: PathBuf, shared: PathBuf| Self {
            top: top.to_owned(),
            home,
            shared,
        };
        let git = top.join(".git");
        if !mark.is_file() {
            // A `commondir` in it would lead elsewhere; git makes none there.
            return Some(at(top.to_owned(), git));
        }
        let own = named_by(&git)?.canonicalize().ok()?;
        let Some(shared) = shared_by(&own) else {
            let home = home_of(&own);
            return (home == top || own.starts_with(top)).then(|| at(home, own));
        };
        // As git writes it.
        let shared = match own.ancestors().nth(2) {
            Some(above) if shared == own.join("../..") => above.to_owned(),
            _ => shared.canonicalize().ok()?,
        };
        let is_among_its_own = own.parent() == Some(&*shared.join("worktrees"));
        (is_among_its_own && is_worktree(&own, &git)).then(|| at(home_of(&shared), shared))
    }

    /// The bare repository that this directory is.
    pub(super) fn bare(directory: &Path) -> Option<Self> {
        is_bare(directory).then(|| Self {
            top: directory.to_owned(),
            home: home_of(directory),
            shared: directory.to_owned(),
        })
    }

    /// Whether it has a directory besides git's own: a main working tree, or one around a bare repository.
    pub fn has_tree(&self) -> bool {
        self.home != self.shared
    }

    /// Its linked worktrees, each of which names it too.
    pub fn worktrees(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.shared.join("worktrees")) else {
            return Vec::new();
        };
        let entries = entries.flatten().take(MOST_WORKTREES);
        entries
            .filter_map(|entry| {
                let mark = PathBuf::from(text(&entry.path().join("gitdir"))?.trim());
                let top = mark.parent()?.canonicalize().ok()?;
                let named = named_by(&mark)?.canonicalize().ok()?;
                (named == entry.path().canonicalize().ok()?).then_some(top)
            })
            .collect()
    }

    /// Its remote, as a name that is the same in all clones, or as a path.
    pub fn remote(&self) -> Option<String> {
        let config = text(&self.shared.join("config"))?;
        let url = repository::origin(&config)?;
        // A URL may contain a password, a path can't.
        let path = || (!url.contains("://") && !url.contains('@')).then(|| url.clone());
        repository::repository(&url).or_else(path)
    }

    /// What identifies its directory wherever it is moved to on its file system.
    pub fn mark(&self) -> String {
        mark_of(&self.shared)
    }

    /// The same of its home.
    pub fn home_mark(&self) -> String {
        mark_of(&self.home)
    }
}

/// Whether a directory is a repository without a working tree, as git tells.
fn is_bare(directory: &Path) -> bool {
    directory.join("HEAD").is_file()
        && directory.join("objects").is_dir()
        && directory.join("refs").is_dir()
}

/// The number of a directory and when it was made; empty where the file system does not know. The number of its device is
/// left out: it may change when the machine starts.
pub fn mark_of(directory: &Path) -> String {
    let Ok(found) = fs::symlink_metadata(directory) else {
        return String::new();
    };
    let made = found.created().ok();
    let made = made.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    made.map_or_else(String::new, |made| {
        format!("{:x}-{:x}", number(&found), made.as_nanos())
    })
}

#[cfg(unix)]
fn number(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn number(_: &fs::Metadata) -> u64 {
    0
}

/// What names a repository with this common directory.
fn home_of(shared: &Path) -> PathBuf {
    let is_of = |top: &Path| {
        let own = named_by(&top.join(".git")).and_then(|own| own.canonicalize().ok());
        own.as_deref() == Some(shared)
    };
    if let Some(above) = shared.parent()
        && (shared.ends_with(".git") || is_of(above))
    {
        return above.to_owned();
    }
    // Of a submodule.
    let elsewhere = || {
        let config = text(&shared.join("config"))?;
        let tree = repository::working_tree(&config)?;
        let tree = shared.join(tree).canonicalize().ok()?;
        is_of(&tree).then_some(tree)
    };
    elsewhere().unwrap_or_else(|| shared.to_owned())
}

/// Whether a worktree's directory names this `.git`. A worktree that was moved by hand is found until git corrects the name.
fn is_worktree(own: &Path, mark: &Path) -> bool {
    let Some(named) = text(&own.join("gitdir")) else {
        return false;
    };
    let named = own.join(named.trim());
    named == mark || !named.exists() || named.canonicalize().ok() == mark.canonicalize().ok()
}

fn text(path: &Path) -> Option<String> {
    files::read_small_text(path, MAX_GIT_BYTES).ok().flatten()
}

/// The directory that a `.git` file names.
fn named_by(mark: &Path) -> Option<PathBuf> {
    let text = text(mark)?;
    let named = text.trim().strip_prefix("gitdir:")?.trim();
    Some(mark.parent()?.join(named))
}

fn shared_by(own: &Path) -> Option<PathBuf> {
    text(&own.join("commondir")).map(|path| own.join(path.trim()))
}

/// The directories behind a `.git`: that of this worktree, and the one that all worktrees share.
pub fn git_directories(mark: &Path) -> (PathBuf, PathBuf) {
    // In a worktree or submodule `.git` is a file that names the directory.
    let own = if mark.is_file() { named_by(mark) } else { None };
    let own = own.unwrap_or_else(|| mark.to_owned());
    let shared = shared_by(&own);
    (own.clone(), shared.unwrap_or(own))
}

/// The branch that is checked out in a git directory.
pub fn checked_out(git: &Path) -> Option<String> {
    let head = text(&git.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    // With git's reftable backend, `HEAD` contains this placeholder.
    (branch != ".invalid").then(|| branch.to_owned())
}
