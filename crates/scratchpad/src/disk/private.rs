//! Files and directories that only their owner can read.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{Message, message, number};

/// Creates the directory and its missing ancestors, for the owner alone.
pub fn create_dir(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| {
        cannot("create the directory", path, &error)
            .hint("create it yourself, or choose another directory with SCRATCHPAD_HOME=DIR.")
    })
}

/// Options that make a newly created file private to its owner.
pub fn options() -> OpenOptions {
    #[cfg_attr(
        not(unix),
        expect(unused_mut, reason = "elsewhere the directory's rights count")
    )]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Removes other users' permissions from a file, if it has any and belongs to us.
#[cfg_attr(
    not(unix),
    expect(unused_variables, reason = "elsewhere the directory's rights count")
)]
pub fn keep_private(path: &Path) {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::PermissionsExt;
        let mode = found.permissions().mode();
        if mode & 0o077 != 0 {
            // Only the owner can change a file's permissions, so this fails for somebody else's.
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    }
}

/// Refuses a path that belongs to another user, who could read and change what is put there.
///
/// Paths of root are trusted, and root may work anywhere.
#[cfg_attr(
    not(unix),
    expect(unused_variables, reason = "elsewhere owners have no numbers")
)]
pub fn check_owner(path: &Path) -> Result<()> {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        let owner = std::os::unix::fs::MetadataExt::uid(&found);
        let me = rustix::process::geteuid().as_raw();
        if owner != me && owner != 0 && me != 0 {
            return Err(Error::store(message!("{path} belongs to another user (uid {owner}), who could read and change what is kept there. Nothing was changed.", path = path.display().to_string(), owner = owner.to_string()))
            .hint("choose a directory of your own with SCRATCHPAD_HOME=DIR."));
        }
        if owner == me {
            close(path, &found);
        }
    }
    Ok(())
}

/// Takes all rights of others from a directory in which they could replace files. One where only owners can do that, like
/// `/tmp`, is left alone.
#[cfg(unix)]
fn close(path: &Path, found: &fs::Metadata) {
    use std::os::unix::fs::PermissionsExt;
    const STICKY: u32 = 0o1000;
    let mode = found.permissions().mode();
    if found.is_dir() && mode & 0o022 != 0 && mode & STICKY == 0 {
        // On a file system that is read-only, nobody can replace files either.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
    }
}

/// Refuses what is there and is no regular file: opening a pipe waits for its other end.
pub fn check_regular(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(Error::refused(message!(
            "{path} is not a regular file.",
            path = path.display()
        ))
        .hint("move it away.")),
        _ => Ok(()),
    }
}

/// Waits for the lock of a lock file. Dropping the returned file releases it.
pub fn take_turn(lock_path: &Path, timeout: Duration) -> Result<File> {
    check_regular(lock_path)?;
    let lock = options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock_path)
        .map_err(|error| cannot("write", lock_path, &error))?;
    lock_file(&lock, lock_path, timeout)?;
    Ok(lock)
}

/// Locks an open file; waits for other processes up to the timeout.
pub fn lock_file(file: &File, path: &Path, timeout: Duration) -> Result<()> {
    let deadline = Instant::now() + timeout;
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            Err(fs::TryLockError::WouldBlock) => return Err(busy(path, timeout)),
            Err(fs::TryLockError::Error(error)) => return Err(cannot("lock", path, &error)),
        }
    }
}

/// The error for a file that another process kept locked.
pub fn busy(path: &Path, timeout: Duration) -> Error {
    Error::new(
        ErrorKind::Busy,
        message!(
            "Another process locked {path} for more than {time} ms. Nothing was changed.",
            path = path.display().to_string(),
            time = number(timeout.as_millis())
        ),
    )
    .hint("try again; `store.busy_timeout_ms` sets how long to wait.")
}

/// The error for a file operation that the system refused.
pub fn cannot(what: &'static str, path: &Path, error: &io::Error) -> Error {
    let failed = message!(
        "Can't {what} {path}: {why}.",
        what = Message::from(what),
        path = path.display(),
        why = plain(error)
    );
    if what.starts_with("read") || what.starts_with("find") {
        return Error::store(failed);
    }
    let failed = Error::store(failed.and("Nothing was changed."));
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            failed.hint("make it writable.")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failed.hint("free some space, then try again.")
        }
        _ => failed,
    }
}

/// The system's error message without its number. The usual ones are messages, so that they can be put into another language.
pub fn plain(error: &io::Error) -> Message {
    let text = error.to_string();
    let Some((words, _)) = text.split_once(" (os error") else {
        return text.into();
    };
    let usual = [
        Message::from("no such file or directory"),
        Message::from("permission denied"),
        Message::from("operation not permitted"),
        Message::from("is a directory"),
        Message::from("not a directory"),
        Message::from("file exists"),
        Message::from("file too large"),
        Message::from("no space left on device"),
        Message::from("disk quota exceeded"),
        Message::from("read-only file system"),
        Message::from("input/output error"),
        Message::from("too many open files"),
        Message::from("connection refused"),
        Message::from("address already in use"),
        Message::from("broken pipe"),
    ];
    let words = words.to_lowercase();
    let mut usual = usual.into_iter();
    usual
        .find(|message| message.english() == words)
        .unwrap_or_else(|| words.into())
}
