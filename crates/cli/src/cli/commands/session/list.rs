//! `session list`: which sessions there are.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Global, former, ui};
use scratchpad::KnownSession;
use scratchpad::model::error::Result;
use scratchpad::model::pad::Space;
use scratchpad::model::text::bytes::one_line;
use scratchpad::model::text::quantity::shortened;

/// The longest title in a table, in characters.
const TITLE_CHARS: usize = 80;

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
    let mut heads = if args.all {
        opened.scratchpad.sessions_of_all_projects(most)?
    } else {
        former::remark_on_sessions(global, "session list");
        opened.scratchpad.sessions_of_project(most)?
    };
    let has_more = heads.len() > args.limit;
    heads.truncate(args.limit);
    let sessions = opened.scratchpad.known_sessions(heads)?;
    if global.json {
        let sessions: Vec<Value> = sessions.iter().map(as_json).collect();
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
    let (_, worktree) = opened.scratchpad.checkout();
    ui::print_long(&table(&sessions, &worktree, args.all))?;
    if has_more {
        ui::remark(&text!("session-more", limit = args.limit));
    }
    Ok(())
}

/// A session in an answer for programs.
pub(in crate::cli::commands) fn as_json(session: &KnownSession) -> Value {
    let head = &session.head;
    let used = |space| head.pad.content(space).used();
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "session": head.id.as_str(),
        "project": head.project.as_str(),
        "title": session.title(),
        "host": known(session.host()),
        "branch": known(session.branch()),
        "worktree": known(session.worktree()),
        "running": session.is_running,
        "created": head.created,
        "updated": head.updated,
        "seen": session.seen(),
        "revision": head.revision,
        "notes_chars": used(Space::Notes),
        "plan_chars": used(Space::Plan),
        "refs": used(Space::Refs),
    })
}

/// Sessions as a person reads them.
///
/// `worktree` is the reader's own, which is not named.
pub(in crate::cli::commands) fn table(
    sessions: &[KnownSession],
    worktree: &str,
    with_project: bool,
) -> String {
    let ids: Vec<&str> = sessions.iter().map(|it| it.head.id.as_str()).collect();
    let rows = sessions
        .iter()
        .map(|session| {
            let id = session.head.id.as_str();
            let mut row = vec![
                ui::unique_beginning(id, &ids).to_owned(),
                title(session),
                session.host().to_owned(),
                checkout(session, worktree),
                seen(session),
            ];
            row.extend(with_project.then(|| session.head.project.to_string()));
            row
        })
        .collect();
    let mut header = vec![
        text!("session-column-session"),
        text!("session-column-title"),
        text!("session-column-host"),
        text!("session-column-branch"),
        text!("session-column-seen"),
    ];
    header.extend(with_project.then(|| text!("session-column-project")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::table(&header, rows)
}

/// The branch of a session, with its worktree if that is not the reader's.
pub(super) fn checkout(session: &KnownSession, own_worktree: &str) -> String {
    let (branch, worktree) = (session.branch(), session.worktree());
    if worktree.is_empty() || worktree == own_worktree {
        return branch.to_owned();
    }
    let name = worktree.rsplit(['/', '\\']).next().unwrap_or(worktree);
    text!("session-in-worktree", branch = branch, worktree = name)
}

fn title(session: &KnownSession) -> String {
    match session.finished() {
        Some(count) => text!("session-plan-done", count = count),
        None => shortened(&one_line(&session.title()), TITLE_CHARS),
    }
}

fn seen(session: &KnownSession) -> String {
    let age = ui::age(session.seen());
    if session.is_running {
        text!("session-running", age = age)
    } else {
        age
    }
}
