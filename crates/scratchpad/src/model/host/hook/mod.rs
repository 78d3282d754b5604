//! Hook calls of hosts: JSON as sent → an event → a decision → an answer in the host's form.
//!
//! The names of a host's events, the fields of its payloads and the form of its answers are in the host's own file. Nothing
//! here reads a file, a clock or the environment: what is needed from the store is passed in as [`HookFacts`], and what to
//! store is returned in the [`Decision`].

pub mod answer;
mod compaction;
mod context;
mod decision;
mod detect;
pub mod digest;
mod event;
mod facts;
mod fork;
pub mod mirror;
mod receipt;
mod state;
mod tasks;
mod tool_result;
mod transcript;
pub(super) mod wire;

pub use answer::Answer;
pub use compaction::{RecordedEvent, has_recorded_compaction, recorded_compaction};
pub use context::{GivenNotes, NotesNow};
pub use decision::{Decision, HookFacts, ROOM, decide};
pub use detect::detect;
pub use digest::Facts;
pub use event::{Event, EventKind, StartReason};
pub(super) use facts::Exit;
pub use facts::{Fact, WorkTools, kept_in};
pub use fork::{Original, original_in_transcript, original_on_command_line};
pub use mirror::Mirror;
pub use receipt::Receipt;
pub use state::HookState;
pub(super) use tasks::TaskForm;
pub use tasks::{Task, TaskCall, TaskTool, task_call};
pub use tool_result::{ToolResult, is_left_alone, large_texts, with_texts};
pub use transcript::{last_reply, last_reply_at};

pub use crate::model::settings::hooks::HookSettings;
use serde_json::Value;
use wire::Wire;

/// What an event of a host means to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// A conversation starts or is resumed.
    SessionStart,
    /// The person sent a message.
    Prompt,
    /// Before each request to the model; the host does not keep what is added.
    ModelCall,
    /// The conversation is about to be compacted.
    BeforeCompaction,
    /// A tool is about to be called.
    BeforeTool,
    /// The conversation was compacted; with the summary, if the host sends it.
    AfterCompaction,
    /// A tool call has returned.
    AfterTool,
    /// A tool call has failed.
    ToolFailure,
    /// The agent has finished its reply.
    ReplyEnd,
    /// A sub-agent has ended.
    SubAgentEnd,
    /// The conversation or the process has ended.
    SessionEnd,
}

/// When an agent is given the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At the start, and before a prompt if it has changed: the host keeps what hooks add.
    WithPrompts,
    /// With each request to the model: the host does not keep what hooks add.
    WithRequests,
    /// After a tool call, if it has changed: the host drops what hooks add elsewhere.
    AfterTools,
}

/// The hooks of a host.
#[derive(Debug)]
pub struct HostHooks {
    /// The shapes of its payloads. The first one that finds a session applies.
    pub(super) wires: &'static [&'static Wire],
    /// Its events and what they mean; others are ignored.
    pub(super) events: &'static [(&'static str, EventName)],
    /// Formats an answer to the event with this name.
    pub answer: fn(event: &str, answer: &Answer) -> String,
    /// When the agent is given the block.
    pub delivery: Delivery,
    /// Whether a hook can replace a tool result; verified with the real program.
    pub replaces_results: bool,
    /// Whether scripts can call MCP tools in calls that look like the model's own.
    pub hides_scripts: bool,
    /// Its own task tools, whose list is mirrored as the plan.
    pub task_tools: &'static [TaskTool],
    /// Its tools that change files and run commands, whose calls the digest tells of.
    pub work: WorkTools,
    /// The field of an answer whose text the person is shown.
    pub notice: Option<&'static str>,
    /// The beginnings of its own references to stored results.
    pub(super) stubs: &'static [&'static str],
}

/// The answer for an unknown host: JSON that every host accepts.
pub const NO_ANSWER: &str = "{}\n";

impl HostHooks {
    /// Formats an answer to an event of this name, with a line for the person where the host shows one.
    pub fn say(&self, event: &str, answer: &Answer, notice: Option<String>) -> String {
        let text = (self.answer)(event, answer);
        let (Some(field), Some(notice)) = (self.notice, notice) else {
            return text;
        };
        match serde_json::from_str(&text) {
            Ok(Value::Object(mut fields)) => {
                fields.insert(field.to_owned(), Value::from(notice));
                answer::line(&Value::Object(fields))
            }
            _ => text,
        }
    }

    pub(super) const NONE: Self = Self {
        wires: &[],
        events: &[],
        answer: |_, _| NO_ANSWER.to_owned(),
        delivery: Delivery::WithPrompts,
        replaces_results: false,
        hides_scripts: false,
        task_tools: &[],
        work: WorkTools::NONE,
        notice: None,
        stubs: &[],
    };
}
