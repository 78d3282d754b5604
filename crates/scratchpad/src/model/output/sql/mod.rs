//! SQL over outputs: their rows, loaded into a database in memory.
//!
//! The database has no file and reaches none: the query is one statement, and an authorizer lets it read and nothing
//! else. It may run forever and take any amount of memory: the caller must limit both.

mod answer;
mod csv;
mod functions;
mod json;
mod rows;
mod table;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::sync::LazyLock;

use regex::Regex;
use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, ErrorCode};
use serde::{Deserialize, Serialize};

use super::probe::Found;
use crate::model::error::{Error, Result};
use crate::model::id::OutputId;
use crate::model::text::message::{Message, counted, message, number};
use crate::model::text::quantity::shortened;
use table::Loaded;

/// The most characters of a query.
const QUERY_MAX_CHARS: usize = 4_000;
/// The most outputs that one query reads, besides its own.
pub const MAX_OTHERS: usize = 8;
/// The table of the output that is read.
const OWN: &str = "t";
/// How many columns an error names.
const SHOWN_COLUMNS: usize = 40;

/// A table to load: its name, and the size of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub table: String,
    pub bytes: u64,
}

impl Source {
    /// The output that is read.
    pub fn own(bytes: u64) -> Self {
        Self {
            table: OWN.to_owned(),
            bytes,
        }
    }

    /// Another output that the query names.
    pub fn other(id: &OutputId, bytes: u64) -> Self {
        Self {
            table: format!("o_{id}"),
            bytes,
        }
    }
}

/// Refuses a query that is empty or too long.
pub fn check_length(query: &str) -> Result<()> {
    let chars = query.chars().count();
    if query.trim().is_empty() || chars > QUERY_MAX_CHARS {
        return Err(Error::refused(message!(
            "`sql` takes a query of 1 to {most} characters; {given} were given.",
            most = number(QUERY_MAX_CHARS),
            given = number(chars)
        )));
    }
    Ok(())
}

static OTHERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bo_([0-9a-f]{12,64})\b").ok());
static DOC: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bdoc\b").ok());

/// The other outputs that a query names as `o_ID`, each once.
pub fn others(query: &str) -> Result<Vec<OutputId>> {
    let mut ids = Vec::new();
    for found in OTHERS.iter().flat_map(|names| names.captures_iter(query)) {
        let id = found.get(1).map_or("", |id| id.as_str());
        let id = OutputId::new(id)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.len() > MAX_OTHERS {
        return Err(Error::refused(message!(
            "`sql` reads at most {most} other outputs; this query names {given}.",
            most = number(MAX_OTHERS),
            given = number(ids.len())
        )));
    }
    Ok(ids)
}

/// Loads the sources, whose contents follow one another, and writes what the query gives as CSV with a header.
pub fn evaluate(
    query: &str,
    sources: &[Source],
    content: &mut impl Read,
    out: &mut impl Write,
) -> Result<Found> {
    let (connection, loaded) = load(query, sources, content)?;
    let connection = restricted(connection).map_err(|error| refused(&error, query, &loaded))?;
    let explained = |error: rusqlite::Error| refused(&error, query, &loaded);
    let mut batch = Batch::new(&connection, query);
    let Some(mut statement) = batch.next().map_err(explained)? else {
        return Err(Error::refused("`sql` has no statement.").hint(WANTED));
    };
    if !matches!(batch.next(), Ok(None)) {
        return Err(Error::refused("`sql` takes one statement; more were given.").hint(WANTED));
    }
    // What is left without columns, like REINDEX, is no query.
    if statement.column_count() == 0 {
        return Err(only_reads());
    }
    let count = answer::write(&mut statement, out, &explained)?;
    Ok(Found {
        count,
        about: Some(about(&loaded)),
    })
}

const WANTED: &str = "like select state, count(*) from t group by 1 order by 2 desc.";

/// Fills a database in memory with all tables.
fn load(
    query: &str,
    sources: &[Source],
    content: &mut impl Read,
) -> Result<(Connection, Vec<Loaded>)> {
    let connection = opened().map_err(|error| not_loaded(&error))?;
    let mut loaded = Vec::new();
    for source in sources {
        let mut bytes = Vec::new();
        let read = content.take(source.bytes).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 != source.bytes {
            return Err(unreadable(&io::ErrorKind::UnexpectedEof.into()));
        }
        let table = rows::load(&connection, &source.table, &bytes);
        loaded.push(table.map_err(|error| not_loaded(&error))?);
        if source.table == OWN && DOC.as_ref().is_some_and(|name| name.is_match(query)) {
            rows::load_whole(&connection, bytes).map_err(|error| not_loaded(&error))?;
        }
    }
    connection
        .execute_batch("COMMIT")
        .map_err(|error| not_loaded(&error))?;
    Ok((connection, loaded))
}

fn opened() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    // Without a file for what is sorted, either.
    connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY; BEGIN")?;
    functions::add(&connection)?;
    Ok(connection)
}

/// From now on, it can only be read.
fn restricted(mut connection: Connection) -> rusqlite::Result<Connection> {
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    // A misspelt column in double quotes must be an error, and no text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.authorizer(Some(allowed))?;
    Ok(connection)
}

fn allowed(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// What was read: `t: 620 rows.`
fn about(loaded: &[Loaded]) -> Message {
    let tables = loaded.iter().map(|table| {
        let name = table.name.as_str();
        let rows = counted(table.rows, "{number} row", "{number} rows");
        match table.left_out {
            0 => message!("{table}: {rows}.", table = name, rows),
            more => message!(
                "{table}: {rows}; {more} of its keys are no columns, because {most} is the limit: doc.text has them.",
                table = name,
                rows,
                more = number(more),
                most = number(table::MAX_COLUMNS)
            ),
        }
    });
    Message::joined(tables, " ")
}

/// `t has: id, title, state (3).`
fn columns(table: &Loaded) -> Message {
    let mut shown: Vec<String> = (table.columns.iter().take(SHOWN_COLUMNS))
        .map(|name| shortened(name, 60))
        .collect();
    if table.columns.len() > SHOWN_COLUMNS {
        shown.push("…".to_owned());
    }
    message!(
        "{table} has: {columns} ({number}).",
        table = table.name.as_str(),
        columns = shown.join(", "),
        number = number(table.columns.len())
    )
}

/// The error of a query, with what helps to write it better.
fn refused(error: &rusqlite::Error, query: &str, loaded: &[Loaded]) -> Error {
    if error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied) {
        return only_reads();
    }
    let (why, place) = match error {
        rusqlite::Error::SqlInputError { msg, offset, .. } => {
            let start = usize::try_from(*offset).ok();
            let before = start.and_then(|start| query.get(..start));
            (msg.clone(), before.map(|text| text.chars().count() + 1))
        }
        rusqlite::Error::SqliteFailure(_, Some(why)) => (why.clone(), None),
        other => (other.to_string(), None),
    };
    let shown = shortened(why.trim_end_matches('.'), 300);
    let refused = Error::refused(match place {
        Some(place) if why.contains("syntax error") => message!(
            "`sql`: {why}, at character {place}.",
            why = shown,
            place = number(place)
        ),
        _ => message!("`sql`: {why}.", why = shown),
    });
    let tables = loaded.iter().map(columns);
    let others = "another output is o_ and its id; doc(text) is all of this one.";
    let others = why.contains("no such table").then_some(others);
    refused.hint(Message::joined(
        tables.chain(others.map(Message::from)),
        " ",
    ))
}

fn only_reads() -> Error {
    Error::refused("`sql` only reads: one SELECT.").hint(WANTED)
}

fn not_loaded(error: &rusqlite::Error) -> Error {
    Error::refused(message!(
        "`sql` can't load this output: {error}.",
        error = error.to_string()
    ))
}

fn unreadable(error: &io::Error) -> Error {
    Error::store(message!(
        "Can't read the output: {error}.",
        error = error.to_string()
    ))
}
