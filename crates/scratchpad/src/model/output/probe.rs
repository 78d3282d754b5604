//! A probe: a search or an expression over one output, as an agent wrote it.
//!
//! Some take for ever or need any amount of memory; whoever runs one bounds both.

use std::io::{BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};

use super::grep::Grep;
use super::jq;
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// What finds parts of an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// A pattern: the lines that match.
    Grep {
        /// A regular expression.
        pattern: String,
        /// Whether case does not matter.
        ignore_case: bool,
        /// How many lines around each match are shown.
        context: u64,
    },
    /// An expression over JSON: the values it finds.
    Json(String),
}

impl Probe {
    /// The argument that it was given as.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Grep { .. } => "grep",
            Self::Json(_) => "json",
        }
    }

    /// Refuses what is wrong, as far as that is told in little time. The parser of filters needs stack for each
    /// bracket, so it runs where the filter does.
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

    /// Writes what is found; answers how many matches or values that are.
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

    /// Its one line for the process that runs it; the content follows.
    pub fn to_line(&self) -> String {
        // A string in a variant always becomes JSON.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads that line.
    pub fn from_line(content: &mut impl BufRead) -> Result<Self> {
        let mut line = Vec::new();
        let read = content.read_until(b'\n', &mut line);
        read.ok()
            .and_then(|_| serde_json::from_slice(&line).ok())
            .ok_or_else(|| Error::usage("The first line of stdin is no probe."))
    }
}
