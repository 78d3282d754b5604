//! The program: an MCP server, an MCP proxy and the command line over the library `scratchpad`.
//!
//! Nothing here is an interface for others; it is a library so that benchmarks and fuzzers reach it.

pub mod cli;
pub mod mcp;
pub mod proxy;
