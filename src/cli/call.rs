//! `call`: any tool, without MCP.

use clap::Args;
use serde_json::Value;

use super::workplace::Desk;
use super::{Done, Global, terminal};
use crate::model::error::{Error, Result};

/// Run a tool as an agent would, and print its reply
#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad call session_scratchpad '{\"action\":\"set_plan\",\"content\":\"1. read 2. write\"}'
  echo '{\"action\":\"get\"}' | scratchpad call session_scratchpad -
  scratchpad call session_scratchpad '{\"action\":\"get\"}' --json

With --json the whole reply as MCP gives it. Exit code 1 where the reply is an error.")]
pub(super) struct CallArgs {
    /// The tool's name
    tool: String,
    /// Its arguments as a JSON object; - reads stdin
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    arguments: String,
}

pub(super) fn run(args: &CallArgs, global: &Global) -> Result<Done> {
    let text = match args.arguments.as_str() {
        "-" => terminal::read_stdin()?,
        text => text.to_owned(),
    };
    let arguments: Value = serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!(
            "The arguments are not JSON: {error}. Nothing was changed."
        ))
        .hint("give an object, for example '{\"action\":\"get\"}'.")
    })?;
    let desk = Desk::open(
        global,
        None,
        arguments.get("session").and_then(Value::as_str),
    )?;
    let session = desk.session_to_write()?;
    let reply = desk.pad.call(&session, &args.tool, &arguments);
    if global.json {
        terminal::print_json(&reply.to_json())?;
    } else {
        terminal::show(&format!("{}\n", reply.text))?;
    }
    Ok(if reply.is_error {
        Done::WithErrorReply
    } else {
        Done::Well
    })
}
