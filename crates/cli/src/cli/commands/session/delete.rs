//! `session delete`: sessions go for good.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::commands::forget::scrub;
use crate::cli::i18n::{in_one_line, text};
use crate::cli::{Done, Global, ui};
use scratchpad::Purpose;
use scratchpad::model::error::Result;
use scratchpad::model::id::SessionId;
use scratchpad::scratchpad::InUse;
use scratchpad::store::DeletedSession;

/// Delete sessions for good: pad, history, notes, and the outputs that nobody else keeps
#[derive(Args)]
pub(super) struct DeleteArgs {
    /// Their ids
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Delete a session even if a running agent uses it
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &DeleteArgs, opened: &OpenSession, global: &Global) -> Result<Done> {
    let ids: Vec<SessionId> = args
        .ids
        .iter()
        .map(|id| SessionId::new(id.as_str()))
        .collect::<Result<_>>()?;
    let pad = &opened.scratchpad;
    let mut answers = Vec::new();
    let mut done = Done::Well;
    // Each for itself: one that can't go does not keep the others.
    for id in &ids {
        let deleted = pad
            .meant_session(id, Purpose::Delete)
            .and_then(|id| Ok((delete(&id, args.force, opened)?, id)));
        match deleted {
            Ok((gone, id)) if global.json => answers.push(json!({
                "session": id.as_str(), "deleted": true, "revisions": gone.revisions,
                "notes": gone.notes, "outputs": gone.outputs, "bytes": gone.bytes,
            })),
            Ok((gone, id)) => ui::print(&format!(
                "{}\n",
                text!(
                    "session-deleted",
                    id = id.as_str(),
                    revisions = gone.revisions,
                    notes = gone.notes,
                    outputs = gone.outputs
                )
            ))?,
            Err(error) if ids.len() == 1 => return Err(error),
            Err(error) => {
                done = Done::WithErrorReply;
                if global.json {
                    let error = error.to_string();
                    answers.push(json!({"session": id.as_str(), "deleted": false, "error": error}));
                } else {
                    ui::warn(&in_one_line(&error));
                }
            }
        }
    }
    scrub(pad);
    if global.json {
        ui::print_json(&json!({"sessions": Value::Array(answers)}))?;
    }
    Ok(done)
}

fn delete(id: &SessionId, force: bool, opened: &OpenSession) -> Result<DeletedSession> {
    let pad = &opened.scratchpad;
    let may_ask = !force && ui::can_ask();
    let in_use = match pad.process_with(id, None)? {
        Some(process) if may_ask => {
            let question = text!(
                "session-delete-used",
                id = id.as_str(),
                process = process.id.to_string()
            );
            if ui::confirm(&question)? {
                InUse::Delete
            } else {
                InUse::Refuse
            }
        }
        _ if force => InUse::Delete,
        _ => InUse::Refuse,
    };
    pad.delete_session(id, in_use)
}
