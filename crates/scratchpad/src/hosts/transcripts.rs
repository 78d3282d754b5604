//! Finds and reads the transcripts of hosts. Nothing is written, and no content leaves here.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};

use super::places::Places;
use crate::model::host::{Host, Transcripts};
use crate::model::transcript::TranscriptFormat;
use crate::model::transcript::audit::{Audit, AuditReader};

/// A longer line, or file of one, is skipped and counted.
const MAX_LINE_BYTES: usize = 16 << 20;
/// How deep hosts nest their directories.
const MAX_DEPTH: usize = 8;
/// Reading is bound by the processor, and each thread needs memory.
const MOST_THREADS: usize = 4;

/// A file to read.
#[derive(Clone, Debug)]
pub struct TranscriptFile {
    pub path: PathBuf,
    pub format: TranscriptFormat,
    bytes: u64,
}

/// The transcripts of a host, or those in `path`, that changed since a time.
pub fn find(
    host: &Host,
    places: &Places,
    path: Option<&Path>,
    since: Option<SystemTime>,
) -> Vec<TranscriptFile> {
    let mut files = Vec::new();
    for transcripts in host.transcripts {
        let root = match path {
            Some(path) => path.to_owned(),
            None => match places.path(transcripts.place) {
                Ok(root) => root,
                Err(_) => continue,
            },
        };
        let mut found = Vec::new();
        if root.is_file() {
            found.push(root);
        } else {
            collect(&root, transcripts, MAX_DEPTH, &mut found);
        }
        for path in found {
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let is_recent =
                since.is_none_or(|since| metadata.modified().is_ok_and(|at| at >= since));
            if is_recent {
                files.push(TranscriptFile {
                    path,
                    format: transcripts.format,
                    bytes: metadata.len(),
                });
            }
        }
        if path.is_some() {
            break;
        }
    }
    files
}

fn collect(directory: &Path, transcripts: &Transcripts, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        // A link may lead anywhere.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth > 0 {
            collect(&path, transcripts, depth - 1, found);
        } else if kind.is_file() && transcripts.has(&path.to_string_lossy()) {
            found.push(path);
        }
    }
}

/// Reads the files, several at once, the largest first.
pub fn audit(files: &[TranscriptFile]) -> Audit {
    let mut files: Vec<&TranscriptFile> = files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.bytes));
    let next = AtomicUsize::new(0);
    let seen = Mutex::new(HashSet::new());
    let work = || {
        let mut sum = Audit::default();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum.join(read(file, &seen));
        }
        sum
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(MOST_THREADS).min(files.len()).max(1);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut sum = work();
        for other in others {
            match other.join() {
                Ok(part) => sum.join(part),
                // Its file is one that can't be read.
                Err(_) => sum.damaged_files += 1,
            }
        }
        sum
    })
}

fn read(file: &TranscriptFile, seen: &Mutex<HashSet<u64>>) -> Audit {
    let mut is_new = |key| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(key)
    };
    let mut reader = AuditReader::new(file.format);
    let kind = file.path.extension().and_then(|end| end.to_str());
    let read = match kind {
        Some("db") => rows(&file.path, |line| reader.line(line, &mut is_new)),
        Some("json") => whole(&file.path).map(|text| match text {
            Some(text) => reader.line(&text, &mut is_new),
            None => reader.damaged(),
        }),
        _ => lines(&file.path, |line| match line {
            Some(line) => reader.line(line, &mut is_new),
            None => reader.damaged(),
        }),
    };
    let mut audit = reader.finish(&mut is_new);
    if read.is_err() {
        audit.damaged_files = 1;
    }
    audit
}

/// Calls `each` with every line; with `None` for one that is too long.
fn lines(path: &Path, mut each: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path)?);
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            if !line.is_empty() || is_too_long {
                each(Some(line.as_slice()).filter(|_| !is_too_long));
            }
            return Ok(());
        }
        let end = memchr::memchr(b'\n', buffer);
        let (part, _) = buffer.split_at(end.unwrap_or(buffer.len()));
        is_too_long |= line.len() + part.len() > MAX_LINE_BYTES;
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        file.consume(used);
        if end.is_some() {
            each(Some(line.as_slice()).filter(|_| !is_too_long));
            line.clear();
            line.shrink_to(1 << 20);
            is_too_long = false;
        }
    }
}

/// A file that is one JSON; `None` if it is too large.
fn whole(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let most = MAX_LINE_BYTES as u64;
    File::open(path)?.take(most + 1).read_to_end(&mut text)?;
    Ok(Some(text).filter(|text| text.len() <= MAX_LINE_BYTES))
}

/// The rows of `OpenCode`'s database, in the order in which they were written. Its parts name their conversation beside
/// their data.
fn rows(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut read = || -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let mut statement = connection.prepare(
            "SELECT json_set(data, '$.sessionID', session_id, '$.id', id) FROM (
                 SELECT id, session_id, data, id AS place, 0 AS part FROM message
                 UNION ALL SELECT id, session_id, data, message_id, 1 FROM part
             ) ORDER BY session_id, place, part, id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Ok(data) = row.get_ref(0)?.as_bytes() {
                each(data);
            }
        }
        Ok(())
    };
    read().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_half_written_lines_are_counted_and_the_rest_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.jsonl");
        let good = r#"{"type":"assistant","message":{"id":"m1","model":"x","content":[],"usage":{"input_tokens":7}}}"#;
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        fs::write(&path, format!("{long}\n{good}\n\n{{\"type\":\"assist")).unwrap();
        let file = TranscriptFile {
            path: path.clone(),
            format: TranscriptFormat::Claude,
            bytes: 1,
        };
        let gone = TranscriptFile {
            path: directory.path().join("gone.jsonl"),
            ..file.clone()
        };
        let found = audit(&[file, gone]);
        assert_eq!(
            (found.files, found.damaged_files, found.damaged_lines),
            (2, 1, 2)
        );
        assert_eq!((found.requests, found.input), (1, 7));
    }

    #[test]
    fn the_rows_of_a_database_are_read_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("opencode.db");
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch(
                r#"CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
                CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
                INSERT INTO message VALUES ('m1', 's', 1, '{"role":"assistant","modelID":"big","tokens":{"input":5,"output":1,"cache":{"read":7,"write":0}}}');
                INSERT INTO part VALUES ('p1', 'm1', 's', '{"type":"tool","callID":"c","tool":"bash","state":{"input":{},"output":"out"}}');
                INSERT INTO message VALUES ('m2', 's', 2, '{"role":"assistant","modelID":"big","tokens":{"input":9,"output":1}}');"#,
            )
            .unwrap();
        drop(database);
        let file = TranscriptFile {
            path,
            format: TranscriptFormat::OpenCode,
            bytes: 1,
        };
        let found = audit(&[file]);
        assert_eq!(
            (found.requests, found.input, found.damaged_lines),
            (2, 21, 0)
        );
        let (_, tool) = found.tools.iter().next().unwrap();
        assert_eq!((tool.calls, tool.results, tool.sent), (1, 1, tool.tokens));
    }
}
