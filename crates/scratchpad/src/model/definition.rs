//! What an agent is told about a tool: its name, description and schemas.

use serde_json::Value;

/// What an agent is told about one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name to call it by.
    pub name: &'static str,
    /// What it is for, in few words.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of the data in its replies; few hosts want it, and it costs window.
    pub output_schema: Value,
    /// What it works on.
    pub group: Group,
    /// What a call does to what is kept.
    pub effect: Effect,
}

/// What a tool works on: tools are offered by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The pad.
    Pad,
    /// Notes.
    Notes,
    /// Outputs.
    Outputs,
}

impl Group {
    /// All groups, in the order their tools are listed.
    pub const ALL: [Self; 3] = [Self::Pad, Self::Notes, Self::Outputs];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pad => "pad",
            Self::Notes => "notes",
            Self::Outputs => "outputs",
        }
    }
}

/// What a call of a tool does to what is kept. Hosts ask the person before they let some of it happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It adds, and what was there can be had back: each write of the pad is a revision.
    Adds,
    /// What was there is gone; the same call again changes nothing more.
    Replaces,
    /// One of the above, as its arguments say.
    Depends,
}
