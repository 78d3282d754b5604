//! `completions`: what a shell needs to complete commands.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Done, terminal};
use crate::model::error::Result;

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad completions bash > ~/.local/share/bash-completion/completions/scratchpad")]
pub(super) struct CompletionsArgs {
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<Done> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "scratchpad", &mut script);
    terminal::print_bytes(&script)?;
    Ok(Done::Well)
}
