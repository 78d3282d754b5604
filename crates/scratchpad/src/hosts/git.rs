//! What git does with a file that private notes would go into.

use std::path::Path;
use std::process::{Command, Stdio};

/// How far git shares a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// It is ignored, or there is no repository.
    Private,
    /// It is not tracked yet, and nothing keeps it from being so.
    Untracked,
    /// It is tracked.
    Tracked,
}

/// Asks git about a file. Where git can't be asked, nothing is said to be shared.
pub(super) fn sharing(file: &Path) -> Sharing {
    let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
        return Sharing::Private;
    };
    // The directory may not be there yet: the nearest that is knows the repository.
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
            // A repository is somebody else's: nothing it configures is run.
            .args(["-c", "core.fsmonitor=false"])
            // So it may also be asked where another user owns it, as in a container.
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
    // 0: ignored; 1: not; anything else: no repository.
    match answers(&["check-ignore", "--quiet"]) {
        Some(1) => Sharing::Untracked,
        _ => Sharing::Private,
    }
}
