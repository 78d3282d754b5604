//! `help`: the help of a command.

use std::ffi::OsString;

use clap::Args;

use crate::cli::{Done, ui, usage};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::{message, quoted};

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad help session undo")]
pub(in crate::cli) struct HelpArgs {
    /// The command, and its subcommand if it has any [default: what scratchpad is]
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
}

pub(in crate::cli) fn run(args: &HelpArgs) -> Result<Done> {
    let is_known = check(&args.path)?;
    let option = is_known.then_some("--help");
    let path = args.path.iter().map(String::as_str);
    let words: Vec<OsString> = ["scratchpad"]
        .into_iter()
        .chain(path)
        .chain(option)
        .map(OsString::from)
        .collect();
    match usage::answer(&words) {
        Some(answer) => Ok(Done::WithCode(ui::clap_answer(&answer))),
        None => Ok(Done::Well),
    }
}

/// Whether there is such a command. If not, clap names the nearest, unless the path goes on behind a command that has
/// no subcommands.
fn check(path: &[String]) -> Result<bool> {
    let mut command = usage::whole();
    for word in path {
        let Some(inner) = command.find_subcommand(word).cloned() else {
            if command.has_subcommands() {
                return Ok(false);
            }
            return Err(Error::usage(message!(
                "`{command}` has no subcommand {word}.",
                command = command.get_name().to_owned(),
                word = quoted(word)
            )));
        };
        command = inner;
    }
    Ok(true)
}
