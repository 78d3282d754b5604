//! Hook state and bindings in SQL.

use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::sessions::{SqliteView, broken, insert_session, read_session, record, session_head};
use super::{Sqlite, explain, ledger};
use crate::model::error::Result;
use crate::model::host::hook::{HookState, Receipt};
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::session::process::Process;
use crate::store::{
    Attend, AttendWriting, Binding, Heard, HookCall, Hooks, LastHookCall, SessionHead,
};

/// The longest wait for other writers: a message waits for what is recorded here.
pub(super) const LONGEST_WAIT: Duration = Duration::from_millis(150);
/// How long a binding is kept if its process never ended it.
const FORGOTTEN_AFTER: Millis = 30 * 24 * 60 * 60 * 1_000;

impl Hooks for Sqlite {
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()> {
        let connection = self.connection()?;
        let timeout = self.timeout.min(LONGEST_WAIT);
        let mut write = || -> rusqlite::Result<()> {
            // Declared first, to be dropped last: the mode can't be changed inside a transaction.
            let _relaxed = RelaxedSync::on(&connection)?;
            let transaction = self.begin_within(&connection, timeout)?;
            let session = read_session(&transaction, call.session)?.map(|(_, session)| session);
            let before = read_hook_state(&transaction, call.session)?.unwrap_or_default();
            let heard = attend(session.as_ref(), &before);
            put(&transaction, call, &heard)?;
            transaction.commit()?;
            self.shorten_log(&connection)
        };
        write().map_err(|error| explain(&error, &self.path, timeout))
    }

    fn attend_writing(
        &self,
        call: &HookCall<'_>,
        project: &ProjectId,
        attend: &mut AttendWriting<'_>,
    ) -> Result<()> {
        let connection = self.connection()?;
        let timeout = self.timeout.min(LONGEST_WAIT);
        let failed = |error: rusqlite::Error| explain(&error, &self.path, timeout);
        // Declared first, to be dropped last, as above.
        let _relaxed = RelaxedSync::on(&connection).map_err(failed)?;
        let transaction = self.begin_within(&connection, timeout).map_err(failed)?;
        let found = read_session(&transaction, call.session).map_err(failed)?;
        let before = read_hook_state(&transaction, call.session).map_err(failed)?;
        let attended = attend(
            &SqliteView {
                store: self,
                connection: &transaction,
                found: found.as_ref(),
            },
            &before.unwrap_or_default(),
        )?;
        let write = || {
            put(&transaction, call, &attended.heard)?;
            if !attended.writes.is_empty() {
                let (key, session) = match found {
                    Some(found) => found,
                    None => insert_session(&transaction, call.session, project, call.at)?,
                };
                record(&transaction, key, session, &attended.writes, call.at)?;
            }
            transaction.commit()?;
            self.shorten_log(&connection)
        };
        write().map_err(failed)
    }

    fn bound(&self, processes: &[Process]) -> Result<Option<SessionId>> {
        let connection = self.connection()?;
        let read = || {
            // One transaction for all: beginning one costs more than the lookup.
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

    fn bound_to(&self, session: &SessionId) -> Result<Vec<Process>> {
        let connection = self.connection()?;
        let read = || {
            connection
                .prepare("SELECT process, started FROM binding WHERE session = ?1")?
                .query_map([session.as_str()], |row| {
                    Ok(Process {
                        id: row.get(0)?,
                        started: row.get(1)?,
                        name: String::new(),
                    })
                })?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.explain(&error))
    }

    fn sessions_of_host(
        &self,
        host: &str,
        project: &ProjectId,
        limit: usize,
    ) -> Result<Vec<SessionHead>> {
        let connection = self.connection()?;
        let read = || {
            connection
                .prepare(
                    "SELECT notes, plan, refs, revision, id, project, created, updated FROM session
                     WHERE project = ?1 AND EXISTS (
                         SELECT 1 FROM attention WHERE attention.session = session.id AND host = ?2
                     ) ORDER BY updated DESC, key DESC LIMIT ?3",
                )?
                .query_map(
                    params![
                        project.as_str(),
                        host,
                        i64::try_from(limit).unwrap_or(i64::MAX)
                    ],
                    session_head,
                )?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.explain(&error))
    }

    fn has_written(&self, host: &str, project: &ProjectId) -> Result<bool> {
        self.reading(|connection| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM session WHERE project = ?1 AND revision > 0 AND EXISTS (
                     SELECT 1 FROM attention WHERE attention.session = session.id AND host = ?2
                 ))",
                [project.as_str(), host],
                |row| row.get(0),
            )
        })
    }

    fn last_hook_call(&self, host: &str) -> Result<Option<LastHookCall>> {
        let connection = self.connection()?;
        let read = || {
            connection
                .query_row(
                    "SELECT session, event, at, state, host FROM attention WHERE host = ?1 ORDER BY at DESC LIMIT 1",
                    [host],
                    last_hook_call,
                )
                .optional()
        };
        read().map_err(|error| self.explain(&error))
    }

    fn last_receipt(&self, host: &str) -> Result<Option<Receipt>> {
        let connection = self.connection()?;
        let read = || {
            connection
                .query_row(
                    "SELECT state FROM attention WHERE host = ?1 AND state ->> '$.receipt.at' IS NOT NULL
                     ORDER BY state ->> '$.receipt.at' DESC LIMIT 1",
                    [host],
                    |row| state(&row.get::<_, String>(0)?, 0),
                )
                .optional()
        };
        let found = read().map_err(|error| self.explain(&error))?;
        Ok(found.and_then(|state| state.receipt))
    }

    fn last_calls_about(&self, sessions: &[SessionId]) -> Result<Vec<LastHookCall>> {
        let connection = self.connection()?;
        let read = || {
            let transaction = connection.unchecked_transaction()?;
            let mut find = transaction.prepare(
                "SELECT session, event, at, state, host FROM attention WHERE session = ?1",
            )?;
            let mut calls = Vec::new();
            for session in sessions {
                calls.extend(
                    find.query_row([session.as_str()], last_hook_call)
                        .optional()?,
                );
            }
            Ok(calls)
        };
        read().map_err(|error: rusqlite::Error| self.explain(&error))
    }
}

fn last_hook_call(row: &Row<'_>) -> rusqlite::Result<LastHookCall> {
    Ok(LastHookCall {
        session: session_id(row.get(0)?, 0)?,
        event: row.get(1)?,
        at: row.get(2)?,
        hook_state: state(&row.get::<_, String>(3)?, 3)?,
        host: row.get(4)?,
    })
}

/// The largest WAL to leave behind: the next process to open the database may have to recover it.
const MAX_LOG_BYTES: u64 = 64 << 10;

/// While this exists, the connection commits without an fsync: losing a counter costs nothing, but the user's prompt
/// waits for the hook. When dropped, however the hook ended, commits are durable again.
///
/// Writes of other connections stay durable: their commits fsync the whole WAL.
struct RelaxedSync<'a>(&'a Connection);

impl<'a> RelaxedSync<'a> {
    fn on(connection: &'a Connection) -> rusqlite::Result<Self> {
        let relaxed = Self(connection);
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Closing the last connection would checkpoint the WAL and fsync both files.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(relaxed)
    }
}

impl Drop for RelaxedSync<'_> {
    fn drop(&mut self) {
        // Fails only inside a transaction, and none is open.
        let _ = self.0.pragma_update(None, "synchronous", "FULL");
    }
}

impl Sqlite {
    /// Checkpoints the WAL once it is large, unless that would have to wait for another process.
    fn shorten_log(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        if std::fs::metadata(log).is_ok_and(|found| found.len() > MAX_LOG_BYTES) {
            connection.busy_timeout(Duration::ZERO)?;
            // A concurrent reader prevents it; the next hook tries again.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            connection.busy_timeout(self.timeout)?;
        }
        Ok(())
    }
}

fn read_hook_state(
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

fn put(connection: &Connection, call: &HookCall<'_>, heard: &Heard) -> rusqlite::Result<()> {
    put_hook_state(connection, call, &heard.hook_state)?;
    put_binding(connection, call, &heard.binding)?;
    ledger::add(connection, call.session, call.at, &heard.entries)
}

fn put_hook_state(
    connection: &Connection,
    call: &HookCall<'_>,
    hook_state: &HookState,
) -> rusqlite::Result<()> {
    let state = serde_json::to_string(hook_state).map_err(|error| broken(0, error))?;
    connection.execute(
        "INSERT OR REPLACE INTO attention (session, host, event, at, state) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![call.session.as_str(), call.host, call.event, call.at, state],
    )?;
    Ok(())
}

fn put_binding(
    connection: &Connection,
    call: &HookCall<'_>,
    binding: &Binding,
) -> rusqlite::Result<()> {
    match binding {
        Binding::Stays => {}
        // Every prompt announces it: write only a new one.
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
        // The process may have started its next conversation already, so match the session too.
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

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(30);
    /// The value of `PRAGMA synchronous` for `FULL`.
    const FULL: i64 = 2;

    fn synchronous(store: &Sqlite) -> i64 {
        store
            .connection()
            .unwrap()
            .query_row("PRAGMA synchronous", [], |row| row.get(0))
            .unwrap()
    }

    fn call(session: &SessionId) -> HookCall<'_> {
        HookCall {
            host: "codex",
            event: "Stop",
            session,
            at: 1,
        }
    }

    #[test]
    fn however_a_hook_ends_the_next_write_is_durable() {
        let directory = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&directory.path().join("scratchpad.db"), TIMEOUT).unwrap();
        let session = SessionId::new("s").unwrap();
        let keep = &mut |_: Option<&crate::store::Session>, state: &HookState| {
            Heard::from((state.clone(), Binding::Stays))
        };

        store.attend(&call(&session), keep).unwrap();
        assert_eq!(synchronous(&store), FULL, "after a hook that succeeds");

        store
            .connection()
            .unwrap()
            .execute("UPDATE attention SET state = 'no JSON'", [])
            .unwrap();
        store.attend(&call(&session), keep).unwrap_err();
        assert_eq!(synchronous(&store), FULL, "after a row that can't be read");

        let other = SessionId::new("other").unwrap();
        let broken = AssertUnwindSafe(|| store.attend(&call(&other), &mut |_, _| panic!("a bug")));
        catch_unwind(broken).unwrap_err();
        assert_eq!(synchronous(&store), FULL, "after a panic");
    }
}
