//! `prompt`: builds the message for an agent, for agent loops written in any language.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::id::SessionId;

#[derive(Args)]
#[command(after_help = "\
Example:
  echo \"Go on with the login form.\" | scratchpad prompt --session \"$MY_SESSION\"

An empty pad adds nothing: the text is printed byte for byte. If the pad can't be read, or the text is too large, only \
the text is printed, the error goes to stderr, and the exit code is 1.")]
pub(in crate::cli) struct PromptArgs {
    /// Read the pad from this session-log file (JSON Lines) instead of the store
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

pub(in crate::cli) fn run(args: &PromptArgs, global: &Global) -> Result<Done> {
    let text = match ui::checked(ui::stdin_bytes()?) {
        Ok(text) => text,
        Err((error, bytes)) => {
            ui::pass_stdin(&bytes)?;
            return Err(error);
        }
    };
    let (session, message) = match message(args, global, &text) {
        Ok(message) => message,
        Err(error) => {
            // An agent loop must not lose the user's text because the memory failed.
            ui::print(&text)?;
            return Err(error);
        }
    };
    if global.json {
        let session = session.map(|id| id.to_string());
        ui::print_json(&json!({"session": session, "message": message}))?;
    } else {
        ui::show(&message)?;
    }
    Ok(Done::Well)
}

fn message(args: &PromptArgs, global: &Global, text: &str) -> Result<(Option<SessionId>, String)> {
    let opened = OpenSession::open(global, args.journal.as_deref(), None)?;
    let session = opened.session()?;
    let message = match &session {
        Some(id) => opened.scratchpad.prompt(id, text)?,
        None => text.to_owned(),
    };
    Ok((session, message))
}
