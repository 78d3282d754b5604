//! The engine for teams: one schema of a `PostgreSQL` database.
//!
//! Every write is one transaction, which is durable when it returns. Lost connections are reopened; an interrupted
//! write is retried only if it was certainly not committed.

mod add_note;
mod connection;
mod connections;
pub mod content;
mod counts;
mod errors;
mod forget;
mod health;
mod hooks;
mod ledger;
mod notes;
mod outputs;
mod pins;
mod projects;
mod prune;
mod rewrite;
mod schema;
mod search;
mod sessions;
mod sources;
mod tls;
mod transfer;
mod values;
mod watch;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

pub use crate::store::Timeout;
use crate::store::{Store, WithTimeout};

use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::settings::outputs_url::OutputsUrl;
use crate::model::settings::passwords::Passwords;
use crate::model::settings::store_url::{Encryption, PostgresUrl};
use crate::model::text::message::{Message, message, quoted};
use connection::{Connection, Transaction};
use connections::{Connections, Limits};
use content::objects::Objects;
use errors::{Failure, Unanswered, explain};
use schema::{Age, Migrated};
use tls::Tls;
use values::{get, params};

/// The oldest supported major version.
const OLDEST_SERVER: u32 = 14;
/// How long to retry after the server is lost.
const RECONNECT_FOR: Duration = Duration::from_secs(5);
/// The timeout for creating or migrating the tables.
const MIGRATE_FOR: Duration = Duration::from_mins(30);
/// How much longer than `statement_timeout` we wait, so that the server reports the timeout itself.
const GRACE: Duration = Duration::from_millis(40);

#[derive(Clone, Debug)]
pub struct Settings {
    /// The server, the database and the schema.
    pub url: PostgresUrl,
    pub timeout: Timeout,
    /// The author, recorded in every row.
    pub author: String,
    /// The name of this machine, which process ids belong to.
    pub machine: String,
    /// The directory for staged content.
    pub staging: PathBuf,
}

/// The store on a `PostgreSQL` server.
///
/// Clones share their connections.
#[derive(Clone)]
pub struct Postgres {
    connections: Arc<Connections>,
    config: Config,
    tls: Tls,
    settings: Settings,
    opened: Instant,
    /// When the one call began that this store is for. It may take long, but what it waits for has one timeout.
    since: Option<Instant>,
    /// Its one connection is in a transaction that sees nothing that was written since: without it, there is none.
    is_snapshot: bool,
    /// Why the search index could not be created, if this store created the schema.
    no_index: OnceLock<String>,
    /// Where large outputs go, and the environment variables that configure it.
    outputs: (OutputsUrl, Vec<(String, String)>),
    /// The client for that, created on first use.
    objects: Arc<OnceLock<Option<Objects>>>,
    /// How far this machine's clock is behind the server's, in milliseconds.
    behind: Arc<OnceLock<Millis>>,
}

impl WithTimeout for Postgres {
    fn since(&self, began: Instant) -> Option<Arc<dyn Store>> {
        Some(Arc::new(Self {
            since: Some(began),
            ..self.clone()
        }))
    }
}

impl Postgres {
    /// Connects, and creates or migrates the schema if needed.
    ///
    /// On an up-to-date schema this takes one round trip besides connecting.
    pub fn open(settings: Settings) -> Result<Self> {
        let store = Self {
            connections: Arc::default(),
            config: config(&settings)?,
            tls: Tls::new(&settings.url)?,
            settings,
            opened: Instant::now(),
            since: None,
            is_snapshot: false,
            no_index: OnceLock::new(),
            outputs: (OutputsUrl::Database, Vec::new()),
            objects: Arc::default(),
            behind: Arc::default(),
        };
        let deadline = store.deadline();
        let first = store.insisting(deadline, Failure::may_pass, || store.connect(deadline));
        store
            .connections
            .add(first.map_err(|failure| store.explain(failure))?);
        Ok(store)
    }

    /// A warning for whoever created the schema, if any.
    pub fn remark(&self) -> Option<Message> {
        let reason = self.no_index.get()?;
        Some(message!(
            "Searches in {place} have no index and are slower: {why}. docs/postgres.md says what an administrator can do.",
            place = self.place(),
            why = reason
        ))
    }

    /// Sets where large outputs go. `variables` are the environment variables that start with
    /// [`objects::VARIABLES`](content::objects::VARIABLES).
    #[must_use]
    pub fn with_outputs(mut self, url: OutputsUrl, variables: Vec<(String, String)>) -> Self {
        self.outputs = (url, variables);
        self.objects = Arc::default();
        self
    }

    /// The URL of the database without its password.
    fn place(&self) -> &str {
        &self.settings.url.shown
    }

    fn timeout(&self) -> Duration {
        self.settings.timeout.of_each()
    }

    /// The deadline for work that starts now.
    fn deadline(&self) -> Instant {
        match self.settings.timeout {
            Timeout::Each(timeout) => Instant::now() + timeout + GRACE,
            Timeout::All(timeout) => self.opened + timeout + GRACE,
        }
    }

    fn explain(&self, failure: Failure) -> Error {
        explain(
            failure,
            self.place(),
            &self.settings.url.schema,
            self.timeout(),
        )
    }

    /// Opens and configures a connection, and migrates the schema if needed.
    fn connect(&self, deadline: Instant) -> Result<Connection, Failure> {
        let connection = Connection::open(&self.config, &self.tls, deadline)?;
        check_server(&connection, self.place())?;
        let milliseconds = self.timeout().as_millis();
        let set = format!(
            "SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds};
             SET idle_in_transaction_session_timeout = {milliseconds};
             SET client_min_messages = warning; SET search_path = {};",
            schema::quoted(&self.settings.url.schema)
        );
        let look = format!("{set} {}", schema::LOOK);
        match connection.simple(&look) {
            Ok(rows) => match schema::age(&rows) {
                Age::Current => return Ok(looked_at(connection, rows)),
                Age::Newer(version) => return Err(self.too_new(version).into()),
                Age::Older => {}
            },
            // The implicit transaction was rolled back, settings included, so the connection is still good.
            Err(failure) if failure.is_undefined_table() => connection.mend(),
            Err(failure) => return Err(failure),
        }
        self.migrate(&connection)?;
        let rows = connection.simple(&look)?;
        Ok(looked_at(connection, rows))
    }

    /// The slow path: one process at a time creates or migrates the tables.
    fn migrate(&self, connection: &Connection) -> Result<(), Failure> {
        if let Timeout::Each(_) = self.settings.timeout {
            connection.use_until(Instant::now() + MIGRATE_FOR);
        }
        match schema::migrate(connection, &self.settings.url.schema)? {
            Migrated::Whole => {}
            // If another connection set a reason already, keep that one.
            Migrated::WithoutIndex(reason) => drop(self.no_index.set(reason)),
            Migrated::Newer(version) => return Err(self.too_new(version).into()),
            Migrated::Foreign => return Err(self.not_ours().into()),
            Migrated::Closed => return Err(self.closed().into()),
        }
        Ok(())
    }

    fn too_new(&self, version: i32) -> Error {
        Error::store(message!("The schema {schema} in {place} was written by a newer scratchpad (schema {version}, this one knows {known}). Nothing was changed.", schema = quoted(&self.settings.url.schema), place = self.place(), version = version.to_string(), known = schema::VERSION.to_string()))
        .hint("update scratchpad, or name another schema: `?schema=NAME` at the end of `store.url`.")
    }

    fn not_ours(&self) -> Error {
        Error::store(message!("The schema {schema} in {place} has tables that are not Scratchpad's. Nothing was changed.", schema = quoted(&self.settings.url.schema), place = self.place()))
        .hint("name another schema: `?schema=NAME` at the end of `store.url`.")
    }

    fn closed(&self) -> Error {
        Error::store(message!("This role has no access to the schema {schema} in {place}. Nothing was changed.", schema = quoted(&self.settings.url.schema), place = self.place()))
        .hint("use a role of the team that owns it in `store.url`, or a schema of your own: `?schema=NAME`.")
    }

    fn with<T>(
        &self,
        deadline: Instant,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let connect = || {
            if self.is_snapshot {
                return Err(Failure::NoConnection);
            }
            self.connect(deadline)
        };
        let waits_until = self.since.map(|began| began + self.timeout());
        let limits = Limits {
            place: waits_until.map_or(deadline, |until| deadline.min(until + GRACE)),
            work: deadline,
            locks: waits_until.map(|until| until.saturating_duration_since(Instant::now())),
        };
        self.connections.with(limits, connect, work)
    }

    /// Reads, and retries on another connection if one is lost.
    fn reading<T>(&self, mut read: impl FnMut(&Connection) -> Result<T, Failure>) -> Result<T> {
        let deadline = self.deadline();
        self.insisting(deadline, Failure::may_pass_later, || {
            self.with(deadline, &mut read)
        })
        .map_err(|failure| self.explain(failure))
    }

    /// Reads from one snapshot.
    fn reading_at_once<T>(
        &self,
        mut read: impl FnMut(&Connection) -> Result<T, Failure>,
    ) -> Result<T> {
        self.reading(|connection| {
            if self.is_snapshot {
                return read(connection);
            }
            let snapshot = connection.snapshot();
            read(&snapshot)
        })
    }

    /// Writes in one transaction, which is durable when this returns. `write` may run more than once.
    fn writing<T>(
        &self,
        mut write: impl FnMut(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        let deadline = self.deadline();
        let mut attempt = || {
            let mut answer = None;
            let done = self.with(deadline, |connection| {
                let transaction = connection.begin();
                answer = Some(write(&transaction)?);
                transaction.commit()
            });
            match (done, answer) {
                (Ok(()), Some(answer)) => Ok(answer),
                (Err(Failure::Unsure(unanswered)), Some(answer)) => {
                    self.what_became_of(unanswered, deadline).map(|()| answer)
                }
                (Err(failure), _) => Err(failure),
                (Ok(()), None) => Err(Failure::Foreign("an answer is missing")),
            }
        };
        self.insisting(deadline, Failure::may_pass_later, &mut attempt)
            .map_err(|failure| self.explain(failure))
    }

    /// Asks the server whether a transaction was committed, after the answer to `COMMIT` was lost.
    ///
    /// After a crash the server can't tell: it reuses the ids of transactions that left no trace.
    fn what_became_of(&self, unanswered: Unanswered, deadline: Instant) -> Result<(), Failure> {
        self.connections.close_idle();
        let ask = || {
            self.with(deadline, |connection| {
                let sql = "SELECT pg_xact_status($1::text::xid8)";
                if *connection.up_since.borrow() != unanswered.up_since {
                    return Err(Failure::Crashed);
                }
                let row = connection.query_one(sql, params![unanswered.transaction])?;
                match get::<Option<&str>>(&row, 0)? {
                    Some("committed") => Ok(Fate::Committed),
                    Some("aborted") => Ok(Fate::Aborted),
                    // The server has not noticed yet that the connection is gone.
                    _ => Err(Failure::InProgress),
                }
            })
        };
        match self.insisting(deadline, Failure::may_pass_later, ask) {
            Ok(Fate::Committed) => Ok(()),
            Ok(Fate::Aborted) => Err(Failure::Undone),
            Err(_) => Err(Failure::Unsure(unanswered)),
        }
    }

    /// Retries with backoff as long as the failure may be temporary: up to [`RECONNECT_FOR`] after the first failure,
    /// and never beyond the deadline.
    ///
    /// The time before the first failure does not count: on a busy server it alone may be longer than that.
    fn insisting<T>(
        &self,
        deadline: Instant,
        may_pass: fn(&Failure) -> bool,
        mut work: impl FnMut() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut give_up = None;
        let mut pause = Duration::ZERO;
        loop {
            let failure = match work() {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let now = Instant::now();
            let give_up = *give_up.get_or_insert_with(|| deadline.min(now + RECONNECT_FOR));
            if !may_pass(&failure) || now + pause >= give_up {
                return Err(failure);
            }
            if failure.is_loss() {
                self.connections.close_idle();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).clamp(Duration::from_millis(5), Duration::from_millis(500));
        }
    }
}

/// The outcome of a transaction whose `COMMIT` was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Committed,
    Aborted,
}

/// The configuration for the driver. Errors in the URL never show it: it may hold a password.
fn config(settings: &Settings) -> Result<Config> {
    let url = &settings.url;
    let mut config: Config = url.address.parse().map_err(|error: tokio_postgres::Error| {
        let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        // An unknown option name may be part of a password.
        let name = why.strip_prefix("unknown option ").map(|name| name.trim_matches('`'));
        let is_name = |name: &str| name.chars().all(|char| char.is_ascii_lowercase() || char == '_');
        let why = if name.is_some_and(|name| !is_name(name)) { "unknown option".to_owned() } else { why };
        Error::usage(message!("`store.url` is not a PostgreSQL URL: {why}.", why))
            .hint("it looks like `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`; in USER and PASSWORD, characters like @ and / are written as %40 and %2F.")
    })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host("localhost");
    }
    if config.get_password().is_none()
        && let Some(password) = password(&config, &url.passwords)
    {
        config.password(password);
    }
    config.ssl_mode(match url.encryption {
        Encryption::Never => SslMode::Disable,
        Encryption::IfOffered => SslMode::Prefer,
        Encryption::Always => SslMode::Require,
    });
    config.application_name("scratchpad");
    Ok(config)
}

/// The password from elsewhere than the URL. With several hosts, that of the first.
fn password(config: &Config, passwords: &Passwords) -> Option<String> {
    #[cfg_attr(
        not(unix),
        expect(
            clippy::infallible_destructuring_match,
            reason = "elsewhere there is one kind"
        )
    )]
    let host = match config.get_hosts().first()? {
        Host::Tcp(host) => host,
        // As libpq does.
        #[cfg(unix)]
        Host::Unix(_) => "localhost",
    };
    let user = config.get_user().unwrap_or(&passwords.user);
    let database = config.get_dbname().unwrap_or(user);
    let port = config.get_ports().first().copied().unwrap_or(5432);
    passwords.find(host, port, database, user)
}

/// Stores the server's start time, which the first query returned, in the connection.
fn looked_at(connection: Connection, rows: Vec<Vec<String>>) -> Connection {
    let up_since = rows
        .into_iter()
        .next()
        .and_then(|row| row.into_iter().nth(2));
    connection.up_since.replace(up_since.unwrap_or_default());
    connection
}

/// Refuses a server that is too old, or a database that is not UTF-8.
fn check_server(connection: &Connection, place: &str) -> Result<(), Failure> {
    let server = &connection.server;
    let major: u32 = server
        .version
        .split(|char: char| !char.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    if major < OLDEST_SERVER {
        return Err(Error::store(message!(
            "{place} is PostgreSQL {version}; {oldest} or newer is needed. Nothing was changed.",
            place,
            version = server.version.clone(),
            oldest = OLDEST_SERVER.to_string()
        ))
        .hint("point `store.url` at a newer server.")
        .into());
    }
    if server.encoding != "UTF8" {
        return Err(Error::store(message!("The database {place} has the encoding {encoding}; UTF8 is needed. Nothing was changed.", place, encoding = server.encoding.clone()))
        .hint("create one that has it: `createdb --encoding=UTF8 --template=template0 NAME`.")
        .into());
    }
    Ok(())
}
