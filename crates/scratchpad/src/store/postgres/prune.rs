//! Removes outputs. A prune uses indexes: it reads only the outputs to remove, however many stay.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{Param, count, escaped, get, params, whole};
use crate::disk::staged;
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId};
use crate::model::output::{Candidate, Pruned};
use crate::store::{Choose, Governed, Prunable};

/// Of how many removed outputs the hash stays on record, by which the same content gets its id again.
const REMEMBERED: i64 = 10_000;
/// The maximum number removed per transaction, so that each stays within its timeout.
const AT_ONCE: i64 = 1_000;
/// The number of candidates fetched at first.
const FEW: i64 = 100;

impl Postgres {
    /// Removes damaged outputs, the outputs that `choose` names, and unneeded objects.
    pub(super) fn pruned(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned> {
        let mut pruned = Pruned {
            strays: self.sweep()? + staged::remove_dead(&self.settings.staging),
            ..Pruned::default()
        };
        let behind = self.behind()?;
        loop {
            let gone = self.writing(|transaction| {
                // Another process is pruning already.
                let sql = "SELECT pg_try_advisory_xact_lock(23668, ('output'::regclass::oid::bigint % 2147483647)::integer)";
                if !get::<bool>(&transaction.query_one(sql, params![])?, 0)? {
                    return Ok(Vec::new());
                }
                end_future(transaction, at + behind)?;
                let mut gone = damaged(transaction)?;
                if gone.is_empty() {
                    gone = choose(&Inside { store: self, transaction, behind })?;
                    for candidate in &mut gone {
                        candidate.used += behind;
                    }
                }
                let held = remove(transaction, &gone, at + behind)?;
                gone.retain(|candidate| held.contains(candidate.id.as_str()));
                Ok(gone)
            })?;
            if gone.is_empty() {
                return Ok(pruned);
            }
            pruned.outputs += gone.len();
            pruned.bytes += gone.iter().map(|candidate| candidate.bytes).sum::<u64>();
            self.sweep()?;
        }
    }
}

/// Resets times in the future to now, so that those outputs age.
fn end_future(transaction: &Transaction<'_>, now: Millis) -> Result<(), Failure> {
    transaction.execute(
        "WITH ahead AS (
             UPDATE output SET used = $1, kept = least(kept, $1) WHERE used > $1 RETURNING id
         )
         UPDATE output_keep SET kept = $1 FROM ahead WHERE output = ahead.id AND kept > $1",
        params![now],
    )?;
    Ok(())
}

/// The outputs marked as damaged.
fn damaged(connection: &Connection) -> Result<Vec<Candidate>, Failure> {
    let sql = "SELECT id, bytes, used FROM output WHERE damaged ORDER BY id LIMIT $1";
    candidates(connection, sql, params![AT_ONCE])
}

/// Removes outputs, unless they were used meanwhile, and records the removal; returns the removed ids.
pub(super) fn remove(
    transaction: &Transaction<'_>,
    seen: &[Candidate],
    at: Millis,
) -> Result<HashSet<String>, Failure> {
    if seen.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: Vec<String> = seen.iter().map(|output| output.id.to_string()).collect();
    let used: Vec<i64> = seen.iter().map(|output| output.used).collect();
    let held = transaction.query(
        "SELECT o.id FROM output o JOIN unnest($1, $2) AS seen (id, used) ON o.id = seen.id AND o.used <= seen.used
         ORDER BY o.id FOR UPDATE OF o",
        params![ids, used],
    )?;
    let held = held.iter().map(|row| get(row, 0));
    let held = held.collect::<Result<Vec<String>, Failure>>()?;
    Postgres::detach(transaction, &held)?;
    transaction.execute(
        "DELETE FROM output_keep WHERE output = ANY ($1)",
        params![held],
    )?;
    transaction.execute(
        "INSERT INTO output_removed (id, at, sha256) SELECT id, $2, sha256 FROM output WHERE id = ANY ($1)
         ON CONFLICT (id) DO UPDATE SET at = excluded.at, sha256 = excluded.sha256",
        params![held, at],
    )?;
    transaction.execute(
        "UPDATE output_removed SET sha256 = NULL WHERE sha256 IS NOT NULL AND at <
         (SELECT at FROM output_removed WHERE sha256 IS NOT NULL ORDER BY at DESC LIMIT 1 OFFSET $1)",
        params![REMEMBERED],
    )?;
    // Last, because it locks the author's total: anyone who keeps an output as that author waits for the commit.
    transaction.execute(
        "WITH gone AS (DELETE FROM output WHERE id = ANY ($1) RETURNING author, bytes)
         INSERT INTO output_total (author, bytes) SELECT author, -sum(bytes) FROM gone GROUP BY author ORDER BY author
         ON CONFLICT (author) DO UPDATE SET bytes = output_total.bytes + excluded.bytes",
        params![held],
    )?;
    Ok(held.into_iter().collect())
}

/// Removes the outputs that only this session keeps, and its part in the others; returns those that are gone.
pub(super) fn release(
    transaction: &Transaction<'_>,
    session: &str,
    at: Millis,
) -> Result<Vec<Candidate>, Failure> {
    // Locked first, so that nobody keeps one of them again meanwhile.
    transaction.query(
        "SELECT id FROM output WHERE id IN (SELECT output FROM output_keep WHERE session = $1)
         ORDER BY id FOR UPDATE",
        params![session],
    )?;
    let mut gone = candidates(
        transaction,
        "SELECT id, bytes, used FROM output WHERE id IN (SELECT output FROM output_keep WHERE session = $1)
         AND NOT EXISTS (SELECT FROM output_keep o WHERE o.output = output.id AND o.session <> $1)",
        params![session],
    )?;
    let sql = "DELETE FROM output_keep WHERE session = $1";
    transaction.execute(sql, params![session])?;
    let held = remove(transaction, &gone, at)?;
    gone.retain(|candidate| held.contains(candidate.id.as_str()));
    Ok(gone)
}

/// Adjusts the totals of authors. Call it last in a transaction: others wait for these rows.
pub(super) fn count_author(
    transaction: &Transaction<'_>,
    changes: &[(&String, i64)],
) -> Result<(), Failure> {
    // Always in the same order, to avoid deadlocks.
    let changes: BTreeMap<_, _> = changes.iter().copied().collect();
    for (author, bytes) in changes {
        transaction.execute(
            "INSERT INTO output_total (author, bytes) VALUES ($1, $2)
             ON CONFLICT (author) DO UPDATE SET bytes = output_total.bytes + excluded.bytes",
            params![escaped(author), bytes],
        )?;
    }
    Ok(())
}

/// Whether a pad's revision needs an output. The index on pinned rows answers it.
const PINNED: &str = "EXISTS (SELECT FROM output_keep p WHERE p.output = output.id AND p.pinned)";

/// The outputs inside a prune that are not pinned, with times converted to the clock of this machine.
struct Inside<'a> {
    store: &'a Postgres,
    transaction: &'a Transaction<'a>,
    behind: Millis,
}

impl Inside<'_> {
    /// Converts a time to the database's clock.
    fn there(&self, time: Millis) -> i64 {
        time.saturating_add(self.behind)
    }

    /// The first outputs in this order: of an author, of no author, and abandoned by others.
    fn first(
        &self,
        whose: Governed<'_>,
        filter: &str,
        order: &str,
        times: [i64; 2],
        most: i64,
    ) -> Result<Vec<Candidate>> {
        // Three subqueries, each of which uses an index in order; a single query could not.
        let part = |who: &str| {
            format!(
                "(SELECT id, bytes, used, kept FROM output WHERE {who} AND {filter} AND NOT {PINNED} ORDER BY {order} LIMIT $5)"
            )
        };
        let sql = format!(
            "SELECT id, bytes, used FROM ({} UNION ALL {} UNION ALL {}) AS first ORDER BY {order} LIMIT $5",
            part("author = $1 AND $1 <> ''"),
            part("author = ''"),
            part("used < $2 AND author NOT IN ($1, '')"),
        );
        let [from, to] = times;
        let (author, forsaken) = (escaped(whose.author), self.there(whose.forsaken));
        self.candidates(&sql, params![author, forsaken, from, to, most])
    }

    /// Runs a query for id, bytes and last use; converts the times to the clock of this machine.
    fn candidates(&self, sql: &str, values: &[Param<'_>]) -> Result<Vec<Candidate>> {
        let found = candidates(self.transaction, sql, values);
        let mut found = found.map_err(|failure| self.store.explain(failure))?;
        for candidate in &mut found {
            candidate.used -= self.behind;
        }
        Ok(found)
    }
}

impl Prunable for Inside<'_> {
    fn bytes(&self, whose: Governed<'_>) -> Result<u64> {
        let author = escaped(whose.author);
        let sql = format!(
            "SELECT (coalesce((SELECT sum(bytes) FROM output_total WHERE author IN ($1, '')), 0) -
                     coalesce((SELECT sum(bytes) FROM output WHERE author IN ($1, '') AND {PINNED}), 0) +
                     coalesce((SELECT sum(bytes) FROM output
                               WHERE used < $2 AND author NOT IN ($1, '') AND NOT {PINNED}), 0))::bigint"
        );
        let forsaken = self.there(whose.forsaken);
        let row = self.transaction.query_one(&sql, params![author, forsaken]);
        row.and_then(|row| count(&row, 0))
            .map_err(|failure| self.store.explain(failure))
    }

    fn old(&self, whose: Governed<'_>, kept: Millis, used: Millis) -> Result<Vec<Candidate>> {
        let times = [self.there(kept), self.there(used)];
        self.first(whose, "kept < $3 AND used < $4", "kept", times, AT_ONCE)
    }

    fn least_used(
        &self,
        whose: Governed<'_>,
        used: Range<Millis>,
        bytes: u64,
    ) -> Result<Vec<Candidate>> {
        let times = [self.there(used.start), self.there(used.end)];
        let mut needed = Vec::new();
        // A few are usually enough.
        for most in [FEW, AT_ONCE] {
            let filter = "used >= $3 AND used < $4";
            let mut left = bytes;
            needed = self.first(whose, filter, "used, kept", times, most)?;
            needed.retain(|candidate| {
                let is_needed = left > 0;
                left = left.saturating_sub(candidate.bytes);
                is_needed
            });
            if left == 0 || whole(needed.len()) < FEW {
                break;
            }
        }
        Ok(needed)
    }

    fn beyond(&self, whose: Governed<'_>, used: Millis, bytes: u64) -> Result<Vec<Candidate>> {
        let sql = format!(
            "SELECT id, bytes, used FROM (
                 SELECT id, bytes, used, sum(bytes) OVER (PARTITION BY upstream ORDER BY used DESC, kept DESC, key) AS sum
                 FROM output WHERE (author IN ($1, '') OR used < $2) AND NOT {PINNED}
             ) AS summed WHERE sum > $4 AND used < $3 ORDER BY used LIMIT $5"
        );
        let (author, forsaken) = (escaped(whose.author), self.there(whose.forsaken));
        let (used, bytes) = (self.there(used), whole(bytes));
        self.candidates(&sql, params![author, forsaken, used, bytes, AT_ONCE])
    }
}

/// Reads outputs from a query for id, bytes and last use.
fn candidates(
    connection: &Connection,
    sql: &str,
    values: &[Param<'_>],
) -> Result<Vec<Candidate>, Failure> {
    let candidate = |row: &Row| {
        Ok(Candidate {
            id: OutputId::new(get(row, 0)?)
                .map_err(|_| Failure::Foreign("an output's id is not valid"))?,
            bytes: count(row, 1)?,
            used: get(row, 2)?,
        })
    };
    connection
        .query(sql, values)?
        .iter()
        .map(candidate)
        .collect()
}
