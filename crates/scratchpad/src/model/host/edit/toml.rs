//! Adds tables to a TOML file, and removes them; everything else keeps its layout.

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// Sets the table at a path.
pub(super) fn put(text: &str, path: &[&str], value: &Json) -> Result<String> {
    let mut document = parse(text)?;
    let Some((last, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in above {
        let mut new = Table::new();
        new.set_implicit(true);
        table = table
            .entry(name)
            .or_insert(Item::Table(new))
            .as_table_like_mut()
            .ok_or_else(|| Error::refused(message!("`{name}` is not a table.", name = *name)))?;
    }
    let mut entry = Table::new();
    for (name, field) in value.as_object().into_iter().flatten() {
        entry.insert(name, Item::Value(as_toml(field)));
    }
    table.insert(last, Item::Table(entry));
    Ok(document.to_string())
}

/// Removes the value at a path.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String> {
    let mut document = parse(text)?;
    let Some((last, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in above {
        match table.get_mut(name).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return Ok(text.to_owned()),
        }
    }
    table.remove(last);
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Error::refused(message!(
            "not valid TOML: {error}.",
            error = error.to_string()
        ))
    })
}

fn as_toml(value: &Json) -> Value {
    match value {
        Json::String(text) => Value::from(text.as_str()),
        Json::Bool(on) => Value::from(*on),
        Json::Number(number) => Value::from(number.as_i64().unwrap_or_default()),
        Json::Array(items) => items.iter().map(as_toml).collect(),
        Json::Object(fields) => fields
            .iter()
            .map(|(name, it)| (name.as_str(), as_toml(it)))
            .collect(),
        Json::Null => Value::from(""),
    }
}
