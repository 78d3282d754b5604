//! Edits a text by replacing ranges.

use std::ops::Range;

use super::Format;
use super::tree::{Node, Notation};
use crate::model::error::{Error, Result};

/// The file to rewrite, and the path of this program.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) format: Format,
    pub(crate) program: &'a str,
}

/// A range and its new text.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Edit {
    pub(crate) fn replace(range: &Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range: range.clone(),
            text: text.into(),
        }
    }

    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(&(at..at), text)
    }

    pub(crate) fn delete(range: Range<usize>) -> Self {
        Self {
            range,
            text: String::new(),
        }
    }
}

/// Applies the edits. They may touch but not overlap; if two are at the same offset, the first one comes first.
pub(crate) fn applied(text: &str, mut edits: Vec<Edit>) -> Result<String> {
    let kept = |range: Range<usize>| {
        text.get(range).ok_or_else(|| {
            Error::refused("internal error: the edits overlap. This is a bug; please report it.")
        })
    };
    edits.sort_by_key(|edit| edit.range.start);
    let mut new = String::with_capacity(text.len() + edits.len() * 64);
    let mut done = 0;
    for edit in edits {
        new.push_str(kept(done..edit.range.start)?);
        new.push_str(&edit.text);
        done = edit.range.end;
    }
    new.push_str(kept(done..text.len())?);
    Ok(new)
}

impl Source<'_> {
    pub(crate) fn raw(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    pub(crate) fn token(&self, node: &Node) -> &str {
        self.raw(node.range.clone())
    }

    /// Whether the nodes are on one line, separated by a comma and a space, as `wrap` writes them.
    pub(crate) fn is_joined(&self, nodes: &[Node]) -> bool {
        nodes
            .iter()
            .zip(nodes.iter().skip(1))
            .all(|(one, next)| self.text.get(one.range.end..next.range.start) == Some(SEPARATOR))
    }

    /// The separator between a property and one put next to it, in the layout of the property that begins at `key`.
    ///
    /// `None` if a name alone does not make a property.
    pub(crate) fn joint(&self, notation: Notation, key: usize) -> Option<String> {
        let before = self.text.get(..key).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_first = line.len() < before.len() && line.trim().is_empty();
        let indented = || {
            let above = before.strip_suffix(line).unwrap_or_default();
            let end = if above.ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            format!("{end}{line}")
        };
        match notation {
            Notation::TomlDotted => None,
            Notation::TomlLines => Some(indented()),
            Notation::Json | Notation::TomlInline if is_first => Some(format!(",{}", indented())),
            Notation::Json | Notation::TomlInline => Some(SEPARATOR.to_owned()),
        }
    }
}

/// The separator between two values of a list.
pub(crate) const SEPARATOR: &str = ", ";

/// A string literal that is valid in both JSON and TOML.
pub(crate) fn quoted(text: &str) -> String {
    // TOML requires one escape that JSON does not.
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// A property's name.
pub(crate) fn key(notation: Notation, name: &str) -> String {
    match notation {
        Notation::Json => quoted(name),
        _ => name.to_owned(),
    }
}

/// A property's name and the separator before its value.
pub(crate) fn named(notation: Notation, name: &str) -> String {
    let between = match notation {
        Notation::Json => ": ",
        _ => " = ",
    };
    format!("{}{between}", key(notation, name))
}
