//! Edits of other programs' JSON, TOML and YAML files that leave every other byte alone.

mod jsonc;
pub mod splice;
mod toml;
pub mod tree;
pub mod yaml;

use serde_json::Value as Json;

use crate::model::error::Result;

pub use jsonc::{put_item, take_items};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, possibly with comments, trailing commas and the rest of JSON5.
    Json,
    /// TOML.
    Toml,
}

/// The value at a path, if there is one.
pub fn get(text: &str, format: Format, path: &[&str]) -> Result<Option<Json>> {
    let text = without_mark(text);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = tree::read(text, format)?;
    Ok(root.find(path).map(|node| node.to_json(text)))
}

/// Sets the value at a path.
pub fn put(text: &str, format: Format, path: &[&str], value: &Json) -> Result<String> {
    match format {
        Format::Toml if get(text, format, path)?.as_ref() == Some(value) => Ok(text.to_owned()),
        Format::Toml => toml::put(text, path, value),
        Format::Json => jsonc::put(text, path, value),
    }
}

/// Removes the value at a path.
pub fn take(text: &str, format: Format, path: &[&str]) -> Result<String> {
    let mut text = text.to_owned();
    // A key may occur twice in JSON: if only the last one is removed, the one before it takes effect.
    while get(&text, format, path)?.is_some() {
        let rest = match format {
            Format::Toml => toml::take(&text, path)?,
            Format::Json => jsonc::take(&text, path)?,
        };
        if rest == text {
            break;
        }
        text = rest;
    }
    Ok(text)
}

/// The text without its byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests;
