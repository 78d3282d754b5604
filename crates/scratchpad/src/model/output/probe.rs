//! A probe: a search or an expression over one output, as an agent wrote it.
//!
//! A probe may run forever and take any amount of memory: the caller must limit both.

use std::io::{BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};

use super::grep::Grep;
use super::jq;
use super::sql;
use super::sql::Source;
use crate::model::error::{Error, Result};
use crate::model::text::message::{Message, message};

/// A search or an expression, not yet compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// Finds the lines that match a regular expression.
    Grep {
        pattern: String,
        ignore_case: bool,
        /// How many lines to show around each match.
        context: u64,
    },
    /// Finds values in JSON, by JSONPath or a jq filter.
    Json(String),
    /// Applies a jq filter to the text as one string.
    Text(String),
    /// Answers a query over the rows of one or more outputs, whose contents follow one another.
    Sql { query: String, sources: Vec<Source> },
}

/// What a probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// How many matches, values or rows.
    pub count: u64,
    /// What was searched.
    pub about: Option<Message>,
}

impl From<u64> for Found {
    fn from(count: u64) -> Self {
        Self { count, about: None }
    }
}

impl Probe {
    /// The argument that it came in.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Grep { .. } => "grep",
            Self::Json(_) => "json",
            Self::Text(_) => "text",
            Self::Sql { .. } => "sql",
        }
    }

    /// Refuses an invalid probe, as far as that can be checked cheaply. The jq parser takes stack for each bracket, so
    /// it runs where the filter does.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Grep {
                pattern,
                ignore_case,
                context,
            } => Grep::new(pattern, *ignore_case, *context).map(drop),
            Self::Json(expression) | Self::Text(expression) => jq::check_length(expression),
            Self::Sql { query, .. } => sql::check_length(query),
        }
    }

    /// Writes what it finds.
    pub fn run(&self, content: impl Read, out: &mut impl Write) -> Result<Found> {
        let failed = |error: std::io::Error| {
            Error::store(message!(
                "Can't read the output: {error}.",
                error = error.to_string()
            ))
        };
        let mut content = BufReader::with_capacity(64 * 1024, content);
        match self {
            Self::Grep {
                pattern,
                ignore_case,
                context,
            } => Grep::new(pattern, *ignore_case, *context)?
                .search(content, out)
                .map(Found::from)
                .map_err(failed),
            Self::Json(expression) => {
                let mut whole = Vec::new();
                content.read_to_end(&mut whole).map_err(failed)?;
                jq::evaluate(expression, &whole, out).map(Found::from)
            }
            Self::Text(filter) => {
                let mut whole = Vec::new();
                content.read_to_end(&mut whole).map_err(failed)?;
                jq::evaluate_text(filter, whole, out).map(Found::from)
            }
            Self::Sql { query, sources } => sql::evaluate(query, sources, &mut content, out),
        }
    }

    /// The first line of stdin of the process that runs the probe; the content follows it.
    pub fn to_line(&self) -> String {
        // Strings and numbers always serialize.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads the line that [`Self::to_line`] wrote.
    pub fn from_line(content: &mut impl BufRead) -> Result<Self> {
        let mut line = Vec::new();
        let read = content.read_until(b'\n', &mut line);
        read.ok()
            .and_then(|_| serde_json::from_slice(&line).ok())
            .ok_or_else(|| Error::usage("The first line of stdin is no probe."))
    }
}
