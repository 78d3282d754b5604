//! Values put into a host's file, and taken out again; all else stays as it is written.

use serde_json::{Map, Value as Json};
use toml_edit::{DocumentMut, Item, Table as TomlTable, Value as Toml};

use super::splice::{Edit, applied, quoted};
use super::tree;
use super::tree::{Node, Table, Value};
use crate::model::error::{Error, Result};
use crate::model::host::wrap::Format;

/// What stands at a path, if anything does.
pub fn get(text: &str, format: Format, path: &[&str]) -> Result<Option<Json>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = tree::read(bare(text), format)?;
    Ok(find(&root, path).map(|node| as_json(bare(text), node)))
}

/// The text with a value at a path, in the place of what stood there.
pub fn put(text: &str, format: Format, path: &[&str], value: &Json) -> Result<String> {
    match format {
        Format::Toml => put_toml(text, path, value),
        Format::Json => put_json(text, path, value),
    }
}

/// The text without what stands at a path.
pub fn take(text: &str, format: Format, path: &[&str]) -> Result<String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    match format {
        Format::Toml => take_toml(text, path),
        Format::Json => {
            let mut text = text.to_owned();
            // A key may stand there twice: without the last one, the one before would count.
            loop {
                let next = take_json(&text, path)?;
                if next == text {
                    return Ok(text);
                }
                text = next;
            }
        }
    }
}

fn take_json(text: &str, path: &[&str]) -> Result<String> {
    edited(text, |text| {
        let root = tree::read(text, Format::Json)?;
        let Some((last, above)) = path.split_last() else {
            return Ok(Vec::new());
        };
        let table = find(&root, above).and_then(Node::table);
        let position = table.and_then(|table| {
            let at = table.properties.iter().position(|it| it.name == *last)?;
            Some((table, at))
        });
        Ok(position.map_or_else(Vec::new, |(table, at)| {
            let ranges: Vec<_> = table
                .properties
                .iter()
                .map(|it| it.key.start..it.value.range.end)
                .collect();
            removal(text, &ranges, at)
        }))
    })
}

/// The text with an item in the list at a path: in the place of the first of ours, else at the end.
pub fn put_item(
    text: &str,
    path: &[&str],
    item: &Json,
    is_ours: &dyn Fn(&Json) -> bool,
) -> Result<String> {
    let whole = if text.trim().is_empty() { "{}\n" } else { text };
    let root = tree::read(bare(whole), Format::Json)?;
    let Some(found) = find(&root, path) else {
        return put_json(text, path, &Json::from(vec![item.clone()]));
    };
    let Some(items) = found.list() else {
        return Err(Error::refused(format!(
            "`{}` is not a list.",
            path.join(".")
        )));
    };
    edited(whole, |text| {
        let ours = items.iter().find(|node| is_ours(&as_json(text, node)));
        if let Some(ours) = ours {
            if as_json(text, ours) == *item {
                return Ok(Vec::new());
            }
            let new = Layout::of(text).write(text, item, ours.range.start);
            return Ok(vec![Edit::replace(&ours.range, new)]);
        }
        let ranges: Vec<_> = items.iter().map(|node| node.range.clone()).collect();
        Ok(addition(text, &found.range, &ranges, &|layout, at| {
            layout.write(text, item, at)
        }))
    })
}

/// The text without those items of the list at a path that are ours.
pub fn take_items(text: &str, path: &[&str], is_ours: &dyn Fn(&Json) -> bool) -> Result<String> {
    let mut text = text.to_owned();
    // One after the other: what separates them is shared.
    loop {
        let next = edited(&text, |text| {
            let root = tree::read(text, Format::Json)?;
            let Some(items) = find(&root, path).and_then(Node::list) else {
                return Ok(Vec::new());
            };
            let ours = items.iter().position(|node| is_ours(&as_json(text, node)));
            let ranges: Vec<_> = items.iter().map(|node| node.range.clone()).collect();
            Ok(ours.map_or_else(Vec::new, |at| removal(text, &ranges, at)))
        })?;
        if next == text {
            return Ok(text);
        }
        text = next;
    }
}

fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn edited(text: &str, edits: impl FnOnce(&str) -> Result<Vec<Edit>>) -> Result<String> {
    let bare = bare(text);
    let mark = text.strip_suffix(bare).unwrap_or_default();
    Ok(format!("{mark}{}", applied(bare, edits(bare)?)))
}

fn find<'a>(node: &'a Node, path: &[&str]) -> Option<&'a Node> {
    path.iter()
        .try_fold(node, |node, name| Some(&node.table()?.get(name)?.value))
}

fn as_json(text: &str, node: &Node) -> Json {
    match &node.value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(|item| as_json(text, item)).collect(),
        Value::Table(Table { properties, .. }) => {
            let fields = properties
                .iter()
                .map(|it| (it.name.clone(), as_json(text, &it.value)));
            Json::Object(fields.collect::<Map<_, _>>())
        }
        Value::Other => text
            .get(node.range.clone())
            .and_then(|raw| serde_json::from_str(raw).ok())
            .unwrap_or_default(),
    }
}

fn put_json(text: &str, path: &[&str], value: &Json) -> Result<String> {
    let whole = if text.trim().is_empty() { "{}\n" } else { text };
    edited(whole, |text| {
        let root = tree::read(text, Format::Json)?;
        let mut node = &root;
        let mut rest = path;
        while let Some((name, below)) = rest.split_first() {
            let table = node
                .table()
                .ok_or_else(|| Error::refused(format!("what holds `{name}` is not a table.")))?;
            let Some(property) = table.get(name) else {
                break;
            };
            node = &property.value;
            rest = below;
        }
        let Some((name, below)) = rest.split_first() else {
            if as_json(text, node) == *value {
                return Ok(Vec::new());
            }
            let new = Layout::of(text).write(text, value, node.range.start);
            return Ok(vec![Edit::replace(&node.range, new)]);
        };
        let inner = below.iter().rev().fold(value.clone(), |inner, name| {
            Json::Object(Map::from_iter([((*name).to_owned(), inner)]))
        });
        let properties = node.table().map_or(&[][..], |table| &table.properties);
        let ranges: Vec<_> = properties
            .iter()
            .map(|it| it.key.start..it.value.range.end)
            .collect();
        Ok(addition(text, &node.range, &ranges, &|layout, at| {
            format!("{}: {}", quoted(name), layout.write(text, &inner, at))
        }))
    })
}

/// How a file is laid out.
struct Layout {
    /// What one level adds, or nothing where all stands in one line.
    indent: Option<String>,
    line_break: &'static str,
}

impl Layout {
    fn of(text: &str) -> Self {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find_map(|line| {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let is_content = !line.trim().is_empty() && !line.trim_start().starts_with(['*', '/']);
            line.get(..indent).filter(|_| indent > 0 && is_content)
        });
        let is_one_line = text.trim().len() > 2 && !text.trim().contains('\n');
        Self {
            indent: (!is_one_line).then(|| indented.unwrap_or("  ").to_owned()),
            line_break,
        }
    }

    /// A value as it is written at a place.
    fn write(&self, text: &str, value: &Json, at: usize) -> String {
        self.write_at(value, indent_at(text, at))
    }

    fn write_at(&self, value: &Json, indent: &str) -> String {
        let Some(unit) = &self.indent else {
            return value.to_string();
        };
        let lines = |open: &str, close: &str, items: Vec<String>| {
            let inner = format!("{}{indent}{unit}", self.line_break);
            let items = items.join(&format!(",{inner}"));
            format!("{open}{inner}{items}{}{indent}{close}", self.line_break)
        };
        let deeper = format!("{indent}{unit}");
        match value {
            // Short lists of words stand in one line, as people write them.
            Json::Array(items) if items.iter().any(Json::is_object) => lines(
                "[",
                "]",
                items.iter().map(|it| self.write_at(it, &deeper)).collect(),
            ),
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(Json::to_string).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(fields) if !fields.is_empty() => lines(
                "{",
                "}",
                fields
                    .iter()
                    .map(|(name, it)| format!("{}: {}", quoted(name), self.write_at(it, &deeper)))
                    .collect(),
            ),
            _ => value.to_string(),
        }
    }
}

/// The blanks that the line of a place begins with.
fn indent_at(text: &str, at: usize) -> &str {
    let line = text.get(..at).and_then(|it| it.rsplit('\n').next());
    let line = line.unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

/// One more at the end of a list or table that stands in `range` and holds what stands in `ranges`.
fn addition(
    text: &str,
    range: &std::ops::Range<usize>,
    ranges: &[std::ops::Range<usize>],
    write: &dyn Fn(&Layout, usize) -> String,
) -> Vec<Edit> {
    let layout = Layout::of(text);
    let close = range.end.saturating_sub(1);
    let Some(last) = ranges.last() else {
        // It is empty: its brackets open.
        let open = range.start + 1;
        let (Some(unit), outer) = (&layout.indent, indent_at(text, range.start)) else {
            return vec![Edit::replace(&(open..close), write(&layout, range.start))];
        };
        let inside = text.get(open..close).unwrap_or_default().trim_end();
        let inner = format!("{}{outer}{unit}", layout.line_break);
        // Written as if the line began deeper: what is nested in it follows.
        let new =
            write(&layout, range.start).replace(&format!("{}{outer}", layout.line_break), &inner);
        return vec![Edit::replace(
            &(open..close),
            format!("{inside}{inner}{new}{}{outer}", layout.line_break),
        )];
    };
    let after = text.get(last.end..close).unwrap_or_default();
    let comma = trailing_comma(after);
    let first_on_line = indent_at(text, last.start).len()
        == last.start
            - text
                .get(..last.start)
                .and_then(|it| it.rfind('\n'))
                .map_or(0, |it| it + 1);
    let new = write(&layout, last.start);
    if !first_on_line || layout.indent.is_none() {
        return vec![Edit::insert(last.end, format!(", {new}"))];
    }
    let separator = format!("{}{}", layout.line_break, indent_at(text, last.start));
    // A comment behind the last one stays behind it.
    let end = last.end + after.trim_end().len();
    if comma {
        return vec![Edit::insert(end, format!("{separator}{new},"))];
    }
    vec![
        Edit::insert(last.end, ","),
        Edit::insert(end, format!("{separator}{new}")),
    ]
}

/// Whether a comma stands behind the last value, outside comments.
fn trailing_comma(after: &str) -> bool {
    let mut rest = after;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else {
            return rest.starts_with(',');
        }
    }
}

/// What takes one of several out, with what separates it from its neighbour.
fn removal(text: &str, ranges: &[std::ops::Range<usize>], at: usize) -> Vec<Edit> {
    let Some(gone) = ranges.get(at) else {
        return Vec::new();
    };
    if let Some(next) = ranges.get(at + 1) {
        return vec![Edit::delete(gone.start..next.start)];
    }
    let after = text.get(gone.end..).unwrap_or_default();
    let comma = trailing_comma(after);
    let end = match after.find(',') {
        Some(comma_at) if comma => gone.end + comma_at + 1,
        _ => gone.end,
    };
    let Some(previous) = at.checked_sub(1).and_then(|before| ranges.get(before)) else {
        // The only one: the brackets close.
        let blank = |char: &u8| char.is_ascii_whitespace();
        let before = text.get(..gone.start).unwrap_or_default();
        let start = before.trim_end().len();
        let behind = text.as_bytes().get(end..).unwrap_or_default();
        let behind = behind.iter().take_while(|char| blank(char)).count();
        return vec![Edit::delete(start..end + behind)];
    };
    let between = text.get(previous.end..gone.start).unwrap_or_default();
    // The comma goes, unless it now ends the list as it did before.
    let comma_at = between.find(',').filter(|_| !comma);
    let blanks = gone.start - between.len() + between.trim_end().len();
    let mut edits = vec![Edit::delete(blanks..end)];
    if let Some(comma_at) = comma_at {
        let comma_at = previous.end + comma_at;
        if comma_at + 1 == blanks {
            return vec![Edit::delete(comma_at..end)];
        }
        edits.push(Edit::delete(comma_at..comma_at + 1));
    }
    edits
}

fn put_toml(text: &str, path: &[&str], value: &Json) -> Result<String> {
    if get(text, Format::Toml, path)?.as_ref() == Some(value) {
        return Ok(text.to_owned());
    }
    let mut document = parsed(text)?;
    let Some((last, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for name in above {
        let mut new = TomlTable::new();
        new.set_implicit(true);
        table = table
            .entry(name)
            .or_insert(Item::Table(new))
            .as_table_like_mut()
            .ok_or_else(|| Error::refused(format!("`{name}` is not a table.")))?;
    }
    let mut entry = TomlTable::new();
    for (name, field) in value.as_object().into_iter().flatten() {
        entry.insert(name, Item::Value(as_toml(field)));
    }
    table.insert(last, Item::Table(entry));
    Ok(document.to_string())
}

fn take_toml(text: &str, path: &[&str]) -> Result<String> {
    if get(text, Format::Toml, path)?.is_none() {
        return Ok(text.to_owned());
    }
    let mut document = parsed(text)?;
    let Some((last, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for name in above {
        match table.get_mut(name).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return Ok(text.to_owned()),
        }
    }
    table.remove(last);
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<DocumentMut> {
    text.parse()
        .map_err(|error| Error::refused(format!("not valid TOML: {error}.")))
}

fn as_toml(value: &Json) -> Toml {
    match value {
        Json::String(text) => Toml::from(text.as_str()),
        Json::Bool(on) => Toml::from(*on),
        Json::Number(number) => Toml::from(number.as_i64().unwrap_or_default()),
        Json::Array(items) => items.iter().map(as_toml).collect(),
        Json::Object(fields) => fields
            .iter()
            .map(|(name, it)| (name.as_str(), as_toml(it)))
            .collect(),
        Json::Null => Toml::from(""),
    }
}

#[cfg(test)]
mod tests;
