//! `note …`: what agents do with the note tools, for people and scripts.

mod check;
mod one;
mod pin;
mod transfer;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::forget::scrub;
use crate::cli::app::OpenSession;
use crate::cli::i18n::{text, translated};
use crate::cli::{Done, Global, former, ui};
use scratchpad::Purpose;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::json::arguments::DEFAULT_LIMIT;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::reply;
use scratchpad::model::note::reply::Reader;
use scratchpad::model::note::source::given_lines;
use scratchpad::model::note::tool::NoteCall;
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::model::tool::Reply;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad note add \"Deploys need the VPN\" --tag deploy --scope project
  cargo test 2>&1 | tail -3 | scratchpad note scratch
  scratchpad note search vpn
  scratchpad note list --tag deploy --limit 5
  scratchpad note import memory.jsonl --scope project

Search ignores case and finds parts of words; notes with the earliest match come first. If no note \
contains the exact text, its words are searched for one by one.")]
pub(in crate::cli) struct NoteArgs {
    #[command(subcommand)]
    command: NoteCommand,
}

#[derive(Subcommand)]
enum NoteCommand {
    /// Keep a note
    Add {
        /// The text; stdin if omitted or -
        #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
        text: Option<String>,
        /// A tag; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Lines that it speaks of, PATH:LINE or PATH:LINE-LINE, beside those that its text names; may be given several times
        #[arg(long = "source", value_name = "SOURCE")]
        sources: Vec<String>,
        /// Where to keep it [default: the project; the session if an agent calls this or one is named]
        #[arg(long, value_enum)]
        scope: Option<ScopeArg>,
    },
    /// Keep a quick note without tags
    Scratch {
        /// The text; stdin if omitted or -
        #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
        text: Option<String>,
    },
    /// Replace a note's text, tags or sources
    Update {
        /// The note's id
        id: String,
        /// The new text; stdin if -
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        content: Option<String>,
        /// A new tag, replacing all old ones; may be given several times
        #[arg(long = "tag", value_name = "TAG", conflicts_with = "no_tags")]
        tags: Vec<String>,
        /// Remove all tags
        #[arg(long)]
        no_tags: bool,
        /// Lines that it speaks of, beside those that its text names; may be given several times
        #[arg(long = "source", value_name = "SOURCE")]
        sources: Vec<String>,
    },
    /// Show a note, whole
    Show {
        /// The note's id
        id: String,
    },
    /// Edit a note in your editor
    Edit {
        /// The note's id
        id: String,
    },
    /// Delete a note
    Delete {
        /// The note's id
        id: String,
    },
    /// Delete all notes of a session (--session ID) or of the project (--project) for good
    Clear {
        /// The notes of the project
        #[arg(long)]
        project: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
    /// List notes, most recently changed first
    List {
        /// Only those with this tag
        #[arg(long)]
        tag: Option<String>,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Find notes by text, tags or both, or one by its id
    Search {
        /// The text to find, or an id
        #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
        query: Option<String>,
        /// A tag that the notes must have; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        #[command(flatten)]
        page: PageArgs,
    },
    /// List the tags in use with their counts
    Tags,
    /// Move a note from the session to its project
    Promote {
        /// The note's id
        id: String,
    },
    /// Say what became of the lines of files that notes speak of
    Check {
        /// Only those that changed or are gone
        #[arg(long)]
        stale: bool,
        /// Exit with 1 if any changed or is gone
        #[arg(long)]
        fail: bool,
    },
    /// Pin a note of the project: every new conversation is given it whole. Without an id, list what is pinned
    Pin {
        /// The note's id
        id: Option<String>,
    },
    /// Unpin a note
    Unpin {
        /// The note's id
        id: String,
    },
    /// Print the notes of the session, or of the project, as JSON Lines
    Export {
        /// Which notes to print [default: the project's; the session's if an agent calls this or one is named]
        #[arg(long, value_enum)]
        scope: Option<ScopeArg>,
    },
    /// Import notes from JSON Lines: an export, or the MCP memory server's file
    Import {
        /// The file; stdin if -
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where to keep them [default: the project; the session if an agent calls this or one is named]
        #[arg(long, value_enum)]
        scope: Option<ScopeArg>,
    },
}

/// Which of the notes to list.
#[derive(Args)]
struct PageArgs {
    /// How many to list [default: 20]
    #[arg(long, value_name = "N", value_parser = ui::at_least_one)]
    limit: Option<usize>,
    /// List all of them
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Go on after this note of the list
    #[arg(long, value_name = "ID")]
    before: Option<String>,
}

impl PageArgs {
    fn read(self, opened: &OpenSession) -> Result<NotePage> {
        let after = self.before.as_deref();
        Ok(NotePage {
            after: after.map(|id| meant(opened, id)).transpose()?,
            limit: match self.limit {
                _ if self.all => usize::MAX,
                limit => limit.unwrap_or(DEFAULT_LIMIT),
            },
        })
    }
}

/// The note that a person means, by its whole id or a part of it.
fn meant(opened: &OpenSession, id: &str) -> Result<NoteId> {
    opened.scratchpad.meant_note(&opened.session_unsaid()?, id)
}

#[derive(Clone, Copy, ValueEnum)]
enum ScopeArg {
    Session,
    Project,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Session => Self::Session,
            ScopeArg::Project => Self::Project,
        }
    }
}

pub(in crate::cli) fn run(args: NoteArgs, global: &Global) -> Result<Done> {
    let opened = OpenSession::open(global, None, None)?;
    let call = match args.command {
        NoteCommand::Add {
            text: given,
            tags,
            sources,
            scope,
        } => match add(given.as_deref(), tags, &sources, scope, &opened, global)? {
            Some(call) => call,
            None => return Ok(Done::Well),
        },
        NoteCommand::Scratch { text: given } => NoteCall::Add {
            content: ui::text_argument(given.as_deref())?,
            tags: Vec::new(),
            scope: Scope::Session,
            sources: Vec::new(),
        },
        NoteCommand::Update {
            id,
            content,
            tags,
            no_tags,
            sources,
        } => {
            let tags = (no_tags || !tags.is_empty()).then_some(tags);
            update(meant(&opened, &id)?, content.as_deref(), tags, &sources)?
        }
        NoteCommand::Show { id } => {
            one::show(meant(&opened, &id)?, &opened, global)?;
            return Ok(Done::Well);
        }
        NoteCommand::Edit { id } => {
            one::edit(meant(&opened, &id)?, &opened, global)?;
            return Ok(Done::Well);
        }
        NoteCommand::Delete { id } => NoteCall::Delete {
            id: meant(&opened, &id)?,
        },
        NoteCommand::Clear { project, yes } => return clear(&opened, project, yes, global),
        NoteCommand::List { tag, page } => NoteCall::List {
            tag,
            page: page.read(&opened)?,
        },
        NoteCommand::Search { query, tags, page } => NoteCall::Search {
            query,
            tags,
            page: page.read(&opened)?,
        },
        NoteCommand::Tags => NoteCall::Tags,
        NoteCommand::Promote { id } => {
            let session = opened.session_to_change()?;
            let (note, totals) = opened
                .scratchpad
                .promote_note(&session, meant(&opened, &id)?)?;
            answer(&session, reply::promoted(&note, totals), global)?;
            return Ok(Done::Well);
        }
        NoteCommand::Check { stale, fail } => return check::run(&opened, stale, fail, global),
        NoteCommand::Pin { id } => {
            match id {
                None => pin::list(&opened, global)?,
                Some(id) => pin::pin(meant(&opened, &id)?, &opened, global)?,
            }
            return Ok(Done::Well);
        }
        NoteCommand::Unpin { id } => {
            pin::unpin(meant(&opened, &id)?, &opened, global)?;
            return Ok(Done::Well);
        }
        NoteCommand::Export { scope } => {
            transfer::export(&opened, meant_scope(scope, &opened)?)?;
            return Ok(Done::Well);
        }
        NoteCommand::Import { file, scope } => {
            transfer::import(&opened, &file, meant_scope(scope, &opened)?, global)?;
            return Ok(Done::Well);
        }
    };
    carry_out(call, &opened, global)
}

/// Runs a call of a note tool and shows its reply.
fn carry_out(call: NoteCall, opened: &OpenSession, global: &Global) -> Result<Done> {
    if let NoteCall::List { .. } | NoteCall::Search { .. } = call {
        former::remark_on_sessions(global, "note list");
    }
    let session = match call {
        NoteCall::List { .. } | NoteCall::Search { .. } | NoteCall::Tags => {
            opened.session_to_look()?
        }
        NoteCall::Add { .. } => opened.session_to_write()?,
        _ => opened.session_to_change()?,
    };
    let wanted = match &call {
        NoteCall::Search { query, .. } => query.clone(),
        _ => None,
    };
    let reader = Reader::Person(ui::age);
    let reply = opened.scratchpad.note_tool(&session, call, reader)?;
    opened.say_if_new();
    if global.json {
        answer(&session, reply, global)?;
    } else {
        let text = translated(&reply.message) + "\n";
        ui::print_long(&ui::highlighted(
            &text,
            wanted.as_deref().unwrap_or_default(),
        ))?;
    }
    Ok(Done::Well)
}

/// The scope that was given, else the session for an agent, which is known by its session, and the project for a person.
fn meant_scope(given: Option<ScopeArg>, opened: &OpenSession) -> Result<Scope> {
    Ok(match given {
        Some(scope) => scope.into(),
        None if opened.is_session_named()? => Scope::Session,
        None => Scope::Project,
    })
}

/// The call that adds a note; `None` if it was added for no session.
fn add(
    given: Option<&str>,
    tags: Vec<String>,
    sources: &[String],
    scope: Option<ScopeArg>,
    opened: &OpenSession,
    global: &Global,
) -> Result<Option<NoteCall>> {
    let sources = given_lines(sources)?;
    let content = ui::text_argument(given)?;
    let scope = meant_scope(scope, opened)?;
    if scope == Scope::Session || opened.is_session_named()? {
        return Ok(Some(NoteCall::Add {
            content,
            tags,
            scope,
            sources,
        }));
    }
    let (note, totals) = opened
        .scratchpad
        .add_project_note(&content, &tags, &sources)?;
    let marks = opened.scratchpad.marks_in(&content);
    let reply = reply::added(&note, totals).without_secrets(&marks);
    if global.json {
        ui::print_json(&reply.structured.unwrap_or_default())?;
    } else {
        ui::show(&(translated(&reply.message) + "\n"))?;
    }
    Ok(None)
}

/// Deletes the notes of the session that was named, or those of the project after a question.
fn clear(opened: &OpenSession, project: bool, yes: bool, global: &Global) -> Result<Done> {
    let (count, scope) = match (&global.session, project) {
        (Some(id), false) => {
            let given = SessionId::new(id.as_str())?;
            let session = opened.scratchpad.meant_session(&given, Purpose::Delete)?;
            let count = opened.scratchpad.clear_session_notes(&session)?;
            (count, Scope::Session)
        }
        (None, true) => {
            let project = opened.scratchpad.project().as_str();
            let question = text!("note-clear-project", project = project);
            if !yes && !ui::can_ask() {
                return Err(Error::refused("Not confirmed.").hint(
                    "the notes of a project go for good: confirm it at a terminal, or pass --yes.",
                ));
            }
            if !yes && !ui::confirm(&question)? {
                ui::print(&format!("{}\n", text!("note-not-cleared")))?;
                return Ok(Done::Well);
            }
            (opened.scratchpad.clear_project_notes()?, Scope::Project)
        }
        _ => {
            return Err(Error::usage("Whose notes? Nothing was deleted.")
                .hint("pass either --session ID or --project."));
        }
    };
    if count > 0 {
        scrub(&opened.scratchpad);
    }
    if global.json {
        ui::print_json(&json!({"scope": scope.name(), "deleted": count}))?;
    } else {
        let said = text!("note-cleared", count = count, scope = scope.name());
        ui::print(&format!("{said}\n"))?;
    }
    Ok(Done::Well)
}

fn update(
    id: NoteId,
    content: Option<&str>,
    tags: Option<Vec<String>>,
    sources: &[String],
) -> Result<NoteCall> {
    if content.is_none() && tags.is_none() && sources.is_empty() {
        return Err(Error::usage(
            "Nothing to replace: pass --content, --tag, --no-tags or --source.",
        ));
    }
    let sources = given_lines(sources)?;
    let content = match content {
        Some("-") => Some(ui::text_argument(None)?),
        other => other.map(str::to_owned),
    };
    Ok(NoteCall::Update {
        id,
        content,
        tags,
        sources: (!sources.is_empty()).then_some(sources),
    })
}

fn answer(session: &SessionId, reply: Reply, global: &Global) -> Result<()> {
    if global.json {
        return ui::print_json_of(session, reply.structured.unwrap_or_default());
    }
    ui::show(&(translated(&reply.message) + "\n"))
}
