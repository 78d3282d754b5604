//! A blocking connection: each call waits for its result, up to a deadline.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, Row, SimpleQueryMessage};

use super::errors::{Failure, Unanswered};
use super::tls::Tls;
use super::values::Param;

/// Begins a read-only snapshot. The bitmap of 100,000 hits fits in 64 MB; in the default 4 MB it becomes lossy, and
/// every note on a matching page is rechecked.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT set_config('work_mem', '64MB', true) WHERE pg_size_bytes(current_setting('work_mem')) < 64 * 1024 * 1024";

/// A connection and its runtime, which only runs while a call waits.
pub(super) struct Connection {
    /// Taken on drop.
    runtime: Option<Runtime>,
    client: Client,
    /// What the server reported when connecting.
    pub(super) server: Server,
    /// When the server last started or recovered from a crash, once queried.
    pub(super) up_since: RefCell<String>,
    deadline: Cell<Instant>,
    /// How long a write transaction may wait for others, if that is not the timeout of the connection.
    lock_timeout: Cell<Option<Duration>>,
    broken: Cell<bool>,
    /// The pending `BEGIN`, which is sent together with the first statement of the transaction.
    beginning: Cell<Option<Cow<'static, str>>>,
    /// The id of the last transaction begun, to ask the server for its outcome.
    transaction: RefCell<String>,
}

/// What a server reports about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) version: String,
    pub(super) encoding: String,
}

impl Connection {
    /// Connects, within the deadline.
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
                // Don't wait for a DNS lookup that is still running.
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
        // Its error is also returned to whoever waits for a result.
        runtime.spawn(async move { drop(connection.await) });
        Ok(Self {
            runtime: Some(runtime),
            client,
            server,
            up_since: RefCell::default(),
            deadline: Cell::new(deadline),
            lock_timeout: Cell::new(None),
            broken: Cell::new(false),
            beginning: Cell::new(None),
            transaction: RefCell::default(),
        })
    }

    /// Sets the deadline for the following calls.
    pub(super) fn use_until(&self, deadline: Instant) {
        self.deadline.set(deadline);
    }

    /// Sets how long the following write transactions may wait for others; `None` for the timeout of the connection.
    pub(super) fn wait_for_locks(&self, longest: Option<Duration>) {
        self.lock_timeout.set(longest);
    }

    /// Whether it is unusable.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.get() || self.client.is_closed()
    }

    /// Marks it as usable again, after an error without lasting effects.
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
            let (begun, answer) = tokio::join!(self.client.simple_query(&beginning), answer);
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
        // Don't reuse it: an error may have left it in any state.
        self.broken.set(true);
        Err(failure)
    }

    /// Runs statements that return nothing.
    pub(super) fn batch(&self, sql: &str) -> Result<(), Failure> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Runs statements without parameters, in one round trip; returns the rows of all as text.
    pub(super) fn simple(&self, sql: &str) -> Result<Vec<Vec<String>>, Failure> {
        self.wait(self.client.simple_query(sql)).map(rows_of)
    }

    /// Runs one statement in one round trip. It is not prepared, so that it is planned for its parameters.
    pub(super) fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Failure> {
        self.wait(self.client.query_typed(sql, params))
    }

    /// The same for at most one row.
    pub(super) fn query_opt(
        &self,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, Failure> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// The same for exactly one row.
    pub(super) fn query_one(&self, sql: &str, params: &[Param<'_>]) -> Result<Row, Failure> {
        let row = self.query_opt(sql, params)?;
        row.ok_or(Failure::Foreign("a row is missing"))
    }

    /// Runs one statement; returns the number of rows it changed.
    pub(super) fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64, Failure> {
        self.wait(self.client.execute_typed(sql, params))
    }

    /// Runs two statements, pipelined in one round trip.
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

    /// Begins a write transaction.
    pub(super) fn begin(&self) -> Transaction<'_> {
        self.beginning_with(match self.lock_timeout.get() {
            None => Cow::Borrowed("BEGIN; SELECT pg_current_xact_id()"),
            Some(longest) => {
                // 0 would mean no timeout.
                let milliseconds = longest.as_millis().max(1);
                Cow::Owned(format!(
                    "BEGIN; SET LOCAL lock_timeout = {milliseconds}; SELECT pg_current_xact_id()"
                ))
            }
        })
    }

    /// Begins a read-only transaction on one snapshot.
    pub(super) fn snapshot(&self) -> Transaction<'_> {
        self.beginning_with(Cow::Borrowed(SNAPSHOT))
    }

    fn beginning_with(&self, sql: Cow<'static, str>) -> Transaction<'_> {
        self.beginning.set(Some(sql));
        Transaction {
            connection: self,
            open: true,
        }
    }
}

/// The rows in a list of messages, as text.
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

/// A transaction. Dropping it without [`Self::commit`] rolls it back.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
    open: bool,
}

impl Transaction<'_> {
    /// Commits.
    ///
    /// If the answer is lost, only the server knows the outcome: see [`Failure::Unsure`].
    pub(super) fn commit(mut self) -> Result<(), Failure> {
        self.open = false;
        if self.connection.beginning.take().is_some() {
            // No statement was run.
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

    /// Runs a statement in a savepoint; if the server refuses it, returns why, and the transaction goes on.
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
        // Closing a broken connection rolls its transaction back.
        let has_begun = self.connection.beginning.take().is_none();
        if self.open && has_begun && !self.connection.is_broken() {
            // If this fails, the connection is marked as broken.
            let _ = self.connection.batch("ROLLBACK");
        }
    }
}
