//! Outputs in SQL. Their content is in [`content`](super::content).
//!
//! Times are stored by the database's clock: each machine adds its own offset.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::content::blocks::{BLOCK_BYTES, Blocks, Index};
use super::content::{Content, Ready};
use super::errors::Failure;
use super::prune;
use super::sessions::ids_between;
use super::values::{Param, count, escaped, get, params, text, unescaped, whole};
use crate::disk::staged::Staged;
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::output::room::{Room, Taken};
use crate::model::output::{Candidate, Kind, OutputHead, Pruned, distinct};
use crate::model::text::message::message;
use crate::store::{Choose, OutputDraft, OutputFilter, Outputs, Removal, Stored};

/// Record a use only if the last one is at least this old: frequent reads must not cause frequent writes.
const TOUCH_EVERY: Millis = 60_000;
/// Clock differences up to this are ignored.
const SAME_TIME: Millis = 2_000;
/// The first key of the advisory lock for keeping content; it makes ids unique.
const KEEP_LOCK: i64 = 23_667;

impl Outputs for Postgres {
    fn stage(&self) -> Result<Staged> {
        Staged::new_in(&self.settings.staging)
    }

    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId> {
        let (bytes, mut content) = (staged.bytes(), staged.reader()?);
        let (_file, _, hash) = staged.into_parts();
        let at = draft.at + self.behind()?;
        let kept = Kept {
            store: self,
            draft,
            hash: &hash,
            bytes,
            at,
        };
        // Don't compress content that exists already. For small content, checking first would take longer.
        if bytes > BLOCK_BYTES as u64
            && let Some(id) = self.writing(|transaction| kept.again(transaction))?
        {
            return Ok(id);
        }
        let mut ready = self.prepare(&hash, bytes, &mut content)?;
        self.writing(|transaction| kept.keep_new(transaction, &mut ready))
    }

    /// Nothing to do: `keep` is durable.
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
                Error::store(message!(
                    "Output {id} is damaged: its index is not what was stored.",
                    id = id.to_string()
                ))
                .hint("rerun what produced it.")
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
            // Times in the future are corrected by the next prune.
            let sql = "UPDATE output SET used = $2 WHERE id = $1 AND $2 - used > $3";
            transaction.execute(sql, params![id.as_str(), at, TOUCH_EVERY])?;
            Ok(())
        })
    }

    fn outputs(&self, on: OutputFilter<'_>) -> Result<Vec<OutputHead>> {
        let behind = self.behind()?;
        let rows = self.reading(|connection| rows(connection, on))?;
        let good = rows.into_iter().filter(|row| !row.is_damaged);
        Ok(good.map(|row| row.seen_from(behind)).collect())
    }

    fn kept_by(&self, session: &SessionId) -> Result<(u64, u64)> {
        self.reading(|connection| {
            let row = connection.query_one(
                "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM output
                 WHERE id IN (SELECT output FROM output_keep WHERE session = $1)",
                params![session.as_str()],
            )?;
            Ok((count(&row, 0)?, count(&row, 1)?))
        })
    }

    fn output_ids(&self, beginning: &str, limit: usize) -> Result<Vec<OutputId>> {
        let sql = "SELECT id FROM output WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3";
        let ids = self.reading(|connection| ids_between(connection, sql, beginning, limit))?;
        ids.iter().map(|id| OutputId::new(id)).collect()
    }

    fn remove(&self, ids: &[OutputId], at: Millis, what: Removal) -> Result<Vec<OutputHead>> {
        let behind = self.behind()?;
        let gone = self.writing(|transaction| {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let mut gone = selected(transaction, "o.id = ANY ($1)", params![ids])?;
            if what == Removal::Unpinned {
                gone.retain(|row| row.head.pinned_by.is_none() || row.is_damaged);
            }
            let seen: Vec<Candidate> = gone.iter().map(Known::candidate).collect();
            let held = prune::remove(transaction, &seen, at + behind)?;
            gone.retain(|row| held.contains(row.head.id.as_str()));
            Ok(gone)
        })?;
        // Best effort: the next prune does it.
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

    fn prune(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned> {
        self.pruned(at, choose)
    }
}

impl Postgres {
    /// How far this machine's clock is behind the database's.
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

struct Kept<'a> {
    store: &'a Postgres,
    draft: &'a OutputDraft<'a>,
    hash: &'a str,
    bytes: u64,
    at: Millis,
}

/// An output that exists already.
struct There {
    id: String,
    is_damaged: bool,
    /// Who kept it last.
    author: String,
}

impl Kept<'_> {
    /// The output with this content, if any. Locks its row.
    fn found(&self, transaction: &Transaction<'_>) -> Result<Option<There>, Failure> {
        let sql = "SELECT id, damaged, author FROM output WHERE sha256 = $1 FOR UPDATE";
        let row = transaction.query_opt(sql, params![self.hash])?;
        let there = |row: Row| {
            Ok(There {
                id: get(&row, 0)?,
                is_damaged: get(&row, 1)?,
                author: text(&row, 2)?,
            })
        };
        row.map(there).transpose()
    }

    /// Keeps content that exists already.
    fn again(&self, transaction: &Transaction<'_>) -> Result<Option<OutputId>, Failure> {
        match self.found(transaction)? {
            Some(there) if !there.is_damaged => self.refresh(transaction, &there).map(Some),
            Some(_) => Ok(None),
            // Checked again when it is kept, but then its blocks are stored already.
            None => self.new_id(transaction).map(|_| None),
        }
    }

    /// Keeps prepared content.
    fn keep_new(
        &self,
        transaction: &Transaction<'_>,
        ready: &mut Ready,
    ) -> Result<OutputId, Failure> {
        // Only contents whose ids share a prefix block each other.
        let start = self.hash.get(..7).unwrap_or_default();
        let start = i64::from_str_radix(start, 16).unwrap_or_default();
        transaction.query(
            "SELECT pg_advisory_xact_lock($1::bigint::integer, $2::bigint::integer)",
            params![KEEP_LOCK, start],
        )?;
        let Some(there) = self.found(transaction)? else {
            return self.insert(transaction, ready);
        };
        if there.is_damaged {
            Postgres::detach(transaction, &vec![there.id.clone()])?;
            transaction.execute(
                "UPDATE output SET blocks = $2, object = $3, damaged = false WHERE id = $1",
                params![there.id, ready.index(), ready.object],
            )?;
            Postgres::attach(transaction, &there.id, ready)?;
        } else if let Some(name) = &ready.object {
            Postgres::let_go(transaction, name)?;
        }
        self.refresh(transaction, &there)
    }

    /// Keeps content that does not exist yet.
    fn insert(
        &self,
        transaction: &Transaction<'_>,
        ready: &mut Ready,
    ) -> Result<OutputId, Failure> {
        let (draft, author) = (self.draft, &self.store.settings.author);
        let id = self.new_id(transaction)?;
        transaction.execute(
            "WITH new AS (
                 INSERT INTO output (id, sha256, bytes, lines, kind, created, used, kept, author, blocks, object, preview, upstream)
                 VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, $9, $13, $15)
             )
             INSERT INTO output_keep (output, session, project, author, tool, kept, pinned)
             VALUES ($1, $10, $11, $7, $12, $6, $14)",
            params![
                id,
                self.hash,
                whole(self.bytes),
                whole(draft.lines),
                draft.kind.name(),
                self.at,
                escaped(author),
                ready.index(),
                ready.object,
                draft.session.as_str(),
                self.project(),
                escaped(draft.origin.tool),
                escaped(draft.preview),
                draft.is_pinned,
                escaped(draft.origin.upstream),
            ],
        )?;
        Postgres::attach(transaction, &id, ready)?;
        prune::count_author(transaction, &[(author, whole(self.bytes))])?;
        self.book(transaction)?;
        Ok(OutputId::new(&id)?)
    }

    /// Records who keeps existing content, and when.
    fn refresh(&self, transaction: &Transaction<'_>, there: &There) -> Result<OutputId, Failure> {
        let (draft, author) = (self.draft, &self.store.settings.author);
        transaction.execute(
            "WITH used AS (UPDATE output SET used = $6, kept = $6, author = $4, preview = $7 WHERE id = $1)
             INSERT INTO output_keep (output, session, project, author, tool, kept, pinned)
             VALUES ($1, $2, $3, $4, $5, $6, $8)
             ON CONFLICT (output, session, project, tool)
             DO UPDATE SET author = excluded.author, kept = excluded.kept, pinned = output_keep.pinned OR excluded.pinned",
            params![
                there.id,
                draft.session.as_str(),
                self.project(),
                escaped(author),
                escaped(draft.origin.tool),
                self.at,
                escaped(draft.preview),
                draft.is_pinned,
            ],
        )?;
        if there.author != *author {
            let bytes = whole(self.bytes);
            prune::count_author(transaction, &[(author, bytes), (&there.author, -bytes)])?;
        }
        self.book(transaction)?;
        Ok(OutputId::new(&there.id)?)
    }

    /// Adds to the ledger what was kept. Its days are those of this machine's clock.
    fn book(&self, transaction: &Transaction<'_>) -> Result<(), Failure> {
        let draft = self.draft;
        (self.store).add_to_ledger(transaction, draft.session, draft.at, draft.entries)
    }

    /// The id for content that does not exist yet. Refused if there is no room for it.
    fn new_id(&self, transaction: &Transaction<'_>) -> Result<String, Failure> {
        let digits = (OutputId::MIN_DIGITS..OutputId::MAX_DIGITS).step_by(4);
        let ids = digits.map(|digits| self.hash.get(..digits).unwrap_or(self.hash).to_owned());
        let ids: Vec<String> = ids.collect();
        let (draft, author) = (self.draft, &self.store.settings.author);
        // None are in use after the end of time.
        let in_use_since = draft.room.map_or(Millis::MAX, |room: Room| {
            room.in_use_since.saturating_add(self.at - draft.at)
        });
        let row = transaction.query_one(
            "SELECT (SELECT id FROM unnest($1) AS free (id)
                     WHERE NOT EXISTS (SELECT FROM output o WHERE o.id = free.id)
                     -- A reference to a removed output must not read another.
                     AND NOT EXISTS (SELECT FROM output_removed r WHERE r.id = free.id AND r.sha256 IS DISTINCT FROM $2)
                     ORDER BY length(id) LIMIT 1),
                 coalesce(sum(bytes), 0)::bigint, coalesce(sum(bytes) FILTER (WHERE upstream = $5), 0)::bigint
             FROM output WHERE author IN ($3, '') AND used >= $4
                 AND NOT EXISTS (SELECT FROM output_keep p WHERE p.output = output.id AND p.pinned)",
            params![
                ids,
                self.hash,
                escaped(author),
                in_use_since,
                escaped(draft.origin.upstream)
            ],
        )?;
        if let Some(room) = draft.room {
            let taken = Taken {
                all: count(&row, 1)?,
                of_upstream: count(&row, 2)?,
            };
            room.admit(draft.origin, self.bytes, taken)?;
        }
        let id: Option<String> = get(&row, 0)?;
        Ok(id.unwrap_or_else(|| self.hash.to_owned()))
    }

    fn project(&self) -> Cow<'_, str> {
        escaped(self.draft.project.map_or("", |project| project.as_str()))
    }
}

/// An output, with times by the database's clock.
struct Known {
    head: OutputHead,
    is_damaged: bool,
}

impl Known {
    fn candidate(&self) -> Candidate {
        Candidate {
            id: self.head.id.clone(),
            bytes: self.head.bytes,
            used: self.head.used,
        }
    }

    /// The same with times by the clock of a machine that is `behind`.
    fn seen_from(&self, behind: Millis) -> OutputHead {
        OutputHead {
            kept: self.head.kept - behind,
            used: self.head.used - behind,
            ..self.head.clone()
        }
    }
}

/// The outputs that match a filter, most recently kept first, including damaged ones.
fn rows(connection: &Connection, filter: OutputFilter<'_>) -> Result<Vec<Known>, Failure> {
    let (filter, session, project) = match filter {
        OutputFilter::Seen(scopes) => (
            "k.session = $1 OR (k.project = $2 AND k.project <> '')",
            scopes.session.as_str(),
            scopes.project.as_str(),
        ),
        OutputFilter::Project(project) => (
            "(k.project = $2
              OR (k.project = '' AND k.session IN (SELECT s.id FROM session s WHERE s.project = $2)))",
            "",
            project.as_str(),
        ),
        OutputFilter::Ids(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            return selected(connection, "o.id = ANY ($1)", params![ids]);
        }
        OutputFilter::Everything => ("true", "", ""),
    };
    selected(connection, filter, params![session, escaped(project)])
}

/// The same with an SQL filter on `output o` and `output_keep k`.
fn selected(
    connection: &Connection,
    filter: &str,
    values: &[Param<'_>],
) -> Result<Vec<Known>, Failure> {
    let sql = format!(
        "SELECT o.id, o.bytes, o.lines, o.kind, o.used, o.damaged, o.preview, k.tools, k.sessions[1], k.kept, k.authors[1],
             (SELECT p.session FROM output_keep p WHERE p.output = o.id AND p.pinned ORDER BY p.kept DESC LIMIT 1), o.upstream
         FROM (
             SELECT o.id, max(k.kept) AS kept, array_agg(k.tool ORDER BY k.kept DESC, k.tool) AS tools,
                 array_agg(k.session ORDER BY k.kept DESC, k.tool) AS sessions,
                 array_agg(k.author ORDER BY k.kept DESC, k.tool) AS authors
             FROM output o JOIN output_keep k ON k.output = o.id
             WHERE {filter} GROUP BY o.id
         ) AS k JOIN output o ON o.id = k.id ORDER BY k.kept DESC, o.key DESC"
    );
    let rows = connection.query(&sql, values)?;
    rows.iter().map(known).collect()
}

fn known(row: &Row) -> Result<Known, Failure> {
    let session = |id: String| {
        SessionId::new(id).map_err(|_| Failure::Foreign("a session's id is not valid"))
    };
    let tools: Vec<String> = get(row, 7)?;
    let head = OutputHead {
        id: OutputId::new(get(row, 0)?)
            .map_err(|_| Failure::Foreign("an output's id is not valid"))?,
        bytes: count(row, 1)?,
        lines: count(row, 2)?,
        kind: Kind::named(get(row, 3)?),
        used: get(row, 4)?,
        upstream: text(row, 12)?,
        preview: text(row, 6)?,
        tools: distinct(tools.into_iter().map(unescaped).collect()),
        session: session(get(row, 8)?)?,
        kept: get(row, 9)?,
        author: text(row, 10)?,
        pinned_by: get::<Option<String>>(row, 11)?.map(session).transpose()?,
    };
    Ok(Known {
        head,
        is_damaged: get(row, 5)?,
    })
}
