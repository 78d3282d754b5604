//! Working memory of AI coding agents, kept outside their context window.

#![forbid(unsafe_code)]

pub mod cli;
pub mod model;
pub mod pad;
pub mod project;
pub mod store;

pub use model::error::{Error, ErrorKind, Result};
pub use model::id::{OutputId, ProjectId, SessionId};
pub use model::tool::{Reply, Tool};
pub use pad::{Scratchpad, tools};
