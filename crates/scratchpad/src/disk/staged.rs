//! Content staged for the store: a private temporary file that is hashed while it is written.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::private;
use super::private::cannot;
use crate::model::error::Result;
use crate::model::text::hash::Sha256Stream;

/// The prefix of the names of staged files.
const PREFIX: &str = ".staged-";

/// Removes the staged files of killed processes from a directory; returns how many.
pub(crate) fn remove_dead(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .filter(|entry| is_removed_if_dead(&entry.path()))
        .count()
}

fn is_removed_if_dead(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    // A live writer holds its lock. The lock is kept until the file is gone: a writer that is just starting must not
    // be handed this file.
    is_file
        && File::open(path)
            .is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(path).is_ok())
}

/// Content that is not kept yet. Dropping it deletes the file.
///
/// The file stays locked while its process lives, so that one left behind by a killed process can be distinguished
/// from one that is still being written.
#[derive(Debug)]
pub struct Staged {
    file: NamedTempFile,
    hash: Sha256Stream,
    bytes: u64,
}

impl Staged {
    /// Starts a file in this directory, which is created if needed.
    pub fn new_in(directory: &Path) -> Result<Self> {
        private::create_dir(directory)?;
        private::check_owner(directory)?;
        let failed = |error: io::Error| cannot("write in", directory, &error);
        // Before the file is locked, a prune may mistake it for one that a killed process left behind.
        for _ in 0..100 {
            let file = tempfile::Builder::new()
                .prefix(PREFIX)
                .tempfile_in(directory)
                .map_err(failed)?;
            match file.as_file().try_lock() {
                Ok(()) if file.path().exists() => {
                    return Ok(Self {
                        file,
                        hash: Sha256Stream::default(),
                        bytes: 0,
                    });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(failed(io::ErrorKind::WouldBlock.into()))
    }

    /// The number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The hash of the content so far, as 64 hex digits.
    pub(crate) fn hash(&self) -> String {
        self.hash.clone().hex()
    }

    /// A reader that starts at the beginning.
    pub fn reader(&self) -> Result<File> {
        self.file
            .reopen()
            .map_err(|error| cannot("read", self.file.path(), &error))
    }

    /// The file, its size and the hash of its content.
    pub(crate) fn into_parts(self) -> (NamedTempFile, u64, String) {
        (self.file, self.bytes, self.hash.hex())
    }
}

impl Write for Staged {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        let hashed = buffer
            .get(..written)
            .ok_or_else(|| io::Error::other("more was written than was given"))?;
        self.hash.update(hashed);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn what_just_begins_is_not_taken_for_dead() {
        let directory = tempfile::tempdir().unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        remove_dead(directory.path());
                    }
                });
            }
            let lost = (0..5_000).find(|_| {
                let staged = Staged::new_in(directory.path()).unwrap();
                std::thread::sleep(std::time::Duration::from_micros(100));
                !staged.file.path().exists()
            });
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(lost, None);
        });
    }
}
