//! The ledger of what was kept out of context windows, and what that cost.

use crate::model::error::Result;
use crate::model::id::{Millis, SessionId};
use crate::model::output::ledger::stats::Sums;
use crate::model::output::ledger::{Entry, LedgerFilter, LedgerRow};

/// Stores the ledger: one row for each day, session and kind. Not durable at once: a power loss may lose the last amounts.
///
/// Most amounts are written with what they belong to, in its transaction: see [`OutputDraft`](super::OutputDraft) and
/// [`Heard`](super::Heard).
pub trait Ledger: Send + Sync {
    /// Adds amounts to those of their day, and removes rows that are too old.
    fn book(&self, session: &SessionId, at: Millis, entries: &[Entry]) -> Result<()>;

    /// The rows that match, oldest first.
    fn ledger(&self, filter: LedgerFilter<'_>) -> Result<Vec<LedgerRow>>;

    /// The sums of one session: a few rows by an index.
    fn booked_of(&self, session: &SessionId) -> Result<Sums>;

    /// Takes rows over from another store. A row that is there already keeps the larger amounts, so that taking the same
    /// again changes nothing.
    fn take_ledger(&self, rows: &[LedgerRow]) -> Result<()>;
}
