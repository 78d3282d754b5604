//! Outputs: what is known about a kept text without reading it, and how long it is kept.

pub mod age;
mod csv;
pub mod cut;
pub mod describe;
pub mod find;
pub mod grep;
pub mod jq;
pub mod json_shape;
pub mod ledger;
mod markdown;
pub mod offload;
pub mod page;
pub mod pass;
pub mod preview;
pub mod probe;
pub mod reference;
pub mod reply;
pub mod room;
pub mod slice;
pub mod sql;
pub mod stats;
pub mod stay;
pub mod tool;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::id::{Millis, OutputId, SessionId};
use super::json::whole::Whole;
use age::Age;

/// What kind of text an output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// One JSON object or array.
    Json,
    /// Text with headings, lists or tables of Markdown.
    Markdown,
    /// Rows of separated values below a line with the names of the columns.
    Csv,
    /// Anything else.
    #[default]
    Text,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Text => "text",
        }
    }

    /// The kind with this name; an unknown one is text.
    pub fn named(name: &str) -> Self {
        match name {
            "json" => Self::Json,
            "markdown" => Self::Markdown,
            "csv" => Self::Csv,
            _ => Self::Text,
        }
    }
}

/// What is known about a kept output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputHead {
    pub id: OutputId,
    pub bytes: u64,
    pub lines: u64,
    pub kind: Kind,
    /// What produced it, each once, the latest first: a tool, or the action whose text was truncated.
    pub tools: Vec<String>,
    /// The session that kept it last.
    pub session: SessionId,
    /// When it was last kept: its age counts from here.
    pub kept: Millis,
    /// When it was last kept or read.
    pub used: Millis,
    /// Who kept it last; empty if the store does not record authors, or if it was you.
    pub author: String,
    /// Whose tool first produced it: an upstream, a host, `run` or `put`; empty if that is not known.
    pub upstream: String,
    /// What it looks like; empty if that is not known.
    pub preview: String,
    /// A session whose pad has a revision that was cut from this text: it is not pruned.
    pub pinned_by: Option<SessionId>,
}

/// The names without repetitions, in this order.
pub fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut names = names;
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// What produces an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Whose tool it is: an upstream, a host, `run` or `put`; empty if that is not known.
    pub upstream: &'a str,
    pub tool: &'a str,
}

/// An output that a prune may remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub id: OutputId,
    pub bytes: u64,
    /// When it was last kept or read.
    pub used: Millis,
}

/// What a prune removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub outputs: usize,
    /// Their total size.
    pub bytes: u64,
    /// The number of files that belonged to no output.
    pub strays: usize,
}

/// How long outputs are kept, and how much of them is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutputLimits {
    /// The most characters of a preview in a reference; 0 for none.
    #[serde(with = "Whole::<0, 500>")]
    pub preview_length: usize,
    /// Whether references and lists have previews.
    pub include_preview: bool,
    /// The most bytes in one answer of `scratchpad_read`.
    #[serde(with = "Whole::<256, 16_777_216>")]
    pub read_max_bytes: usize,
    /// How long an output is kept, like `90m`, `24h` or `7d`.
    #[serde(with = "Age")]
    pub max_age: Millis,
    /// The most bytes in all outputs together; above it, the least recently used are removed.
    #[serde(with = "Whole::<1, 1_125_899_906_842_624>")]
    pub max_total_bytes: u64,
    /// The most bytes in the outputs of one upstream; 0 for nine times `max_total_bytes`.
    #[serde(with = "Whole::<0, 1_125_899_906_842_624>")]
    pub max_bytes_per_upstream: u64,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self {
            preview_length: 400,
            include_preview: true,
            read_max_bytes: 32 * 1024,
            max_age: 24 * 60 * 60 * 1_000,
            max_total_bytes: 50 * 1024 * 1024,
            max_bytes_per_upstream: 0,
        }
    }
}

impl OutputLimits {
    /// The most characters of a preview.
    pub fn preview_chars(&self) -> usize {
        if self.include_preview {
            self.preview_length
        } else {
            0
        }
    }

    /// The most bytes that outputs in use may have together.
    pub fn most_in_use(&self) -> u64 {
        self.max_total_bytes.saturating_mul(10)
    }

    /// The most bytes that the outputs of one upstream may have together.
    pub fn most_of_upstream(&self) -> u64 {
        match self.max_bytes_per_upstream {
            // The rest is room for the others.
            0 => self.max_total_bytes.saturating_mul(9),
            bytes => bytes,
        }
    }
}

/// An output used within this time is in use: it is not pruned.
pub const IN_USE: Millis = 60 * 60 * 1_000;

/// Outputs kept by others are theirs to prune, until nobody has used them for this long.
pub const FORSAKEN: Millis = 7 * 24 * 60 * 60 * 1_000;
