//! Settings from several places: default < user file < project file < environment < flag.
//!
//! Each value is parsed on its own, so that an error names the setting and its origin. The winning values are parsed
//! together at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::Settings;
use super::{other_names, refusal};
use crate::model::error::{Error, Result};
use crate::model::text::message::{message, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The path of the user's file.
    UserFile(String),
    /// The path of the project's file, which may not set everything.
    ProjectFile(String),
    /// The name of an environment variable.
    Environment(String),
    /// `--config` on the command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::UserFile(path) | Self::ProjectFile(path) => formatter.write_str(path),
            Self::Environment(name) => formatter.write_str(name),
            Self::Flag => formatter.write_str("--config"),
        }
    }
}

/// A setting that exists.
#[derive(Debug)]
pub struct Known {
    pub name: String,
    /// The default, which also determines the type of the value.
    default: Json,
}

impl Known {
    /// The setting with this name or one of its [`other_names`]; otherwise an error with the nearest names.
    pub fn named(name: &str) -> Result<&'static Self> {
        let own = other_names::own_name(name);
        known()
            .iter()
            .find(|known| known.name == own)
            .ok_or_else(|| {
                let shown = shortened(name, 80);
                let names = known().iter().map(|known| known.name.as_str());
                Error::usage(message!("Unknown setting {name}.", name = quoted(shown))).hint(
                    did_you_mean(&own, names)
                        .unwrap_or_else(|| "`scratchpad config show` lists the settings.".into()),
                )
            })
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('.', "_");
        format!("SCRATCHPAD_{name}")
    }

    /// Parses a value from the environment or the command line.
    pub fn read(&'static self, text: &str) -> Result<Setting> {
        let number = || text.trim().replace('_', "").parse::<u64>().ok();
        let value = match (&self.default, text.trim()) {
            (Json::Number(_), _) => number().map(Json::from),
            (Json::Bool(_), "true" | "1" | "on") => Some(Json::from(true)),
            (Json::Bool(_), "false" | "0" | "off") => Some(Json::from(false)),
            (Json::Array(_), items) => {
                let items = items.split(';').map(str::trim);
                Some(items.filter(|item| !item.is_empty()).collect())
            }
            _ => None,
        };
        Setting::new(self, value.unwrap_or_else(|| Json::from(text)))
    }
}

/// All settings, in the order in which they are shown.
pub fn known() -> &'static [Known] {
    static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| leaves(&Settings::default()));
    &KNOWN
}

/// Every setting with its value.
fn leaves(settings: &Settings) -> Vec<Known> {
    fn collect(fields: Map<String, Json>, prefix: &str, leaves: &mut Vec<Known>) {
        for (name, value) in fields {
            let name = format!("{prefix}{name}");
            match value {
                Json::Object(fields) => collect(fields, &format!("{name}."), leaves),
                default => leaves.push(Known { name, default }),
            }
        }
    }
    let mut found = Vec::new();
    if let Ok(Json::Object(fields)) = serde_json::to_value(settings) {
        collect(fields, "", &mut found);
    }
    found
}

/// A setting with a valid value.
#[derive(Clone, Debug)]
pub struct Setting {
    known: &'static Known,
    value: Json,
}

impl Setting {
    pub(super) fn new(known: &'static Known, value: Json) -> Result<Self> {
        match Settings::deserialize(nested([(known.name.as_str(), value.clone())])) {
            Ok(_) => Ok(Self { known, value }),
            Err(error) => Err(refusal::refusal(&known.name, &value, &error)),
        }
    }

    pub fn name(&self) -> &'static str {
        &self.known.name
    }

    /// The default of this setting, which determines its type.
    pub(super) fn default(&self) -> &'static Json {
        &self.known.default
    }

    pub(super) fn value(&self) -> &Json {
        &self.value
    }

    /// The value as it may be shown: without passwords.
    pub fn shown(&self) -> Json {
        let one = nested([(self.name(), self.value.clone())]);
        let settings = Settings::deserialize(one).unwrap_or_default();
        let leaves = leaves(&settings).into_iter();
        leaves
            .filter(|leaf| leaf.name == self.name())
            .map(|leaf| leaf.default)
            .next()
            .unwrap_or_default()
    }
}

/// Nests values by their dotted names into one object with sections.
fn nested<'a>(values: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    let mut top = Map::new();
    for (name, value) in values {
        match name.split_once('.') {
            None => {
                top.insert(name.to_owned(), value);
            }
            Some((section, name)) => {
                let section = top.entry(section).or_insert_with(|| Map::new().into());
                if let Json::Object(fields) = section {
                    fields.insert(name.to_owned(), value);
                }
            }
        }
    }
    Json::Object(top)
}

/// The values set so far; later ones win.
#[derive(Debug, Default)]
pub struct Layers(BTreeMap<&'static str, (Json, Origin)>);

impl Layers {
    pub fn set(&mut self, setting: Setting, origin: Origin) {
        self.0.insert(setting.name(), (setting.value, origin));
    }

    /// The settings, and where they come from.
    pub fn resolve(self) -> Result<(Settings, Origins)> {
        let (mut values, mut origins) = (Vec::new(), BTreeMap::new());
        for (name, (value, origin)) in self.0 {
            values.push((name, value));
            origins.insert(name, origin);
        }
        // Not expected: each value has been parsed on its own.
        let settings = Settings::deserialize(nested(values)).map_err(|error| {
            Error::usage(message!(
                "The settings can't be read: {error}.",
                error = error.to_string()
            ))
        })?;
        Ok((settings, Origins(origins)))
    }
}

/// Where each setting that is not a default comes from.
#[derive(Clone, Debug, Default)]
pub struct Origins(BTreeMap<&'static str, Origin>);

impl Origins {
    pub fn of(&self, name: &str) -> &Origin {
        self.0.get(name).unwrap_or(&Origin::Default)
    }
}

/// Every setting with its value as it may be shown, in order.
pub fn shown(settings: &Settings) -> Vec<(&'static str, Json)> {
    let values = leaves(settings).into_iter().map(|leaf| leaf.default);
    let names = known().iter().map(|known| known.name.as_str());
    names.zip(values).collect()
}
