//! Failures of the database, and the messages for them.

use std::io;
use std::time::Duration;

use tokio_postgres::error::SqlState;

use crate::model::error::{Error, ErrorKind};
use crate::model::text::message::{message, quoted};

/// Why a database operation failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server could not be reached, or refused the login.
    Connect(tokio_postgres::Error),
    /// Connecting timed out.
    NoConnection,
    /// All pooled connections were in use until the deadline.
    AllInUse,
    /// An error on an open connection.
    Database(tokio_postgres::Error),
    /// A statement timed out.
    TimedOut,
    /// The connection was lost during a commit.
    Unsure(Unanswered),
    /// The same, and the server says that it was rolled back.
    Undone,
    /// The same, and the server has not noticed yet.
    InProgress,
    /// The same, and the server can't tell, because it crashed.
    Crashed,
    /// The tables contain something that no version of this program wrote.
    Foreign(&'static str),
    /// The system is out of resources for a runtime.
    NoRuntime(io::Error),
    /// An error with its final message, such as a refusal by the caller.
    Final(Error),
}

/// A transaction whose commit was not answered.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) transaction: String,
    /// When its server started: after a crash, ids may be reused.
    pub(super) up_since: String,
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl Failure {
    fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Connect(error) | Self::Database(error) => error.code(),
            _ => None,
        }
    }

    /// Whether the server itself reported it, so that the connection is still open.
    pub(super) fn is_from_server(&self) -> bool {
        self.code().is_some()
    }

    /// Whether the server is shutting down or starting up.
    pub(super) fn is_shutdown(&self) -> bool {
        const CODES: [SqlState; 3] = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
        ];
        self.code().is_some_and(|code| CODES.contains(code))
    }

    /// Whether the connection was lost in use, and the transaction with it.
    pub(super) fn is_loss(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        self.is_shutdown() || (error.code().is_none() && !is_conversion(error))
    }

    /// Whether a retry may succeed: nothing was changed.
    pub(super) fn may_pass(&self) -> bool {
        const CODES: [SqlState; 3] = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::TOO_MANY_CONNECTIONS,
        ];
        matches!(self, Self::Undone | Self::InProgress)
            || self.is_shutdown()
            || self.is_loss()
            || self.code().is_some_and(|code| CODES.contains(code))
    }

    /// Like [`Self::may_pass`], for a server that was reachable before, and may come back.
    pub(super) fn may_pass_later(&self) -> bool {
        self.may_pass() || matches!(self, Self::Connect(error) if error.code().is_none())
    }

    /// Whether a table does not exist.
    pub(super) fn is_undefined_table(&self) -> bool {
        self.code() == Some(&SqlState::UNDEFINED_TABLE)
    }

    /// The server's own message.
    pub(super) fn in_short(&self) -> String {
        match self {
            Self::Connect(error) | Self::Database(error) => said(error),
            other => format!("{other:?}"),
        }
    }
}

/// Whether a value had the wrong type, as opposed to a lost connection.
fn is_conversion(error: &tokio_postgres::Error) -> bool {
    !error.is_closed()
        && !std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<io::Error>)
}

/// The message of an error, with its source. The driver never includes passwords.
fn said(error: &tokio_postgres::Error) -> String {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let source = std::error::Error::source(error);
    let kind = source.and_then(|source| Some(source.downcast_ref::<io::Error>()?.kind()));
    let ended = [
        BrokenPipe,
        ConnectionAborted,
        ConnectionReset,
        UnexpectedEof,
    ];
    if error.is_closed() || kind.is_some_and(|kind| ended.contains(&kind)) {
        return "it closed the connection".to_owned();
    }
    match source {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// The error message for a failure. `place` is the database URL without its password.
pub(super) fn explain(failure: Failure, place: &str, schema: &str, timeout: Duration) -> Error {
    let waited = format!("{} ms", timeout.as_millis());
    let no_answer = || {
        Error::store(message!("{place} did not answer within {time}. Nothing was changed.", place, time = &waited))
            .hint("check whether the server is up and reachable from here; `store.busy_timeout_ms` sets how long to wait.")
    };
    match failure {
        Failure::Final(error) => error,
        Failure::Connect(error) => cannot_connect(&error, place),
        Failure::NoConnection => no_answer(),
        Failure::TimedOut => no_answer().as_kind(ErrorKind::Busy),
        Failure::AllInUse => Error::new(
            ErrorKind::Busy,
            message!("All connections to {place} were in use for {time}. Nothing was changed.", place, time = &waited),
        )
        .hint("try again."),
        Failure::Undone => lost(place),
        Failure::Unsure(_) | Failure::InProgress | Failure::Crashed => Error::store(message!("The connection to {place} was lost during a write: it is not known whether the change was saved.", place))
        .hint("check what was saved before you retry."),
        Failure::Foreign(what) => Error::store(message!("{place} has something in the schema {schema} that scratchpad did not write: {what}. Nothing was changed.", place, schema = quoted(schema), what)),
        Failure::NoRuntime(error) => {
            Error::store(message!("Can't open a connection: {error}. Nothing was changed.", error = error.to_string()))
        }
        Failure::Database(error) => failed(&error, place, schema, &waited),
    }
}

fn failed(error: &tokio_postgres::Error, place: &str, schema: &str, waited: &str) -> Error {
    let said = said(error);
    let Some(code) = error.code() else {
        if is_conversion(error) {
            return Error::store(message!(
                "{place}: {said}. Nothing was changed.",
                place,
                said
            ));
        }
        return lost(place);
    };
    if *code == SqlState::QUERY_CANCELED || *code == SqlState::LOCK_NOT_AVAILABLE {
        return Error::new(
            ErrorKind::Busy,
            message!(
                "{place} was busy for {waited}. Nothing was changed.",
                place,
                waited
            ),
        )
        .hint("try again; `store.busy_timeout_ms` sets how long to wait.");
    }
    if *code == SqlState::ADMIN_SHUTDOWN || *code == SqlState::CRASH_SHUTDOWN {
        return lost(place);
    }
    if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        return Error::store(message!("{place} refused: {why}. Nothing was changed.", place, why = said)).hint(message!("an administrator must run `GRANT CREATE ON DATABASE …` for this role, or create the schema for it: `CREATE SCHEMA {schema} AUTHORIZATION …`.", schema));
    }
    if *code == SqlState::DISK_FULL {
        return Error::store(message!(
            "The disk of {place} is full. Nothing was changed.",
            place
        ))
        .hint("free some space on its disk, then try again.");
    }
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        return Error::store(message!(
            "{place} is read-only: it is a standby, or configured so. Nothing was changed.",
            place
        ))
        .hint("point `store.url` at the primary server.");
    }
    Error::store(message!(
        "{place}: {said}. Nothing was changed.",
        place,
        said
    ))
}

fn lost(place: &str) -> Error {
    Error::store(message!(
        "The connection to {place} was lost. Nothing was changed.",
        place
    ))
    .hint("check whether the server is up; scratchpad reconnects by itself, so just retry.")
}

fn cannot_connect(error: &tokio_postgres::Error, place: &str) -> Error {
    const HINTS: [(&SqlState, &str); 5] = [
        (
            &SqlState::INVALID_PASSWORD,
            "check the user and the password; in `store.url`, characters like @ and / are written as %40 and %2F.",
        ),
        (
            &SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            "check the user in `store.url`, and whom the server's pg_hba.conf allows; `sslmode=require` if it requires TLS.",
        ),
        (
            &SqlState::INVALID_CATALOG_NAME,
            "create it (`createdb NAME`), or name another database in `store.url`.",
        ),
        (
            &SqlState::TOO_MANY_CONNECTIONS,
            "try again; the server's `max_connections` must allow for the number of agents.",
        ),
        (&SqlState::CANNOT_CONNECT_NOW, "try again in a moment."),
    ];
    let said = said(error);
    let hint = match error.code() {
        Some(code) => HINTS
            .iter()
            .find(|(known, _)| *known == code)
            .map_or("check `store.url`.", |(_, hint)| hint),
        None if said.contains("password") => {
            "put the password into `~/.pgpass` (`HOST:PORT:DATABASE:USER:PASSWORD`, mode 0600), `PGPASSWORD` or `store.url`."
        }
        None if said.contains("TLS") => {
            "check `sslmode` in `store.url`; for a private certificate authority, set `sslrootcert=FILE`."
        }
        None => {
            "check host, port and sslmode in `store.url`, and whether the server is up and reachable from here."
        }
    };
    Error::store(message!(
        "Can't connect to {place}: {why}. Nothing was changed.",
        place,
        why = said
    ))
    .hint(hint)
}
