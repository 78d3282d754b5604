//! Configuration files: TOML, read into layers and edited with comments and layout preserved.

use serde_json::Value as Json;
use toml_edit::{Document, DocumentMut, Item, TableLike};

use super::layers::{Known, Layers, Origin, Setting, known};
use super::{project_file, refusal};
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

impl Layers {
    /// Sets the values of a file, over those set so far.
    pub fn set_from_file(&mut self, text: &str, origin: &Origin) -> Result<()> {
        let document = Document::parse(text).map_err(|error| not_toml(text, &error, origin))?;
        self.set_from_table(document.as_table(), "", origin)
            .map_err(|error| error.within(origin.to_string()))
    }

    fn set_from_table(
        &mut self,
        table: &dyn TableLike,
        prefix: &str,
        origin: &Origin,
    ) -> Result<()> {
        for (name, item) in table.iter() {
            let name = format!("{prefix}{name}");
            match item.as_table_like() {
                Some(inner) if is_section(&name) => {
                    self.set_from_table(inner, &format!("{name}."), origin)?;
                }
                _ => {
                    let known = Known::named(&name)?;
                    if matches!(origin, Origin::ProjectFile(_)) {
                        project_file::check(&known.name)?;
                    }
                    let value = json(item).map_err(|given| refusal::takes(&known.name, &given))?;
                    self.set(Setting::new(known, value)?, origin.clone());
                }
            }
        }
        Ok(())
    }
}

fn is_section(name: &str) -> bool {
    known().iter().any(|known| {
        let rest = known.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

/// The value as JSON; for a type that no setting takes, `Err` with the text that the message shows.
fn json(item: &Item) -> Result<Json, String> {
    if let Some(number) = item.as_integer() {
        return Ok(Json::from(number));
    }
    if let Some(text) = item.as_str() {
        return Ok(Json::from(text));
    }
    if let Some(is_on) = item.as_bool() {
        return Ok(Json::from(is_on));
    }
    let texts = item.as_array().and_then(|items| {
        let texts = items.iter().map(|item| item.as_str().map(Json::from));
        texts.collect::<Option<Vec<Json>>>()
    });
    match (texts, item) {
        (Some(texts), _) => Ok(Json::Array(texts)),
        (None, Item::Value(value)) => Err(value.to_string().trim().to_owned()),
        (None, _) => Err("a table".to_owned()),
    }
}

fn not_toml(text: &str, error: &toml_edit::TomlError, origin: &Origin) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Error::usage(message!(
        "{origin} is not valid TOML: line {line}, column {column}: {what}.",
        origin = origin.to_string(),
        line = line.to_string(),
        column = column.to_string(),
        what = error.message().trim_end_matches('.').replace('\n', ", ")
    ))
}

/// The text of a configuration file with one value set; comments and layout are preserved.
pub fn with_value(text: &str, setting: &Setting, origin: &Origin) -> Result<String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| not_toml(text, &error, origin))?;
    let (table, name): (&mut dyn TableLike, &str) = match setting.name().split_once('.') {
        None => (document.as_table_mut(), setting.name()),
        Some((section, name)) => {
            let table = document
                .entry(section)
                .or_insert(toml_edit::table())
                .as_table_like_mut()
                .ok_or_else(|| {
                    Error::usage(message!(
                        "{origin}: `{section}` is not a table.",
                        origin = origin.to_string(),
                        section
                    ))
                })?;
            (table, name)
        }
    };
    let new = toml(setting.value());
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

fn toml(value: &Json) -> toml_edit::Value {
    match value {
        Json::Bool(is_on) => toml_edit::Value::from(*is_on),
        Json::Number(number) => toml_edit::Value::from(number.as_i64().unwrap_or(i64::MAX)),
        Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
        text => toml_edit::Value::from(text.as_str().unwrap_or_default()),
    }
}
