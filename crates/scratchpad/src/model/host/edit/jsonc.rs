//! Adds values to JSON with comments, and removes them; every other byte stays as it is.
//!
//! The parser's tokens say where the commas and comments are, and the edits are splices of the text. The parser's own
//! editable tree is not used: its `append` breaks an object written on one line into several and drops blank lines,
//! and its `remove` deletes the comments beside an entry, so that removing an entry would not undo adding it.

use std::ops::Range;

use jsonc_parser::tokens::{Token, TokenAndRange};
use serde_json::{Map, Value as Json};

use super::splice::{Edit, applied, quoted};
use super::tree::{Node, parse_json};
use super::without_mark;
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

/// Sets the value at a path.
pub(super) fn put(text: &str, path: &[&str], value: &Json) -> Result<String> {
    edited(text, |document| {
        let mut node = &document.root;
        let mut rest = path;
        while let Some((name, below)) = rest.split_first() {
            let table = node.table().ok_or_else(|| {
                Error::refused(message!(
                    "the parent of `{name}` is not a table.",
                    name = *name
                ))
            })?;
            let Some(property) = table.get(name) else {
                break;
            };
            node = &property.value;
            rest = below;
        }
        let Some((name, below)) = rest.split_first() else {
            return Ok(document.replacement(node, value));
        };
        let inner = below.iter().rev().fold(value.clone(), |inner, name| {
            Json::Object(Map::from_iter([((*name).to_owned(), inner)]))
        });
        Ok(document.addition(node, &|layout, indent| {
            format!("{}: {}", quoted(name), layout.write(&inner, indent))
        }))
    })
}

/// Removes the last property at a path; a key may occur twice.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String> {
    edited(text, |document| {
        let Some((last, above)) = path.split_last() else {
            return Ok(Vec::new());
        };
        let node = document.root.find(above);
        let table = node.and_then(Node::table);
        let at = table.and_then(|table| table.properties.iter().rposition(|it| it.name == *last));
        Ok(match (node, at) {
            (Some(node), Some(at)) => document.removal(node, at),
            _ => Vec::new(),
        })
    })
}

/// Adds an item to the list at a path; it replaces the first item that is ours, if there is one.
pub fn put_item(
    text: &str,
    path: &[&str],
    item: &Json,
    is_ours: &dyn Fn(&Json) -> bool,
) -> Result<String> {
    let is_absent = super::get(text, super::Format::Json, path)?.is_none();
    if is_absent {
        return put(text, path, &Json::from(vec![item.clone()]));
    }
    edited(text, |document| {
        let list = document.root.find(path);
        let Some((list, items)) = list.and_then(|node| Some((node, node.list()?))) else {
            return Err(Error::refused(message!(
                "`{path}` is not a list.",
                path = path.join(".")
            )));
        };
        let ours = items.iter().find(|it| is_ours(&it.to_json(document.text)));
        Ok(match ours {
            Some(ours) => document.replacement(ours, item),
            None => document.addition(list, &|layout, indent| layout.write(item, indent)),
        })
    })
}

/// Removes our items from the list at a path.
pub fn take_items(text: &str, path: &[&str], is_ours: &dyn Fn(&Json) -> bool) -> Result<String> {
    let mut text = text.to_owned();
    // One at a time, because neighbours share the comma between them.
    loop {
        let rest = edited(&text, |document| {
            let list = document.root.find(path);
            let Some((list, items)) = list.and_then(|node| Some((node, node.list()?))) else {
                return Ok(Vec::new());
            };
            let ours = items
                .iter()
                .position(|it| is_ours(&it.to_json(document.text)));
            Ok(ours.map_or_else(Vec::new, |at| document.removal(list, at)))
        })?;
        if rest == text {
            return Ok(text);
        }
        text = rest;
    }
}

fn edited(text: &str, edits: impl FnOnce(&Document<'_>) -> Result<Vec<Edit>>) -> Result<String> {
    let whole = if text.trim().is_empty() { "{}\n" } else { text };
    let bare = without_mark(whole);
    let mark = whole.strip_suffix(bare).unwrap_or_default();
    let (root, tokens) = parse_json(bare)?;
    let document = Document {
        text: bare,
        root,
        tokens,
    };
    let edits = edits(&document)?;
    if edits.is_empty() {
        return Ok(text.to_owned());
    }
    Ok(format!("{mark}{}", applied(bare, edits)?))
}

struct Document<'a> {
    text: &'a str,
    root: Node,
    tokens: Vec<TokenAndRange<'a>>,
}

impl Document<'_> {
    fn raw(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn tokens_in(&self, range: Range<usize>) -> &[TokenAndRange<'_>] {
        let start = self
            .tokens
            .partition_point(|it| it.range.start < range.start);
        let end = self.tokens.partition_point(|it| it.range.start < range.end);
        self.tokens.get(start..end).unwrap_or_default()
    }

    /// The offset of the comma between two entries, or between an entry and a bracket.
    fn comma_in(&self, gap: Range<usize>) -> Option<usize> {
        let comma = |it: &&TokenAndRange<'_>| it.token == Token::Comma;
        self.tokens_in(gap)
            .iter()
            .find(comma)
            .map(|it| it.range.start)
    }

    /// The indentation of the line that contains an offset.
    fn indent_at(&self, at: usize) -> &str {
        let line = self.line_before(at);
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..blanks).unwrap_or_default()
    }

    /// The beginning of the line that contains an offset, up to that offset.
    fn line_before(&self, at: usize) -> &str {
        self.raw(0..at).rsplit('\n').next().unwrap_or_default()
    }

    /// Whether an entry begins a line, in a document of several lines.
    fn begins_line(&self, at: usize) -> bool {
        let line = self.line_before(at);
        line.trim().is_empty() && line.len() < at
    }

    fn replacement(&self, node: &Node, value: &Json) -> Vec<Edit> {
        if node.to_json(self.text) == *value {
            return Vec::new();
        }
        let new = Layout::of(self).write(value, self.indent_at(node.range.start));
        vec![Edit::replace(&node.range, new)]
    }

    /// Adds an entry at the end of a list or table, after any comments there.
    fn addition(&self, node: &Node, write: &dyn Fn(&Layout, &str) -> String) -> Vec<Edit> {
        let layout = Layout::of(self);
        let close = node.range.end.saturating_sub(1);
        let entries = entries(node);
        let Some(last) = entries.last() else {
            return self.first(node.range.start..close, &layout, write);
        };
        let gap = last.end..close;
        let comma = self.comma_in(gap.clone());
        let indent = self.indent_at(last.start);
        let new = write(&layout, indent);
        if layout.indent.is_none() || !self.begins_line(last.start) {
            return vec![match comma {
                Some(comma) => Edit::insert(comma + 1, format!(" {new},")),
                None => Edit::insert(last.end, format!(", {new}")),
            }];
        }
        let end = last.end + self.raw(gap).trim_end().len();
        let new = format!("{}{indent}{new}", layout.line_break);
        match comma {
            Some(_) => vec![Edit::insert(end, format!("{new},"))],
            None => vec![Edit::insert(last.end, ","), Edit::insert(end, new)],
        }
    }

    /// Adds the first entry between two brackets.
    fn first(
        &self,
        brackets: Range<usize>,
        layout: &Layout,
        write: &dyn Fn(&Layout, &str) -> String,
    ) -> Vec<Edit> {
        let inside = brackets.start + 1..brackets.end;
        let outer = self.indent_at(brackets.start);
        let comments = self.raw(inside.clone()).trim_end();
        let end = inside.start + comments.len();
        let is_broken = self.raw(end..inside.end).contains('\n');
        let Some(unit) = layout
            .indent
            .as_ref()
            .filter(|_| comments.is_empty() || is_broken)
        else {
            let one_line = Layout {
                indent: None,
                line_break: layout.line_break,
            };
            let space = if comments.is_empty() { "" } else { " " };
            let new = format!("{space}{}", write(&one_line, outer));
            return match comments {
                "" => vec![Edit::replace(&inside, new)],
                _ => vec![Edit::insert(end, new)],
            };
        };
        let indent = format!("{outer}{unit}");
        let new = format!("{}{indent}{}", layout.line_break, write(layout, &indent));
        if comments.is_empty() {
            return vec![Edit::replace(
                &inside,
                format!("{new}{}{outer}", layout.line_break),
            )];
        }
        vec![Edit::insert(end, new)]
    }

    /// Removes an entry with its comma and whitespace, so that this undoes `addition`. Comments stay.
    fn removal(&self, node: &Node, at: usize) -> Vec<Edit> {
        let entries = entries(node);
        let Some(gone) = entries.get(at) else {
            return Vec::new();
        };
        let next = entries.get(at + 1);
        let previous = at.checked_sub(1).and_then(|before| entries.get(before));
        let before = previous.map_or(node.range.start + 1, |it| it.end)..gone.start;
        let after = gone.end..next.map_or(node.range.end.saturating_sub(1), |it| it.start);
        let token_before = self.tokens_in(before.clone()).last();
        let token_after = |from| {
            let tokens = self.tokens_in(from..after.end);
            tokens.first().map_or(after.end, |it| it.range.start)
        };
        let comma_after = self.comma_in(after.clone());
        if token_before.is_none() && previous.is_none() && next.is_none() {
            let comma = comma_after
                .map(|comma| comma..comma + 1)
                .unwrap_or_default();
            let only_comma = self.tokens_in(after.clone()).len() == comma.len();
            if only_comma {
                return vec![Edit::delete(before.start..after.end)];
            }
        }
        let comma = comma_after.or_else(|| self.comma_in(before.clone()));
        let follows = comma_after.map_or(gone.end, |comma| comma + 1);
        let rest = token_after(follows);
        // Whether the whitespace before the entry follows a comment on the same line, or precedes one after the entry.
        let is_in_line = |to: usize| !self.raw(follows..to).contains('\n');
        let is_comment_line = rest < after.end && is_in_line(rest) && self.begins_line(gone.start);
        let ends_comment = is_in_line(after.end)
            && token_before.is_some_and(|it| matches!(it.token, Token::CommentLine(_)));
        let mut edits = if next.is_some() || is_comment_line || ends_comment {
            // What follows moves to where the entry began.
            let blanks = token_after(gone.end);
            match comma_after {
                Some(comma) if blanks == comma => vec![Edit::delete(gone.start..rest)],
                Some(comma) => vec![Edit::delete(gone.start..blanks), Edit::delete(comma..rest)],
                None => vec![Edit::delete(gone.start..blanks)],
            }
        } else {
            let start = token_before.map_or(before.start, |it| it.range.end);
            let mut edits = vec![Edit::delete(start..gone.end)];
            edits.extend(comma_after.map(|comma| Edit::delete(comma..comma + 1)));
            edits
        };
        if comma_after.is_none() {
            edits.extend(comma.map(|comma| Edit::delete(comma..comma + 1)));
        }
        edits
    }
}

/// The ranges of a table's properties or a list's items.
fn entries(node: &Node) -> Vec<Range<usize>> {
    match (node.table(), node.list()) {
        (Some(table), _) => {
            let place = |it: &super::tree::Property| it.key.start..it.value.range.end;
            table.properties.iter().map(place).collect()
        }
        (None, Some(items)) => items.iter().map(|it| it.range.clone()).collect(),
        (None, None) => Vec::new(),
    }
}

/// The layout of a file.
struct Layout {
    /// The indentation of one level; `None` if the whole file is on one line.
    indent: Option<String>,
    line_break: &'static str,
}

impl Layout {
    fn of(document: &Document<'_>) -> Self {
        let text = document.text;
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let is_comment = |it: &&TokenAndRange<'_>| {
            matches!(it.token, Token::CommentLine(_) | Token::CommentBlock(_))
        };
        let indented = document
            .tokens
            .iter()
            .filter(|it| !is_comment(it))
            .map(|it| document.line_before(it.range.start))
            .find(|line| !line.is_empty() && line.trim().is_empty());
        let is_one_line = text.trim().len() > 2 && !text.trim().contains('\n');
        Self {
            indent: (!is_one_line).then(|| indented.unwrap_or("  ").to_owned()),
            line_break,
        }
    }

    /// Formats a value on a line with this indentation.
    fn write(&self, value: &Json, indent: &str) -> String {
        let Some(unit) = &self.indent else {
            return value.to_string();
        };
        let deeper = format!("{indent}{unit}");
        let lines = |open: &str, close: &str, items: Vec<String>| {
            let inner = format!("{}{deeper}", self.line_break);
            let items = items.join(&format!(",{inner}"));
            format!("{open}{inner}{items}{}{indent}{close}", self.line_break)
        };
        match value {
            Json::Array(items) if items.iter().any(Json::is_object) => {
                let items = items.iter().map(|it| self.write(it, &deeper));
                lines("[", "]", items.collect())
            }
            // Short lists of words are kept on one line, as people write them.
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(Json::to_string).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(fields) if !fields.is_empty() => {
                let fields = fields
                    .iter()
                    .map(|(name, it)| format!("{}: {}", quoted(name), self.write(it, &deeper)));
                lines("{", "}", fields.collect())
            }
            _ => value.to_string(),
        }
    }
}
