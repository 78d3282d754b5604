//! Configuration: layers of settings, each value with its origin.
//!
//! Default < user file < project file < environment < flag. What is read comes in as text; which
//! files and variables there are is the command line's business.

pub mod hook_keys;
pub mod hooks;
pub mod keys;
pub mod language;
pub mod outputs_url;
pub mod passwords;
pub mod schema;
pub mod store_url;
pub mod value;

use toml_edit::{Document, DocumentMut, Item, TableLike};

use super::error::{Error, Result};
use super::note::NoteLimits;
use super::output::OutputLimits;
use super::output::offload::{CodeMode, Offload, Rule};
use super::pad::Limits;
use super::pad::nudge::NudgeSettings;
use hooks::HookSettings;
use keys::{KEYS, Key, Value};
use language::AUTO;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The person's file, with its path.
    UserFile(String),
    /// The project's file, with its path: it is somebody else's, and may not set everything.
    ProjectFile(String),
    /// An environment variable, with its name.
    Environment(String),
    /// `--config` on the command line.
    Flag,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::UserFile(path) | Self::ProjectFile(path) => formatter.write_str(path),
            Self::Environment(name) => formatter.write_str(name),
            Self::Flag => formatter.write_str("--config"),
        }
    }
}

/// All settings with their values and origins.
#[derive(Clone, Debug)]
pub struct Config {
    values: Vec<(&'static Key, Value, Origin)>,
}

impl Default for Config {
    fn default() -> Self {
        let values = KEYS
            .iter()
            .map(|key| (key, key.default_value(), Origin::Default))
            .collect();
        Self { values }
    }
}

impl Config {
    /// Puts one value over what was there.
    pub fn set(&mut self, key: &'static Key, value: Value, origin: Origin) {
        for slot in &mut self.values {
            if slot.0.name == key.name {
                *slot = (key, value, origin);
                return;
            }
        }
    }

    /// Puts the values of a file over what was there.
    pub fn set_from_file(&mut self, text: &str, origin: &Origin) -> Result<()> {
        let document = Document::parse(text).map_err(|error| not_toml(text, &error, origin))?;
        self.set_from_table(document.as_table(), "", origin)
            .map_err(|error| error.within(origin))
    }

    fn set_from_table(
        &mut self,
        table: &dyn TableLike,
        prefix: &str,
        origin: &Origin,
    ) -> Result<()> {
        for (name, item) in table.iter() {
            let name = format!("{prefix}{name}");
            let is_section = KEYS
                .iter()
                .any(|key| key.name.starts_with(&format!("{name}.")));
            match item.as_table_like() {
                Some(inner) if is_section => {
                    self.set_from_table(inner, &format!("{name}."), origin)?;
                }
                _ => {
                    let key = Key::named(&name)?;
                    if matches!(origin, Origin::ProjectFile(_)) {
                        key.check_project_may_set()?;
                    }
                    self.set(key, value_of(key, item)?, origin.clone());
                }
            }
        }
        Ok(())
    }

    /// Every setting with its value and origin, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Value, &Origin)> {
        self.values
            .iter()
            .map(|(key, value, origin)| (*key, value, origin))
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.values
            .iter()
            .find(|slot| slot.0.name == name)
            .map(|slot| &slot.1)
    }

    /// The number of a key that takes one.
    fn whole(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Whole(number)) => *number,
            _ => 0,
        }
    }

    fn size(&self, name: &str) -> usize {
        usize::try_from(self.whole(name)).unwrap_or(usize::MAX)
    }

    /// The text of a key that takes one.
    fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// Where the store is.
    pub fn store_url(&self) -> &str {
        self.text(keys::STORE_URL)
    }

    /// Where large outputs of a shared store are.
    pub fn store_outputs(&self) -> &str {
        self.text(keys::STORE_OUTPUTS)
    }

    /// What the project is called, where somebody said so.
    pub fn project_id(&self) -> Option<&str> {
        Some(self.text(keys::PROJECT_ID)).filter(|name| *name != AUTO)
    }

    /// Who writes, where somebody said so.
    pub fn author(&self) -> Option<&str> {
        Some(self.text(keys::AUTHOR)).filter(|name| *name != AUTO)
    }

    /// The language of messages, or [`language::AUTO`].
    pub fn language(&self) -> &str {
        self.text(keys::LANGUAGE)
    }

    /// The profile, and whether the project chose it.
    pub fn profile(&self) -> (&str, &Origin) {
        let slot = self.values.iter().find(|slot| slot.0.name == keys::PROFILE);
        match slot {
            Some((_, Value::Text(name), origin)) => (name, origin),
            _ => ("", &Origin::Default),
        }
    }

    /// The most bytes of a region.
    pub fn inject_max_bytes(&self) -> usize {
        self.size(keys::INJECT_MAX_BYTES)
    }

    /// What hooks say, and when.
    pub fn hooks(&self) -> HookSettings {
        HookSettings {
            inject_every_turns: self.whole(hook_keys::INJECT_EVERY_TURNS.name),
            nudges: NudgeSettings {
                after_turns: self.whole(hook_keys::NUDGE_AFTER_TURNS.name),
                on_plan: self.whole(hook_keys::NUDGE_ON_PLAN.name),
                after_compaction: self.whole(hook_keys::NUDGE_AFTER_COMPACTION.name),
                turns_since_last_use: self.whole(hook_keys::NUDGE_TURNS_SINCE_LAST_USE.name),
                at_tools: self.value(hook_keys::NUDGE_AT_TOOLS.name) == Some(&Value::Switch(true)),
            },
        }
    }

    /// How long to wait for other processes.
    pub fn busy_timeout(&self) -> std::time::Duration {
        std::time::Duration::from_millis(self.whole(keys::STORE_BUSY_TIMEOUT_MS))
    }

    /// Which texts become outputs.
    pub fn offload(&self) -> Offload {
        let rules = match self.value(keys::OUTPUTS_RULES) {
            // They were checked when they were set.
            Some(Value::List(rules)) => rules.iter().flat_map(|rule| Rule::parse(rule)).collect(),
            _ => Vec::new(),
        };
        Offload {
            enabled: self.value(keys::OUTPUTS_ENABLED) == Some(&Value::Switch(true)),
            threshold: self.whole(keys::OUTPUTS_THRESHOLD),
            rules,
            code_mode: CodeMode::of(self.text(keys::OUTPUTS_CODE_MODE)),
        }
    }

    /// How long outputs are kept, and how much of them is shown.
    pub fn output_limits(&self) -> OutputLimits {
        let max_age = match self.value(keys::OUTPUTS_MAX_AGE) {
            Some(Value::Text(time)) => keys::parse_time(time),
            _ => None,
        };
        OutputLimits {
            preview_chars: self.size(keys::OUTPUTS_PREVIEW_LENGTH),
            read_bytes: self.size(keys::OUTPUTS_READ_MAX_BYTES),
            max_age: max_age.unwrap_or(OutputLimits::default().max_age),
            max_total_bytes: self.whole(keys::OUTPUTS_MAX_TOTAL_BYTES),
        }
    }

    /// The budgets of the pad.
    pub fn limits(&self) -> Limits {
        Limits {
            notes_chars: self.size(keys::PAD_NOTES_MAX_CHARS),
            plan_chars: self.size(keys::PAD_PLAN_MAX_CHARS),
            refs: self.size(keys::PAD_MAX_REFS),
            ref_chars: self.size(keys::PAD_REF_MAX_CHARS),
            tokens: self.size(keys::PAD_TOKEN_BUDGET),
        }
    }

    /// How large notes may be.
    pub fn note_limits(&self) -> NoteLimits {
        NoteLimits {
            chars: self.size(keys::NOTES_MAX_CHARS),
            tags: self.size(keys::NOTES_MAX_TAGS),
        }
    }
}

fn value_of(key: &'static Key, item: &Item) -> Result<Value> {
    if let Some(number) = item.as_integer() {
        let number = u64::try_from(number).map_err(|_| key.wrong(&number.to_string()))?;
        return key.checked(Value::Whole(number));
    }
    if let Some(text) = item.as_str() {
        return key.checked(Value::Text(text.to_owned()));
    }
    if let Some(on) = item.as_bool() {
        return key.checked(Value::Switch(on));
    }
    if let Some(items) = item.as_array() {
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        if let Some(texts) = texts.collect::<Option<Vec<String>>>() {
            return key.checked(Value::List(texts));
        }
    }
    Err(key.wrong(&match item {
        Item::Value(value) => value.to_string().trim().to_owned(),
        _ => "a table".to_owned(),
    }))
}

fn not_toml(text: &str, error: &toml_edit::TomlError, origin: &Origin) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Error::usage(format!(
        "{origin} is not valid TOML: line {line}, column {column}: {}.",
        error.message().trim_end_matches('.').replace('\n', ", ")
    ))
}

/// The text of a configuration file with one value set; comments and layout stay.
pub fn with_value(text: &str, key: &'static Key, value: &Value, origin: &Origin) -> Result<String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| not_toml(text, &error, origin))?;
    let (table, name): (&mut dyn TableLike, &str) = match key.name.split_once('.') {
        None => (document.as_table_mut(), key.name),
        Some((section, name)) => {
            let table = document
                .entry(section)
                .or_insert(toml_edit::table())
                .as_table_like_mut()
                .ok_or_else(|| Error::usage(format!("{origin}: `{section}` is not a table.")))?;
            (table, name)
        }
    };
    let new = match value {
        Value::Whole(number) => toml_edit::Value::from(i64::try_from(*number).unwrap_or(i64::MAX)),
        Value::Text(text) => toml_edit::Value::from(text.as_str()),
        Value::Switch(on) => toml_edit::Value::from(*on),
        Value::List(texts) => texts.iter().map(String::as_str).collect(),
    };
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        _ => {
            table.insert(name, Item::Value(new));
        }
    }
    let changed = document.to_string();
    if text.contains("\r\n") {
        return Ok(changed.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
    Ok(changed)
}
