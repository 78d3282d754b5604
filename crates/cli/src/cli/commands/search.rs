//! `search`: through pads, notes and outputs at once.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::Whose;
use scratchpad::model::error::Result;
use scratchpad::scratchpad::{Found, FoundIn};

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad search \"connection refused\"

It finds the text itself, in upper or lower case, in the pads as they are now, in notes and their tags, and in outputs.")]
pub(in crate::cli) struct SearchArgs {
    /// The text to find
    #[arg(allow_hyphen_values = true, value_parser = ui::not_an_option)]
    text: String,
    /// Search all projects
    #[arg(long)]
    everywhere: bool,
    /// How many to list of each kind
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = ui::at_least_one)]
    limit: usize,
}

pub(in crate::cli) fn run(args: &SearchArgs, global: &Global) -> Result<Done> {
    let whose = if args.everywhere {
        Whose::Everybody
    } else {
        Whose::Project
    };
    let pad = App::find(global)?.scratchpad_for_a_moment()?;
    let all = pad.search(&args.text, whose)?;
    let total = all.len();
    let found = first_of_each_kind(all, args.limit);
    if global.json {
        let shown: Vec<Value> = found.iter().map(as_json).collect();
        ui::print_json(&json!({"query": args.text, "total": total, "found": shown}))?;
        return Ok(Done::Well);
    }
    if found.is_empty() {
        ui::remark(&text!("search-nothing", query = args.text.as_str()));
        return Ok(Done::Well);
    }
    let table = table(&found, args.everywhere);
    ui::print_long(&ui::marked(&table, &args.text))?;
    if total > found.len() {
        ui::remark(&text!("search-more", count = total - found.len()));
    }
    Ok(Done::Well)
}

fn first_of_each_kind(all: Vec<Found>, limit: usize) -> Vec<Found> {
    let (mut pads, mut notes, mut outputs) = (0, 0, 0);
    let mut found = all;
    found.retain(|found| {
        let count = match found.place {
            FoundIn::Pad { .. } => &mut pads,
            FoundIn::Note(_) => &mut notes,
            FoundIn::Output(_) => &mut outputs,
        };
        *count += 1;
        *count <= limit
    });
    found
}

fn table(found: &[Found], with_project: bool) -> String {
    let ids: Vec<String> = found.iter().map(|found| named(found).1).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let rows = found
        .iter()
        .map(|found| {
            let (kind, id) = named(found);
            let id = match found.place {
                // All notes of a year begin alike.
                FoundIn::Note(_) => id,
                _ => ui::unique_beginning(&id, &ids).to_owned(),
            };
            let kind = match kind {
                "plan" => text!("search-plan"),
                "notes" => text!("search-notes"),
                "refs" => text!("search-refs"),
                "note" => text!("search-note"),
                _ => text!("search-output"),
            };
            let mut row = vec![id, kind, ui::age(found.at), found.hits.around.clone()];
            if with_project {
                let project = found.project.as_ref();
                row.push(project.map(ToString::to_string).unwrap_or_default());
            }
            row
        })
        .collect();
    let mut header = vec![
        text!("search-column-id"),
        text!("search-column-kind"),
        text!("search-column-age"),
        text!("search-column-match"),
    ];
    header.extend(with_project.then(|| text!("session-column-project")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::table(&header, rows)
}

/// What it is, and its id.
fn named(found: &Found) -> (&'static str, String) {
    match &found.place {
        FoundIn::Pad { session, space } => (space.name(), session.to_string()),
        FoundIn::Note(id) => ("note", id.to_string()),
        FoundIn::Output(id) => ("output", id.to_string()),
    }
}

fn as_json(found: &Found) -> Value {
    let (kind, id) = named(found);
    json!({
        "kind": kind,
        "id": id,
        "project": found.project.as_ref().map(ToString::to_string),
        "at": found.at,
        "matches": found.hits.count,
        "line": found.hits.line,
        "text": found.hits.around,
    })
}
