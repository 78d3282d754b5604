//! Calls from hosts: JSON as it was sent → an event that we act on → a decision → the host's own answer form.
//!
//! A host is one entry in [`HOSTS`]. Nothing here reads a file, a clock or the environment; what an event
//! needs from the store comes in as [`Facts`] and goes out as [`Decision`].

mod answer;
mod decision;
mod detect;
mod event;
mod fork;
mod hosts;
mod start;
mod state;
mod tool_result;
mod transcript;
mod wire;

pub use crate::model::settings::hooks::HookSettings;
pub use answer::{Answer, Form};
pub use decision::{Decision, Facts, ROOM, decide};
pub use detect::detect;
pub use event::{Event, EventKind, Source};
pub use fork::{Original, original_in_transcript, original_on_command_line};
pub use hosts::{Delivery, HOSTS, Host, Recorded, host};
pub use start::start_text;
pub use state::HookState;
pub use tool_result::{ToolResult, is_left_alone, large_texts, with_texts};
pub use transcript::{last_reply, last_reply_at};
