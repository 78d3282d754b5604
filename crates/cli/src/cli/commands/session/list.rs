//! `session list`: which sessions there are.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Global, former, ui};
use scratchpad::model::error::Result;
use scratchpad::model::pad::Space;

/// List the sessions of the project, most recently written first
#[derive(Args)]
pub(super) struct ListArgs {
    /// Include all projects
    #[arg(long)]
    all: bool,
    /// How many to list
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = ui::at_least_one)]
    limit: usize,
}

pub(super) fn run(args: &ListArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    // One more, to see whether there are more.
    let most = args.limit.saturating_add(1);
    let mut sessions = if args.all {
        opened.scratchpad.sessions_of_all_projects(most)?
    } else {
        former::remark_on_sessions(global, "session list");
        opened.scratchpad.sessions_of_project(most)?
    };
    let has_more = sessions.len() > args.limit;
    sessions.truncate(args.limit);
    if global.json {
        let sessions: Vec<Value> = sessions
            .iter()
            .map(|head| {
                let used = |space| head.pad.content(space).used();
                json!({
                    "session": head.id.as_str(),
                    "project": head.project.as_str(),
                    "created": head.created,
                    "updated": head.updated,
                    "revision": head.revision,
                    "notes_chars": used(Space::Notes),
                    "plan_chars": used(Space::Plan),
                    "refs": used(Space::Refs),
                })
            })
            .collect();
        return ui::print_json(&json!({"sessions": sessions, "has_more": has_more}));
    }
    if sessions.is_empty() {
        ui::remark(&if args.all {
            text!("session-none-anywhere")
        } else {
            text!(
                "session-none",
                project = opened.scratchpad.project().as_str()
            )
        });
        return Ok(());
    }
    let rows = sessions
        .iter()
        .map(|head| {
            let used = |space| head.pad.content(space).used().to_string();
            let mut row = vec![
                head.id.to_string(),
                ui::moment(head.updated),
                head.revision.to_string(),
                used(Space::Notes),
                used(Space::Plan),
                used(Space::Refs),
            ];
            if args.all {
                row.push(head.project.to_string());
            }
            row
        })
        .collect();
    let mut header = vec![
        text!("session-column-session"),
        text!("session-column-written"),
        text!("session-column-revision"),
        text!("session-column-notes"),
        text!("session-column-plan"),
        text!("session-column-refs"),
    ];
    if args.all {
        header.push(text!("session-column-project"));
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::print(&ui::table(&header, rows))?;
    if has_more {
        ui::remark(&text!("session-more", limit = args.limit));
    }
    Ok(())
}
