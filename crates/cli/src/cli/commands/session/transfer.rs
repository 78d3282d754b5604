//! `session fork|export|import`: copies of a pad.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::language::{text, translated};
use crate::cli::workplace::Desk;
use crate::cli::{Global, terminal};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::id::SessionId;
use crate::model::pad_tool;
use crate::pad::Imported;
use crate::store::private::cannot;

/// Begin a new session with a copy of another's pad, for a sub-agent or a hand-over
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

/// Take over the pad that a session log (JSON Lines) leaves
#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file; - reads stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn fork(args: &ForkArgs, desk: &Desk, global: &Global) -> Result<()> {
    let named = |id: &str| SessionId::new(id).map_err(|error| error.as_kind(ErrorKind::Usage));
    let from = named(&args.from)?;
    let new = match &args.new {
        Some(id) => {
            let id = named(id)?;
            desk.pad.fork_as(&from, &id)?;
            id
        }
        None => desk.pad.fork(&from)?,
    };
    if global.json {
        return terminal::print_json(&json!({"session": new.as_str(), "from": from.as_str()}));
    }
    terminal::print(&format!("{new}\n"))
}

pub(super) fn export(args: &ExportArgs, desk: &Desk, global: &Global) -> Result<()> {
    // `--jsonl` names the form that is the default anyway.
    let ExportArgs { jsonl: _ } = args;
    let id = desk.session_to_read()?;
    if global.json {
        let session = desk.pad.existing_session(&id)?;
        let data = pad_tool::pad_json(&session.pad, session.revision, desk.pad.limits());
        return terminal::print_json_of(&id, data);
    }
    terminal::show(&desk.pad.export(&id)?)
}

pub(super) fn import(args: &ImportArgs, desk: &Desk, global: &Global) -> Result<()> {
    let read = |id: &SessionId| {
        if args.file.as_os_str() == "-" {
            return desk.pad.import(id, &mut io::stdin().lock());
        }
        let failed = |error| cannot("read", &args.file, &error);
        let file = File::open(&args.file).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(Error::refused(format!(
                "{} is a directory.",
                args.file.display()
            )));
        }
        desk.pad.import(id, &mut BufReader::new(file))
    };
    let id = desk.session_to_write()?;
    report(&id, &read(&id)?, global)
}

fn report(id: &SessionId, imported: &Imported, global: &Global) -> Result<()> {
    let replies = imported.written.iter().map(|(action, written)| {
        pad_tool::write_reply(
            action,
            &written.outcome,
            written.revision,
            written.spilled.as_ref(),
        )
    });
    if global.json {
        let spaces: Vec<Value> = replies.filter_map(|reply| reply.structured).collect();
        return terminal::print_json(&json!({
            "session": id.as_str(), "spaces": spaces, "malformed_lines": imported.malformed,
        }));
    }
    let mut lines: Vec<String> = replies.map(|reply| translated(&reply.text)).collect();
    if lines.is_empty() {
        lines.push(text!("session-import-nothing"));
    }
    if imported.malformed > 0 {
        lines.push(text!(
            "session-import-malformed",
            count = imported.malformed
        ));
    }
    terminal::show(&(lines.join("\n") + "\n"))
}
