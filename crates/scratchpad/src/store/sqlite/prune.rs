//! Removes outputs: rows and files.
//!
//! A prune has to list all files anyway, to find missing ones and strays, so it reads the rows of all outputs too and
//! filters them in memory.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use rusqlite::{Connection, params};

use super::Sqlite;
use super::outputs::{OutputRow, rows};
use crate::disk::staged;
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId};
use crate::model::output::{Candidate, OutputHead, Pruned};
use crate::store::{Choose, Governed, OutputFilter, Prunable};

/// Of how many removed outputs the hash stays on record, by which the same content gets its id again.
const REMEMBERED: usize = 10_000;

impl Sqlite {
    /// Removes the outputs that `choose` names, damaged outputs, and stray files.
    pub(super) fn pruned(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned> {
        self.end_future(at)?;
        let removing = |damaged_too: bool| {
            self.removing(at, &|rows| {
                let (good, bad): (Vec<&OutputRow>, Vec<&OutputRow>) =
                    rows.iter().partition(|row| self.is_there(row));
                let bad = bad.into_iter().filter(|_| damaged_too);
                let mut gone: Vec<OutputHead> = bad.map(|row| row.head.clone()).collect();
                let mut left = Good(good.into_iter().map(|row| row.head.clone()).collect());
                loop {
                    let chosen = choose(&left)?;
                    let chosen: HashSet<&str> = chosen.iter().map(|it| it.id.as_str()).collect();
                    let is_chosen = |head: &mut OutputHead| chosen.contains(head.id.as_str());
                    let before = gone.len();
                    gone.extend(left.0.extract_if(.., is_chosen));
                    if gone.len() == before {
                        return Ok(gone);
                    }
                }
            })
        };
        // A full disk may have no room for deleting the rows of missing files; that frees nothing, and can wait.
        let gone = removing(true).or_else(|_| removing(false))?;
        Ok(Pruned {
            outputs: gone.len(),
            bytes: gone.iter().map(|output| output.bytes).sum(),
            strays: self.remove_strays()?,
        })
    }

    /// Resets times in the future to now, so that those outputs age: the clock was set back.
    fn end_future(&self, now: Millis) -> Result<()> {
        let connection = self.connection()?;
        let ended = || {
            let is_ahead = "SELECT 1 FROM output WHERE used > ?1
                            UNION ALL SELECT 1 FROM output_keep WHERE kept > ?1";
            // Check first: reading blocks nobody.
            if connection.prepare_cached(is_ahead)?.exists([now])? {
                let transaction = self.begin(&connection)?;
                transaction.execute("UPDATE output SET used = ?1 WHERE used > ?1", [now])?;
                transaction.execute("UPDATE output_keep SET kept = ?1 WHERE kept > ?1", [now])?;
                transaction.commit()?;
            }
            Ok(())
        };
        ended().map_err(|error: rusqlite::Error| self.explain(&error))
    }

    /// Removes the rows and files of the outputs that `choose` names, and records the removal.
    pub(super) fn removing(
        &self,
        at: Millis,
        choose: &dyn Fn(&[OutputRow]) -> Result<Vec<OutputHead>>,
    ) -> Result<Vec<OutputHead>> {
        // Usually there is nothing to do, and then no lock is taken.
        let failed = |error: rusqlite::Error| self.explain(&error);
        let seen = rows(&*self.connection()?, OutputFilter::Everything).map_err(failed)?;
        if choose(&seen)?.is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.connection()?;
        let transaction = self.begin(&connection).map_err(failed)?;
        let mut gone = choose(&rows(&transaction, OutputFilter::Everything).map_err(failed)?)?;
        let removed = (|| {
            for output in &gone {
                let id = output.id.as_str();
                transaction.execute(
                    "INSERT OR REPLACE INTO output_removed (id, at, sha256)
                     SELECT id, ?2, sha256 FROM output WHERE id = ?1",
                    params![id, at],
                )?;
                transaction.execute("DELETE FROM output_keep WHERE output = ?1", [id])?;
                transaction.execute("DELETE FROM output WHERE id = ?1", [id])?;
            }
            transaction.execute(
                "UPDATE output_removed SET sha256 = NULL WHERE sha256 IS NOT NULL AND at <
                 (SELECT at FROM output_removed WHERE sha256 IS NOT NULL ORDER BY at DESC LIMIT 1 OFFSET ?1)",
                [REMEMBERED],
            )?;
            // Files first: on a full disk, deleting them makes room for the commit. A file that can't be deleted
            // becomes a stray.
            let lost = |output: &OutputHead| fs::remove_file(self.file_of(&output.id)).is_ok();
            let freed: Vec<OutputHead> = gone.extract_if(.., |output| lost(output)).collect();
            match transaction.commit() {
                // Without its file an output is gone. Its row is hidden, and the next prune deletes it.
                Err(error) if freed.is_empty() => return Err(error),
                Err(_) => gone.clear(),
                Ok(()) => {}
            }
            gone.extend(freed);
            Ok(gone)
        })();
        removed.map_err(failed)
    }

    /// Removes files that belong to no output: a process was killed while it kept one.
    pub(super) fn remove_strays(&self) -> Result<usize> {
        let names = |directory: &PathBuf| -> io::Result<Vec<String>> {
            fs::read_dir(directory)?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect()
        };
        let strays = staged::remove_dead(&self.outputs);
        let names = names(&self.outputs).unwrap_or_default();
        let suspects: Vec<OutputId> = names.iter().flat_map(|name| OutputId::new(name)).collect();
        let is_known = |connection: &Connection, id: &OutputId| {
            connection
                .prepare_cached("SELECT 1 FROM output WHERE id = ?1")?
                .exists([id.as_str()])
        };
        let connection = self.connection()?;
        let swept = (|| {
            let mut unknown = Vec::new();
            for id in suspects {
                if !is_known(&connection, &id)? {
                    unknown.push(id);
                }
            }
            if unknown.is_empty() {
                return Ok(0);
            }
            let transaction = self.begin(&connection)?;
            let mut swept = 0;
            for id in unknown {
                if !is_known(&transaction, &id)? && fs::remove_file(self.file_of(&id)).is_ok() {
                    swept += 1;
                }
            }
            transaction.commit()?;
            Ok(swept)
        })();
        Ok(strays + swept.map_err(|error: rusqlite::Error| self.explain(&error))?)
    }
}

/// The outputs whose files exist. Pinned ones are no candidates.
struct Good(Vec<OutputHead>);

impl Good {
    fn of<'a>(&'a self, whose: Governed<'a>) -> impl Iterator<Item = &'a OutputHead> {
        self.0.iter().filter(move |output| {
            output.pinned_by.is_none()
                && (output.author.is_empty()
                    || output.author == whose.author
                    || output.used < whose.forsaken)
        })
    }
}

impl Prunable for Good {
    fn bytes(&self, whose: Governed<'_>) -> Result<u64> {
        Ok(self.of(whose).map(|output| output.bytes).sum())
    }

    fn old(&self, whose: Governed<'_>, kept: Millis, used: Millis) -> Result<Vec<Candidate>> {
        let old = self
            .of(whose)
            .filter(|output| output.kept < kept && output.used < used);
        Ok(old.map(candidate).collect())
    }

    fn least_used(
        &self,
        whose: Governed<'_>,
        used: Range<Millis>,
        bytes: u64,
    ) -> Result<Vec<Candidate>> {
        let all = self.of(whose).filter(|output| used.contains(&output.used));
        let mut all: Vec<&OutputHead> = all.collect();
        all.sort_by_key(|output| (output.used, output.kept));
        let mut left = bytes;
        let first = all.into_iter().take_while(|output| {
            let is_one = left > 0;
            left = left.saturating_sub(output.bytes);
            is_one
        });
        Ok(first.map(candidate).collect())
    }

    fn beyond(&self, whose: Governed<'_>, used: Millis, bytes: u64) -> Result<Vec<Candidate>> {
        let mut all: Vec<&OutputHead> = self.of(whose).collect();
        all.sort_by_key(|output| Reverse((output.used, output.kept)));
        let mut sums: HashMap<&str, u64> = HashMap::new();
        all.retain(|output| {
            let sum = sums.entry(&output.upstream).or_default();
            *sum = sum.saturating_add(output.bytes);
            *sum > bytes && output.used < used
        });
        Ok(all.into_iter().map(candidate).collect())
    }
}

fn candidate(output: &OutputHead) -> Candidate {
    Candidate {
        id: output.id.clone(),
        bytes: output.bytes,
        used: output.used,
    }
}
