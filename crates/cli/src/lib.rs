//! The program: an MCP server, an MCP proxy and the command line over the library `scratchpad`.
//!
//! This is not a public API; it is a library only so that benchmarks and fuzzers can use it.

pub mod cli;
pub mod mcp;
pub mod proxy;
pub mod server;
pub mod web;
