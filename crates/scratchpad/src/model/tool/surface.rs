//! Which tools are offered, and under which names.

use super::{Group, Tool};
use crate::model::error::{Error, Result};
use crate::model::note::NoteLimits;
use crate::model::note::tool as note_tools;
use crate::model::output::tool as output_tools;
use crate::model::pad::Limits;
use crate::model::pad::tool as pad_tool;
use crate::model::text::message::{message, quoted};
use crate::model::text::nearest::did_you_mean;

/// The tools that a server offers. It never changes while the server runs, because hosts cache the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    pub groups: Vec<Group>,
    pub form: Form,
    pub names: Names,
    /// What the schemas and the guidance say of the pad's budgets.
    pub pad: Limits,
    /// The same of notes.
    pub notes: NoteLimits,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One tool for each operation.
    #[default]
    Full,
    /// One tool per group, which costs fewer tokens.
    Compact,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Without dots, because hosts rename or refuse names with dots.
    #[default]
    Plain,
    /// `session.scratchpad`.
    Dotted,
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            groups: Group::ALL.to_vec(),
            form: Form::Full,
            names: Names::Plain,
            pad: Limits::default(),
            notes: NoteLimits::default(),
        }
    }
}

impl Surface {
    /// The tools, in the order in which they are listed.
    pub fn tools(&self) -> Vec<Tool> {
        let offered = |group| self.groups.contains(&group);
        let mut tools = Vec::new();
        if offered(Group::Pad) {
            let mut pad = match self.form {
                Form::Full => pad_tool::definition(&self.pad),
                Form::Compact => pad_tool::compact_definition(&self.pad),
            };
            if self.names == Names::Dotted {
                pad.name = pad_tool::DOTTED_NAME;
            }
            tools.push(pad);
        }
        match self.form {
            Form::Full => {
                if offered(Group::Notes) {
                    tools.extend(note_tools::definitions(&self.notes));
                }
                if offered(Group::Outputs) {
                    tools.extend(output_tools::definitions());
                }
            }
            Form::Compact => {
                if offered(Group::Notes) {
                    tools.push(note_tools::compact_definition(&self.notes));
                }
                if offered(Group::Outputs) {
                    tools.push(output_tools::compact_definition());
                }
            }
        }
        tools
    }
}

/// The error for a use of a group that is switched off.
pub fn switched_off(group: Group) -> Error {
    Error::refused(match group {
        Group::Pad => "The pad is switched off (`pad.enabled` is false).",
        Group::Notes => "Notes are switched off (`notes.enabled` is false).",
        Group::Outputs => "Outputs are switched off (`outputs.enabled` is false).",
    })
    .hint("`scratchpad config show` says where that is set.")
}

/// Looks up a group by name.
pub fn group(name: &str) -> Result<Group> {
    let names = Group::ALL.map(Group::name);
    Group::ALL
        .into_iter()
        .find(|group| group.name() == name.trim())
        .ok_or_else(|| {
            Error::usage(message!(
                "Unknown group of tools {name}.",
                name = quoted(name)
            ))
            .hint(
                did_you_mean(name, names).unwrap_or_else(|| {
                    message!("the groups are {names}.", names = names.join(", "))
                }),
            )
        })
}
