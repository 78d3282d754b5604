//! `session list`: which sessions there are.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::language::text;
use crate::cli::workplace::Desk;
use crate::cli::{Global, terminal};
use crate::model::error::Result;
use crate::model::pad::Space;

/// List the sessions of the project, last written first
#[derive(Args)]
pub(super) struct ListArgs {
    /// Of all projects
    #[arg(long)]
    all: bool,
    /// How many to list
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

pub(super) fn run(args: &ListArgs, desk: &Desk, global: &Global) -> Result<()> {
    let sessions = if args.all {
        desk.pad.sessions_of_all_projects(args.limit)?
    } else {
        desk.pad.sessions_of_project(args.limit)?
    };
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
        return terminal::print_json(&json!({"sessions": sessions}));
    }
    if sessions.is_empty() {
        terminal::remark(&if args.all {
            text!("session-none-anywhere")
        } else {
            text!("session-none", project = desk.pad.project().as_str())
        });
        return Ok(());
    }
    let rows = sessions
        .iter()
        .map(|head| {
            let used = |space| head.pad.content(space).used().to_string();
            let mut row = vec![
                head.id.to_string(),
                terminal::moment(head.updated),
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
    terminal::print(&terminal::table(&header, rows))
}
