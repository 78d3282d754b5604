//! `prompt`: builds the message for an agent, for agent loops written in any language.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::{Done, Global, ui};
use scratchpad::Turn;
use scratchpad::disk::files;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::message::message;

#[derive(Args)]
#[command(after_help = "\
Example:
  echo \"Go on with the login form.\" | scratchpad prompt --session \"$MY_SESSION\"

An empty pad adds nothing: the text is printed byte for byte. If the pad can't be read, or the text is too large, only \
the text is printed, the error goes to stderr, and the exit code is 1.

With one of the settings `nudge_…`, a line that reminds the agent of its pad comes between pad and text when it is due; each \
call then counts as one turn of the session.")]
pub(in crate::cli) struct PromptArgs {
    /// Read the pad from this session-log file (JSON Lines) instead of the store
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// A file with the agent's last reply, for `nudge_on_plan`
    #[arg(long, value_name = "FILE")]
    last_reply: Option<PathBuf>,
    /// The conversation was compacted since the last prompt, for `nudge_after_compaction`
    #[arg(long)]
    compacted: bool,
}

pub(in crate::cli) fn run(args: &PromptArgs, global: &Global) -> Result<Done> {
    let text = match ui::checked(ui::stdin_bytes()?) {
        Ok(text) => text,
        Err((error, bytes)) => {
            ui::pass_stdin(&bytes)?;
            return Err(error);
        }
    };
    let reply = args.last_reply.as_deref().map(reply_in).transpose();
    let mut turn = Turn::new(&text);
    if let Ok(Some(reply)) = &reply {
        turn = turn.after_reply(reply);
    }
    if args.compacted {
        turn = turn.after_compaction();
    }
    let (session, message) = match message_for(args, global, &text, turn) {
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
    // Without the reply, the message only lacks a nudge.
    reply.map(|_| Done::Well)
}

fn reply_in(path: &Path) -> Result<String> {
    let bytes = files::read_small(path, MAX_INPUT_BYTES)?.ok_or_else(|| {
        Error::not_found(message!(
            "{path} does not exist.",
            path = path.display().to_string()
        ))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn message_for(
    args: &PromptArgs,
    global: &Global,
    text: &str,
    turn: Turn<'_>,
) -> Result<(Option<SessionId>, String)> {
    let opened = OpenSession::open(global, args.journal.as_deref(), None)?;
    let session = opened.session_as_given()?;
    let message = match &session {
        Some(id) => opened.scratchpad.prompt(id, turn)?,
        None => text.to_owned(),
    };
    Ok((session, message))
}
