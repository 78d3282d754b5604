//! A socket in the file system: the kernel says which user is at the other end, so no token is needed.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::message;

/// A bound socket, removed when dropped.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Listens at this path; a socket that a dead server left there is replaced.
    pub(crate) fn listen(path: &Path) -> Result<Self> {
        check_directory(path)?;
        remove_stale(path)?;
        let bound = || -> io::Result<Self> {
            let listener = UnixListener::bind(path)?;
            // Whoever connects before this is refused by `accept`.
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            Ok(Self {
                listener,
                path: path.to_owned(),
                inode: fs::symlink_metadata(path)?.ino(),
            })
        };
        bound().map_err(|error| cannot_listen(path, &error.to_string()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection of this user.
    pub(crate) async fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred() {
                Ok(peer) if peer.uid() == me() => return Ok(stream),
                Ok(peer) => tracing::warn!("refused a connection of user {}", peer.uid()),
                Err(error) => tracing::warn!("refused a connection of unknown origin: {error}"),
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Another server may have taken the name since.
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn me() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn cannot_listen(path: &Path, error: &str) -> Error {
    Error::store(message!(
        "Can't listen on {address}: {error}.",
        address = path.display().to_string(),
        error = error.to_owned()
    ))
}

/// Refuses a directory in which another user could put a socket of theirs in this one's place.
fn check_directory(path: &Path) -> Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let found = fs::metadata(directory).map_err(|error| cannot_listen(path, &error.to_string()))?;
    // In a sticky directory, such as /tmp, only the owner of a file can move it.
    let is_shared = found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0;
    if is_shared || ![0, me()].contains(&found.uid()) {
        return Err(Error::usage(message!(
            "Other users can replace files in {directory}, so a socket there is not safe.",
            directory = directory.display().to_string()
        ))
        .hint("choose a directory of your own, such as $XDG_RUNTIME_DIR."));
    }
    Ok(())
}

/// Removes a socket of this user on which nobody listens any more.
fn remove_stale(path: &Path) -> Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !found.file_type().is_socket() || found.uid() != me() {
        return Err(Error::usage(message!(
            "{path} is not a socket of yours. Nothing was changed.",
            path = path.display().to_string()
        ))
        .hint("choose another path."));
    }
    match BlockingStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| cannot_listen(path, &error.to_string()))
        }
        // Removed in the meantime.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        _ => Err(Error::usage(message!(
            "Another server already listens on {path}.",
            path = path.display().to_string()
        ))
        .hint("use that one, or choose another path.")),
    }
}
