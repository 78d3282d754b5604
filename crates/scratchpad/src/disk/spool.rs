//! A file of lines to which many short processes append, of which the latest stay.

use std::fs;
use std::io::{self, ErrorKind as IoKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::files::read_small;
use super::private;
use super::private::cannot;
use crate::model::error::Result;

/// The size from which on a file becomes the older half. Both together hold at most twice as much, and one append.
const MAX_BYTES: u64 = 64 << 10;
/// The largest half that is read: what is appended last may make it longer than it is meant to be.
const MAX_READ: usize = 1 << 20;

/// Appends whole lines. One write for all: other processes append too.
pub fn append(path: &Path, lines: &str) -> Result<()> {
    let written = (|| -> io::Result<()> {
        let mut file = private::options().create(true).append(true).open(path)?;
        if file.metadata()?.len() >= MAX_BYTES {
            fs::rename(path, older(path))?;
            file = private::options().create(true).append(true).open(path)?;
        }
        file.write_all(lines.as_bytes())
    })();
    match written {
        Err(error) if error.kind() == IoKind::NotFound => {
            private::create_dir(path.parent().unwrap_or(path))?;
            let file = private::options().create(true).append(true).open(path);
            file.and_then(|mut file| file.write_all(lines.as_bytes()))
        }
        other => other,
    }
    .map_err(|error| cannot("write", path, &error))
}

/// The lines, the oldest first. What is no text is left out.
pub fn lines(path: &Path) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for half in [older(path), path.to_owned()] {
        let bytes = read_small(&half, MAX_READ)?.unwrap_or_default();
        let of_half = String::from_utf8_lossy(&bytes);
        lines.extend(of_half.lines().map(str::to_owned));
    }
    Ok(lines)
}

/// Removes it, if it is there.
pub fn remove(path: &Path) -> Result<()> {
    for half in [older(path), path.to_owned()] {
        match fs::remove_file(&half) {
            Err(error) if error.kind() != IoKind::NotFound => {
                return Err(cannot("remove", &half, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes those in a directory to which nothing was appended for so long.
pub fn sweep(directory: &Path, age: Duration) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|found| found.modified());
        let is_old =
            modified.is_ok_and(|at| now.duration_since(at).is_ok_and(|passed| passed > age));
        if is_old {
            // Another process may do the same.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn older(path: &Path) -> PathBuf {
    path.with_extension("older")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_lines_stay_and_the_files_stay_small() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/s.jsonl");
        assert_eq!(lines(&path).unwrap(), Vec::<String>::new());
        for number in 0..20_000 {
            append(&path, &format!("line {number}\n")).unwrap();
        }
        let kept = lines(&path).unwrap();
        assert_eq!(kept.last().unwrap(), "line 19999");
        assert!(kept.len() > 5_000, "{}", kept.len());
        // They are the latest, without a gap.
        let first = 20_000 - kept.len();
        assert_eq!(kept.first(), Some(&format!("line {first}")));
        for half in [&path, &older(&path)] {
            assert!(fs::metadata(half).unwrap().len() <= MAX_BYTES + 20);
        }
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert_eq!(lines(&path).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn only_what_is_old_is_swept() {
        let directory = tempfile::tempdir().unwrap();
        let (old, new) = (directory.path().join("old"), directory.path().join("new"));
        append(&old, "x\n").unwrap();
        append(&new, "x\n").unwrap();
        let past = SystemTime::now() - Duration::from_secs(100);
        fs::File::options()
            .write(true)
            .open(&old)
            .unwrap()
            .set_modified(past)
            .unwrap();
        sweep(directory.path(), Duration::from_secs(50));
        assert!(!old.exists() && new.exists());
        sweep(&directory.path().join("none"), Duration::ZERO);
    }
}
