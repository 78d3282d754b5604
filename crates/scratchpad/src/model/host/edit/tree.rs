//! A configuration file as a tree of values with their ranges in the text.
//!
//! JSON (with comments, trailing commas and the rest of JSON5) and TOML give the same tree, so that `wrap` is
//! shared.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value as Json};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value as Plain;
use toml_edit::{Document, Item, TableLike, Value as Toml};

use super::Format;
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// A value and its range.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) range: Range<usize>,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    List(Vec<Node>),
    Table(Table),
    Other,
}

/// Properties in the order of the text.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) notation: Notation,
    pub(crate) properties: Vec<Property>,
}

/// How a table separates its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    /// `[a.b]`, and one property per line.
    TomlLines,
    /// `{ a = 1, b = 2 }`
    TomlInline,
    /// `a.b.c = 1`: the property's name is only part of its key.
    TomlDotted,
}

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) key: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Node {
    /// The value at a path below this one.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Self> {
        path.iter()
            .try_fold(self, |node, name| Some(&node.table()?.get(name)?.value))
    }

    /// The value without its layout. A number that JSON can't express becomes null.
    pub(crate) fn to_json(&self, text: &str) -> Plain {
        match &self.value {
            Value::Text(text) => Plain::from(text.as_str()),
            Value::List(items) => items.iter().map(|item| item.to_json(text)).collect(),
            Value::Table(Table { properties, .. }) => properties
                .iter()
                .map(|it| (it.name.clone(), it.value.to_json(text)))
                .collect(),
            Value::Other => text
                .get(self.range.clone())
                .and_then(|raw| serde_json::from_str(raw).ok())
                .unwrap_or_default(),
        }
    }
}

impl Table {
    /// The property with this name. If there are several, the last one counts, as in other JSON readers.
    pub(crate) fn get(&self, name: &str) -> Option<&Property> {
        self.properties
            .iter()
            .rfind(|property| property.name == name)
    }

    /// The table that a property holds.
    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.get(name)?.value.table()
    }
}

/// Parses the text; an error says where it is invalid.
pub(crate) fn read(text: &str, format: Format) -> Result<Node> {
    match format {
        Format::Json => read_json(text),
        Format::Toml => read_toml(text),
    }
}

fn read_json(text: &str) -> Result<Node> {
    Ok(parse_json(text)?.0)
}

/// The root node, and all tokens, comments included.
pub(super) fn parse_json(text: &str) -> Result<(Node, Vec<TokenAndRange<'_>>)> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let options = ParseOptions {
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|error| {
        let words = error.kind().to_string();
        broken("JSON", text, error.range().start, &lowercase_first(&words))
    })?;
    match parsed.value {
        Some(value) => Ok((json_node(&value), parsed.tokens.unwrap_or_default())),
        None => Err(broken("JSON", text, text.len(), "no value found")),
    }
}

fn json_node(value: &Json<'_>) -> Node {
    let range = value.start()..value.end();
    let value = match value {
        Json::StringLit(text) => Value::Text(text.value.to_string()),
        Json::Array(array) => Value::List(array.elements.iter().map(json_node).collect()),
        Json::Object(object) => Value::Table(Table {
            notation: Notation::Json,
            properties: object
                .properties
                .iter()
                .map(|property| Property {
                    name: match &property.name {
                        ObjectPropName::String(text) => text.value.to_string(),
                        ObjectPropName::Word(word) => word.value.to_owned(),
                    },
                    key: property.name.start()..property.name.end(),
                    value: json_node(&property.value),
                })
                .collect(),
        }),
        _ => Value::Other,
    };
    Node { range, value }
}

fn read_toml(text: &str) -> Result<Node> {
    let document = Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let words = error.message().trim_end_matches('.').replace('\n', ", ");
        broken("TOML", text, start, &words)
    })?;
    Ok(Node {
        range: 0..text.len(),
        value: Value::Table(toml_table(document.as_table(), Notation::TomlLines)),
    })
}

fn toml_table(table: &dyn TableLike, notation: Notation) -> Table {
    let notation = if table.is_dotted() {
        Notation::TomlDotted
    } else {
        notation
    };
    let properties = table
        .iter()
        .filter_map(|(name, item)| {
            Some(Property {
                name: name.to_owned(),
                key: table.key(name)?.span()?,
                value: toml_node(item)?,
            })
        })
        .collect();
    Table {
        notation,
        properties,
    }
}

/// The item with its range, which is empty for a table that exists only in the names of other tables.
fn toml_node(item: &Item) -> Option<Node> {
    let value = match item {
        Item::None => return None,
        Item::Value(value) => return toml_value(value),
        Item::Table(table) => Value::Table(toml_table(table, Notation::TomlLines)),
        Item::ArrayOfTables(_) => Value::Other,
    };
    Some(Node {
        range: item.span().unwrap_or_default(),
        value,
    })
}

fn toml_value(value: &Toml) -> Option<Node> {
    let range = value.span();
    let value = match value {
        Toml::String(text) => Value::Text(text.value().clone()),
        Toml::Array(array) => {
            Value::List(array.iter().map(toml_value).collect::<Option<Vec<_>>>()?)
        }
        Toml::InlineTable(table) => Value::Table(toml_table(table, Notation::TomlInline)),
        _ => Value::Other,
    };
    // Only a table made of dotted keys has no range.
    let range = match &value {
        Value::Table(_) => range.unwrap_or_default(),
        _ => range?,
    };
    Some(Node { range, value })
}

fn broken(format: &str, text: &str, start: usize, words: &str) -> Error {
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Error::refused(message!(
        "not valid {format}: line {line}, column {column}: {words}.",
        format,
        line = line.to_string(),
        column = column.to_string(),
        words
    ))
}

fn lowercase_first(words: &str) -> String {
    let mut chars = words.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
