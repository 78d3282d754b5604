//! The definition of a tool, as agents see it: its name, description and schemas.

use serde_json::Value;

/// The definition of a tool, as agents see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name to call it by.
    pub name: &'static str,
    /// What it is for, in few words.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of the data in its replies. Few hosts use it, and it costs context window.
    pub output_schema: Value,
    /// What it works on.
    pub group: Group,
    /// What a call does to stored data.
    pub effect: Effect,
}

/// The groups of tools; a group is offered or switched off as a whole.
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

/// What a call of a tool does to stored data. Hosts ask the person before some of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds data; what it replaces can be restored, because each write of the pad is a revision.
    Adds,
    /// Replaces or deletes data for good; repeating the call changes nothing more.
    Replaces,
    /// Any of these, depending on its arguments.
    Depends,
}
