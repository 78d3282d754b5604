//! The ledger in SQL.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Connection;
use super::errors::Failure;
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::output::ledger::size::Size;
use crate::model::output::ledger::stats::Sums;
use crate::model::output::ledger::{Entry, KEPT_DAYS, LedgerFilter, LedgerRow, What, day_of};
use crate::store::Ledger;

impl Ledger for Postgres {
    fn book(&self, session: &SessionId, at: Millis, entries: &[Entry]) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.writing(|transaction| {
            // Losing an amount costs nothing, so don't wait for the disk.
            transaction.query(
                "SELECT set_config('synchronous_commit', 'off', true)",
                params![],
            )?;
            self.add_to_ledger(transaction, session, at, entries)
        })
    }

    fn ledger(&self, filter: LedgerFilter<'_>) -> Result<Vec<LedgerRow>> {
        let project = filter.project.map(|project| escaped(project.as_str()));
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT day, session, project, author, host, upstream, tool, what, times, bytes, tokens FROM ledger
                 WHERE day >= $1 AND ($2 IS NULL OR project = $2) AND ($3 IS NULL OR session = $3)
                 ORDER BY day, session, project, author, host, upstream, tool, what",
                params![
                    filter.since.unwrap_or(i64::MIN),
                    project.as_deref(),
                    filter.session.map(SessionId::as_str),
                ],
            )?;
            // Skip kinds that a newer version wrote.
            rows.iter().filter_map(|row| ledger_row(row).transpose()).collect()
        })
    }

    fn booked_of(&self, session: &SessionId) -> Result<Sums> {
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT what, times, bytes, tokens FROM ledger WHERE session = $1",
                params![session.as_str()],
            )?;
            let mut sums = Sums::default();
            for row in &rows {
                if let Some(what) = What::named(get(row, 0)?) {
                    sums.add(what, count(row, 1)?, size(row, 2)?);
                }
            }
            Ok(sums)
        })
    }

    fn take_ledger(&self, rows: &[LedgerRow]) -> Result<()> {
        self.writing(|transaction| {
            for LedgerRow { day, session, author, entry } in rows {
                transaction.execute(
                    "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                     ON CONFLICT (day, session, project, author, host, upstream, tool, what) DO UPDATE SET
                         times = greatest(ledger.times, excluded.times), bytes = greatest(ledger.bytes, excluded.bytes),
                         tokens = greatest(ledger.tokens, excluded.tokens)",
                    params![
                        *day,
                        session.as_str(),
                        escaped(entry.project.as_str()),
                        self.author_of(author),
                        escaped(&entry.host),
                        escaped(&entry.upstream),
                        escaped(&entry.tool),
                        entry.what.name(),
                        whole(entry.times),
                        whole(entry.size.bytes),
                        whole(entry.size.tokens),
                    ],
                )?;
            }
            Ok(())
        })
    }
}

impl Postgres {
    /// Adds amounts inside a transaction.
    pub(super) fn add_to_ledger(
        &self,
        connection: &Connection,
        session: &SessionId,
        at: Millis,
        entries: &[Entry],
    ) -> Result<(), Failure> {
        if entries.is_empty() {
            return Ok(());
        }
        let today = day_of(at);
        for entry in entries {
            connection.execute(
                "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
                 SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 WHERE NOT $12 OR NOT EXISTS (
                     SELECT FROM ledger WHERE session = $2 AND upstream = $6 AND what = $8
                 )
                 ON CONFLICT (day, session, project, author, host, upstream, tool, what) DO UPDATE SET
                     times = ledger.times + excluded.times, bytes = ledger.bytes + excluded.bytes,
                     tokens = ledger.tokens + excluded.tokens",
                params![
                    today,
                    session.as_str(),
                    escaped(entry.project.as_str()),
                    escaped(&self.settings.author),
                    escaped(&entry.host),
                    escaped(&entry.upstream),
                    escaped(&entry.tool),
                    entry.what.name(),
                    whole(entry.times),
                    whole(entry.size.bytes),
                    whole(entry.size.tokens),
                    entry.is_once(),
                ],
            )?;
        }
        // The key begins with the day, so usually this is one look at the first row.
        connection.execute(
            "DELETE FROM ledger WHERE day < $1",
            params![today - KEPT_DAYS],
        )?;
        Ok(())
    }
}

/// `None` for a kind that is not known.
fn ledger_row(row: &Row) -> Result<Option<LedgerRow>, Failure> {
    let Some(what) = What::named(get(row, 7)?) else {
        return Ok(None);
    };
    Ok(Some(LedgerRow {
        day: get(row, 0)?,
        session: SessionId::new(get::<String>(row, 1)?)
            .map_err(|_| Failure::Foreign("a session's id is not valid"))?,
        author: text(row, 3)?,
        entry: Entry {
            what,
            project: ProjectId::new(text(row, 2)?),
            host: text(row, 4)?,
            upstream: text(row, 5)?,
            tool: text(row, 6)?,
            times: count(row, 8)?,
            size: size(row, 9)?,
        },
    }))
}

fn size(row: &Row, column: usize) -> Result<Size, Failure> {
    Ok(Size {
        bytes: count(row, column)?,
        tokens: count(row, column + 1)?,
    })
}
