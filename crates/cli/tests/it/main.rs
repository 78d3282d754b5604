//! The program and the library from outside, on any machine: the real binary in a home of its own, no server, no network.

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
#[path = "../fuzzed/mod.rs"]
mod fuzzed;
#[path = "../support/mod.rs"]
mod support;

mod cli;
mod context;
mod first_hour;
mod hosts;
mod house;
mod mcp;
mod note;
mod output;
mod pad;
mod promises;
mod proxy;
mod store;
