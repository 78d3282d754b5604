//! How much is kept.

use super::OutputHead;
use crate::model::id::Millis;

/// Figures about a number of outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputStats {
    pub outputs: usize,
    /// Their total size.
    pub bytes: u64,
    /// When the one that was kept first was last kept, in milliseconds since 1970.
    pub oldest: Option<Millis>,
    /// When the one that was kept last was kept.
    pub newest: Option<Millis>,
    /// The size of the largest.
    pub largest: u64,
}

impl OutputStats {
    pub fn of(outputs: &[OutputHead]) -> Self {
        Self {
            outputs: outputs.len(),
            bytes: outputs.iter().map(|output| output.bytes).sum(),
            oldest: outputs.iter().map(|output| output.kept).min(),
            newest: outputs.iter().map(|output| output.kept).max(),
            largest: outputs.iter().map(|output| output.bytes).max().unwrap_or(0),
        }
    }
}
