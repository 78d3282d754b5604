//! One connection, used like a file: each call waits for its answer, and no longer than it may.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, Row, SimpleQueryMessage};

use super::errors::{Failure, Unanswered};
use super::tls::Tls;
use super::values::Param;

/// Begins to read. The places of 100,000 hits have room in 64 MB; in the usual 4 MB only their pages have, and every
/// note on those is compared.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT set_config('work_mem', '64MB', true) WHERE pg_size_bytes(current_setting('work_mem')) < 64 * 1024 * 1024";

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
    /// How a transaction begins whose first statement is still to come: both are one message.
    beginning: Cell<Option<&'static str>>,
    /// The number of the transaction that began last, by which the server knows later what became of it.
    transaction: RefCell<String>,
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
            beginning: Cell::new(None),
            transaction: RefCell::default(),
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
        let beginning = self.beginning.take();
        let answer = async {
            let Some(beginning) = beginning else {
                return answer.await;
            };
            let (begun, answer) = tokio::join!(self.client.simple_query(beginning), answer);
            let id = rows_of(begun?).into_iter().flatten().next();
            self.transaction.replace(id.unwrap_or_default());
            answer
        };
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
        self.wait(self.client.simple_query(sql)).map(rows_of)
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

    /// Runs two statements, the second of which does not wait for the answer to the first.
    pub(super) fn both(
        &self,
        (first, first_params): (&str, &[Param<'_>]),
        (second, second_params): (&str, &[Param<'_>]),
    ) -> Result<(Vec<Row>, Vec<Row>), Failure> {
        self.wait(async {
            let (first, second) = tokio::join!(
                self.client.query_typed(first, first_params),
                self.client.query_typed(second, second_params)
            );
            Ok((first?, second?))
        })
    }

    /// Begins to change something.
    pub(super) fn begin(&self) -> Transaction<'_> {
        self.beginning_with("BEGIN; SELECT pg_current_xact_id()")
    }

    /// Begins to read what belongs together: nothing changes meanwhile.
    pub(super) fn snapshot(&self) -> Transaction<'_> {
        self.beginning_with(SNAPSHOT)
    }

    fn beginning_with(&self, sql: &'static str) -> Transaction<'_> {
        self.beginning.set(Some(sql));
        Transaction {
            connection: self,
            open: true,
        }
    }
}

/// The rows among messages, as text.
fn rows_of(messages: Vec<SimpleQueryMessage>) -> Vec<Vec<String>> {
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => Some(
            (0..row.len())
                .map(|at| row.get(at).unwrap_or_default().to_owned())
                .collect(),
        ),
        _ => None,
    };
    messages.into_iter().filter_map(row).collect()
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
    open: bool,
}

impl Transaction<'_> {
    /// Makes it durable.
    ///
    /// If the answer does not come, only the server knows what became of it: see [`Failure::Unsure`].
    pub(super) fn commit(mut self) -> Result<(), Failure> {
        self.open = false;
        if self.connection.beginning.take().is_some() {
            // Nothing was done.
            return Ok(());
        }
        self.connection.batch("COMMIT").map_err(|failure| {
            if failure.is_from_server() && !failure.is_shutdown() {
                failure
            } else {
                Failure::Unsure(Unanswered {
                    transaction: self.connection.transaction.take(),
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
        let has_begun = self.connection.beginning.take().is_none();
        if self.open && has_begun && !self.connection.is_broken() {
            // Where this fails, the connection is broken.
            let _ = self.connection.batch("ROLLBACK");
        }
    }
}
