//! `context`: what the person wants every agent in the project to know.

use clap::{Args, Subcommand};
use serde_json::json;

use super::inject;
use super::inject::Refreshed;
use crate::cli::app::App;
use crate::cli::arrival::{Arriving, take_context_notes};
use crate::cli::i18n::text;
use crate::cli::{Done, Global, former, ui};
use scratchpad::hosts::notes::ContextNotes;
use scratchpad::model::context::notes::{NotesChange, checked_note};
use scratchpad::model::error::Result;
use scratchpad::model::host::Host;
use scratchpad::model::host::instructions::HookedHosts;
use scratchpad::model::host::path::Reach;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad context add \"Deploys are frozen until Friday\"
  scratchpad context
  scratchpad context remove 1

The notes are kept in .scratchpad/scratch.yaml, private to you. `scratchpad inject` writes them into \
the instruction files of agent hosts; from then on, every change here updates those files too. \
Those for all projects are beside your settings.")]
pub(in crate::cli) struct ContextArgs {
    /// The notes for all your projects
    #[arg(long, global = true)]
    global: bool,
    #[command(subcommand)]
    command: Option<ContextCommand>,
}

#[derive(Subcommand)]
enum ContextCommand {
    /// Add a note
    Add {
        /// The text; stdin if omitted or -
        #[arg(value_name = "NOTE", allow_hyphen_values = true, value_parser = ui::not_an_option)]
        note: Option<String>,
    },
    /// List the notes with their numbers (the default)
    List,
    /// Remove one note
    Remove {
        /// Its number, as `context list` shows it
        #[arg(value_name = "N")]
        number: usize,
    },
    /// Remove all notes, even if their file can't be read
    Clear,
}

pub(in crate::cli) fn run(args: ContextArgs, global: &Global) -> Result<Done> {
    let app = App::find(global)?;
    let reach = if args.global {
        Reach::Global
    } else {
        Reach::Project
    };
    if reach == Reach::Project {
        let timeout = app.settings.store.busy_timeout();
        take_context_notes(&app.project, timeout, &Arriving::Aloud);
    }
    let notes = notes(&app, reach);
    match args.command.unwrap_or(ContextCommand::List) {
        ContextCommand::List => list(&notes, &app, reach, global)?,
        ContextCommand::Add { note } => {
            let note = checked_note(&ui::text_argument(note.as_deref())?)?;
            let number = notes.change(&NotesChange::Add(note))?.after.len();
            let name = notes.file().display().to_string();
            if let Some(shared) = inject::sharing_in_words(&name, notes.sharing()) {
                ui::warn(&shared);
            }
            answer(
                &app,
                reach,
                global,
                json!({"number": number, "notes": number}),
                match reach {
                    Reach::Project => text!("context-added", number = number),
                    Reach::Global => text!("context-added-for-all", number = number),
                },
            )?;
        }
        ContextCommand::Remove { number } => {
            let changed = notes.change(&NotesChange::Remove(number))?;
            let gone = changed.before.get(number.saturating_sub(1)).cloned();
            let gone = gone.unwrap_or_default();
            answer(
                &app,
                reach,
                global,
                json!({"number": number, "note": gone, "notes": changed.after.len()}),
                text!("context-removed", number = number, note = gone.as_str()),
            )?;
        }
        ContextCommand::Clear => {
            let changed = notes.change(&NotesChange::Clear)?;
            let removed = changed.before.len() - changed.after.len();
            let said = if changed.was_damaged {
                text!(
                    "context-damaged-removed",
                    file = notes.file().display().to_string()
                )
            } else {
                text!("context-cleared", count = removed)
            };
            answer(
                &app,
                reach,
                global,
                json!({"removed": removed, "notes": 0, "was_damaged": changed.was_damaged}),
                said,
            )?;
        }
    }
    Ok(Done::Well)
}

/// Updates the instruction files that contain the notes, then says what was done.
fn answer(
    app: &App,
    reach: Reach,
    global: &Global,
    mut data: serde_json::Value,
    said: String,
) -> Result<()> {
    // The note is saved: a file that can't be updated must not make this look like a failure.
    let refreshed = inject::refresh(app, &[reach]).unwrap_or_else(|error| {
        ui::print_error(&error);
        Refreshed::default()
    });
    let HookedHosts { calling, silent } = &refreshed.hooked;
    let reaches_nobody =
        refreshed.regions == 0 && calling.is_empty() && data.get("notes") != Some(&json!(0));
    if global.json {
        let names = |hosts: &[&Host]| hosts.iter().map(|host| host.name).collect::<Vec<_>>();
        if let serde_json::Value::Object(fields) = &mut data {
            fields.insert("refreshed".to_owned(), json!(refreshed.changed));
            fields.insert("hooks".to_owned(), json!(names(calling)));
            fields.insert("hooks_not_run".to_owned(), json!(names(silent)));
        }
        return ui::print_json(&data);
    }
    let mut lines = vec![said];
    if !refreshed.changed.is_empty() {
        let files = refreshed.changed.join(", ");
        lines.push(text!("inject-refreshed", files = files));
    }
    if !calling.is_empty() {
        let hosts = titles(calling);
        lines.push(text!("context-with-next-prompt", hosts = hosts));
    }
    ui::show(&(lines.join("\n") + "\n"))?;
    if reaches_nobody && silent.is_empty() {
        ui::remark(&match reach {
            Reach::Project => text!("context-reaches-nobody"),
            Reach::Global => text!("context-for-all-reaches-nobody"),
        });
    } else if reaches_nobody {
        ui::remark(&text!("context-hooks-not-run", hosts = titles(silent)));
    }
    Ok(())
}

fn titles(hosts: &[&Host]) -> String {
    let titles: Vec<&str> = hosts.iter().map(|host| host.title).collect();
    titles.join(", ")
}

/// The notes of the project, or those for all projects.
pub(in crate::cli) fn notes(app: &App, reach: Reach) -> ContextNotes {
    let timeout = app.settings.store.busy_timeout();
    match reach {
        Reach::Project => ContextNotes::of(&app.project, timeout),
        Reach::Global => ContextNotes::of_person(&app.directories.configuration, timeout),
    }
}

fn list(notes: &ContextNotes, app: &App, reach: Reach, global: &Global) -> Result<()> {
    let listed = notes.list()?;
    if reach == Reach::Project {
        former::remark_on_context_notes(app, global);
        remark_on_those_for_all(app);
    }
    if global.json {
        return ui::print_json(
            &json!({"notes": listed, "file": notes.file().display().to_string()}),
        );
    }
    if listed.is_empty() {
        let project = app.project.root.display().to_string();
        ui::remark(&match reach {
            Reach::Project => text!("context-none", project = project),
            Reach::Global => text!("context-none-for-all"),
        });
        return Ok(());
    }
    let mut lines = text!("context-header") + "\n";
    for (number, note) in (1..).zip(&listed) {
        lines.push_str(&bullet(&format!("- {number}. "), note));
    }
    ui::show(&lines)
}

/// Says that there are notes for all projects, too.
fn remark_on_those_for_all(app: &App) {
    // If they can't be read, their own list says so.
    let count = notes(app, Reach::Global).list().map_or(0, |all| all.len());
    if count > 0 {
        ui::remark(&text!("context-also-for-all", count = count));
    }
}

/// A note behind its bullet; its further lines are indented as far.
fn bullet(mark: &str, note: &str) -> String {
    let indent = " ".repeat(mark.len());
    let mut text = mark.to_owned();
    for (number, line) in note.trim().lines().enumerate() {
        match (number, line) {
            (0, line) => text.push_str(line),
            (_, "") => text.push('\n'),
            (_, line) => text.push_str(&["\n", &indent, line].concat()),
        }
    }
    text + "\n"
}
