//! `install --nudges`: how often an agent is reminded of its pad.

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::cli::commands::config;
use crate::cli::i18n::text;
use crate::cli::{Global, env, ui};
use scratchpad::NudgeSettings;
use scratchpad::hosts::inject::Mode;
use scratchpad::model::error::Result;
use scratchpad::model::settings::layers::Known;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Nudges {
    // No doc comments: clap would show a longer help.
    Gentle,
    Off,
}

impl Nudges {
    /// The settings, by name.
    fn settings(self) -> Vec<(String, String)> {
        let settings = match self {
            Self::Gentle => NudgeSettings::gentle(),
            Self::Off => NudgeSettings::default(),
        };
        let fields = match serde_json::to_value(settings) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let settings = fields.into_iter();
        settings
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    }
}

/// Writes them into the person's settings, and says so.
pub(super) fn set(nudges: Nudges, mode: Mode, global: &Global) -> Result<()> {
    let settings = nudges.settings();
    if mode == Mode::Apply {
        for (name, value) in &settings {
            config::written(&Known::named(name)?.read(value)?, false, global)?;
        }
    }
    if global.json {
        return Ok(());
    }
    let said = match (nudges, mode) {
        (Nudges::Gentle, Mode::Apply) => text!("install-nudges-gentle"),
        (Nudges::Off, Mode::Apply) => text!("install-nudges-off"),
        (_, Mode::Rehearse) => {
            let file = env::directories()?.configuration.join("config.toml");
            text!("install-nudges-would", file = file.display().to_string())
        }
    };
    ui::print(&ui::labelled("", 0, &ui::escaped(&said)))
}

/// What the settings would be, for programs.
pub(super) fn as_json(nudges: Option<Nudges>) -> Value {
    match nudges {
        Some(Nudges::Gentle) => json!("gentle"),
        Some(Nudges::Off) => json!("off"),
        None => Value::Null,
    }
}
