//! With what others wrote: `PostgreSQL`, object storage, MCP clients and servers of other projects. `scripts/test` installs them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking, and may be a list of cases"
)]

#[path = "../contract/mod.rs"]
mod contract;
#[path = "../support/mod.rs"]
mod support;

mod clients;
mod page;
mod postgres;
