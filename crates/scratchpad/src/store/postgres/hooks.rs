//! Hook state and bindings in SQL. Process ids are only valid on their machine.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Connection;
use super::errors::Failure;
use super::sessions::{Inside, PAD, session, session_head};
use super::values::{escaped, get, params, text, unescaped, whole};
use crate::model::error::Result;
use crate::model::host::hook::{HookState, Receipt};
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::pad::Pad;
use crate::model::session::process::Process;
use crate::store::{
    Attend, AttendWriting, Attended, Binding, Heard, HookCall, Hooks, LastHookCall, Session,
    SessionHead,
};

/// How long a binding is kept if its process never ended it.
const FORGOTTEN_AFTER: Millis = 30 * 24 * 60 * 60 * 1_000;

impl Hooks for Postgres {
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()> {
        // Two round trips, because the prompt waits: read the state, then write the new one if the old is unchanged.
        self.reading(|connection| {
            loop {
                let row = connection.query_one(READ, params![call.session.as_str()])?;
                let session = get::<Option<i64>>(&row, 5)?
                    .map(|_| session(&row))
                    .transpose()?;
                let before: Option<String> = get(&row, 6)?;
                let hook_state = before.as_deref().map_or(Ok(HookState::default()), state)?;
                let heard = attend(session.as_ref(), &hook_state);
                if self.remember(connection, call, before.as_deref(), &heard)? {
                    // After it, so that a call that is judged again is not counted twice.
                    return self.add_to_ledger(connection, call.session, call.at, &heard.entries);
                }
            }
        })
    }

    fn attend_writing(
        &self,
        call: &HookCall<'_>,
        project: &ProjectId,
        attend: &mut AttendWriting<'_>,
    ) -> Result<()> {
        self.writing(|transaction| {
            let (key, found) = self.lock_or_make(transaction, call.session, project, call.at)?;
            let view = Inside {
                store: self,
                transaction,
                id: call.session,
                found: found.as_ref(),
            };
            loop {
                let row = transaction.query_one(READ, params![call.session.as_str()])?;
                let before: Option<String> = get(&row, 6)?;
                let hook_state = before.as_deref().map_or(Ok(HookState::default()), state)?;
                let attended = attend(&view, &hook_state)?;
                let Attended { heard, writes } = &attended;
                if self.remember(transaction, call, before.as_deref(), heard)? {
                    let session = found.clone().unwrap_or_else(|| Session {
                        pad: Pad::default(),
                        revision: 0,
                        project: Some(project.clone()),
                    });
                    self.record(transaction, key, session, writes, call.at)?;
                    return self.add_to_ledger(transaction, call.session, call.at, &heard.entries);
                }
            }
        })
    }

    fn bound(&self, processes: &[Process]) -> Result<Option<SessionId>> {
        let ids: Vec<i64> = processes.iter().map(|it| i64::from(it.id)).collect();
        let started: Vec<String> = processes
            .iter()
            .map(|it| escaped(&it.started).into_owned())
            .collect();
        self.reading(|connection| {
            let row = connection.query_opt(
                "SELECT session FROM binding
                 JOIN unnest($2, $3) WITH ORDINALITY AS asked (process, started, place) USING (process, started)
                 WHERE machine = $1 ORDER BY place LIMIT 1",
                params![self.settings.machine, ids, started],
            )?;
            row.as_ref().map(|row| session_id(row, 0)).transpose()
        })
    }

    fn bound_to(&self, session: &SessionId) -> Result<Vec<Process>> {
        let process = |row: &Row| {
            Ok(Process {
                id: u32::try_from(get::<i64>(row, 0)?)
                    .map_err(|_| Failure::Foreign("a process id is not valid"))?,
                started: text(row, 1)?,
                name: String::new(),
            })
        };
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT process, started FROM binding WHERE machine = $1 AND session = $2",
                params![self.settings.machine, session.as_str()],
            )?;
            rows.iter().map(process).collect()
        })
    }

    fn sessions_of_host(
        &self,
        host: &str,
        project: &ProjectId,
        limit: usize,
    ) -> Result<Vec<SessionHead>> {
        let sql = format!(
            "SELECT {PAD}, id, created, updated FROM session WHERE project = $1 AND EXISTS (
                 SELECT FROM attention WHERE attention.session = session.id AND machine = $2 AND host = $3
             ) ORDER BY updated DESC, key DESC LIMIT $4"
        );
        self.reading(|connection| {
            let rows = connection.query(
                &sql,
                params![
                    escaped(project.as_str()),
                    self.settings.machine,
                    escaped(host),
                    whole(limit)
                ],
            )?;
            rows.iter().map(session_head).collect()
        })
    }

    fn has_written(&self, host: &str, project: &ProjectId) -> Result<bool> {
        let sql =
            "SELECT EXISTS (SELECT FROM session JOIN attention ON attention.session = session.id
             WHERE project = $1 AND machine = $2 AND host = $3 AND revision > 0)";
        self.reading(|connection| {
            let (project, host) = (escaped(project.as_str()), escaped(host));
            let values = params![project, self.settings.machine, host];
            get(&connection.query_one(sql, values)?, 0)
        })
    }

    fn last_hook_call(&self, host: &str) -> Result<Option<LastHookCall>> {
        self.reading(|connection| {
            let row = connection.query_opt(
                "SELECT session, event, at, state, host FROM attention WHERE machine = $1 AND host = $2
                 ORDER BY at DESC LIMIT 1",
                params![self.settings.machine, escaped(host)],
            )?;
            row.as_ref().map(last_hook_call).transpose()
        })
    }

    fn last_receipt(&self, host: &str) -> Result<Option<Receipt>> {
        self.reading(|connection| {
            // PostgreSQL's own JSON knows no null character: the newest of them is found here.
            let rows = connection.query(
                r#"SELECT state FROM attention WHERE machine = $1 AND host = $2 AND state LIKE '%"receipt":%'"#,
                params![self.settings.machine, escaped(host)],
            )?;
            let mut newest: Option<Receipt> = None;
            for row in &rows {
                let receipt = state(get(row, 0)?)?.receipt;
                newest = newest.into_iter().chain(receipt).max_by_key(|it| it.at);
            }
            Ok(newest)
        })
    }

    fn last_calls_about(&self, sessions: &[SessionId]) -> Result<Vec<LastHookCall>> {
        let sessions: Vec<String> = sessions.iter().map(SessionId::to_string).collect();
        self.reading(|connection| {
            let rows = connection.query(
                "SELECT session, event, at, state, host FROM attention WHERE session = ANY ($1)",
                params![sessions],
            )?;
            rows.iter().map(last_hook_call).collect()
        })
    }
}

fn last_hook_call(row: &Row) -> Result<LastHookCall, Failure> {
    Ok(LastHookCall {
        session: session_id(row, 0)?,
        event: text(row, 1)?,
        at: get(row, 2)?,
        hook_state: state(get(row, 3)?)?,
        host: text(row, 4)?,
    })
}

/// A session and its hook state, if they exist.
const READ: &str = "
    SELECT s.notes, s.plan, s.refs, s.revision, s.project, s.key, a.state
    FROM (SELECT $1 AS id) AS asked LEFT JOIN session s USING (id) LEFT JOIN attention a ON a.session = asked.id";

/// Every prompt announces its binding: this writes only a new one.
const BEGINS: &str = "
    begun AS (
        INSERT INTO binding (machine, process, started, author, host, session, at)
        VALUES ($2, $9, $10, $3, $4, $1, $6)
        ON CONFLICT (machine, process) DO UPDATE SET started = excluded.started, author = excluded.author,
            host = excluded.host, session = excluded.session, at = excluded.at
        WHERE (binding.started, binding.session) <> (excluded.started, excluded.session) RETURNING 1
    ),
    forgotten AS (DELETE FROM binding WHERE machine = $2 AND at < $11 AND EXISTS (SELECT FROM begun)),";
/// The process may have started its next conversation already, so this matches the session too.
const ENDS: &str = "
    ended AS (DELETE FROM binding WHERE machine = $2 AND process = $9 AND started = $10 AND session = $1),";

impl Postgres {
    /// Writes the state, unless it changed since it was read; returns whether it was written.
    fn remember(
        &self,
        connection: &Connection,
        call: &HookCall<'_>,
        before: Option<&str>,
        heard: &Heard,
    ) -> Result<bool, Failure> {
        let after = serde_json::to_string(&heard.hook_state)
            .map_err(|_| Failure::Foreign("what hooks remember can't be written"))?;
        let (binding, process) = match &heard.binding {
            Binding::Stays => ("", None),
            Binding::Begins(process) => (BEGINS, Some(process)),
            Binding::Ends(process) => (ENDS, Some(process)),
        };
        let started = process.map_or("", |process| process.started.as_str());
        // Losing a counter costs nothing, so don't wait for the disk.
        let sql = format!(
            "WITH {binding} unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
             INSERT INTO attention (session, machine, author, host, event, at, state)
             SELECT $1, $2, $3, $4, $5, $6, $7 FROM unhurried
             ON CONFLICT (session) DO UPDATE SET machine = excluded.machine, author = excluded.author,
                 host = excluded.host, event = excluded.event, at = excluded.at, state = excluded.state
             WHERE attention.state = $8"
        );
        let changed = connection.execute(
            &sql,
            params![
                call.session.as_str(),
                self.settings.machine,
                self.settings.author,
                escaped(call.host),
                escaped(call.event),
                call.at,
                escaped(&after),
                before,
                process.map_or(0, |process| i64::from(process.id)),
                escaped(started),
                call.at - FORGOTTEN_AFTER,
            ],
        )?;
        Ok(changed > 0)
    }
}

fn state(text: &str) -> Result<HookState, Failure> {
    serde_json::from_str(&unescaped(text.to_owned()))
        .map_err(|_| Failure::Foreign("what hooks remember can't be read"))
}

fn session_id(row: &Row, column: usize) -> Result<SessionId, Failure> {
    let id: String = get(row, column)?;
    SessionId::new(id).map_err(|_| Failure::Foreign("a session's id is not valid"))
}
