//! The binary's entry point; the code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    scratchpad_mcp::cli::run()
}
