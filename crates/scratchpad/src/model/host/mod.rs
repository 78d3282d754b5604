//! Agent hosts: the programs that run agents.

pub mod edit;
pub mod hook;
pub mod install;
pub mod targets;
pub mod wrap;
