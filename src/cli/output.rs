//! `output`: texts that were kept whole.

use clap::{Args, Subcommand};

use super::workplace::Workplace;
use super::{Done, Global, terminal};
use crate::model::error::Result;
use crate::model::id::OutputId;

#[derive(Args)]
pub(super) struct OutputArgs {
    #[command(subcommand)]
    command: OutputCommand,
}

#[derive(Subcommand)]
enum OutputCommand {
    /// Print an output, byte for byte
    Read {
        /// The id, as the warning named it
        id: String,
    },
}

pub(super) fn run(args: &OutputArgs, global: &Global) -> Result<Done> {
    let OutputCommand::Read { id } = &args.command;
    let id = OutputId::new(id)?;
    let content = Workplace::find(global)?.pad()?.whole_output(&id)?;
    terminal::print_bytes(&content)?;
    Ok(Done::Well)
}
