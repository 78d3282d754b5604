//! Which session a call belongs to, and how processes tell it.

pub mod process;
pub mod which;
