//! `proxy`: before any MCP server, so that its large results become outputs.

mod wrap;

use std::path::PathBuf;

use clap::Args;

use super::{Done, Global};
use crate::model::error::{Error, Result};
use crate::model::mcp_config::Way;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad proxy --wrap .mcp.json --dry-run
  scratchpad proxy --wrap ~/.codex/config.toml
  scratchpad proxy --unwrap .mcp.json

Wrapped servers hold all that is needed to unwrap them: the file comes back byte for byte.")]
pub(super) struct ProxyArgs {
    /// Rewrite an MCP configuration file so that its servers go through the proxy
    #[arg(long, value_name = "FILE", group = "rewrite")]
    wrap: Option<PathBuf>,
    /// Take that back
    #[arg(long, value_name = "FILE", group = "rewrite")]
    unwrap: Option<PathBuf>,
    /// With --wrap or --unwrap: print what would change, as a diff, and write nothing
    #[arg(long, requires = "rewrite")]
    dry_run: bool,
}

pub(super) fn run(args: &ProxyArgs, global: &Global) -> Result<Done> {
    let mode = if args.dry_run {
        wrap::Mode::Show
    } else {
        wrap::Mode::Write
    };
    match (&args.wrap, &args.unwrap) {
        (Some(file), _) => wrap::run(file, Way::Wrap, mode, global),
        (None, Some(file)) => wrap::run(file, Way::Unwrap, mode, global),
        (None, None) => Err(Error::usage("Nothing to do: name a file to wrap.")
            .hint("for example `scratchpad proxy --wrap .mcp.json`.")),
    }
}
