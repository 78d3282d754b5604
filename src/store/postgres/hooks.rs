//! What hooks know, in the database. The number of a process means something on its machine only.

use tokio_postgres::Row;

use super::Postgres;
use super::connection::Transaction;
use super::errors::Failure;
use super::sessions::read_session;
use super::values::{escaped, get, params, text};
use crate::model::error::Result;
use crate::model::hook::Attention;
use crate::model::id::{Millis, SessionId};
use crate::model::process::Process;
use crate::store::{Attend, Attended, Binding, HookCall, Hooks};

/// How long a binding is kept of a process that went without a word.
const FORGOTTEN_AFTER: Millis = 30 * 24 * 60 * 60 * 1_000;

impl Hooks for Postgres {
    fn attend(&self, call: &HookCall<'_>, attend: &mut Attend<'_>) -> Result<()> {
        self.writing(|transaction| {
            // A lost counter costs nothing, and a prompt waits.
            transaction.batch("SET LOCAL synchronous_commit = off")?;
            let session = read_session(transaction, call.session)?;
            let before = transaction.query_opt(
                "SELECT state FROM attention WHERE session = $1 FOR UPDATE",
                params![call.session.as_str()],
            )?;
            let before = before.as_ref().map(|row| state(row, 0)).transpose()?;
            let after = attend(session.as_ref(), &before.unwrap_or_default());
            self.put_attention(transaction, call, &after)?;
            self.put_binding(transaction, call)
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

    fn last_attended(&self, host: &str) -> Result<Option<Attended>> {
        self.reading(|connection| {
            let row = connection.query_opt(
                "SELECT session, event, at, state FROM attention WHERE machine = $1 AND host = $2
                 ORDER BY at DESC LIMIT 1",
                params![self.settings.machine, escaped(host)],
            )?;
            let attended = |row: &Row| {
                Ok(Attended {
                    session: session_id(row, 0)?,
                    event: text(row, 1)?,
                    at: get(row, 2)?,
                    attention: state(row, 3)?,
                })
            };
            row.as_ref().map(attended).transpose()
        })
    }
}

impl Postgres {
    fn put_attention(
        &self,
        transaction: &Transaction<'_>,
        call: &HookCall<'_>,
        attention: &Attention,
    ) -> Result<(), Failure> {
        let state = serde_json::to_string(attention)
            .map_err(|_| Failure::Foreign("what hooks remember can't be written"))?;
        transaction.execute(
            "INSERT INTO attention (session, machine, author, host, event, at, state)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (session) DO UPDATE SET machine = excluded.machine, author = excluded.author,
                 host = excluded.host, event = excluded.event, at = excluded.at, state = excluded.state",
            params![
                call.session.as_str(),
                self.settings.machine,
                self.settings.author,
                escaped(call.host),
                escaped(call.event),
                call.at,
                escaped(&state),
            ],
        )?;
        Ok(())
    }

    fn put_binding(
        &self,
        transaction: &Transaction<'_>,
        call: &HookCall<'_>,
    ) -> Result<(), Failure> {
        let machine = &self.settings.machine;
        match call.binding {
            Binding::Stays => {}
            Binding::Begins(process) => {
                // Said at every prompt, and written only where it is new.
                let begun = transaction.execute(
                    "INSERT INTO binding (machine, process, started, author, host, session, at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7)
                     ON CONFLICT (machine, process) DO UPDATE SET started = excluded.started, author = excluded.author,
                         host = excluded.host, session = excluded.session, at = excluded.at
                     WHERE (binding.started, binding.session) <> (excluded.started, excluded.session)",
                    params![
                        machine.as_str(),
                        i64::from(process.id),
                        escaped(&process.started),
                        self.settings.author,
                        escaped(call.host),
                        call.session.as_str(),
                        call.at,
                    ],
                )?;
                if begun > 0 {
                    transaction.execute(
                        "DELETE FROM binding WHERE machine = $1 AND at < $2",
                        params![machine.as_str(), call.at - FORGOTTEN_AFTER],
                    )?;
                }
            }
            // The next conversation of this process may have begun already.
            Binding::Ends(process) => {
                transaction.execute(
                    "DELETE FROM binding WHERE machine = $1 AND process = $2 AND started = $3 AND session = $4",
                    params![
                        machine.as_str(),
                        i64::from(process.id),
                        escaped(&process.started),
                        call.session.as_str(),
                    ],
                )?;
            }
        }
        Ok(())
    }
}

fn state(row: &Row, column: usize) -> Result<Attention, Failure> {
    serde_json::from_str(&text(row, column)?)
        .map_err(|_| Failure::Foreign("what hooks remember can't be read"))
}

fn session_id(row: &Row, column: usize) -> Result<SessionId, Failure> {
    let id: String = get(row, column)?;
    SessionId::new(id).map_err(|_| Failure::Foreign("a session's id is none"))
}
