//! Transcripts of hosts: pure functions over their lines, which become one stream of events.
//!
//! A reader takes one line at a time and knows only what it needs of it. What it does not know it skips: hosts add kinds of
//! lines with every version. A line that is no JSON is damaged.

pub mod audit;
mod calibrate;
mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;
mod traces;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// What happened in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A request to the model, by what it used. The same request may come again: the largest counts.
    Request(Usage<'a>),
    /// The model of the requests that follow, where they don't name it.
    Model(Cow<'a, str>),
    /// The model called a tool, with arguments as it wrote them.
    Call {
        id: Cow<'a, str>,
        tool: ToolName<'a>,
        written: Cow<'a, str>,
    },
    /// What the model saw of a result.
    Result {
        id: Cow<'a, str>,
        /// The tool, if the call may not be known.
        tool: Option<ToolName<'a>>,
        text: Cow<'a, str>,
        /// How many bytes the host cut out of it before.
        lost: u64,
    },
    /// What the model wrote.
    Said(Cow<'a, str>),
    /// What else came into the window: the person's text, and what the host and hooks put in.
    Added(Cow<'a, str>),
    /// The tools that the model is sent with each request.
    Listed { tools: usize, text: Cow<'a, str> },
    /// The window was emptied.
    Compaction,
    /// Another conversation begins, if this is not the one.
    Conversation(Cow<'a, str>),
}

/// What a request used, in the model's tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage<'a> {
    /// Unique; empty if the host gives none, and then each one counts.
    pub id: Cow<'a, str>,
    pub model: Cow<'a, str>,
    /// All that was sent, from caches too.
    pub input: u64,
    pub output: u64,
}

/// A tool, and the MCP server that it is of; no server for the host's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName<'a> {
    pub server: Cow<'a, str>,
    pub tool: Cow<'a, str>,
}

impl<'a> ToolName<'a> {
    pub fn own(tool: impl Into<Cow<'a, str>>) -> Self {
        Self {
            server: Cow::Borrowed(""),
            tool: tool.into(),
        }
    }

    pub fn of(server: impl Into<Cow<'a, str>>, tool: impl Into<Cow<'a, str>>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
        }
    }

    /// A name like `mcp__SERVER__TOOL`, or that of an own tool.
    fn joined(name: Cow<'a, str>) -> Self {
        let parts = name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"));
        match parts {
            Some((server, tool)) => Self::of(server.to_owned(), tool.to_owned()),
            None => Self::own(name),
        }
    }

    #[must_use]
    pub fn into_owned(self) -> ToolName<'static> {
        ToolName {
            server: Cow::Owned(self.server.into_owned()),
            tool: Cow::Owned(self.tool.into_owned()),
        }
    }
}

/// A line that can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Whose transcript it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptFormat {
    Claude,
    Codex,
    Gemini,
    Qwen,
    Copilot,
    OpenCode,
}

impl TranscriptFormat {
    /// Calls `event` with what a line says.
    pub fn read<'a>(self, line: &'a [u8], event: &mut dyn FnMut(Event<'a>)) -> Result<(), Damaged> {
        match self {
            Self::Claude => claude::read(line, event),
            Self::Codex => codex::read(line, event),
            Self::Gemini => gemini::read(line, event),
            Self::Qwen => qwen::read(line, event),
            Self::Copilot => copilot::read(line, event),
            Self::OpenCode => opencode::read(line, event),
        }
    }
}

/// A line as JSON of a type that borrows from it.
fn parsed<'a, T: serde::Deserialize<'a>>(line: &'a [u8]) -> Result<T, Damaged> {
    serde_json::from_slice(line).map_err(|_| Damaged)
}

/// Texts that are one or several.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(untagged)]
enum Content<'a, T> {
    Text(Cow<'a, str>),
    Parts(Vec<T>),
    #[default]
    None,
    Other(serde::de::IgnoredAny),
}
