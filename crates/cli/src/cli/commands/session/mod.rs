//! `session …`: a session's pad, its history, its copies.

mod clear;
mod delete;
mod history;
pub(in crate::cli::commands) mod list;
mod show;
mod transfer;
mod write;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::app::OpenSession;
use crate::cli::{Done, Global};
use scratchpad::model::error::{Error, Result};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad session set-notes \"API is at /v2\"
  git diff --stat | scratchpad session append-notes
  scratchpad session refs add src/auth.rs:120
  scratchpad session show
  scratchpad session undo

Text can be piped in; one line break at its end is then dropped. \
Every write is a revision: nothing is lost by replacing, clearing or undoing.")]
pub(in crate::cli) struct SessionArgs {
    /// Keep the pad in this session-log file (JSON Lines) instead of the store
    #[arg(long, global = true, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Subcommand)]
enum SessionCommand {
    Show(show::ShowArgs),
    SetNotes(write::SetNotesArgs),
    AppendNotes(write::AppendNotesArgs),
    SetPlan(write::SetPlanArgs),
    Mark(write::MarkArgs),
    Refs(write::RefsArgs),
    History(history::HistoryArgs),
    Undo(history::UndoArgs),
    Restore(history::RestoreArgs),
    List(list::ListArgs),
    Delete(delete::DeleteArgs),
    Clear(clear::ClearArgs),
    Fork(transfer::ForkArgs),
    Export(transfer::ExportArgs),
    Import(transfer::ImportArgs),
}

pub(in crate::cli) fn run(args: SessionArgs, global: &Global) -> Result<Done> {
    let deletes = matches!(
        args.command,
        SessionCommand::Delete(_) | SessionCommand::Clear(_)
    );
    if args.journal.is_some() && deletes {
        return Err(
            Error::usage("A journal is a file of yours: delete it yourself.")
                .hint("leave out --journal to delete sessions in the store."),
        );
    }
    if args.journal.is_some() && matches!(args.command, SessionCommand::List(_)) {
        return Err(
            Error::usage("A journal holds one session; journals can't be listed.")
                .hint("leave out --journal to list the sessions in the store."),
        );
    }
    let opened = OpenSession::open(global, args.journal.as_deref(), None)?;
    match args.command {
        SessionCommand::Show(args) => show::run(&args, &opened, global),
        SessionCommand::SetNotes(args) => write::set_notes(&args, &opened, global),
        SessionCommand::AppendNotes(args) => write::append_notes(&args, &opened, global),
        SessionCommand::SetPlan(args) => write::set_plan(&args, &opened, global),
        SessionCommand::Mark(args) => write::mark(&args, &opened, global),
        SessionCommand::Refs(args) => write::refs(args, &opened, global),
        SessionCommand::History(args) => history::run(&args, &opened, global),
        SessionCommand::Undo(_) => history::undo(&opened, global),
        SessionCommand::Restore(args) => history::restore(&args, &opened, global),
        SessionCommand::List(args) => list::run(&args, &opened, global),
        SessionCommand::Delete(args) => return delete::run(&args, &opened, global),
        SessionCommand::Clear(args) => return clear::run(&args, &opened, global),
        SessionCommand::Fork(args) => transfer::fork(&args, &opened, global),
        SessionCommand::Export(args) => transfer::export(&args, &opened, global),
        SessionCommand::Import(args) => transfer::import(&args, &opened, global),
    }?;
    Ok(Done::Well)
}
