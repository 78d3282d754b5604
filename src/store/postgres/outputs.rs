//! Outputs in SQL. Where their content is, is [`output_content`](super::output_content)'s business.
//!
//! Ages are by the database's clock, whatever the clocks of the machines say: each adds how far it is behind.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::output_content::{Content, Ready};
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::output::{Kind, OutputHead, Pruned};
use crate::store::blocks::{BLOCK_BYTES, Blocks, Index};
use crate::store::staged::{self, Staged};
use crate::store::{OutputDraft, Outputs, Shelf, Stored};

/// A use is written down if the last one was so long ago: reading often must not mean writing often.
const TOUCH_EVERY: Millis = 60_000;
/// How many removed outputs are remembered.
const REMEMBERED: i64 = 10_000;
/// Clocks that differ by less are the same.
const SAME_TIME: Millis = 2_000;
/// Before the lock of whoever keeps content, so that an id stands for one.
const KEEP_LOCK: i64 = 23_667;

impl Outputs for Postgres {
    fn stage(&self) -> Result<Staged> {
        Staged::new_in(&self.settings.staging)
    }

    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId> {
        let (bytes, mut content) = (staged.bytes(), staged.reader()?);
        let (_file, hash) = staged.into_parts();
        let at = draft.at + self.behind()?;
        let kept = Kept {
            store: self,
            draft,
            hash: &hash,
            bytes,
            at,
        };
        // What is there already need not be packed; of what is small, looking first takes longer.
        if bytes > BLOCK_BYTES as u64
            && let Some(id) = self.writing(|transaction| kept.again(transaction))?
        {
            return Ok(id);
        }
        let mut ready = self.prepare(&hash, bytes, &mut content)?;
        self.writing(|transaction| kept.anew(transaction, &mut ready))
    }

    /// Nothing to do: what was kept is durable already.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn read(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>> {
        let row = self.reading(|connection| {
            let sql = "SELECT bytes, blocks, object FROM output WHERE id = $1";
            let Some(row) = connection.query_opt(sql, params![id.as_str()])? else {
                return Ok(None);
            };
            let (bytes, blocks): (u64, String) = (count(&row, 0)?, get(&row, 1)?);
            Ok(Some((bytes, blocks, get::<Option<String>>(&row, 2)?)))
        })?;
        let Some((bytes, blocks, object)) = row else {
            return Ok(None);
        };
        let index = Index::decoded(&blocks)
            .filter(|index| index.len() as u64 == bytes.div_ceil(BLOCK_BYTES as u64))
            .ok_or_else(|| {
                Error::store(format!(
                    "Output {id} is damaged: its index is not what was stored."
                ))
                .hint("run what made it again.")
            })?;
        let content = Content {
            store: self.clone(),
            id: id.to_string(),
            object,
            index: index.clone(),
        };
        Ok(Some((Box::new(Blocks::new(content, index, bytes)), bytes)))
    }

    fn file(&self, _: &OutputId) -> Option<PathBuf> {
        None
    }

    fn directory(&self) -> Option<PathBuf> {
        None
    }

    fn touch(&self, id: &OutputId, at: Millis) -> Result<()> {
        let at = at + self.behind()?;
        self.writing(|transaction| {
            let sql = "UPDATE output SET used = $2 WHERE id = $1 AND abs(used - $2) > $3";
            transaction.execute(sql, params![id.as_str(), at, TOUCH_EVERY])?;
            Ok(())
        })
    }

    fn outputs(&self, on: Shelf<'_>) -> Result<Vec<OutputHead>> {
        let behind = self.behind()?;
        let rows = self.reading(|connection| rows(connection, on))?;
        let good = rows.into_iter().filter(|row| !row.is_damaged);
        Ok(good.map(|row| row.seen_from(behind)).collect())
    }

    fn remove(&self, ids: &[OutputId], at: Millis) -> Result<Vec<OutputHead>> {
        let behind = self.behind()?;
        let gone = self.writing(|transaction| {
            let mut gone = rows(transaction, Shelf::Everything)?;
            gone.retain(|row| ids.contains(&row.head.id));
            remove(transaction, gone, at + behind)
        })?;
        // Where this fails, a prune does it.
        let _ = self.sweep();
        Ok(gone.into_iter().map(|row| row.seen_from(behind)).collect())
    }

    fn removed(&self, id: &OutputId) -> Result<Option<Millis>> {
        let behind = self.behind()?;
        self.reading(|connection| {
            let sql = "SELECT at FROM output_removed WHERE id = $1";
            let row = connection.query_opt(sql, params![id.as_str()])?;
            row.map(|row| Ok(get::<Millis>(&row, 0)? - behind))
                .transpose()
        })
    }

    fn prune(&self, at: Millis, choose: &dyn Fn(&[OutputHead]) -> Vec<OutputId>) -> Result<Pruned> {
        let strays = self.sweep()? + staged::remove_dead(&self.settings.staging);
        let behind = self.behind()?;
        let gone = self.writing(|transaction| {
            // Where somebody else prunes, it is being done.
            let sql = "SELECT pg_try_advisory_xact_lock(23668, ('output'::regclass::oid::bigint % 2147483647)::integer)";
            if !get::<bool>(&transaction.query_one(sql, params![])?, 0)? {
                return Ok(Vec::new());
            }
            // What was kept or used in a time that is still to come ages from now on.
            let now = at + behind;
            transaction.execute("UPDATE output SET used = $1 WHERE used > $1", params![now])?;
            transaction.execute("UPDATE output_keep SET kept = $1 WHERE kept > $1", params![now])?;
            let (bad, good): (Vec<Known>, Vec<Known>) = rows(transaction, Shelf::Everything)?
                .into_iter()
                .partition(|row| row.is_damaged);
            let heads: Vec<OutputHead> = good.iter().map(|row| row.seen_from(behind)).collect();
            let chosen = choose(&heads);
            let chosen = good.into_iter().filter(|row| chosen.contains(&row.head.id));
            remove(transaction, bad.into_iter().chain(chosen).collect(), now)
        })?;
        if !gone.is_empty() {
            self.sweep()?;
        }
        Ok(Pruned {
            outputs: gone.len(),
            bytes: gone.iter().map(|row| row.head.bytes).sum(),
            strays,
        })
    }
}

impl Postgres {
    /// How far the clock of this machine is behind the database's.
    pub(super) fn behind(&self) -> Result<Millis> {
        if let Some(behind) = self.behind.get() {
            return Ok(*behind);
        }
        let theirs: Millis = self.reading(|connection| {
            let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
            get(&connection.query_one(sql, params![])?, 0)
        })?;
        let ours = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| whole(time.as_millis()));
        let behind = Some(theirs - ours).filter(|by| by.abs() > SAME_TIME);
        Ok(*self.behind.get_or_init(|| behind.unwrap_or(0)))
    }
}

/// Content that is being kept.
struct Kept<'a> {
    store: &'a Postgres,
    draft: &'a OutputDraft<'a>,
    hash: &'a str,
    bytes: u64,
    at: Millis,
}

impl Kept<'_> {
    /// The output that has this content, whose row is held from here on, and whether it is damaged.
    fn found(&self, transaction: &Transaction<'_>) -> Result<Option<(String, bool)>, Failure> {
        let sql = "SELECT id, damaged FROM output WHERE sha256 = $1 FOR UPDATE";
        let row = transaction.query_opt(sql, params![self.hash])?;
        row.map(|row| Ok((get(&row, 0)?, get(&row, 1)?)))
            .transpose()
    }

    /// Keeps content that is there already.
    fn again(&self, transaction: &Transaction<'_>) -> Result<Option<OutputId>, Failure> {
        match self.found(transaction)? {
            Some((id, false)) => self.refresh(transaction, &id).map(Some),
            _ => Ok(None),
        }
    }

    /// Keeps content that was prepared.
    fn anew(&self, transaction: &Transaction<'_>, ready: &mut Ready) -> Result<OutputId, Failure> {
        // Only contents whose ids begin alike wait for each other.
        let start = self.hash.get(..7).unwrap_or_default();
        let start = i64::from_str_radix(start, 16).unwrap_or_default();
        transaction.query(
            "SELECT pg_advisory_xact_lock($1::bigint::integer, $2::bigint::integer)",
            params![KEEP_LOCK, start],
        )?;
        let id = match self.found(transaction)? {
            Some((id, false)) => {
                if let Some(name) = &ready.object {
                    Postgres::let_go(transaction, name)?;
                }
                return self.refresh(transaction, &id);
            }
            Some((id, true)) => {
                Postgres::detach(transaction, &vec![id.clone()])?;
                transaction.execute(
                    "UPDATE output SET blocks = $2, object = $3, damaged = false WHERE id = $1",
                    params![id, ready.index(), ready.object],
                )?;
                id
            }
            None => {
                let id = free_id(transaction, self.hash)?;
                transaction.execute(
                    "INSERT INTO output (id, sha256, bytes, lines, kind, created, used, blocks, object)
                     VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)",
                    params![
                        id,
                        self.hash,
                        whole(self.bytes),
                        whole(self.draft.lines),
                        self.draft.kind.name(),
                        self.at,
                        ready.index(),
                        ready.object,
                    ],
                )?;
                id
            }
        };
        Postgres::attach(transaction, &id, ready)?;
        self.refresh(transaction, &id)
    }

    /// Writes down who keeps it, and when.
    fn refresh(&self, transaction: &Transaction<'_>, id: &str) -> Result<OutputId, Failure> {
        let draft = self.draft;
        let project = draft.project.map_or("", |project| project.as_str());
        transaction.execute(
            "WITH used AS (UPDATE output SET used = $6 WHERE id = $1)
             INSERT INTO output_keep (output, session, project, author, tool, kept)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (output, session, project)
             DO UPDATE SET author = excluded.author, tool = excluded.tool, kept = excluded.kept",
            params![
                id,
                draft.session.as_str(),
                escaped(project),
                escaped(&self.store.settings.author),
                escaped(draft.tool),
                self.at,
            ],
        )?;
        Ok(OutputId::new(id)?)
    }
}

/// An id for content that has none yet.
fn free_id(transaction: &Transaction<'_>, hash: &str) -> Result<String, Failure> {
    for digits in (OutputId::MIN_DIGITS..OutputId::MAX_DIGITS).step_by(4) {
        let id = hash.get(..digits).unwrap_or(hash);
        let taken = transaction.query_opt("SELECT 1 FROM output WHERE id = $1", params![id])?;
        if taken.is_none() {
            return Ok(id.to_owned());
        }
    }
    Ok(hash.to_owned())
}

/// An output as the database knows it, in its time.
struct Known {
    head: OutputHead,
    is_damaged: bool,
}

impl Known {
    /// The same in the time of a machine that is so far behind.
    fn seen_from(&self, behind: Millis) -> OutputHead {
        OutputHead {
            kept: self.head.kept - behind,
            used: self.head.used - behind,
            ..self.head.clone()
        }
    }
}

/// Removes outputs, unless they were used meanwhile, and remembers that they were there.
fn remove(
    transaction: &Transaction<'_>,
    mut gone: Vec<Known>,
    at: Millis,
) -> Result<Vec<Known>, Failure> {
    if gone.is_empty() {
        return Ok(gone);
    }
    let ids: Vec<String> = gone.iter().map(|row| row.head.id.to_string()).collect();
    let used: Vec<i64> = gone.iter().map(|row| row.head.used).collect();
    let held = transaction.query(
        "SELECT o.id FROM output o JOIN unnest($1, $2) AS seen (id, used) ON o.id = seen.id AND o.used <= seen.used
         ORDER BY o.id FOR UPDATE OF o",
        params![ids, used],
    )?;
    let held = held
        .iter()
        .map(|row| get(row, 0))
        .collect::<Result<Vec<String>, Failure>>()?;
    gone.retain(|row| held.iter().any(|id| id == row.head.id.as_str()));
    Postgres::detach(transaction, &held)?;
    transaction.execute(
        "DELETE FROM output_keep WHERE output = ANY ($1)",
        params![held],
    )?;
    transaction.execute("DELETE FROM output WHERE id = ANY ($1)", params![held])?;
    transaction.execute(
        "INSERT INTO output_removed (id, at) SELECT id, $2 FROM unnest($1) AS gone (id)
         ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        params![held, at],
    )?;
    transaction.execute(
        "DELETE FROM output_removed WHERE at <
         (SELECT at FROM output_removed ORDER BY at DESC LIMIT 1 OFFSET $1)",
        params![REMEMBERED],
    )?;
    Ok(gone)
}

/// The outputs on a shelf, last kept first, damaged ones too.
fn rows(connection: &Connection, shelf: Shelf<'_>) -> Result<Vec<Known>, Failure> {
    let (filter, session, project) = match shelf {
        Shelf::Seen(sight) => (
            "k.session = $1 OR (k.project = $2 AND k.project <> '')",
            sight.session.as_str(),
            sight.project.as_str(),
        ),
        Shelf::Project(project) => ("k.project = $2", "", project.as_str()),
        Shelf::Everything => ("true", "", ""),
    };
    let sql = format!(
        "SELECT id, bytes, lines, kind, used, tool, session, kept, author, damaged FROM (
             SELECT DISTINCT ON (o.id) o.key, o.id, o.bytes, o.lines, o.kind, o.used, o.damaged,
                 k.tool, k.session, k.kept, k.author
             FROM output o JOIN output_keep k ON k.output = o.id
             WHERE {filter} ORDER BY o.id, k.kept DESC
         ) AS last ORDER BY kept DESC, key DESC"
    );
    let rows = connection.query(&sql, params![session, escaped(project)])?;
    rows.iter().map(known).collect()
}

fn known(row: &Row) -> Result<Known, Failure> {
    let head = OutputHead {
        id: OutputId::new(get(row, 0)?).map_err(|_| Failure::Foreign("an output's id is none"))?,
        bytes: count(row, 1)?,
        lines: count(row, 2)?,
        kind: Kind::named(get(row, 3)?),
        used: get(row, 4)?,
        tool: text(row, 5)?,
        session: SessionId::new(get::<String>(row, 6)?)
            .map_err(|_| Failure::Foreign("a session's id is none"))?,
        kept: get(row, 7)?,
        author: text(row, 8)?,
    };
    Ok(Known {
        head,
        is_damaged: get(row, 9)?,
    })
}
