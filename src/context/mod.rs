//! A project's context: notes that the person writes, and the instruction files that carry them to agents.
//!
//! Beside the pad, and without its store: what is here are files that the person and the hosts read too.

pub mod notes;
