//! What hooks know, in the database.

use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use super::Sqlite;
use super::sessions::{broken, read_session};
use crate::model::error::Result;
use crate::model::host::hook::HookState;
use crate::model::id::{Millis, SessionId};
use crate::model::session::process::Process;
use crate::store::{Attend, Attended, Binding, HookCall, Hooks};

/// How long a binding is kept of a process that went without a word.
const FORGOTTEN_AFTER: Millis = 30 * 24 * 60 * 60 * 1_000;

impl Hooks for Sqlite {
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()> {
        let connection = self.connection();
        let failed = |error: rusqlite::Error| self.explain(&error);
        unhurried(&connection, true).map_err(failed)?;
        let transaction = self.begin(&connection).map_err(failed)?;
        let mut write = || {
            let session = read_session(&transaction, call.session)?.map(|(_, session)| session);
            let before = read_attention(&transaction, call.session)?.unwrap_or_default();
            let after = attend(session.as_ref(), &before);
            put_attention(&transaction, call, &after)?;
            put_binding(&transaction, call)
        };
        write().map_err(failed)?;
        transaction.commit().map_err(failed)?;
        self.shorten_log(&connection).map_err(failed)?;
        unhurried(&connection, false).map_err(failed)
    }

    fn bound(&self, processes: &[Process]) -> Result<Option<SessionId>> {
        let read = || {
            let connection = self.connection();
            // One transaction: beginning one costs more than the look-up.
            let transaction = connection.unchecked_transaction()?;
            let mut find = transaction.prepare_cached(
                "SELECT session FROM binding WHERE process = ?1 AND started = ?2",
            )?;
            for process in processes {
                let found = find
                    .query_row(params![process.id, process.started], |row| {
                        session_id(row.get(0)?, 0)
                    })
                    .optional()?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        };
        read().map_err(|error| self.explain(&error))
    }

    fn last_attended(&self, host: &str) -> Result<Option<Attended>> {
        let read = || {
            self.connection()
                .query_row(
                    "SELECT session, event, at, state FROM attention WHERE host = ?1 ORDER BY at DESC LIMIT 1",
                    [host],
                    |row| {
                        Ok(Attended {
                            session: session_id(row.get(0)?, 0)?,
                            event: row.get(1)?,
                            at: row.get(2)?,
                            attention: state(&row.get::<_, String>(3)?, 3)?,
                        })
                    },
                )
                .optional()
        };
        read().map_err(|error| self.explain(&error))
    }
}

/// The most bytes of the log that the next process, if it is alone, has to read again.
const MAX_LOG_BYTES: u64 = 64 << 10;

/// Whether this connection may leave its writes to the system: a lost counter costs nothing, and a prompt waits.
///
/// What others write durably stays durable: they sync the log themselves, with all that stands before. And the end
/// of the process does not move the log into the database, which would sync both.
fn unhurried(connection: &Connection, on: bool) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", if on { "NORMAL" } else { "FULL" })?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

impl Sqlite {
    /// Moves the log into the database once it is long, unless somebody would have to be waited for.
    fn shorten_log(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        if std::fs::metadata(log).is_ok_and(|found| found.len() > MAX_LOG_BYTES) {
            connection.busy_timeout(Duration::ZERO)?;
            // Whoever reads just now keeps it from kind, and the next hook tries again.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            connection.busy_timeout(self.patience)?;
        }
        Ok(())
    }
}

fn read_attention(
    connection: &Connection,
    session: &SessionId,
) -> rusqlite::Result<Option<HookState>> {
    connection
        .query_row(
            "SELECT state FROM attention WHERE session = ?1",
            [session.as_str()],
            |row| state(&row.get::<_, String>(0)?, 0),
        )
        .optional()
}

fn put_attention(
    connection: &Connection,
    call: &HookCall<'_>,
    attention: &HookState,
) -> rusqlite::Result<()> {
    let state = serde_json::to_string(attention).map_err(|error| broken(0, error))?;
    connection.execute(
        "INSERT OR REPLACE INTO attention (session, host, event, at, state) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![call.session.as_str(), call.host, call.event, call.at, state],
    )?;
    Ok(())
}

fn put_binding(connection: &Connection, call: &HookCall<'_>) -> rusqlite::Result<()> {
    match call.binding {
        Binding::Stays => {}
        // Said at every prompt, and written only where it is new.
        Binding::Begins(process) if is_bound(connection, process, call.session)? => {}
        Binding::Begins(process) => {
            connection.execute(
                "DELETE FROM binding WHERE at < ?1",
                [call.at - FORGOTTEN_AFTER],
            )?;
            connection.execute(
                "INSERT OR REPLACE INTO binding (process, started, host, session, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![process.id, process.started, call.host, call.session.as_str(), call.at],
            )?;
        }
        // The next conversation of this process may have begun already.
        Binding::Ends(process) => {
            connection.execute(
                "DELETE FROM binding WHERE process = ?1 AND started = ?2 AND session = ?3",
                params![process.id, process.started, call.session.as_str()],
            )?;
        }
    }
    Ok(())
}

fn is_bound(
    connection: &Connection,
    process: &Process,
    session: &SessionId,
) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM binding WHERE process = ?1 AND started = ?2 AND session = ?3)",
        params![process.id, process.started, session.as_str()],
        |row| row.get(0),
    )
}

fn state(text: &str, column: usize) -> rusqlite::Result<HookState> {
    serde_json::from_str(text).map_err(|error| broken(column, error))
}

fn session_id(text: String, column: usize) -> rusqlite::Result<SessionId> {
    SessionId::new(text).map_err(|error| broken(column, error))
}
