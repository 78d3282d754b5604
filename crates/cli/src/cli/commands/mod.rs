//! One file or folder per command.

pub(in crate::cli) mod call;
pub(in crate::cli) mod completions;
pub(in crate::cli) mod config;
pub(in crate::cli) mod context;
pub(in crate::cli) mod guidance;
pub(in crate::cli) mod help;
pub(in crate::cli) mod hook;
pub(in crate::cli) mod inject;
pub(in crate::cli) mod install;
pub(in crate::cli) mod man;
pub(in crate::cli) mod mcp;
pub(in crate::cli) mod note;
pub(in crate::cli) mod output;
pub(in crate::cli) mod probe;
pub(in crate::cli) mod profile;
pub(in crate::cli) mod project;
pub(in crate::cli) mod prompt;
pub(in crate::cli) mod proxy;
pub(in crate::cli) mod run;
pub(in crate::cli) mod search;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod session;
pub(in crate::cli) mod status;
pub(in crate::cli) mod statusline;
pub(in crate::cli) mod store;
