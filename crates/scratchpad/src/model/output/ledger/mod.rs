//! The ledger: what was kept out of the context window, and what that cost.
//!
//! Amounts are never negative; whether they are won or spent is in their [`What`], so that the sum is signed and nothing
//! is clamped.

pub mod shown;
pub mod size;
pub mod stats;

use crate::model::id::{Millis, ProjectId, SessionId};
use size::Size;

/// How long rows are kept, in days.
pub const KEPT_DAYS: i64 = 400;

/// A day in milliseconds.
const DAY: Millis = 24 * 60 * 60 * 1_000;

/// The number of the day, in UTC, since 1970.
pub fn day_of(at: Millis) -> i64 {
    at.div_euclid(DAY)
}

/// When a day began, in milliseconds since 1970.
pub fn start_of(day: i64) -> Millis {
    day.saturating_mul(DAY)
}

/// What an amount is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// What the host would have shown of a result that was kept instead.
    Kept,
    /// The rest of that result, which the host would have cut anyway.
    CutByHost,
    /// An argument that was passed by reference, so nobody had to write it.
    Passed,
    /// The reference in place of a result.
    Reference,
    /// A call that read a part of an output, and its answer.
    Read,
    /// The same, up to the end of the output.
    ReadWhole,
    /// Our tools in the list that the model is sent.
    Listed,
    /// What hooks put in: the block, hints, context notes, guidance.
    Injected,
}

/// Whether an amount is won or spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Won,
    Spent,
    /// Neither: it is shown, and not counted.
    Neither,
}

impl What {
    pub const ALL: [Self; 8] = [
        Self::Kept,
        Self::CutByHost,
        Self::Passed,
        Self::Reference,
        Self::Read,
        Self::ReadWhole,
        Self::Listed,
        Self::Injected,
    ];

    /// Its name in stores and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::CutByHost => "cut_by_host",
            Self::Passed => "passed",
            Self::Reference => "reference",
            Self::Read => "read",
            Self::ReadWhole => "read_whole",
            Self::Listed => "listed",
            Self::Injected => "injected",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.name() == name)
    }

    pub fn side(self) -> Side {
        match self {
            Self::Kept | Self::Passed => Side::Won,
            Self::CutByHost => Side::Neither,
            Self::Reference | Self::Read | Self::ReadWhole | Self::Listed | Self::Injected => {
                Side::Spent
            }
        }
    }
}

/// One amount, before it is added to those of its day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub what: What,
    pub project: ProjectId,
    /// The host's name; empty if it is not known.
    pub host: String,
    /// Whose tool it was; empty if that is not known.
    pub upstream: String,
    pub tool: String,
    pub times: u64,
    pub size: Size,
}

impl Entry {
    /// Whether it is written only once in a session, because the model has it in all its requests.
    pub fn is_once(&self) -> bool {
        self.what == What::Listed
    }
}

/// The amounts of one kind, of one day and session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// In days since 1970.
    pub day: i64,
    pub session: SessionId,
    /// Who wrote it; empty if the store does not record authors.
    pub author: String,
    pub entry: Entry,
}

/// Which rows are meant. What is `None` does not restrict them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LedgerFilter<'a> {
    pub project: Option<&'a ProjectId>,
    pub session: Option<&'a SessionId>,
    /// The first day.
    pub since: Option<i64>,
}
