//! `session fork|export|import`: copies of a pad.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::i18n::{text, translated};
use crate::cli::{Global, ui};
use scratchpad::disk::private::cannot;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::tool;
use scratchpad::model::text::message::message;
use scratchpad::{Imported, Purpose};

/// Start a new session with a copy of another's pad, for a sub-agent or a handover
#[derive(Args)]
pub(super) struct ForkArgs {
    /// The session to copy
    #[arg(value_name = "FROM")]
    from: String,
    /// The id of the new session [default: a new one]
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
}

/// Print the pad as lines of a session log (JSON Lines)
#[derive(Args)]
pub(super) struct ExportArgs {
    /// As JSON Lines (the default)
    #[arg(long)]
    jsonl: bool,
}

/// Import the pad from a session log (JSON Lines)
#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file; stdin if -
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn fork(args: &ForkArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let named = |id: &str| SessionId::new(id).map_err(|error| error.as_kind(ErrorKind::Usage));
    let from = opened
        .scratchpad
        .meant_session(&named(&args.from)?, Purpose::Read)?;
    let new = match &args.new {
        Some(id) => {
            let id = named(id)?;
            opened.scratchpad.fork_as(&from, &id)?;
            id
        }
        None => opened.scratchpad.fork(&from)?,
    };
    if global.json {
        return ui::print_json(&json!({"session": new.as_str(), "from": from.as_str()}));
    }
    ui::print(&format!("{new}\n"))
}

pub(super) fn export(args: &ExportArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    // JSON Lines is the default format anyway.
    let ExportArgs { jsonl: _ } = args;
    let id = opened.session_to_read()?;
    if global.json {
        let session = opened.scratchpad.existing_session(&id)?;
        let data = tool::pad_json(&session.pad, session.revision, opened.scratchpad.limits());
        return ui::print_json_of(&id, data);
    }
    ui::show(&opened.scratchpad.export(&id)?)
}

pub(super) fn import(args: &ImportArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    // Opened first: without it, there is no session to name.
    let mut log = opened_log(&args.file)?;
    let id = opened.session_to_write()?;
    let imported = opened.scratchpad.import(&id, &mut log)?;
    if !imported.written.is_empty() {
        opened.say_if_new();
    }
    report(&id, &imported, global)
}

/// The session log, or stdin.
fn opened_log(path: &Path) -> Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let failed = |error| cannot("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Error::refused(message!(
            "{path} is a directory.",
            path = path.display().to_string()
        )));
    }
    Ok(Box::new(BufReader::new(file)))
}

fn report(id: &SessionId, imported: &Imported, global: &Global) -> Result<()> {
    let replies = imported.written.iter().map(|(action, written)| {
        tool::write_reply(
            action,
            &written.outcome,
            written.revision,
            written.spilled.as_ref(),
        )
        .without_secrets(&written.marks)
    });
    if global.json {
        let spaces: Vec<Value> = replies.filter_map(|reply| reply.structured).collect();
        return ui::print_json(&json!({
            "session": id.as_str(), "spaces": spaces, "malformed_lines": imported.malformed,
        }));
    }
    let mut lines: Vec<String> = replies.map(|reply| translated(&reply.message)).collect();
    if lines.is_empty() {
        lines.push(text!("session-import-nothing"));
    }
    if imported.malformed > 0 {
        lines.push(text!(
            "session-import-malformed",
            count = imported.malformed
        ));
    }
    ui::show(&(lines.join("\n") + "\n"))
}
