//! Replaces files atomically: readers see the old content or the new, never a mixture.
//!
//! When a function here returns, the content is on disk under its name. An existing file keeps its permissions.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::files::{check_not_git, followed};
use super::private::{cannot, plain};
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// The beginning and the end of the name of a temporary file next to a shared one.
const PREFIX: &str = ".scratchpad-";
const SUFFIX: &str = ".tmp";

/// Replaces a file that, if it is new, only its owner can read. A link to a file is followed, not replaced.
pub fn replace_private(path: &Path, content: &[u8]) -> Result<()> {
    let meant = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    check_not_git(path, meant)?;
    replace(meant, content, &tempfile::Builder::new(), None)
}

/// Replaces a file that others read too. Refused if it is not writable; any link is followed.
pub fn replace_shared(path: &Path, content: &[u8]) -> Result<()> {
    let meant = &followed(path);
    check_not_git(path, meant)?;
    if fs::metadata(meant).is_ok_and(|old| old.permissions().readonly()) {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only");
        return Err(cannot("write", meant, &error));
    }
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    let new = Some(permissions_of_new());
    #[cfg(not(unix))]
    let new = None;
    replace(meant, content, &temporary, new)
}

/// The permissions of a new file that others may read: what this process's mask leaves.
#[cfg(unix)]
fn permissions_of_new() -> fs::Permissions {
    use rustix::fs::Mode;
    // It can only be read by setting it. Meanwhile other threads create files for the owner alone.
    let mask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    rustix::process::umask(mask);
    #[cfg_attr(
        target_os = "linux",
        expect(clippy::useless_conversion, reason = "elsewhere it is narrower")
    )]
    let mask = u32::from(mask.as_raw_mode());
    std::os::unix::fs::PermissionsExt::from_mode(0o666 & !mask)
}

/// Replaces a file by a temporary one, which is for its owner alone until it is complete: the old file may be as private.
fn replace(
    path: &Path,
    content: &[u8],
    temporary: &tempfile::Builder,
    new: Option<fs::Permissions>,
) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        let mut file = temporary.tempfile_in(directory)?;
        file.write_all(content)?;
        let old = fs::metadata(path).ok().map(|old| old.permissions());
        if let Some(permissions) = old.or(new) {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| cannot("write", path, &error))?;
    confirm(path)
}

/// Removes what killed calls of [`replace_shared`] left in a directory. Nobody may be writing there meanwhile.
pub fn remove_leftovers(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // Best effort: a leftover file does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the name of an existing file durable. If the disk refuses, the file still exists.
pub fn confirm(path: &Path) -> Result<()> {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    sync_directory(directory.unwrap_or(Path::new("."))).map_err(|error| {
        let failed = message!(
            "{path} was written, but the disk did not confirm it: {why}.",
            path = path.display(),
            why = plain(&error)
        );
        Error::store(failed).hint("check the disk: after a power cut the old content may be back.")
    })
}

/// Makes the names in a directory durable, on systems that can.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// The most threads that sync files.
const SYNC_THREADS: usize = 16;

/// Makes the contents of files durable; those that are gone don't matter.
///
/// Several at once: a file system writes its journal once for all that wait for it, which is most of the time.
pub fn sync_files(paths: &[PathBuf]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let sync_rest = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            match File::open(path).and_then(|file| file.sync_all()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                synced => synced.map_err(|error| cannot("write", path, &error))?,
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let more = paths.len().min(SYNC_THREADS).saturating_sub(1);
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, sync_rest);
        // This thread does what others can't be started for.
        let others: Vec<_> = (0..more).filter_map(|number| spawn(number).ok()).collect();
        let own = sync_rest();
        let failed = || {
            Err(Error::store(
                "Internal error. This is a bug; please report it.",
            ))
        };
        let all = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|_| failed()));
        all.fold(own, Result::and)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn mode(path: &Path) -> Option<u32> {
        Some(fs::metadata(path).ok()?.permissions().mode() & 0o777)
    }

    #[test]
    fn a_file_on_its_way_is_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("CLAUDE.md");
        fs::write(&path, "private").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let is_over = AtomicBool::new(false);
        let content = vec![b'x'; 4 << 20];
        let seen = std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let mut seen = Vec::new();
                while !is_over.load(Ordering::Relaxed) {
                    let entries = fs::read_dir(directory.path()).unwrap().flatten();
                    seen.extend(entries.filter_map(|entry| mode(&entry.path())));
                }
                seen
            });
            for _ in 0..50 {
                replace_shared(&path, &content).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
            watch.join().unwrap()
        });
        assert!(seen.len() > 50);
        assert!(seen.iter().all(|mode| *mode == 0o600), "{seen:?}");

        // What is new has the rights of any new file.
        let (new, plain) = (directory.path().join("new"), directory.path().join("plain"));
        replace_shared(&new, b"x").unwrap();
        fs::write(&plain, "x").unwrap();
        assert_eq!(mode(&new), mode(&plain));
    }
}
