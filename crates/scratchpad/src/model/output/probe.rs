//! A probe: a search or an expression over one output, as an agent wrote it.
//!
//! A probe may run forever and take any amount of memory: the caller must limit both.

use std::io::{BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};

use super::grep::Grep;
use super::jq;
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

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
}

impl Probe {
    /// The argument that it came in.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Grep { .. } => "grep",
            Self::Json(_) => "json",
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
            Self::Json(expression) => jq::check_length(expression),
        }
    }

    /// Writes what it finds; returns the number of matches or values.
    pub fn run(&self, content: impl Read, out: &mut impl Write) -> Result<u64> {
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
                .map_err(failed),
            Self::Json(expression) => {
                let mut whole = Vec::new();
                content.read_to_end(&mut whole).map_err(failed)?;
                jq::evaluate(expression, &whole, out)
            }
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
