//! `session history|undo|restore`: past states of the spaces.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::workplace::Desk;
use crate::cli::{Global, terminal};
use crate::model::error::Result;
use crate::model::quantity::counted;
use crate::model::revision::RevisionHead;

/// List the revisions, newest first
#[derive(Args)]
pub(super) struct HistoryArgs {
    /// How many to list
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

/// Take back the newest write; again takes back the one before
#[derive(Args)]
pub(super) struct UndoArgs {}

/// Give a space the content it had at a revision
#[derive(Args)]
pub(super) struct RestoreArgs {
    /// The revision's number (see `session history`)
    #[arg(value_name = "REV")]
    revision: u64,
}

pub(super) fn run(args: &HistoryArgs, desk: &Desk, global: &Global) -> Result<()> {
    let id = desk.session_to_read()?;
    desk.pad.existing_session(&id)?;
    let log = desk.pad.history(&id)?;
    let shown = log.iter().rev().take(args.limit);
    if global.json {
        let revisions: Vec<Value> = shown.map(as_json).collect();
        return terminal::print_json(&json!({
            "session": id.as_str(), "total": log.len(), "revisions": revisions,
        }));
    }
    let rows = shown
        .map(|head| {
            let action = match head.undoes {
                Some(number) => format!("{} of {number}", head.action),
                None => head.action.clone(),
            };
            vec![
                head.number.to_string(),
                terminal::moment(head.at),
                head.space.name().to_owned(),
                action,
                head.used.to_string(),
            ]
        })
        .collect();
    terminal::print(&terminal::table(
        &["REV", "WHEN", "SPACE", "ACTION", "SIZE"],
        rows,
    ))?;
    if log.len() > args.limit {
        let older = counted(log.len() - args.limit, "older revision", "older revisions");
        terminal::remark(&format!("{older}: --limit {}", log.len()));
    }
    Ok(())
}

fn as_json(head: &RevisionHead) -> Value {
    json!({
        "revision": head.number,
        "at": head.at,
        "space": head.space.name(),
        "action": head.action,
        "undoes": head.undoes,
        "used": head.used,
    })
}

pub(super) fn undo(desk: &Desk, global: &Global) -> Result<()> {
    let id = desk.session_to_read()?;
    desk.pad.existing_session(&id)?;
    let (revision, space) = desk.pad.undo(&id)?;
    if global.json {
        return terminal::print_json(&json!({
            "session": id.as_str(), "undone": revision, "space": space.name(),
        }));
    }
    terminal::print(&format!(
        "Revision {revision} is taken back ({}).\n",
        space.name()
    ))
}

pub(super) fn restore(args: &RestoreArgs, desk: &Desk, global: &Global) -> Result<()> {
    let id = desk.session_to_read()?;
    desk.pad.existing_session(&id)?;
    let space = desk.pad.restore(&id, args.revision)?;
    if global.json {
        return terminal::print_json(&json!({
            "session": id.as_str(), "restored": args.revision, "space": space.name(),
        }));
    }
    terminal::print(&format!(
        "Back to revision {} ({}).\n",
        args.revision,
        space.name()
    ))
}
