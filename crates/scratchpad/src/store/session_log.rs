//! A session stored in a session-log file.
//!
//! The file is an append-only log, and each of our entries is a revision. Other programs write it too, so it is only
//! ever appended to, whole lines in a single `write`. Our own processes lock the file; others need not.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Change, Session, SessionHead, Sessions, View};
use crate::disk::lines::{Lines, MAX_LINE_BYTES};
use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::confirm;
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::pad::Content;
use crate::model::pad::revision::RevisionHead;
use crate::model::pad::session_log::{
    MARK, SessionLog, TreePlace, check_log_bytes, encode_in_tree, entry_id, header,
};
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;

/// The session in one session-log file.
pub struct SessionLogFile {
    path: PathBuf,
    timeout: Duration,
}

impl SessionLogFile {
    /// The log at this path. The first write creates the file.
    pub fn new(path: &Path, timeout: Duration) -> Result<Self> {
        // Opening a pipe would block until its other end is opened, so check first.
        if let Ok(found) = fs::metadata(path)
            && !found.is_file()
        {
            let kind = if found.is_dir() {
                message!("a directory")
            } else {
                message!("not a regular file")
            };
            return Err(Error::refused(message!(
                "The journal {path} is {kind}.",
                path = path.display().to_string(),
                kind
            ))
            .hint("name a file; it is created if it does not exist."));
        }
        Ok(Self {
            path: path.to_owned(),
            timeout,
        })
    }

    /// The id of the session, derived from the path of the file.
    pub fn session_id(&self) -> Result<SessionId> {
        let path = fs::canonicalize(&self.path)
            .or_else(|_| std::path::absolute(&self.path))
            .map_err(|error| cannot("find", &self.path, &error))?;
        let hash = sha256_hex(path.as_os_str().as_encoded_bytes());
        SessionId::new(format!("journal_{}", hash.get(..12).unwrap_or(&hash)))
    }

    fn read(&self) -> Result<Option<SessionLog>> {
        match File::open(&self.path) {
            Ok(file) => self.read_file(&file).map(|found| Some(found.log)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(cannot("read the journal", &self.path, &error)),
        }
    }

    fn read_file(&self, file: &File) -> Result<Found> {
        let failed = |error| cannot("read the journal", &self.path, &error);
        let (mut log, mut bytes) = (SessionLog::default(), 0);
        let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, file), MAX_LINE_BYTES);
        while let Some(line) = lines.next().map_err(failed)? {
            // A session log is mostly the host's own lines: parse only what may be ours.
            if let Some(line) = line
                && memchr::memmem::find(line, MARK.as_bytes()).is_some()
            {
                bytes += line.len();
                check_log_bytes(bytes)?;
                log.push(line);
            }
        }
        let complete = lines.last_was_complete();
        Ok(Found { log, complete })
    }
}

/// The content of a log, and whether its last line is complete.
struct Found {
    log: SessionLog,
    complete: bool,
}

struct JournalView {
    log: SessionLog,
    session: Session,
}

impl JournalView {
    fn new(log: SessionLog) -> Self {
        let session = as_session(&log);
        Self { log, session }
    }
}

impl View for JournalView {
    fn session(&self) -> Option<&Session> {
        Some(&self.session)
    }

    fn log(&self) -> Result<Vec<RevisionHead>> {
        Ok(self.log.heads())
    }

    fn revision(&self, number: u64) -> Result<Option<Content>> {
        Ok(content_of(&self.log, number))
    }
}

fn as_session(log: &SessionLog) -> Session {
    Session {
        pad: log.pad(),
        revision: log.revisions().count() as u64,
        project: None,
    }
}

fn content_of(log: &SessionLog, number: u64) -> Option<Content> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    log.revisions()
        .nth(index)
        .map(|entry| entry.content.clone())
}

impl Sessions for SessionLogFile {
    fn session(&self, _id: &SessionId) -> Result<Option<Session>> {
        Ok(self.read()?.map(|log| as_session(&log)))
    }

    fn log(&self, _id: &SessionId) -> Result<Vec<RevisionHead>> {
        Ok(self.read()?.map_or_else(Vec::new, |log| log.heads()))
    }

    fn revision(&self, _id: &SessionId, number: u64) -> Result<Option<Content>> {
        Ok(self.read()?.and_then(|log| content_of(&log, number)))
    }

    /// The file is other programs' too: what is in it stays.
    fn forget_revisions(&self, _: &SessionId, _: &[u64]) -> Result<()> {
        Ok(())
    }

    fn update(
        &self,
        _id: &SessionId,
        _project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64> {
        let failed = |error| cannot("write the journal", &self.path, &error);
        let new = !self.path.exists();
        if new {
            // A refused change must not leave a file behind.
            change(&JournalView::new(SessionLog::default()))?;
        }
        let file = private::options()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(failed)?;
        private::lock_file(&file, &self.path, self.timeout)?;
        let Found { log, complete } = self.read_file(&file)?;
        let view = JournalView::new(log);
        let writes = change(&view)?;
        let mut text = String::new();
        if !complete {
            // The last line is torn: leave it, and start a new one.
            text.push('\n');
        }
        if !writes.is_empty() && file.metadata().map_err(failed)?.len() == 0 {
            text.push_str(&self.header(at)?);
            text.push('\n');
        }
        let mut parent = last_entry_id(&file).map_err(failed)?;
        for write in &writes {
            let id = self.new_id(&file, &text)?;
            let place = TreePlace {
                id: id.clone(),
                parent: parent.replace(id),
            };
            text.push_str(&encode_in_tree(write, at, place));
            text.push('\n');
        }
        if !writes.is_empty() {
            self.append(&file, text.as_bytes())?;
        }
        if new {
            confirm(&self.path)?;
        }
        Ok(view.session.revision + writes.len() as u64)
    }

    /// Always empty: a log can't list the sessions in other files.
    fn session_ids(&self, beginning: &str, _: usize) -> Result<Vec<SessionId>> {
        let id = self.session_id()?;
        Ok(Vec::from_iter(
            id.as_str().starts_with(beginning).then_some(id),
        ))
    }

    fn sessions(&self, _project: Option<&ProjectId>, _limit: usize) -> Result<Vec<SessionHead>> {
        Ok(Vec::new())
    }
}

/// How much of the end of a log is read at first to find its last entry.
const TAIL_BYTES: u64 = 64 << 10;

/// The id of the last entry that has one. Readers take the last entry of the file as the end of the active branch.
///
/// Entries without an id are from old versions of Scratchpad; they can't be the parent of another.
fn last_entry_id(mut file: &File) -> io::Result<Option<String>> {
    let end = file.metadata()?.len();
    let mut length = TAIL_BYTES;
    loop {
        let start = end.saturating_sub(length);
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut tail)?;
        let mut lines = tail.split(|byte| *byte == b'\n');
        if start > 0 {
            // Skip the first line, which is partial.
            lines.next();
        }
        let found = lines.rev().find_map(entry_id);
        if found.is_some() || start == 0 || length > MAX_LINE_BYTES as u64 {
            return Ok(found);
        }
        length *= 8;
    }
}

impl SessionLogFile {
    fn header(&self, at: Millis) -> Result<String> {
        let path =
            std::path::absolute(&self.path).map_err(|error| cannot("find", &self.path, &error))?;
        let directory = path.parent().unwrap_or(&path);
        Ok(header(
            self.session_id()?.as_str(),
            &directory.to_string_lossy(),
            at,
        ))
    }

    /// Eight random hex digits that occur neither in the file nor in the text to append.
    fn new_id(&self, mut file: &File, appended: &str) -> Result<String> {
        let failed = |error| cannot("read the journal", &self.path, &error);
        loop {
            let random = RandomState::new().hash_one(std::process::id());
            let id = format!("{:08x}", random & 0xffff_ffff);
            let finder = memchr::memmem::Finder::new(&id);
            if finder.find(appended.as_bytes()).is_some() {
                continue;
            }
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, file), MAX_LINE_BYTES);
            let mut is_new = true;
            while let Some(line) = lines.next().map_err(failed)? {
                is_new &= line.is_none_or(|line| finder.find(line).is_none());
            }
            if is_new {
                return Ok(id);
            }
        }
    }

    /// Appends in a single `write`, so that lines of two processes never interleave, and fsyncs.
    ///
    /// If the disk is full, a partial write is truncated, unless another process has appended since; then it stays as a
    /// torn line, which every reader skips.
    fn append(&self, mut file: &File, text: &[u8]) -> Result<()> {
        let failed = |error| cannot("write the journal", &self.path, &error);
        let before = file.metadata().map_err(failed)?.len();
        let written = file.write(text).map_err(failed)?;
        if written == text.len() {
            return file.sync_data().map_err(|error| {
                Error::store(message!(
                    "The journal {path} was written, but the disk did not confirm it: {error}.",
                    path = self.path.display().to_string(),
                    error = error.to_string()
                ))
                .hint("check the disk, then check with `session show` what was saved.")
            });
        }
        let full = io::Error::new(
            ErrorKind::StorageFull,
            format!("only {written} of {} bytes could be written", text.len()),
        );
        let after = file.metadata().map_err(failed)?.len();
        if after == before + written as u64 && file.set_len(before).is_ok() {
            return Err(failed(full));
        }
        Err(Error::store(message!(
            "The journal {path} now has an incomplete line: {full}.",
            path = self.path.display().to_string(),
            full
        ))
        .hint("free some space, check with `session show` what was saved, then try again."))
    }
}
