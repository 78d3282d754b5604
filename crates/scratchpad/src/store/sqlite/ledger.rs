//! The ledger in SQL.

use rusqlite::{Connection, Row, params};

use super::Sqlite;
use super::hooks::LONGEST_WAIT;
use super::outputs::Unhurried;
use super::sessions::broken;
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::output::ledger::size::Size;
use crate::model::output::ledger::stats::Sums;
use crate::model::output::ledger::{Entry, KEPT_DAYS, LedgerFilter, LedgerRow, What, day_of};
use crate::store::Ledger;

impl Ledger for Sqlite {
    fn book(&self, session: &SessionId, at: Millis, entries: &[Entry]) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut connection = self.connection()?;
        let mut write = || {
            let unhurried = Unhurried::new(&mut connection)?;
            // An agent waits for its answer.
            let timeout = self.timeout.min(LONGEST_WAIT);
            let transaction = self.begin_within(unhurried.0, timeout)?;
            add(&transaction, session, at, entries)?;
            transaction.commit()
        };
        write().map_err(|error| self.explain(&error))
    }

    fn ledger(&self, filter: LedgerFilter<'_>) -> Result<Vec<LedgerRow>> {
        self.asking(|connection| {
            connection
                .prepare_cached(
                    "SELECT day, session, project, author, host, upstream, tool, what, times, bytes, tokens FROM ledger
                     WHERE day >= ?1 AND (?2 IS NULL OR project = ?2) AND (?3 IS NULL OR session = ?3)
                     ORDER BY day, session, project, author, host, upstream, tool, what",
                )?
                .query_map(
                    params![
                        filter.since.unwrap_or(i64::MIN),
                        filter.project.map(ProjectId::as_str),
                        filter.session.map(SessionId::as_str),
                    ],
                    ledger_row,
                )?
                // Skip kinds that a newer version wrote.
                .filter_map(Result::transpose)
                .collect()
        })
    }

    fn booked_of(&self, session: &SessionId) -> Result<Sums> {
        self.asking(|connection| {
            let mut sums = Sums::default();
            let mut statement = connection.prepare_cached(
                "SELECT what, times, bytes, tokens FROM ledger WHERE session = ?1",
            )?;
            let mut rows = statement.query([session.as_str()])?;
            while let Some(row) = rows.next()? {
                if let Some(what) = What::named(&row.get::<_, String>(0)?) {
                    sums.add(what, row.get(1)?, size(row, 2)?);
                }
            }
            Ok(sums)
        })
    }

    fn take_ledger(&self, rows: &[LedgerRow]) -> Result<()> {
        self.taking(|transaction| {
            let mut take = transaction.prepare_cached(
                "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                 ON CONFLICT DO UPDATE SET times = max(times, excluded.times), bytes = max(bytes, excluded.bytes),
                     tokens = max(tokens, excluded.tokens)",
            )?;
            for LedgerRow { day, session, author, entry } in rows {
                take.execute(params![
                    day,
                    session.as_str(),
                    entry.project.as_str(),
                    author,
                    entry.host,
                    entry.upstream,
                    entry.tool,
                    entry.what.name(),
                    entry.times,
                    entry.size.bytes,
                    entry.size.tokens,
                ])?;
            }
            Ok(())
        })
    }
}

/// Adds amounts inside a transaction.
pub(super) fn add(
    transaction: &Connection,
    session: &SessionId,
    at: Millis,
    entries: &[Entry],
) -> rusqlite::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let today = day_of(at);
    let mut add = transaction.prepare_cached(
        "INSERT INTO ledger (day, session, project, author, host, upstream, tool, what, times, bytes, tokens)
         SELECT ?1, ?2, ?3, '', ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT ?11 OR NOT EXISTS (
             SELECT 1 FROM ledger WHERE session = ?2 AND upstream = ?5 AND what = ?7
         )
         ON CONFLICT DO UPDATE SET times = times + excluded.times, bytes = bytes + excluded.bytes,
             tokens = tokens + excluded.tokens",
    )?;
    for entry in entries {
        add.execute(params![
            today,
            session.as_str(),
            entry.project.as_str(),
            entry.host,
            entry.upstream,
            entry.tool,
            entry.what.name(),
            entry.times,
            entry.size.bytes,
            entry.size.tokens,
            entry.is_once(),
        ])?;
    }
    // The key begins with the day, so usually this is one look at the first row.
    transaction
        .prepare_cached("DELETE FROM ledger WHERE day < ?1")?
        .execute([today - KEPT_DAYS])?;
    Ok(())
}

/// `None` for a kind that is not known.
fn ledger_row(row: &Row<'_>) -> rusqlite::Result<Option<LedgerRow>> {
    let Some(what) = What::named(&row.get::<_, String>(7)?) else {
        return Ok(None);
    };
    let session: String = row.get(1)?;
    let project: String = row.get(2)?;
    Ok(Some(LedgerRow {
        day: row.get(0)?,
        session: SessionId::new(session).map_err(|error| broken(1, error))?,
        author: row.get(3)?,
        entry: Entry {
            what,
            project: ProjectId::new(project),
            host: row.get(4)?,
            upstream: row.get(5)?,
            tool: row.get(6)?,
            times: row.get(8)?,
            size: size(row, 9)?,
        },
    }))
}

fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<Size> {
    Ok(Size {
        bytes: row.get(column)?,
        tokens: row.get(column + 1)?,
    })
}
