//! `session history|undo|restore`: past states of the spaces.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::pad::revision::RevisionHead;

/// List the revisions, newest first
#[derive(Args)]
pub(super) struct HistoryArgs {
    /// How many to list
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = ui::at_least_one)]
    limit: usize,
}

/// Undo the newest write; again undoes the one before
#[derive(Args)]
pub(super) struct UndoArgs {}

/// Restore the content that a space had at a revision
#[derive(Args)]
pub(super) struct RestoreArgs {
    /// The revision's number (see `session history`)
    #[arg(value_name = "REV")]
    revision: u64,
}

pub(super) fn run(args: &HistoryArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let id = opened.session_to_read()?;
    opened.scratchpad.existing_session(&id)?;
    let log = opened.scratchpad.history(&id)?;
    let shown = log.iter().rev().take(args.limit);
    if global.json {
        let revisions: Vec<Value> = shown.map(as_json).collect();
        return ui::print_json(&json!({
            "session": id.as_str(), "total": log.len(), "revisions": revisions,
        }));
    }
    // In an embedded store, revisions have no author.
    let has_others = log.iter().any(|head| !head.author.is_empty());
    let rows = shown
        .map(|head| {
            let action = match head.undoes {
                Some(number) => text!(
                    "session-undo-of",
                    action = head.action.as_str(),
                    number = number.to_string()
                ),
                None => head.action.clone(),
            };
            let mut row = vec![
                head.number.to_string(),
                ui::age(head.at),
                head.space.name().to_owned(),
                action,
                head.used.to_string(),
            ];
            row.extend(has_others.then(|| head.author.clone()));
            row
        })
        .collect();
    let mut header = vec![
        text!("session-column-revision"),
        text!("session-column-when"),
        text!("session-column-space"),
        text!("session-column-action"),
        text!("session-column-size"),
    ];
    header.extend(has_others.then(|| text!("session-column-author")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::print_long(&ui::table(&header, rows))?;
    if log.len() > args.limit {
        ui::remark(&text!(
            "session-older",
            count = log.len() - args.limit,
            limit = log.len().to_string()
        ));
    }
    Ok(())
}

fn as_json(head: &RevisionHead) -> Value {
    let mut data = json!({
        "revision": head.number,
        "at": head.at,
        "space": head.space.name(),
        "action": head.action,
        "undoes": head.undoes,
        "used": head.used,
    });
    if let (Value::Object(fields), false) = (&mut data, head.author.is_empty()) {
        fields.insert("author".to_owned(), json!(head.author));
    }
    data
}

pub(super) fn undo(opened: &OpenSession, global: &Global) -> Result<()> {
    let id = opened.session_to_read()?;
    opened.scratchpad.existing_session(&id)?;
    let (revision, space) = opened.scratchpad.undo(&id)?;
    if global.json {
        return ui::print_json(&json!({
            "session": id.as_str(), "undone": revision, "space": space.name(),
        }));
    }
    let said = text!(
        "session-undone",
        revision = revision.to_string(),
        space = space.name()
    );
    ui::print(&(said + "\n"))
}

pub(super) fn restore(args: &RestoreArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let id = opened.session_to_read()?;
    opened.scratchpad.existing_session(&id)?;
    let space = opened.scratchpad.restore(&id, args.revision)?;
    if global.json {
        return ui::print_json(&json!({
            "session": id.as_str(), "restored": args.revision, "space": space.name(),
        }));
    }
    let said = text!(
        "session-restored",
        revision = args.revision.to_string(),
        space = space.name()
    );
    ui::print(&(said + "\n"))
}
