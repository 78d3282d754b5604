//! `secrets`: what is stored already.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::forget::{as_json, may_go, rows, scrub};
use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::scratchpad::StoredSecrets;

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad secrets scan --mask

Secrets are replaced before a pad or a note is stored; this finds those that were stored before that, in all projects, \
also in past revisions. With --mask they are replaced now, and cleared from the files of the store. Outputs are only listed.")]
pub(in crate::cli) struct SecretsArgs {
    #[command(subcommand)]
    command: SecretsCommand,
}

#[derive(Subcommand)]
enum SecretsCommand {
    /// List the pads, notes and outputs that contain secrets; exits with 1 if any does
    Scan {
        /// Replace them, except in outputs
        #[arg(long)]
        mask: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
}

pub(in crate::cli) fn run(args: &SecretsArgs, global: &Global) -> Result<Done> {
    let SecretsCommand::Scan { mask, yes } = args.command;
    let pad = App::find(global)?.scratchpad()?;
    let found = pad.stored_secrets()?;
    let masks = mask && !found.texts.is_empty();
    if !global.json {
        ui::print(&listed(&found))?;
    }
    if masks {
        if !may_go(yes, &text!("secrets-question"))? {
            return Ok(Done::Well);
        }
        pad.mask_stored_secrets()?;
        scrub(&pad);
    }
    if global.json {
        let outputs: Vec<Value> = found
            .outputs
            .iter()
            .map(|(id, kinds)| json!({"id": id.as_str(), "kinds": kinds}))
            .collect();
        ui::print_json(&json!({
            "texts": as_json(&found.texts), "marks": found.marks, "outputs": outputs, "masked": masks,
        }))?;
    } else if masks {
        ui::print(&format!("{}\n", text!("secrets-masked")))?;
    }
    let is_clean = found.outputs.is_empty() && (masks || found.texts.is_empty());
    Ok(if is_clean {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}

fn listed(found: &StoredSecrets) -> String {
    if found.texts.is_empty() && found.outputs.is_empty() {
        return format!("{}\n", text!("secrets-none"));
    }
    let mut rows = rows(&found.texts);
    rows.extend(found.outputs.iter().map(|(id, kinds)| {
        let kind = format!("{} ({})", text!("forget-output"), kinds.join(", "));
        vec![kind, id.to_string()]
    }));
    let header = [text!("forget-column-what"), text!("search-column-id")];
    let table = ui::uncut_table(&header.each_ref().map(String::as_str), rows);
    if found.marks.is_empty() {
        return table;
    }
    let marks = text!("secrets-marks", marks = found.marks.join(", "));
    format!("{table}{marks}\n")
}
