//! Whether git would share a file that private notes go into.

use std::path::Path;
use std::process::{Command, Stdio};

/// How far git shares a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Ignored, or not in a repository.
    Private,
    /// Not tracked yet, but not ignored either.
    Untracked,
    Tracked,
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
