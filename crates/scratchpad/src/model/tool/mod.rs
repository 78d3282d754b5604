//! Tools as agents see them: definitions, calls and replies.

pub mod call;
pub mod guidance;
pub mod prompts;
pub mod skill;
pub mod surface;
pub mod xml;

pub use super::definition::{Effect, Group, Tool};
pub use super::reply::Reply;
