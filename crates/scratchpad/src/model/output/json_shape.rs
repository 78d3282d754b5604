//! The shape of JSON: keys with types and lengths, to a small depth, in little memory.

use std::fmt::{self, Write as _};

use crate::model::text::quantity::counted;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The most keys kept of one object.
const MAX_KEYS: usize = 40;
/// How many levels of objects are described; of those on the last level, only the number of keys.
const DEPTH: usize = 3;

/// What a JSON value looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonShape {
    /// A scalar: the name of its type.
    Plain(&'static str),
    /// An array: its length and the shape of its first item.
    Array(usize, Option<Box<JsonShape>>),
    /// An object: its first keys, and how many keys it has.
    Object(Vec<(String, JsonShape)>, usize),
}

impl JsonShape {
    /// The shape of a text that is exactly one JSON value; `None` for any other.
    pub fn of_slice(json: &[u8]) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let shape = Seed(DEPTH).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(shape)
    }

    /// Like [`Self::of_slice`], for a text that is too large for memory.
    pub fn of_reader(json: impl std::io::Read) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_reader(json);
        let shape = Seed(DEPTH).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(shape)
    }

    /// The shape in as many levels as fit these characters; the first level, if none does. Items of arrays go first.
    pub fn within(&self, chars: usize) -> String {
        let levels = (1..=DEPTH).rev().flat_map(|depth| {
            let deeper = [1, 0].into_iter().filter(move |more| depth + more <= DEPTH);
            deeper.map(move |in_arrays| (depth, in_arrays))
        });
        let mut text = String::new();
        for (depth, in_arrays) in levels {
            text = AtDepth(self, depth, in_arrays).to_string();
            if text.chars().count() <= chars {
                break;
            }
        }
        text
    }
}

impl fmt::Display for JsonShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        AtDepth(self, DEPTH, 0).fmt(formatter)
    }
}

/// A shape with the keys of this many levels of objects, and as many more in arrays.
struct AtDepth<'a>(&'a JsonShape, usize, usize);

impl fmt::Display for AtDepth<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(shape, depth, in_arrays) = *self;
        match shape {
            JsonShape::Plain(name) => formatter.write_str(name),
            JsonShape::Array(length, None) => write!(formatter, "[{length}]"),
            JsonShape::Array(length, Some(item)) => {
                write!(
                    formatter,
                    "[{length} × {}]",
                    AtDepth(item, depth + in_arrays, 0)
                )
            }
            JsonShape::Object(keys, total) => {
                if *total > 0 && (keys.is_empty() || depth == 0) {
                    let keys = counted(*total, "key", "keys");
                    return write!(formatter, "{{{keys}}}");
                }
                formatter.write_char('{')?;
                for (position, (key, shape)) in keys.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    let shape = AtDepth(shape, depth.saturating_sub(1), in_arrays);
                    write!(formatter, "{separator}{}: {shape}", Key(key))?;
                }
                if *total > keys.len() {
                    write!(formatter, ", {} more", total - keys.len())?;
                }
                formatter.write_char('}')
            }
        }
    }
}

/// A key as it is if a path can contain it, otherwise quoted.
struct Key<'a>(&'a str);

impl fmt::Display for Key<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        if !self.0.is_empty() && self.0.chars().all(is_name) {
            formatter.write_str(self.0)
        } else {
            write!(formatter, "{:?}", self.0)
        }
    }
}

/// Describes a value down to this many levels; anything deeper is skipped.
#[derive(Clone, Copy)]
struct Seed(usize);

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = JsonShape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JsonShape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = JsonShape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("string"))
    }

    fn visit_unit<E>(self) -> Result<JsonShape, E> {
        Ok(JsonShape::Plain("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonShape, A::Error> {
        let first = items.next_element_seed(self)?.map(Box::new);
        let mut length = usize::from(first.is_some());
        while items.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(JsonShape::Array(length, first))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonShape, A::Error> {
        let mut keys = Vec::new();
        let mut total = 0;
        while self.0 > 1 && keys.len() < MAX_KEYS {
            let Some(key) = entries.next_key::<String>()? else {
                return Ok(JsonShape::Object(keys, total));
            };
            keys.push((key, entries.next_value_seed(Self(self.0 - 1))?));
            total += 1;
        }
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            total += 1;
        }
        Ok(JsonShape::Object(keys, total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{assert_data_eq, str};

    #[test]
    fn keys_with_types_and_lengths_to_a_small_depth() {
        let shapes: Vec<String> = [
            "[]",
            "{}",
            r#"[{"id":1,"name":"a","tags":["x","y"],"user":{"a":1,"b":{}},"done":true,"at":null}]"#,
            r#"{"total":2,"items":[{"id":1,"on":[1]},{"id":2}],"odd key":1.5,"":0}"#,
            "[[1,2],[3]]",
        ]
        .map(|json| JsonShape::of_slice(json.as_bytes()).unwrap().to_string())
        .into();
        assert_data_eq!(
            shapes.join("\n"),
            str![[r#"
[0]
{}
[1 × {id: number, name: string, tags: [2 × string], user: {a: number, b: {}}, done: boolean, at: null}]
{total: number, items: [2 × {id: number, on: [1 × number]}], "odd key": number, "": number}
[2 × [2 × number]]
"#]]
        );
    }

    #[test]
    fn as_many_levels_are_shown_as_fit_and_items_of_arrays_first() {
        let json = r#"{"user":{"login":"a","id":1},"labels":[{"id":1,"name":"b"}],"title":"c"}"#;
        let shape = JsonShape::of_slice(json.as_bytes()).unwrap();
        let texts: Vec<String> = [200, 90, 70, 10].map(|chars| shape.within(chars)).into();
        assert_data_eq!(
            texts.join("\n"),
            str![[r#"
{user: {login: string, id: number}, labels: [1 × {id: number, name: string}], title: string}
{user: {2 keys}, labels: [1 × {id: number, name: string}], title: string}
{user: {2 keys}, labels: [1 × {2 keys}], title: string}
{user: {2 keys}, labels: [1 × {2 keys}], title: string}
"#]]
        );
    }

    #[test]
    fn many_keys_are_counted() {
        let keys: Vec<String> = (0..100).map(|key| format!("\"k{key}\":0")).collect();
        let json = format!("{{{}}}", keys.join(","));
        let shape = JsonShape::of_reader(json.as_bytes()).unwrap().to_string();
        assert!(shape.ends_with("k39: number, 60 more}"), "{shape}");
    }

    #[test]
    fn what_is_not_one_json_value_has_no_shape() {
        for text in ["", "{", "{} {}", "[1,]", "{\"a\":}", "nul"] {
            assert_eq!(JsonShape::of_slice(text.as_bytes()), None, "{text}");
        }
    }
}
