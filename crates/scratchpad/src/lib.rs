//! Working memory for AI coding agents, kept outside their context window.
//!
//! An agent's context is compacted without warning. What it must not forget goes on its **pad**:
//! notes, a plan and refs, kept per session and put in front of its next message.
//!
//! # An agent loop
//!
//! Give the model the tools, run the calls it makes, and put the pad in front of each message:
//!
//! ```
//! use scratchpad::{Scratchpad, SessionId};
//! use serde_json::{Value, json};
//!
//! # fn main() -> scratchpad::Result<()> {
//! # let directory = tempfile::tempdir().expect("a directory");
//! # let data_directory = directory.path();
//! let scratchpad = Scratchpad::open(data_directory)?;
//! let session = SessionId::new("conversation-1")?;
//!
//! // 1. The tool definitions, in your provider's format.
//! let tools: Vec<Value> = scratchpad::tools()
//!     .into_iter()
//!     .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}))
//!     .collect();
//! assert_eq!(tools[0]["name"], "session_scratchpad");
//!
//! // 2. The model calls one. An error is a reply too: hand it back, and the model corrects itself.
//! let call = json!({"action": "set_plan", "content": "1. read the code\n2. write the test"});
//! let reply = scratchpad.call(&session, "session_scratchpad", &call);
//! assert_eq!(reply.text(), "Plan saved (34 / 2000 chars).");
//! assert!(!reply.is_error);
//!
//! // 3. The next message: the pad, then the user's text. Keep only the user's text in your history.
//! let message = scratchpad.prompt(&session, "Go on.")?;
//! assert_eq!(message, "\
//! [Session Scratchpad - your persistent working memory]
//! Plan:
//! 1. read the code
//! 2. write the test
//! [End Scratchpad]
//!
//! Go on.");
//! # Ok(())
//! # }
//! ```
//!
//! An agent that forgets its pad can be nudged with a line in front of the user's text:
//!
//! ```
//! use scratchpad::{NudgeSettings, Turn};
//! # use scratchpad::{Scratchpad, SessionId};
//! # fn main() -> scratchpad::Result<()> {
//! # let directory = tempfile::tempdir().expect("a directory");
//! # let session = SessionId::new("conversation-1")?;
//! let nudges = NudgeSettings { on_plan: 1, ..NudgeSettings::default() };
//! let scratchpad = Scratchpad::open(directory.path())?.with_nudges(nudges);
//!
//! let turn = Turn::new("Go on.").after_reply("1. read the code\n2. write the test\n3. fix it");
//! assert_eq!(scratchpad.prompt(&session, turn)?, "\
//! [Hint: your last reply was a plan. Call session_scratchpad with set_plan to keep it.]
//!
//! Go on.");
//! # Ok(())
//! # }
//! ```
//!
//! The pad is on disk when a call returns. After a crash, or in another process, open the same directory and use the
//! same session id to get it back.
//!
//! # Large results
//!
//! A tool result that would fill the context window is kept whole and replaced by a reference of at most 1 KiB. With
//! the tool `scratchpad_read` the model reads the part it needs:
//!
//! ```
//! use scratchpad::Kept;
//! # use scratchpad::{Scratchpad, SessionId};
//! # use serde_json::json;
//! # fn main() -> scratchpad::Result<()> {
//! # let directory = tempfile::tempdir().expect("a directory");
//! # let scratchpad = Scratchpad::open(directory.path())?;
//! # let session = SessionId::new("conversation-1")?;
//! # let result: String = (1..=5_000).map(|line| format!("line {line}\n")).collect();
//! if let Kept::As(reference) = scratchpad.keep_output(&session, "cargo test", result.as_bytes())? {
//!     let call = json!({"id": reference.id.as_str(), "lines": "4000"});
//!     assert_eq!(scratchpad.call(&session, "scratchpad_read", &call).text(), "line 4000\n");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! `model ← disk ← {project, ancestry, store} ← scratchpad ← hosts`: each module uses those to its left.
//!
//! - `model`: types and pure functions; no files, clock or environment.
//! - `disk`: private files, replaced atomically.
//! - `project`: finds the project's root; `ancestry`: finds the ancestors of this process.
//! - `store`: SQL and files behind one trait per concern.
//! - `scratchpad`: [`Scratchpad`], with one method per verb.
//! - `hosts`: what is written into the files of agent hosts.
//!
//! These modules are public only for the program `scratchpad-mcp`, and hidden: they change without notice. The
//! library's interface is what this page lists.

#[doc(hidden)]
pub mod ancestry;
#[doc(hidden)]
pub mod child;
#[doc(hidden)]
pub mod disk;
#[doc(hidden)]
pub mod hosts;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod project;
#[doc(hidden)]
pub mod scratchpad;
#[doc(hidden)]
pub mod store;

pub use crate::model::error::{Error, ErrorKind, Result};
pub use crate::model::host::hook::HookState;
pub use crate::model::id::{OutputId, ProjectId, SessionId};
pub use crate::model::output::reference::Reference;
pub use crate::model::output::stats::OutputStats;
pub use crate::model::pad::nudge::{NudgeSettings, Turn};
pub use crate::model::tool::{Group, Reply, Tool};
#[doc(hidden)]
pub use crate::scratchpad::{
    CallFacts, Cancel, Connection, Copied, Copy, HookReply, Hooked, Imported, ImportedNotes,
    KnownSession, NamedSession, Progress, Purpose, SessionFinder, Step, Window, Written,
};
pub use crate::scratchpad::{Kept, Scratchpad, Whose, tools};
