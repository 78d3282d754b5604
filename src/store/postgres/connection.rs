//! One connection, used like a file: each call waits for its answer, and no longer than it may.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, Row, SimpleQueryMessage};

use super::errors::{Failure, Unanswered};
use super::tls::Tls;
use super::values::Param;

/// A connection with the runtime that drives it, which only runs while somebody waits for an answer.
pub(super) struct Connection {
    /// Taken when the connection ends.
    runtime: Option<Runtime>,
    client: Client,
    /// What the server said of itself when it was greeted.
    pub(super) server: Server,
    /// Since when the server is up without a crash, once it was asked.
    pub(super) up_since: RefCell<String>,
    deadline: Cell<Instant>,
    broken: Cell<bool>,
}

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) version: String,
    pub(super) encoding: String,
}

impl Connection {
    /// Connects before the deadline.
    pub(super) fn open(config: &Config, tls: &Tls, deadline: Instant) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Failure::NoRuntime)?;
        let connected = runtime.block_on(async {
            let connecting = config.connect(tls.clone());
            tokio::time::timeout_at(deadline.into(), connecting).await
        });
        let (client, connection) = match connected {
            Ok(Ok(connected)) => connected,
            failed => {
                // A name that is still looked up must not be waited for.
                runtime.shutdown_background();
                return Err(match failed {
                    Ok(Err(error)) => Failure::Connect(error),
                    _ => Failure::NoConnection,
                });
            }
        };
        let said = |name| connection.parameter(name).unwrap_or_default().to_owned();
        let server = Server {
            version: said("server_version"),
            encoding: said("server_encoding"),
        };
        // How it ends is told to whoever waits for an answer.
        runtime.spawn(async move { drop(connection.await) });
        Ok(Self {
            runtime: Some(runtime),
            client,
            server,
            up_since: RefCell::default(),
            deadline: Cell::new(deadline),
            broken: Cell::new(false),
        })
    }

    /// Nobody waits for an answer beyond this.
    pub(super) fn use_until(&self, deadline: Instant) {
        self.deadline.set(deadline);
    }

    /// Whether it can't be used any more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.get() || self.client.is_closed()
    }

    /// Goes on after a mistake that left nothing behind.
    pub(super) fn mend(&self) {
        self.broken.set(false);
    }

    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let Some(runtime) = &self.runtime else {
            return Err(Failure::NoConnection);
        };
        let deadline = self.deadline.get().into();
        let answer = runtime.block_on(async { tokio::time::timeout_at(deadline, answer).await });
        let failure = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => Failure::from(error),
            Err(_) => Failure::TimedOut,
        };
        // The next user gets a new one: whatever a mistake left behind ends with it.
        self.broken.set(true);
        Err(failure)
    }

    /// Runs statements that answer nothing.
    pub(super) fn batch(&self, sql: &str) -> Result<(), Failure> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Runs statements without values, in one message; answers the rows of all, as text.
    pub(super) fn simple(&self, sql: &str) -> Result<Vec<Vec<String>>, Failure> {
        let messages = self.wait(self.client.simple_query(sql))?;
        let row = |message| match message {
            SimpleQueryMessage::Row(row) => Some(
                (0..row.len())
                    .map(|at| row.get(at).unwrap_or_default().to_owned())
                    .collect(),
            ),
            _ => None,
        };
        Ok(messages.into_iter().filter_map(row).collect())
    }

    /// Runs one statement with its values, in one message: nothing is prepared, so that each is planned for its values.
    pub(super) fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Failure> {
        self.wait(self.client.query_typed(sql, params))
    }

    /// The same where there is at most one row.
    pub(super) fn query_opt(
        &self,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, Failure> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// The same where there is one row.
    pub(super) fn query_one(&self, sql: &str, params: &[Param<'_>]) -> Result<Row, Failure> {
        let row = self.query_opt(sql, params)?;
        row.ok_or(Failure::Foreign("a row is missing"))
    }

    /// Runs one statement; answers how many rows it changed.
    pub(super) fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64, Failure> {
        self.wait(self.client.execute_typed(sql, params))
    }

    /// Begins to change something.
    pub(super) fn begin(&self) -> Result<Transaction<'_>, Failure> {
        let rows = self.simple("BEGIN; SELECT pg_current_xact_id()")?;
        let id = rows.into_iter().flatten().next().unwrap_or_default();
        Ok(Transaction {
            connection: self,
            id,
            open: true,
        })
    }

    /// Begins to read what belongs together: nothing changes meanwhile.
    pub(super) fn snapshot(&self) -> Result<Transaction<'_>, Failure> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        Ok(Transaction {
            connection: self,
            id: String::new(),
            open: true,
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// All or nothing. Dropped before it is committed, it was nothing.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
    /// Its number, by which the server knows later what became of it.
    id: String,
    open: bool,
}

impl Transaction<'_> {
    /// Makes it durable.
    ///
    /// If the answer does not come, only the server knows what became of it: see [`Failure::Unsure`].
    pub(super) fn commit(mut self) -> Result<(), Failure> {
        self.open = false;
        self.connection.batch("COMMIT").map_err(|failure| {
            if failure.is_from_server() && !failure.is_shutdown() {
                failure
            } else {
                Failure::Unsure(Unanswered {
                    transaction: std::mem::take(&mut self.id),
                    up_since: self.connection.up_since.borrow().clone(),
                })
            }
        })
    }

    /// Runs a statement that may be refused without harm; answers why it was.
    pub(super) fn tried(&self, sql: &str) -> Result<Result<(), String>, Failure> {
        self.batch("SAVEPOINT tried")?;
        match self.batch(sql) {
            Ok(()) => Ok(Ok(())),
            Err(failure) if failure.is_from_server() && !failure.is_shutdown() => {
                self.connection.mend();
                self.batch("ROLLBACK TO tried")?;
                Ok(Err(failure.in_short()))
            }
            Err(failure) => Err(failure),
        }
    }
}

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // A broken connection takes its transaction with it.
        if self.open && !self.connection.is_broken() {
            // Where this fails, the connection is broken.
            let _ = self.connection.batch("ROLLBACK");
        }
    }
}
