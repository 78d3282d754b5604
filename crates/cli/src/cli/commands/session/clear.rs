//! `session clear`: all sessions go for good.

use clap::Args;
use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::commands::forget::{may_go, scrub};
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::store::DeletedSession;
use scratchpad::{SessionId, Whose};

/// Delete all sessions of the project for good, except those of running agents
#[derive(Args)]
pub(super) struct ClearArgs {
    /// The sessions of all projects
    #[arg(long)]
    all: bool,
    /// Don't ask
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(args: &ClearArgs, opened: &OpenSession, global: &Global) -> Result<Done> {
    let pad = &opened.scratchpad;
    let whose = if args.all {
        Whose::Everybody
    } else {
        Whose::Project
    };
    let count = pad.session_ids_of(whose)?.len();
    let question = if args.all {
        text!("session-clear-all", count = count)
    } else {
        let project = pad.project().as_str();
        text!("session-clear-project", count = count, project = project)
    };
    if count > 0 && !may_go(args.yes, &question)? {
        return Ok(Done::Well);
    }
    let (gone, stayed) = pad.clear_sessions(whose)?;
    scrub(pad);
    let sum = gone
        .iter()
        .fold(DeletedSession::default(), |sum, one| DeletedSession {
            revisions: sum.revisions + one.revisions,
            notes: sum.notes + one.notes,
            outputs: sum.outputs + one.outputs,
            bytes: sum.bytes + one.bytes,
        });
    if global.json {
        let stayed: Vec<&str> = stayed.iter().map(SessionId::as_str).collect();
        ui::print_json(&json!({
            "deleted": gone.len(), "revisions": sum.revisions, "notes": sum.notes,
            "outputs": sum.outputs, "bytes": sum.bytes, "in_use": stayed,
        }))?;
        return Ok(Done::Well);
    }
    let said = text!(
        "session-cleared",
        count = gone.len(),
        revisions = sum.revisions,
        notes = sum.notes,
        outputs = sum.outputs
    );
    ui::print(&format!("{said}\n"))?;
    for id in &stayed {
        ui::remark(&text!("session-in-use", id = id.as_str()));
    }
    Ok(Done::Well)
}
