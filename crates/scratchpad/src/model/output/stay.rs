//! Why outputs are kept: what a prune says of those that it leaves.

use super::{FORSAKEN, IN_USE, OutputHead};
use crate::model::id::Millis;

/// Why a prune leaves an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A pad has a revision that was cut from it.
    Pinned,
    /// Somebody else keeps it, and it was used within a week.
    Others,
    /// It was kept or read within the last hour.
    InUse,
    /// It is within the limits of age and size.
    WithinLimits,
}

impl Why {
    /// All of them, in the order in which they count.
    pub const ALL: [Self; 4] = [Self::Pinned, Self::Others, Self::InUse, Self::WithinLimits];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Others => "others",
            Self::InUse => "in_use",
            Self::WithinLimits => "within_limits",
        }
    }

    /// Why this output stays. Its author is empty if it is the reader's own.
    pub fn of(output: &OutputHead, now: Millis) -> Self {
        let unused = now.saturating_sub(output.used);
        if output.pinned_by.is_some() {
            Self::Pinned
        } else if !output.author.is_empty() && unused <= FORSAKEN {
            Self::Others
        } else if unused < IN_USE {
            Self::InUse
        } else {
            Self::WithinLimits
        }
    }
}

/// How many outputs stay for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    pub why: Why,
    pub outputs: usize,
    /// Their total size.
    pub bytes: u64,
}

/// The outputs that stay, by reason; only reasons that there are.
pub fn stays(outputs: &[OutputHead], now: Millis) -> Vec<Stay> {
    let each = Why::ALL.into_iter().map(|why| {
        let of_it = outputs
            .iter()
            .filter(|output| Why::of(output, now) == why)
            .map(|output| output.bytes);
        let (outputs, bytes) = of_it.fold((0, 0), |(count, sum), bytes| (count + 1, sum + bytes));
        Stay {
            why,
            outputs,
            bytes,
        }
    });
    each.filter(|stay| stay.outputs > 0).collect()
}
