//! `prompt`: the message an agent gets, for an agent in any language.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::workplace::Desk;
use super::{Done, Global, terminal};
use crate::model::error::Result;

/// Read the user's text from stdin, print the message to give the agent: pad, then text
#[derive(Args)]
#[command(after_help = "\
Example:
  echo \"Go on with the login form.\" | scratchpad prompt --session \"$MY_SESSION\"

An empty pad adds nothing: the text comes out byte for byte.")]
pub(super) struct PromptArgs {
    /// Read the pad from this session-log file (JSON Lines) instead of the store
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

pub(super) fn run(args: &PromptArgs, global: &Global) -> Result<Done> {
    let text = terminal::read_stdin()?;
    let desk = Desk::open(global, args.journal.as_deref(), None)?;
    let session = desk.session()?;
    let message = match &session {
        Some(id) => desk.pad.prompt(id, &text)?,
        None => text,
    };
    if global.json {
        let id = session
            .as_ref()
            .map(super::super::model::id::SessionId::as_str);
        terminal::print_json(&json!({"session": id, "message": message}))?;
    } else {
        terminal::print(&message)?;
    }
    Ok(Done::Well)
}
