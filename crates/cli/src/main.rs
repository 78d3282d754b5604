//! The program; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    scratchpad_mcp::cli::run()
}
