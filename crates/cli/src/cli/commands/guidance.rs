//! `guidance`: what to tell an agent about its memory, for a system prompt.

use clap::Args;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
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
    /// `outputs`: whether the output tools are offered at all.
    pub(in crate::cli) fn surface(&self, outputs: bool) -> Result<Surface> {
        let mut groups = match &self.tools {
            None => Group::ALL.to_vec(),
            Some(names) => names
                .iter()
                .map(|name| surface::group(name))
                .collect::<Result<Vec<Group>>>()?,
        };
        groups.retain(|group| outputs || *group != Group::Outputs);
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
        })
    }
}

#[derive(Args)]
#[command(after_help = "\
The MCP server sends hosts the same text. Many pass it on to the agent; Copilot CLI and Cline don't.")]
pub(in crate::cli) struct GuidanceArgs {
    #[command(flatten)]
    surface: SurfaceArgs,
}

/// The guidance for the server as hosts start it.
pub(in crate::cli) fn standard(app: &App) -> String {
    let outputs = app.settings.outputs.offload.enabled;
    let mut surface = Surface::default();
    surface
        .groups
        .retain(|group| *group != Group::Outputs || outputs);
    guidance(&surface.tools())
}

pub(in crate::cli) fn run(args: &GuidanceArgs, global: &Global) -> Result<Done> {
    let outputs = App::find(global)?.settings.outputs.offload.enabled;
    let text = guidance(&args.surface.surface(outputs)?.tools());
    if global.json {
        ui::print_json(&json!({"guidance": text}))?;
    } else {
        ui::print(&format!("{text}\n"))?;
    }
    Ok(Done::Well)
}
