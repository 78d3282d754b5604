//! JSON as a tree, a hundred children at a time. The filter runs in the bounded process of agents' own slices.

use serde_json::{Value, json};

use super::viewer::{address, slice};
use crate::web::ask::Ask;
use crate::web::html::shown;
use scratchpad::OutputId;
use scratchpad::model::error::{Error, Result};

/// How many children are on one page.
const CHILDREN: u64 = 100;
/// The largest answer of the filter.
const MOST_BYTES: usize = 1 << 20;

/// One value with its children.
pub(super) struct Tree {
    /// The way here from the top: names and addresses.
    pub(super) way: Vec<(String, String)>,
    pub(super) kind: String,
    pub(super) count: u64,
    pub(super) children: Vec<Child>,
    /// The value itself, if it has no children.
    pub(super) value: String,
    pub(super) from: u64,
    pub(super) next: Option<String>,
    /// The JSONPath of this value.
    pub(super) path: String,
    /// The arguments with which an agent reads it.
    pub(super) call: String,
}

pub(super) struct Child {
    pub(super) name: String,
    pub(super) kind: String,
    /// The number of its own children, or its text's beginning.
    pub(super) count: u64,
    pub(super) value: String,
    /// Where it is opened, if it has children.
    pub(super) address: Option<String>,
}

/// What a child is: an object, an array or a long text is opened on its own.
const CHILD: &str = "{k: $k, t: (.v | type), \
    n: (.v | if type == \"object\" or type == \"array\" or type == \"string\" then length else 0 end), \
    v: (.v | if type == \"object\" or type == \"array\" then \"\" else (tojson | .[0:240]) end)}";

pub(super) fn read(ask: &Ask, id: &OutputId) -> Result<Tree> {
    let way: Vec<Value> = serde_json::from_str(ask.query.get("path")).unwrap_or_default();
    let from = ask.query.number("from").unwrap_or(0);
    let until = from.saturating_add(CHILDREN);
    let place = Value::Array(way.clone()).to_string();
    let filter = format!(
        "getpath({place}) | {{t: type, n: (if type == \"object\" or type == \"array\" then length else 0 end), \
         c: (if type == \"object\" then [to_entries[{from}:{until}][] | {{k: .key, v: .value}} | .k as $k | {CHILD}] \
         elif type == \"array\" then [(.[{from}:{until}] | to_entries)[] | {{k: (.key + {from}), v: .value}} | .k as $k | {CHILD}] \
         else [] end), \
         v: (if type == \"object\" or type == \"array\" then \"\" elif type == \"string\" then .[0:20000] else tojson end)}}"
    );
    let arguments = json!({"id": id.as_str(), "json": filter});
    let found = slice(ask.pad(), &arguments, MOST_BYTES)?;
    let found: Value = serde_json::from_str(&found).map_err(|_| {
        Error::refused("This part is too large for the tree.")
            .hint("use the lines, or ask for a narrower path.")
    })?;
    let text = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let count = |value: &Value| value.get("n").and_then(Value::as_u64).unwrap_or(0);
    let at = |way: &[Value]| {
        address(
            id,
            "tree",
            &[("path", &Value::Array(way.to_vec()).to_string())],
        )
    };
    let children = found
        .get("c")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let children = children.map(|child| {
        let key = child.get("k").cloned().unwrap_or_default();
        let kind = text(child, "t");
        let has_children = matches!(kind.as_str(), "object" | "array");
        let opens = has_children || (kind == "string" && count(child) > 230);
        let mut below = way.clone();
        below.push(key.clone());
        Child {
            name: shown(&name_of(&key)),
            count: if has_children { count(child) } else { 0 },
            value: shown(&text(child, "v")),
            address: opens.then(|| at(&below)),
            kind,
        }
    });
    let path = json_path(&way);
    let total = count(&found);
    let here = Value::Array(way.clone()).to_string();
    let next = address(id, "tree", &[("path", &here), ("from", &until.to_string())]);
    let steps = (0..=way.len()).map(|depth| {
        let (above, _) = way.split_at(depth);
        let name = above.last().map_or_else(|| "$".to_owned(), name_of);
        (shown(&name), at(above))
    });
    Ok(Tree {
        way: steps.collect(),
        kind: text(&found, "t"),
        count: total,
        children: children.collect(),
        value: shown(&text(&found, "v")),
        from,
        next: (until < total).then_some(next),
        call: shown(&json!({"id": id.as_str(), "json": path}).to_string()),
        path: shown(&path),
    })
}

fn name_of(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

/// A way as JSONPath.
fn json_path(way: &[Value]) -> String {
    let steps = way.iter().map(|step| match step {
        Value::String(name) if is_name(name) => format!(".{name}"),
        step => format!("[{step}]"),
    });
    format!("${}", steps.collect::<String>())
}

fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    starts
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_written_as_json_path() {
        assert_eq!(json_path(&[]), "$");
        assert_eq!(
            json_path(&[json!("a"), json!(0), json!("b c")]),
            "$.a[0][\"b c\"]"
        );
    }
}
