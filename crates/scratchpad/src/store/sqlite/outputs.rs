//! Outputs: one plain file each, named by its id, and its metadata in SQL.
//!
//! Files are renamed into place and deleted only inside a write transaction, so every row has its file, even if
//! processes keep and prune concurrently. A kill can leave a file without a row, which the next prune removes.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::PathBuf;
use std::sync::PoisonError;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;

use super::hooks::LONGEST_WAIT;
use super::packed::unpacked;
use super::sessions::ids_between;
use super::{Sqlite, fallback, ledger};
use crate::disk::private::cannot;
use crate::disk::replace::{sync_directory, sync_files};
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::output::room::{Room, Taken};
use crate::model::output::{Kind, OutputHead, Pruned, distinct};
use crate::model::text::hash::sha256_of;
use crate::model::text::message::{Message, message};
use crate::store::{Choose, OutputDraft, OutputFilter, Outputs, Removal, Staged, Stored};

/// Record a use only if the last one is at least this old: frequent reads must not cause frequent writes.
const TOUCH_EVERY: Millis = 60_000;

impl Sqlite {
    /// Keeps staged contents in one transaction.
    fn keep_on(
        &self,
        connection: &mut Connection,
        drafts: Vec<(OutputDraft<'_>, Staged)>,
    ) -> Result<Vec<OutputId>> {
        let failed = |error| self.explain(&error);
        let transaction = self.begin(connection).map_err(failed)?;
        let mut new = Vec::new();
        let kept = match self.keep_each(&transaction, drafts, &mut new) {
            Ok(kept) => transaction.commit().map_err(failed).map(|()| kept),
            Err(error) => {
                // Before the transaction ends: then somebody else may keep the same.
                remove_all(&new);
                return Err(error);
            }
        };
        let kept = kept.inspect_err(|_| remove_all(&new))?;
        let (ids, paths): (Vec<OutputId>, Vec<PathBuf>) = kept.into_iter().unzip();
        self.unsynced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(paths);
        Ok(ids)
    }

    /// Keeps each content: first the file, then its row. `new` gets the files that were not there before.
    fn keep_each(
        &self,
        transaction: &Transaction<'_>,
        drafts: Vec<(OutputDraft<'_>, Staged)>,
        new: &mut Vec<PathBuf>,
    ) -> Result<Vec<(OutputId, PathBuf)>> {
        let failed = |error| self.explain(&error);
        let mut kept = Vec::new();
        for (draft, staged) in drafts {
            let (file, bytes, hash) = staged.into_parts();
            let (id, is_new) = id_for(transaction, &hash).map_err(failed)?;
            if let (true, Some(room)) = (is_new, &draft.room) {
                let taken = taken(transaction, room, draft.origin.upstream).map_err(failed)?;
                room.admit(draft.origin, bytes, taken)?;
            }
            let id = OutputId::new(&id)?;
            let path = self.file_of(&id);
            if is_new {
                new.push(path.clone());
            }
            file.persist(&path)
                .map_err(|error| cannot("write", &path, &error.error))?;
            record(transaction, &id, &hash, bytes, &draft).map_err(failed)?;
            kept.push((id, path));
        }
        Ok(kept)
    }
}

/// Removes files that nothing refers to. If that fails, a prune does it.
fn remove_all(paths: &[PathBuf]) {
    for path in paths {
        let _ = fs::remove_file(path);
    }
}

/// While this exists, the connection commits without an fsync.
///
/// [`Outputs::sync`] makes both the row and the file of an output durable later, so that the reply doesn't wait for
/// the disk. A kill of the process loses neither.
pub(super) struct Unhurried<'a>(pub(super) &'a mut Connection);

impl<'a> Unhurried<'a> {
    pub(super) fn new(connection: &'a mut Connection) -> rusqlite::Result<Self> {
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Self(connection))
    }
}

impl Drop for Unhurried<'_> {
    fn drop(&mut self) {
        // Can't fail outside a transaction: it only sets a value in memory.
        let _ = self.0.pragma_update(None, "synchronous", "FULL");
    }
}

impl Outputs for Sqlite {
    fn stage(&self) -> Result<Staged> {
        Staged::new_in(&self.outputs)
    }

    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId> {
        let mut kept = self.keep_all(vec![(*draft, staged)])?;
        kept.pop()
            .ok_or_else(|| Error::store("The store did not say what it kept."))
    }

    fn keep_all(&self, drafts: Vec<(OutputDraft<'_>, Staged)>) -> Result<Vec<OutputId>> {
        let mut connection = self.connection()?;
        let unhurried = Unhurried::new(&mut connection).map_err(|error| self.explain(&error))?;
        self.keep_on(unhurried.0, drafts)
    }

    fn sync(&self) -> Result<()> {
        let paths =
            std::mem::take(&mut *self.unsynced.lock().unwrap_or_else(PoisonError::into_inner));
        if paths.is_empty() {
            return Ok(());
        }
        sync_files(&paths)?;
        sync_directory(&self.outputs).map_err(|error| cannot("write", &self.outputs, &error))?;
        // Closing a file drops all POSIX locks of the process on it, but SQLite holds none on the WAL.
        let log = fallback::beside(&self.path, "-wal");
        match File::open(&log).and_then(|file| file.sync_data()) {
            // Already checkpointed into the database.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(|error| cannot("write", &log, &error)),
        }
    }

    fn read(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>> {
        let first = self.look(id, &*self.connection()?)?;
        let what = match first {
            Look::Damaged(_) => self.look_again(id).unwrap_or(first),
            sure => sure,
        };
        match what {
            Look::Nothing => Ok(None),
            Look::Whole(file, bytes) => Ok(Some((Box::new(file), bytes))),
            Look::Damaged(how) => Err(Error::store(message!(
                "Output {id} is damaged: {path} {how}.",
                id = id.to_string(),
                path = self.file_of(id).display().to_string(),
                how = Message::from(how)
            ))
            .hint("rerun what produced it.")),
        }
    }

    fn peek(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>> {
        let bytes: Option<u64> = (self.connection()?)
            .query_row(
                "SELECT bytes FROM output WHERE id = ?1",
                [id.as_str()],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.explain(&error))?;
        let path = self.file_of(id);
        let is_as_kept = |found: &fs::Metadata| found.is_file() && Some(found.len()) == bytes;
        if bytes.is_some()
            && fs::metadata(&path).is_ok_and(|found| is_as_kept(&found))
            && let Ok(file) = File::open(&path)
        {
            return Ok(Some((Box::new(file), bytes.unwrap_or(0))));
        }
        // It is somewhere else, or this says what is wrong with it.
        self.read(id)
    }

    fn file(&self, id: &OutputId) -> Option<PathBuf> {
        Some(self.file_of(id))
    }

    fn directory(&self) -> Option<PathBuf> {
        Some(self.outputs.clone())
    }

    fn touch(&self, id: &OutputId, at: Millis) -> Result<()> {
        let connection = self.connection()?;
        let touched = || -> rusqlite::Result<()> {
            let is_due = "SELECT 1 FROM output WHERE id = ?1 AND abs(used - ?2) > ?3";
            let is_due = (connection.prepare_cached(is_due)?).exists(params![
                id.as_str(),
                at,
                TOUCH_EVERY
            ])?;
            if is_due {
                // The reader waits for this, so not for long.
                let transaction = self.begin_within(&connection, self.timeout.min(LONGEST_WAIT))?;
                let sql = "UPDATE output SET used = ?2 WHERE id = ?1";
                transaction.execute(sql, params![id.as_str(), at])?;
                transaction.commit()?;
            }
            Ok(())
        };
        touched().map_err(|error| self.explain(&error))
    }

    fn outputs(&self, on: OutputFilter<'_>) -> Result<Vec<OutputHead>> {
        let rows = rows(&*self.connection()?, on).map_err(|error| self.explain(&error))?;
        Ok(rows
            .into_iter()
            .filter(|row| self.is_there(row))
            .map(|row| row.head)
            .collect())
    }

    fn kept_by(&self, session: &SessionId) -> Result<(u64, u64)> {
        self.connection()?
            .query_row(
                "SELECT count(*), coalesce(sum(bytes), 0) FROM output
                 WHERE id IN (SELECT output FROM output_keep WHERE session = ?1)",
                [session.as_str()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(|error| self.explain(&error))
    }

    fn output_ids(&self, beginning: &str, limit: usize) -> Result<Vec<OutputId>> {
        let sql = "SELECT id FROM output WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
        ids_between(&*self.connection()?, sql, beginning, limit)
            .map_err(|error| self.explain(&error))?
            .iter()
            .map(|id| OutputId::new(id))
            .collect()
    }

    fn remove(&self, ids: &[OutputId], at: Millis, what: Removal) -> Result<Vec<OutputHead>> {
        self.removing(at, &|rows| {
            let is_asked = |row: &&OutputRow| {
                let stays = row.head.pinned_by.is_some() && what == Removal::Unpinned;
                ids.contains(&row.head.id) && !(stays && self.is_there(row))
            };
            let asked = rows.iter().filter(is_asked);
            Ok(asked.map(|row| row.head.clone()).collect())
        })
    }

    fn removed(&self, id: &OutputId) -> Result<Option<Millis>> {
        self.connection()?
            .query_row(
                "SELECT at FROM output_removed WHERE id = ?1",
                [id.as_str()],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.explain(&error))
    }

    fn prune(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned> {
        self.pruned(at, choose)
    }
}

/// The result of looking up an output.
enum Look {
    /// There is no such output.
    Nothing,
    /// Its file and size.
    Whole(File, u64),
    /// What is wrong with its file.
    Damaged(&'static str),
}

pub(super) struct OutputRow {
    pub(super) head: OutputHead,
    pub(super) damaged: bool,
}

impl Sqlite {
    pub(super) fn file_of(&self, id: &OutputId) -> PathBuf {
        self.outputs.join(id.as_str())
    }

    /// Whether the file exists with the right size. Does not read it.
    pub(super) fn is_there(&self, row: &OutputRow) -> bool {
        !row.damaged
            && fs::metadata(self.file_of(&row.head.id))
                .is_ok_and(|found| found.is_file() && found.len() == row.head.bytes)
    }

    fn look(&self, id: &OutputId, connection: &Connection) -> Result<Look> {
        let hash: Option<String> = connection
            .query_row(
                "SELECT sha256 FROM output WHERE id = ?1",
                [id.as_str()],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.explain(&error))?;
        let Some(hash) = hash else {
            return Ok(Look::Nothing);
        };
        let path = self.file_of(id);
        let inside = || match unpacked(id, connection) {
            Ok(found) => found.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())),
            Err(error) => Err(io::Error::other(error)),
        };
        let checked = || -> io::Result<Look> {
            // Opening a pipe would block forever.
            let mut file = match fs::metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => inside()?,
                Ok(found) if found.is_file() => File::open(&path)?,
                Ok(_) => return Ok(Look::Damaged("does not match what was kept")),
                Err(error) => return Err(error),
            };
            let found = file.metadata()?;
            if !self.verified.knows(&hash, &found) {
                if sha256_of(&mut file)? != hash {
                    return Ok(Look::Damaged("does not match what was kept"));
                }
                file.rewind()?;
                self.verified.learn(&hash, &found);
            }
            Ok(Look::Whole(file, found.len()))
        };
        match checked() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Look::Damaged("is gone")),
            other => other.map_err(|error| cannot("read", &path, &error)),
        }
    }

    /// Looks again under the write lock: another process may have kept or pruned it between the reads of the row and
    /// the file. If it is still damaged, marks it as such.
    fn look_again(&self, id: &OutputId) -> Result<Look> {
        let failed = |error| self.explain(&error);
        let connection = self.connection()?;
        let transaction = self.begin(&connection).map_err(failed)?;
        let look = self.look(id, &transaction)?;
        if matches!(look, Look::Damaged(_)) {
            transaction
                .execute("UPDATE output SET damaged = 1 WHERE id = ?1", [id.as_str()])
                .and_then(|_| transaction.commit())
                .map_err(failed)?;
        }
        Ok(look)
    }
}

/// The id for this content, and whether it is new.
fn id_for(transaction: &Transaction<'_>, hash: &str) -> rusqlite::Result<(String, bool)> {
    let kept: Option<String> = transaction
        .prepare_cached("SELECT id FROM output WHERE sha256 = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    if let Some(id) = kept {
        return Ok((id, false));
    }
    // A reference to a removed output must not read another.
    let mut taken = transaction.prepare_cached(
        "SELECT 1 FROM output WHERE id = ?1
         UNION ALL SELECT 1 FROM output_removed WHERE id = ?1 AND sha256 IS NOT ?2",
    )?;
    for digits in (OutputId::MIN_DIGITS..OutputId::MAX_DIGITS).step_by(4) {
        let id = hash.get(..digits).unwrap_or(hash);
        if !taken.exists([id, hash])? {
            return Ok((id.to_owned(), true));
        }
    }
    Ok((hash.to_owned(), true))
}

/// The room that outputs in use take up. The index on their use has all it needs.
fn taken(transaction: &Transaction<'_>, room: &Room, upstream: &str) -> rusqlite::Result<Taken> {
    transaction
        .prepare_cached(
            "SELECT coalesce(sum(bytes), 0), coalesce(sum(iif(upstream = ?2, bytes, 0)), 0) FROM output
             WHERE used >= ?1 AND id NOT IN (SELECT output FROM output_keep WHERE pinned)",
        )?
        .query_row(params![room.in_use_since, upstream], |row| {
            Ok(Taken {
                all: row.get(0)?,
                of_upstream: row.get(1)?,
            })
        })
}

fn record(
    transaction: &Transaction<'_>,
    id: &OutputId,
    hash: &str,
    bytes: u64,
    draft: &OutputDraft<'_>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO output (id, sha256, bytes, lines, kind, created, used, preview, upstream)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET used = excluded.used, damaged = 0, preview = excluded.preview",
        )?
        .execute(params![
            id.as_str(),
            hash,
            bytes,
            draft.lines,
            draft.kind.name(),
            draft.at,
            draft.preview,
            draft.origin.upstream
        ])?;
    transaction
        .prepare_cached(
            "INSERT INTO output_keep (output, session, project, tool, kept, pinned)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET kept = excluded.kept, author = '', pinned = max(pinned, excluded.pinned)",
        )?
        .execute(params![
            id.as_str(),
            draft.session.as_str(),
            draft.project.map_or("", |project| project.as_str()),
            draft.origin.tool,
            draft.at,
            draft.is_pinned
        ])?;
    ledger::add(transaction, draft.session, draft.at, draft.entries)
}

/// The outputs that match a filter, most recently kept first, including damaged ones.
pub(super) fn rows(
    connection: &Connection,
    filter: OutputFilter<'_>,
) -> rusqlite::Result<Vec<OutputRow>> {
    // In SQLite, the bare columns beside max() come from the row that has the maximum.
    const SELECT: &str = "
        SELECT o.id, o.bytes, o.lines, o.kind, o.used, o.damaged, k.session, max(k.kept) AS kept, k.author, o.preview,
            json_group_array(k.tool ORDER BY k.kept DESC, k.tool) AS tools,
            (SELECT p.session FROM output_keep p WHERE p.output = o.id AND p.pinned ORDER BY p.kept DESC LIMIT 1), o.upstream
        FROM output o JOIN output_keep k ON k.output = o.id";
    const ORDER: &str = "GROUP BY o.id ORDER BY kept DESC, o.rowid DESC";
    let named;
    let (filter, values) = match filter {
        OutputFilter::Seen(scopes) => (
            "WHERE k.session = ?1 OR (k.project = ?2 AND k.project <> '')",
            vec![scopes.session.as_str(), scopes.project.as_str()],
        ),
        OutputFilter::Project(project) => (
            "WHERE k.project = ?1
                OR (k.project = '' AND k.session IN (SELECT id FROM session WHERE session.project = ?1))",
            vec![project.as_str()],
        ),
        OutputFilter::Ids(ids) => {
            let ids: Value = ids.iter().map(OutputId::as_str).collect();
            named = ids.to_string();
            (
                "WHERE o.id IN (SELECT value FROM json_each(?1))",
                vec![named.as_str()],
            )
        }
        OutputFilter::Everything => ("", Vec::new()),
    };
    connection
        .prepare_cached(&format!("{SELECT} {filter} {ORDER}"))?
        .query_map(rusqlite::params_from_iter(values), |row| {
            let (id, session): (String, String) = (row.get(0)?, row.get(6)?);
            let (tools, pinned_by): (String, Option<String>) = (row.get(10)?, row.get(11)?);
            let (Ok(id), Ok(session)) = (OutputId::new(&id), SessionId::new(session)) else {
                // Skip a row that another program wrote.
                return Ok(None);
            };
            Ok(Some(OutputRow {
                head: OutputHead {
                    id,
                    bytes: row.get(1)?,
                    lines: row.get(2)?,
                    kind: Kind::named(&row.get::<_, String>(3)?),
                    tools: distinct(serde_json::from_str(&tools).unwrap_or_default()),
                    session,
                    kept: row.get(7)?,
                    used: row.get(4)?,
                    author: row.get(8)?,
                    upstream: row.get(12)?,
                    preview: row.get(9)?,
                    pinned_by: pinned_by.and_then(|session| SessionId::new(session).ok()),
                },
                damaged: row.get(5)?,
            }))
        })?
        .filter_map(Result::transpose)
        .collect()
}
