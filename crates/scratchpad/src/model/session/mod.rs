//! Which session a call belongs to, and the processes that announce it.

pub mod announce;
pub mod process;
pub mod which;
