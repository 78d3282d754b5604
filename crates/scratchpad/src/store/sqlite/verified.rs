//! Which files were compared with the hash of their content: each is hashed once for each state of the file.

use std::collections::HashMap;
use std::fs::Metadata;
use std::sync::{Mutex, PoisonError};

/// How many files are remembered. Beyond it, all are hashed again.
const MAX_FILES: usize = 4_096;
/// A file that changed within this many seconds may change again without a new time stamp.
const SETTLED_SECONDS: i64 = 2;

/// By the hash of its content, what a file with that content looked like when it was read.
#[derive(Debug, Default)]
pub(super) struct Verified(Mutex<HashMap<String, State>>);

/// What differs after a file was written to or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    /// Nobody can set this time.
    changed: (i64, i64),
}

impl State {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    fn of(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: file.dev(),
            inode: file.ino(),
            bytes: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }

    /// Elsewhere a file can be changed without a trace in what can be asked for.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Option<Self> {
        None
    }

    fn is_settled(self) -> bool {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_secs());
        let now = i64::try_from(now).unwrap_or(0);
        let newest = self.changed.0.max(self.modified.0);
        now - newest > SETTLED_SECONDS
    }
}

impl Verified {
    /// Whether this file, as it is now, has been found to have the content with this hash.
    pub(super) fn knows(&self, hash: &str, file: &Metadata) -> bool {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        State::of(file).is_some_and(|state| files.get(hash) == Some(&state))
    }

    /// Notes that a file has the content with this hash; `file` is what it looked like before it was read.
    pub(super) fn learn(&self, hash: &str, file: &Metadata) {
        let Some(state) = State::of(file).filter(|state| state.is_settled()) else {
            return;
        };
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(hash.to_owned(), state);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::fs::{File, FileTimes};
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_file_is_known_until_anything_about_it_changes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, "abc").unwrap();
        let seen = || fs::metadata(&path).unwrap();
        let verified = Verified::default();
        verified.learn("hash", &seen());
        assert!(!verified.knows("hash", &seen()), "it has just changed");
        let state = State::of(&seen()).unwrap();
        verified.0.lock().unwrap().insert("hash".to_owned(), state);
        assert!(verified.knows("hash", &seen()));
        // As long and as old as before, and yet another.
        let old = SystemTime::now() - Duration::from_mins(1);
        fs::write(&path, "abd").unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(old))
            .unwrap();
        assert!(!verified.knows("hash", &seen()));
    }

    #[test]
    fn only_a_file_that_has_come_to_rest_is_learnt() {
        let settled = |seconds_ago: u64| {
            let at = SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap();
            let at = i64::try_from(at.as_secs() - seconds_ago).unwrap();
            State {
                device: 1,
                inode: 1,
                bytes: 1,
                modified: (0, 0),
                changed: (at, 0),
            }
            .is_settled()
        };
        assert_eq!([0, 1, 10].map(settled), [false, false, true]);
    }
}
