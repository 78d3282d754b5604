//! `session set-notes|append-notes|set-plan|mark|refs`: the writes.

use clap::{Args, Subcommand};
use serde_json::json;

use super::show;
use crate::cli::app::OpenSession;
use crate::cli::i18n::{text, translated};
use crate::cli::{Global, editor, ui};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::action::Action;
use scratchpad::model::pad::plan::{ItemName, ItemState};
use scratchpad::model::pad::tool;
use scratchpad::model::pad::{Content, Space};
use scratchpad::model::text::message::{message, quoted};

/// Replace the notes; a text that is too long is cut, and the whole is kept as an output
#[derive(Args)]
pub(super) struct SetNotesArgs {
    /// The text; if omitted, your editor on a terminal, else stdin; "" clears
    #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
    text: Option<String>,
}

/// Append to the notes on a new line; a text that does not fit is refused
#[derive(Args)]
pub(super) struct AppendNotesArgs {
    /// The text; stdin if omitted or -
    #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
    text: Option<String>,
}

/// Replace the plan; a text that is too long is cut, and the whole is kept as an output
#[derive(Args)]
pub(super) struct SetPlanArgs {
    /// The text; if omitted, your editor on a terminal, else stdin; "" clears
    #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
    text: Option<String>,
}

/// Mark items of the plan, lines like `- [ ] fix the cache`, as pending, active, done, blocked or dropped
#[derive(Args)]
pub(super) struct MarkArgs {
    /// The items: numbers counted from 1, or how their texts begin
    #[arg(value_name = "ITEM", required = true)]
    items: Vec<String>,
    /// Their new state: pending, active, done, blocked, dropped
    #[arg(value_name = "STATE", value_parser = state)]
    state: ItemState,
}

fn state(name: &str) -> Result<ItemState> {
    ItemState::named(name).ok_or_else(|| {
        let known = ItemState::ALL.map(ItemState::name);
        Error::usage(message!(
            "No state {name}; there are {known}.",
            name = quoted(name),
            known = known.join(", ")
        ))
    })
}

/// The refs: paths, links, ids
#[derive(Args)]
pub(super) struct RefsArgs {
    #[command(subcommand)]
    command: RefsCommand,
}

#[derive(Subcommand)]
enum RefsCommand {
    /// Add a ref; if the list is full, the oldest is dropped
    Add {
        /// A path, a link, an id
        #[arg(value_name = "REF", allow_hyphen_values = true, value_parser = ui::not_an_option)]
        reference: String,
    },
    /// Remove a ref by its exact text
    Remove {
        /// The ref as `refs list` shows it
        #[arg(value_name = "REF", allow_hyphen_values = true, value_parser = ui::not_an_option)]
        reference: String,
    },
    /// Replace all refs; without any, clear them
    Set {
        /// The refs, oldest first
        #[arg(value_name = "REF", value_parser = ui::not_an_option)]
        references: Vec<String>,
    },
    /// List the refs, one per line
    List,
}

pub(super) fn set_notes(args: &SetNotesArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    if args.text.is_none() && editor::is_possible() {
        return edit(opened, global, Space::Notes, &Action::SetNotes);
    }
    write(
        opened,
        global,
        &Action::SetNotes(ui::text_argument(args.text.as_deref())?),
    )
}

/// Lets the person edit a space.
fn edit(
    opened: &OpenSession,
    global: &Global,
    space: Space,
    action: &dyn Fn(String) -> Action,
) -> Result<()> {
    let id = opened.session_to_write()?;
    let read = || -> Result<Content> { Ok(opened.scratchpad.pad(&id)?.content(space)) };
    let before = read()?;
    let Some(edited) = editor::edit(&show::as_text(&before))? else {
        return ui::print(&format!("{}\n", text!("terminal-not-edited")));
    };
    edited.used(|text| {
        // The agent may have written meanwhile.
        if read()? != before {
            return Err(Error::refused(
                "The text was changed by somebody else while you edited it.",
            )
            .hint("edit it again, with what you need from your text."));
        }
        write_to(&id, opened, global, &action(text.to_owned()))
    })
}

pub(super) fn append_notes(
    args: &AppendNotesArgs,
    opened: &OpenSession,
    global: &Global,
) -> Result<()> {
    write(
        opened,
        global,
        &Action::AppendNotes(ui::text_argument(args.text.as_deref())?),
    )
}

pub(super) fn set_plan(args: &SetPlanArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    if args.text.is_none() && editor::is_possible() {
        return edit(opened, global, Space::Plan, &Action::SetPlan);
    }
    write(
        opened,
        global,
        &Action::SetPlan(ui::text_argument(args.text.as_deref())?),
    )
}

pub(super) fn mark(args: &MarkArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let action = Action::Mark {
        items: args.items.iter().map(|item| ItemName::read(item)).collect(),
        state: args.state,
    };
    write(opened, global, &action)
}

pub(super) fn refs(args: RefsArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let action = match args.command {
        RefsCommand::Add { reference } => Action::AddRef(reference),
        RefsCommand::Remove { reference } => Action::RemoveRef(reference),
        RefsCommand::Set { references } => Action::SetRefs {
            refs: references,
            not_strings: 0,
        },
        RefsCommand::List => return list(opened, global),
    };
    write(opened, global, &action)
}

fn list(opened: &OpenSession, global: &Global) -> Result<()> {
    let id = opened.session_to_read()?;
    let pad = opened.scratchpad.existing_session(&id)?.pad;
    if global.json {
        return ui::print_json(&json!({"session": id.as_str(), "refs": pad.refs}));
    }
    let lines: Vec<String> = pad
        .refs
        .iter()
        .map(|reference| format!("{reference}\n"))
        .collect();
    ui::show(&lines.concat())
}

/// Performs the write and replies as the tool would.
fn write(opened: &OpenSession, global: &Global, action: &Action) -> Result<()> {
    write_to(&opened.session_to_write()?, opened, global, action)
}

fn write_to(id: &SessionId, opened: &OpenSession, global: &Global, action: &Action) -> Result<()> {
    let written = opened.scratchpad.write(id, action)?;
    opened.say_if_new();
    let reply = tool::write_reply(
        action,
        &written.outcome,
        written.revision,
        written.spilled.as_ref(),
    )
    .without_secrets(&written.marks);
    if global.json {
        return ui::print_json_of(id, reply.structured.unwrap_or_default());
    }
    ui::show(&(translated(&reply.message) + "\n"))
}
