//! Calls of hosts' hooks: JSON as it was sent → an event that we act on → a decision → the host's own form of answer.
//!
//! What a host calls its events, where its fields are and how it wants to be answered is in the host's own file. Nothing
//! here reads a file, a clock or the environment; what an event needs from the store comes in as [`Facts`] and goes out
//! as [`Decision`].

pub mod answer;
mod compaction;
mod context;
mod decision;
mod detect;
mod event;
mod fork;
mod state;
mod tool_result;
mod transcript;
pub(super) mod wire;

pub use answer::Answer;
pub use compaction::{RecordedEvent, recorded_compaction};
pub use context::{GivenNotes, NotesNow};
pub use decision::{Decision, Facts, ROOM, decide};
pub use detect::detect;
pub use event::{Event, EventKind, StartReason};
pub use fork::{Original, original_in_transcript, original_on_command_line};
pub use state::HookState;
pub use tool_result::{ToolResult, is_left_alone, large_texts, with_texts};
pub use transcript::{last_reply, last_reply_at};

pub use crate::model::settings::hooks::HookSettings;
use wire::Wire;

/// What an event of a host means to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// A conversation begins or goes on.
    SessionStart,
    /// The person wrote something.
    Prompt,
    /// Before each request to the model; what is added is not kept.
    ModelCall,
    /// The conversation is about to be compacted.
    BeforeCompaction,
    /// A tool is about to be called.
    BeforeTool,
    /// A tool answered.
    AfterTool,
    /// The agent finished its reply.
    ReplyEnd,
    /// The conversation is over, or the process ends.
    SessionEnd,
}

/// When an agent is given the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At the start, and before a prompt if it changed: the host keeps what hooks say.
    WithPrompts,
    /// With each request to the model: the host does not keep it.
    WithRequests,
    /// After a tool, if it changed: whatever hooks say elsewhere gets lost.
    AfterTools,
}

/// The hooks of a host.
#[derive(Debug)]
pub struct HostHooks {
    /// The shapes of its payloads; the first that names a session counts.
    pub(super) wires: &'static [&'static Wire],
    /// What its events mean; all others are ignored.
    pub(super) events: &'static [(&'static str, EventName)],
    /// An answer to an event of this name, in its own form: what to print.
    pub answer: fn(event: &str, answer: &Answer) -> String,
    /// When the block is given.
    pub delivery: Delivery,
    /// Whether a hook may replace the result of a tool: seen in a run of the real program.
    pub replaces_results: bool,
    /// Whether scripts may call MCP tools there, in calls that look like the model's own.
    pub hides_scripts: bool,
    /// How it begins what it puts in the place of a result that it kept itself.
    pub(super) stubs: &'static [&'static str],
}

/// An answer that says nothing, for a host that is not known: in JSON it is valid in all of them.
pub const NO_ANSWER: &str = "{}\n";

impl HostHooks {
    pub(super) const NONE: Self = Self {
        wires: &[],
        events: &[],
        answer: |_, _| NO_ANSWER.to_owned(),
        delivery: Delivery::WithPrompts,
        replaces_results: false,
        hides_scripts: false,
        stubs: &[],
    };
}
