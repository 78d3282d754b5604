//! The pad: its three spaces and their budgets.

pub mod action;
pub mod block;
pub mod earlier;
pub mod nudge;
pub mod plan;
pub mod revision;
pub mod session_log;
pub mod tool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::json::whole::Whole;

/// The largest input of one call, in bytes: anything larger belongs in a file.
pub const MAX_INPUT_BYTES: usize = 16 * 1024 * 1024;

/// One of the three parts of a pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Free text.
    Notes,
    /// The next steps.
    Plan,
    /// Pointers: paths, links, ids.
    Refs,
}

impl Space {
    /// All spaces, in the order in which the block shows them.
    pub const ALL: [Self; 3] = [Self::Notes, Self::Plan, Self::Refs];

    /// The name used in commands, replies and the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Notes => "notes",
            Self::Plan => "plan",
            Self::Refs => "refs",
        }
    }

    /// The name at the start of a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::Notes => "Notes",
            Self::Plan => "Plan",
            Self::Refs => "Refs",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|space| space.name() == name)
    }
}

/// The working memory of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pad {
    /// Free text.
    pub notes: String,
    /// The next steps.
    pub plan: String,
    /// Pointers, oldest first.
    pub refs: Vec<String>,
}

impl Pad {
    /// Whether all spaces are empty.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.plan.is_empty() && self.refs.is_empty()
    }

    /// The line by which a person or an agent knows it again: the first of the plan; without one, of the notes or the refs.
    pub fn title(&self) -> &str {
        let texts = [self.plan.as_str(), self.notes.as_str()];
        let lines = texts.into_iter().flat_map(str::lines).map(str::trim);
        let refs = self.refs.iter().map(String::as_str);
        lines
            .chain(refs)
            .find(|line| !line.is_empty())
            .unwrap_or_default()
    }

    pub fn content(&self, space: Space) -> Content {
        match space {
            Space::Notes => Content::Notes(self.notes.clone()),
            Space::Plan => Content::Plan(self.plan.clone()),
            Space::Refs => Content::Refs(self.refs.clone()),
        }
    }

    /// Replaces the content of its space.
    pub fn put(&mut self, content: Content) {
        match content {
            Content::Notes(text) => self.notes = text,
            Content::Plan(text) => self.plan = text,
            Content::Refs(refs) => self.refs = refs,
        }
    }
}

/// The whole content of one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Notes(String),
    Plan(String),
    /// Oldest first.
    Refs(Vec<String>),
}

impl Content {
    pub fn empty(space: Space) -> Self {
        Pad::default().content(space)
    }

    pub fn space(&self) -> Space {
        match self {
            Self::Notes(_) => Space::Notes,
            Self::Plan(_) => Space::Plan,
            Self::Refs(_) => Space::Refs,
        }
    }

    /// How much of the budget it uses, in the budget's unit.
    pub fn used(&self) -> usize {
        match self {
            Self::Notes(text) | Self::Plan(text) => text.chars().count(),
            Self::Refs(refs) => refs.len(),
        }
    }
}

/// The budgets of the spaces: the section `pad` of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// The most characters in a session's notes.
    #[serde(with = "Whole::<1, 1_000_000>")]
    pub notes_max_chars: usize,
    /// The most characters in a session's plan.
    #[serde(with = "Whole::<1, 1_000_000>")]
    pub plan_max_chars: usize,
    /// The most refs in a session; adding one more drops the oldest.
    #[serde(with = "Whole::<1, 10_000>")]
    pub max_refs: usize,
    /// The most characters in one ref.
    #[serde(with = "Whole::<1, 100_000>")]
    pub ref_max_chars: usize,
    /// The most tokens in the notes when they are written with the tool's old arguments (content and mode, no action).
    #[serde(with = "Whole::<1, 1_000_000>")]
    pub token_budget: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            notes_max_chars: 4_000,
            plan_max_chars: 2_000,
            max_refs: 50,
            ref_max_chars: 4_000,
            token_budget: 2_000,
        }
    }
}

impl Limits {
    /// The budget of a space, and its unit.
    pub fn of(&self, space: Space) -> (usize, Unit) {
        match space {
            Space::Notes => (self.notes_max_chars, Unit::Chars),
            Space::Plan => (self.plan_max_chars, Unit::Chars),
            Space::Refs => (self.max_refs, Unit::Items),
        }
    }
}

/// The unit of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Unicode scalar values.
    Chars,
    /// Estimated tokens.
    Tokens,
    Items,
}

impl Unit {
    /// The name used in replies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chars => "chars",
            Self::Tokens => "tokens",
            Self::Items => "items",
        }
    }
}
