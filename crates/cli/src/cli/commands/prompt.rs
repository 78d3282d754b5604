//! `prompt`: the message an agent gets, for an agent in any language.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::workplace::Desk;
use super::{Done, Global, terminal};
use crate::model::error::Result;
use crate::model::id::SessionId;

#[derive(Args)]
#[command(after_help = "\
Example:
  echo \"Go on with the login form.\" | scratchpad prompt --session \"$MY_SESSION\"

An empty pad adds nothing: the text comes out byte for byte. If the pad can't be read, the text comes
out alone, the error goes to stderr, and the exit code is 1.")]
pub(super) struct PromptArgs {
    /// Read the pad from this session-log file (JSON Lines) instead of the store
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

pub(super) fn run(args: &PromptArgs, global: &Global) -> Result<Done> {
    let text = terminal::read_stdin()?;
    let (session, message) = match message(args, global, &text) {
        Ok(message) => message,
        Err(error) => {
            // An agent loop must not lose the person's words because memory failed.
            terminal::print(&text)?;
            return Err(error);
        }
    };
    if global.json {
        let session = session.map(|id| id.to_string());
        terminal::print_json(&json!({"session": session, "message": message}))?;
    } else {
        terminal::show(&message)?;
    }
    Ok(Done::Well)
}

fn message(args: &PromptArgs, global: &Global, text: &str) -> Result<(Option<SessionId>, String)> {
    let desk = Desk::open(global, args.journal.as_deref(), None)?;
    let session = desk.session()?;
    let message = match &session {
        Some(id) => desk.pad.prompt(id, text)?,
        None => text.to_owned(),
    };
    Ok((session, message))
}
