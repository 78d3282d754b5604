//! Whether git would share a file that private notes go into.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::disk::files::read_small;
use crate::project::git_directories;

/// How far git shares a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Ignored, or not in a repository.
    Private,
    /// Not tracked yet, but not ignored either.
    Untracked,
    Tracked,
}

/// The largest index that is read.
const MAX_INDEX_BYTES: usize = 64 << 20;

/// Whether git tracks a file, according to its index. False where that can't be told.
pub(super) fn is_tracked(file: &Path) -> bool {
    let read = || {
        let top = file
            .ancestors()
            .skip(1)
            .find(|at| at.join(".git").exists())?;
        let (own, _) = git_directories(&top.join(".git"));
        let index = read_small(&own.join("index"), MAX_INDEX_BYTES).ok()??;
        let below: Option<Vec<&str>> = file
            .strip_prefix(top)
            .ok()?
            .iter()
            .map(OsStr::to_str)
            .collect();
        Some(is_in_index(&index, &below?.join("/")))
    };
    read().unwrap_or(false)
}

/// Whether git's index names a path. Its fourth version leaves out what paths begin with alike, so that there the name
/// of the file has to do.
fn is_in_index(index: &[u8], path: &str) -> bool {
    let is_shortened = index.get(4..8) == Some(&[0, 0, 0, 4]);
    let name = if is_shortened {
        path.rsplit('/').next().unwrap_or(path)
    } else {
        path
    };
    let with_end = [name.as_bytes(), b"\0"].concat();
    memchr::memmem::find_iter(index, &with_end).any(|at| {
        // The two bytes in front of a whole path have its length.
        let length = at.checked_sub(2).and_then(|from| index.get(from..at));
        let said = length.and_then(|bytes| Some(u16::from_be_bytes(*bytes.first_chunk()?)));
        is_shortened || said.is_some_and(|said| usize::from(said & 0xfff) == name.len().min(0xfff))
    })
}

/// Asks git about a file. If git can't be run, the file counts as private.
pub(super) fn sharing(file: &Path) -> Sharing {
    let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
        return Sharing::Private;
    };
    // The directory may not exist yet: use its nearest existing ancestor.
    let Some(there) = directory.ancestors().find(|path| path.is_dir()) else {
        return Sharing::Private;
    };
    let is_versioned = there.ancestors().any(|path| path.join(".git").exists());
    if !is_versioned {
        return Sharing::Private;
    }
    let below = directory
        .strip_prefix(there)
        .unwrap_or(Path::new(""))
        .join(name);
    let answers = |arguments: &[&str]| {
        Command::new("git")
            .arg("-C")
            .arg(there)
            // The repository is untrusted: run nothing that it configures.
            .args(["-c", "core.fsmonitor=false"])
            // Works in a repository that another user owns, as in a container.
            .args(["-c", "safe.directory=*"])
            .args(arguments)
            .arg("--")
            .arg(&below)
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()
            .and_then(|status| status.code())
    };
    if answers(&["--literal-pathspecs", "ls-files", "--error-unmatch"]) == Some(0) {
        return Sharing::Tracked;
    }
    // 0: ignored; 1: not ignored; anything else: no repository.
    match answers(&["check-ignore", "--quiet"]) {
        Some(1) => Sharing::Untracked,
        _ => Sharing::Private,
    }
}
