//! `profile`: which packs of working rules `inject` writes.

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use super::{config, inject};
use crate::cli::app::App;
use crate::cli::i18n::{number, text};
use crate::cli::{Done, Global, ui};
use scratchpad::hosts::packs::PackLibrary;
use scratchpad::model::context::pack::{Pack, PackSource, Profile};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::path::Reach;
use scratchpad::model::settings::layers::Known;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad profile list
  scratchpad profile show backend
  scratchpad profile use backend

A profile is a file profiles/NAME.toml with `name` and `packs`, next to your settings or in the \
project's .scratchpad/; a pack is a directory packs/ID/ with a pack.toml and Markdown files.")]
pub(in crate::cli) struct ProfileArgs {
    #[command(subcommand)]
    command: ProfileCommand,
}

#[derive(Subcommand)]
enum ProfileCommand {
    /// List the profiles; a star marks the one in use
    List,
    /// Show the packs of a profile
    Show {
        /// The profile [default: the one in use]
        name: Option<String>,
    },
    /// Use a profile from now on, and update regions
    Use {
        /// The profile; `default` uses every pack
        name: String,
        /// Only for this project, in its settings, which may be shared; always so for the project's own profiles
        #[arg(long)]
        project: bool,
    },
}

pub(in crate::cli) fn run(args: &ProfileArgs, global: &Global) -> Result<Done> {
    let app = App::find(global)?;
    let configuration = &app.directories.configuration;
    let library = PackLibrary::read(configuration, Some(&app.project));
    let used = app.settings.profile.as_str();
    match &args.command {
        ProfileCommand::List => {
            inject::warn_of_all(&library.problems);
            list(&library, used, global)?;
        }
        ProfileCommand::Show { name } => {
            inject::warn_of_all(&library.problems);
            let profile = library.profile(name.as_deref().unwrap_or(used))?;
            show(profile, &library, global)?;
        }
        ProfileCommand::Use { name, project } => {
            let profile = library.profile(name).map_err(|error| {
                // The profile may be one that could not be read.
                inject::warn_of_all(&library.problems);
                let refused = Error::refused(&error).as_kind(error.kind());
                match error.next_step() {
                    Some(hint) => refused.hint(hint.clone()),
                    None => refused,
                }
            })?;
            let setting = Known::named("profile")?.read(&profile.id)?;
            // Other projects would not find a project's own profile.
            let in_project = *project || profile.source == PackSource::Project;
            let file = config::written(&setting, in_project, global)?;
            let reaches = if in_project {
                &[Reach::Project][..]
            } else {
                &[Reach::Project, Reach::Global]
            };
            let refreshed = inject::refresh(&App::find(global)?, reaches)?.changed;
            if global.json {
                ui::print_json(
                    &json!({"profile": profile.id, "file": file.display().to_string(), "refreshed": refreshed}),
                )?;
            } else {
                let mut lines = vec![text!("profile-used", name = profile.id.as_str())];
                if !refreshed.is_empty() {
                    lines.push(text!("inject-refreshed", files = refreshed.join(", ")));
                }
                ui::show(&(lines.join("\n") + "\n"))?;
            }
        }
    }
    Ok(Done::Well)
}

fn source(source: PackSource) -> String {
    match source {
        PackSource::BuiltIn => text!("profile-source-built-in"),
        PackSource::User => text!("profile-source-user"),
        PackSource::Project => text!("profile-source-project"),
    }
}

fn list(library: &PackLibrary, used: &str, global: &Global) -> Result<()> {
    if global.json {
        let profiles: Vec<Json> = library
            .profiles
            .iter()
            .map(|profile| {
                json!({
                    "id": profile.id, "name": profile.name, "source": profile.source.name(),
                    "packs": ids(&profile.choose(&library.packs).0), "in_use": profile.id == used,
                })
            })
            .collect();
        return ui::print_json(&json!({"profiles": profiles, "in_use": used}));
    }
    let rows = library
        .profiles
        .iter()
        .map(|profile| {
            let star = if profile.id == used { "*" } else { " " };
            vec![
                format!("{star} {}", profile.id),
                profile.name.clone(),
                source(profile.source),
                ids(&profile.choose(&library.packs).0).join(", "),
            ]
        })
        .collect();
    let header = [
        format!("  {}", text!("profile-column-profile")),
        text!("profile-column-name"),
        text!("profile-column-source"),
        text!("profile-column-packs"),
    ];
    ui::print(&ui::table(&header.each_ref().map(String::as_str), rows))
}

fn ids(packs: &[Pack]) -> Vec<&str> {
    packs.iter().map(|pack| pack.id.as_str()).collect()
}

fn show(profile: &Profile, library: &PackLibrary, global: &Global) -> Result<()> {
    let (packs, missing) = profile.choose(&library.packs);
    let bytes = |pack: &Pack| pack.parts.iter().map(String::len).sum::<usize>();
    if global.json {
        let shown: Vec<Json> = packs
            .iter()
            .map(|pack| {
                json!({
                    "id": pack.id, "name": pack.name, "weight": pack.weight,
                    "source": pack.source.name(), "bytes": bytes(pack),
                })
            })
            .collect();
        return ui::print_json(&json!({
            "id": profile.id, "name": profile.name, "source": profile.source.name(),
            "packs": shown, "missing": missing,
        }));
    }
    for id in &missing {
        ui::warn(&text!(
            "profile-missing-pack",
            name = profile.id.as_str(),
            pack = id.as_str()
        ));
    }
    let rows = packs
        .iter()
        .map(|pack| {
            vec![
                pack.id.clone(),
                pack.name.clone(),
                pack.weight.to_string(),
                source(pack.source),
                number(bytes(pack)),
            ]
        })
        .collect();
    let header = [
        text!("profile-column-pack"),
        text!("profile-column-name"),
        text!("profile-column-weight"),
        text!("profile-column-source"),
        text!("profile-column-bytes"),
    ];
    ui::print(&ui::table(&header.each_ref().map(String::as_str), rows))
}
