//! `guidance`: what to tell an agent about its memory, for a system prompt.

use clap::Args;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::settings::Settings;
use scratchpad::model::tool::Group;
use scratchpad::model::tool::guidance::guidance;
use scratchpad::model::tool::surface;
use scratchpad::model::tool::surface::{Form, Names, Surface};

// Not a doc comment: clap would use it as the summary of every command that flattens this.
#[derive(Args)]
pub(in crate::cli) struct SurfaceArgs {
    /// The groups of tools to offer: pad, notes, outputs [default: all]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// One tool per group, which takes about half the context window
    #[arg(long)]
    compact: bool,
    /// Name the pad's tool session.scratchpad, for hosts that allow dots
    #[arg(long)]
    dotted_names: bool,
}

impl SurfaceArgs {
    /// The tools to offer: those that were asked for and are not switched off.
    pub(in crate::cli) fn surface(&self, settings: &Settings) -> Result<Surface> {
        let mut groups = match &self.tools {
            None => Group::ALL.to_vec(),
            Some(names) => names
                .iter()
                .map(|name| surface::group(name))
                .collect::<Result<Vec<Group>>>()?,
        };
        let on = offered(settings);
        groups.retain(|group| on.groups.contains(group));
        Ok(Surface {
            groups,
            form: if self.compact {
                Form::Compact
            } else {
                Form::Full
            },
            names: if self.dotted_names {
                Names::Dotted
            } else {
                Names::Plain
            },
            ..on
        })
    }
}

/// The tools of the server as hosts start it, with what the settings say of them.
pub(in crate::cli) fn offered(settings: &Settings) -> Surface {
    let mut surface = Surface {
        pad: settings.pad.limits.clone(),
        notes: settings.notes.limits.clone(),
        ..Surface::default()
    };
    surface.groups.retain(|group| settings.offers(*group));
    surface
}

/// The guidance for the server as hosts start it.
pub(in crate::cli) fn standard(app: &App) -> String {
    guidance(&offered(&app.settings))
}

#[derive(Args)]
#[command(after_help = "\
The MCP server sends hosts the same text. Many pass it on to the agent; Copilot CLI and Cline don't.")]
pub(in crate::cli) struct GuidanceArgs {
    #[command(flatten)]
    surface: SurfaceArgs,
}

pub(in crate::cli) fn run(args: &GuidanceArgs, global: &Global) -> Result<Done> {
    let text = guidance(&args.surface.surface(&App::find(global)?.settings)?);
    if global.json {
        ui::print_json(&json!({"guidance": text}))?;
    } else {
        ui::print(&format!("{text}\n"))?;
    }
    Ok(Done::Well)
}
