//! `forget`: a text goes from everything that is kept.

mod facts;
mod log;
mod remains;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::commands::hook::LOG;
use crate::cli::i18n::{in_one_line, text};
use crate::cli::{Done, Global, ui};
use scratchpad::OutputId;
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::scratchpad::TextPlaces;
use scratchpad::store::{Scrubbed, TextPlace};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad forget --dry-run < key.txt
  scratchpad forget \"Jane Doe\"

The text is matched exactly, in all projects. In pads, past revisions, notes and the log of the hooks, \
[forgotten] takes its place; outputs that contain it are deleted. A secret is better piped in than \
given as an argument, which the shell remembers. Afterwards all files of Scratchpad are searched, \
and any that still has the text is named.")]
pub(in crate::cli) struct ForgetArgs {
    /// The text; stdin if omitted or -
    #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
    text: Option<String>,
    /// Only list what holds it
    #[arg(long)]
    dry_run: bool,
    /// Don't ask
    #[arg(long)]
    yes: bool,
}

pub(in crate::cli) fn run(args: &ForgetArgs, global: &Global) -> Result<Done> {
    let wanted = ui::text_argument(args.text.as_deref())?;
    let app = App::find(global)?;
    let pad = app.scratchpad()?;
    let places = pad.places_of_text(&wanted)?;
    let lines = log::lines_with(&app.directories.data, &wanted)?;
    if !global.json {
        ui::print(&listed(&places, lines))?;
    }
    if args.dry_run {
        if global.json {
            ui::print_json(&answer(&places, lines, true, &[]))?;
        }
        return Ok(Done::Well);
    }
    let is_found = !places.is_empty() || lines > 0;
    if is_found && !may_go(args.yes, &text!("forget-question"))? {
        return Ok(Done::Well);
    }
    // Also if nothing is listed: it may be in what is left of something that was deleted.
    let gone = pad.forget_text(&wanted)?;
    log::forget(&app.directories.data, &wanted)?;
    facts::forget(&app.directories.data, &wanted)?;
    scrub(&pad);
    // No connection to the database may be open while its files are read.
    drop(pad);
    let left = remains::files_with(&app, &wanted);
    if global.json {
        ui::print_json(&answer(&gone, lines, false, &left))?;
    } else {
        for file in &left {
            ui::warn(&text!("forget-still-in", file = file.as_str()));
        }
        if left.is_empty() {
            ui::print(&format!("{}\n", text!("forget-done")))?;
        }
    }
    Ok(if left.is_empty() {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}

/// Whether a person confirms that something goes for good, now or with `--yes`.
pub(in crate::cli) fn may_go(yes: bool, question: &str) -> Result<bool> {
    if yes {
        return Ok(true);
    }
    if !ui::can_ask() {
        return Err(Error::refused("Not confirmed.")
            .hint("this can't be undone: confirm it at a terminal, or pass --yes."));
    }
    let confirmed = ui::confirm(question)?;
    if !confirmed {
        ui::print(&format!("{}\n", text!("forget-nothing-changed")))?;
    }
    Ok(confirmed)
}

/// Clears what deleted content left behind, and says what could not be cleared.
pub(in crate::cli) fn scrub(pad: &Scratchpad) {
    match pad.scrub() {
        Ok(Scrubbed::Clean) => {}
        Ok(Scrubbed::InUse) => ui::warn(&text!("forget-in-use")),
        Ok(Scrubbed::OfServer) => ui::remark(&text!("forget-of-server")),
        // It is deleted all the same.
        Err(error) => ui::warn(&text!("forget-not-cleared", why = in_one_line(&error))),
    }
}

/// What it is, and its id.
fn named(place: &TextPlace) -> (&'static str, String) {
    match place {
        TextPlace::Pad(session) => ("pad", session.to_string()),
        TextPlace::Revision(session, number) => ("revision", format!("{session} {number}")),
        TextPlace::Note(id) => ("note", id.to_string()),
        TextPlace::HookState(session) => ("hooks", session.to_string()),
        TextPlace::Preview(id) => ("preview", id.to_string()),
    }
}

/// A row for each place: what it is, and its id.
pub(super) fn rows(places: &[TextPlace]) -> Vec<Vec<String>> {
    let row = |place: &TextPlace| {
        let (kind, id) = named(place);
        let kind = match kind {
            "pad" => text!("forget-pad"),
            "revision" => text!("forget-revision"),
            "note" => text!("forget-note"),
            "hooks" => text!("forget-hooks"),
            _ => text!("forget-preview"),
        };
        vec![kind, id]
    };
    places.iter().map(row).collect()
}

fn listed(places: &TextPlaces, lines: usize) -> String {
    if places.is_empty() && lines == 0 {
        return format!("{}\n", text!("forget-nowhere"));
    }
    // The preview of an output that goes is not worth a line.
    let is_listed = |place: &&TextPlace| match place {
        TextPlace::Preview(id) => !places.outputs.contains(id),
        _ => true,
    };
    let texts: Vec<TextPlace> = places.texts.iter().filter(is_listed).cloned().collect();
    let mut rows = rows(&texts);
    for row in &mut rows {
        row.push(text!("forget-replaced"));
    }
    let outputs = places.outputs.iter();
    rows.extend(outputs.map(|id| {
        vec![
            text!("forget-output"),
            id.to_string(),
            text!("forget-deleted"),
        ]
    }));
    if lines > 0 {
        rows.push(vec![
            LOG.to_owned(),
            text!("forget-lines", count = lines),
            text!("forget-replaced"),
        ]);
    }
    let header = [
        text!("forget-column-what"),
        text!("search-column-id"),
        text!("forget-column-then"),
    ];
    ui::uncut_table(&header.each_ref().map(String::as_str), rows)
}

fn answer(places: &TextPlaces, lines: usize, is_dry: bool, left: &[String]) -> Value {
    let texts = as_json(&places.texts);
    let outputs: Vec<&str> = places.outputs.iter().map(OutputId::as_str).collect();
    json!({"dry_run": is_dry, "texts": texts, "outputs": outputs, "log_lines": lines, "still_in": left})
}

pub(super) fn as_json(places: &[TextPlace]) -> Vec<Value> {
    let place = |place: &TextPlace| match place {
        TextPlace::Revision(session, number) => {
            json!({"kind": "revision", "id": session.as_str(), "revision": number})
        }
        other => {
            let (kind, id) = named(other);
            json!({"kind": kind, "id": id})
        }
    };
    places.iter().map(place).collect()
}
