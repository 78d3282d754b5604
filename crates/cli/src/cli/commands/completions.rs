//! `completions`: what a shell needs to complete commands.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, Done, ui};
use scratchpad::model::error::Result;

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad completions bash > ~/.local/share/bash-completion/completions/scratchpad")]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(in crate::cli) fn run(args: &CompletionsArgs) -> Result<Done> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "scratchpad", &mut script);
    ui::print_bytes(&script)?;
    Ok(Done::Well)
}
