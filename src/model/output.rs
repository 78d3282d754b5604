//! Outputs as they are listed: what is known of a text without reading it.

use super::id::{Millis, OutputId, SessionId};

/// What is known of a kept output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputHead {
    /// Its id.
    pub id: OutputId,
    /// Its size.
    pub bytes: u64,
    /// What made it: a tool, or the action whose text was cut.
    pub tool: String,
    /// The session that kept it first.
    pub session: SessionId,
    /// When it was kept first.
    pub created: Millis,
}

/// Outputs that were found, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundOutputs {
    /// How many there are in all.
    pub total: usize,
    /// The bytes of all of them.
    pub bytes: u64,
    /// The first ones.
    pub outputs: Vec<OutputHead>,
}
