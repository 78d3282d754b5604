//! Why a value is refused: what the setting takes, and what was given.
//!
//! Serde only reports that a value is invalid. What would be valid is in the JSON Schema of the same fields.

use serde_json::Value as Json;

use super::auto::MAX_NAME_CHARS;
use super::hidden::Hidden;
use super::outputs_url::OutputsUrl;
use super::schema::{property_in, schema};
use super::store_url::StoreUrl;
use crate::model::error::Error;
use crate::model::output::offload::Rule;
use crate::model::output::pass::Flow;
use crate::model::text::message::{Message, Value, message, number, quoted};
use crate::model::text::quantity::shortened;

/// The error for an invalid value.
pub(super) fn refusal(name: &str, given: &Json, error: &serde_json::Error) -> Error {
    let schema = schema();
    let property = property_in(&schema, name);
    let format = property.get("format").and_then(Json::as_str);
    match (given, format) {
        (Json::String(url), Some("store-url")) => StoreUrl::parse(url).err(),
        (Json::String(url), Some("outputs-url")) => OutputsUrl::parse(url).err(),
        (Json::String(text), Some("name")) => Some(Error::usage(message!(
            "`{name}` takes a name of 1 to {max} characters on one line, without spaces around it; {given} was given.",
            name,
            max = number(MAX_NAME_CHARS),
            given = quoted(shortened(text, 60))
        ))),
        (Json::Array(rules), _) => rules
            .iter()
            .filter_map(Json::as_str)
            .find_map(|item| refused_item(name, item))
            .filter(|_| property.get("items").is_some())
            .map(|error| error.within(name.to_owned())),
        _ => None,
    }
    .unwrap_or_else(|| match property {
        Json::Null => Error::usage(message!("`{name}`: {error}.", name, error = error.to_string())),
        _ => takes(name, described(given)),
    })
}

/// Why an item of a list is refused, if it is.
fn refused_item(name: &str, item: &str) -> Option<Error> {
    match name {
        "outputs.pass" => Flow::parse(item).err(),
        "proxy.hide" => Hidden::parse(item).err(),
        _ => Rule::parse(item).err(),
    }
}

/// The error that says what the setting takes; `given` is the invalid value as the message shows it.
pub(super) fn takes(name: &str, given: impl Into<Value>) -> Error {
    let given = given.into();
    let schema = schema();
    let property = property_in(&schema, name);
    let text = |key: &str| property.get(key).and_then(Json::as_str);
    let bound = |key: &str| property.get(key).and_then(Json::as_u64).unwrap_or(0);
    let choices = property.get("enum").and_then(Json::as_array);
    Error::usage(match (choices, text("type"), text("format")) {
        (Some(choices), _, _) => {
            let words: Vec<&str> = choices.iter().filter_map(Json::as_str).collect();
            message!(
                "`{name}` takes {words}; {given} was given.",
                name,
                words = any_of(&words),
                given
            )
        }
        (_, Some("integer"), _) => message!(
            "`{name}` takes a whole number from {min} to {max}; {given} was given.",
            name,
            min = number(bound("minimum")),
            max = number(bound("maximum")),
            given
        ),
        (_, Some("boolean"), _) => message!(
            "`{name}` takes true or false; {given} was given.",
            name,
            given
        ),
        (_, Some("array"), _) => message!(
            "`{name}` takes a list of rules like [\"github/list_*: 16384\"]; {given} was given.",
            name,
            given
        ),
        (_, _, Some("age")) => message!(
            "`{name}` takes a time of 1 minute to 10,000 days, like `90m`, `24h` or `7d`; {given} was given.",
            name,
            given
        ),
        _ => message!("`{name}` takes a text; {given} was given.", name, given),
    })
}

/// `a, b or c`.
fn any_of(words: &[&str]) -> Value {
    match words {
        [first @ .., last] if !first.is_empty() => {
            message!("{words} or {last}", words = first.join(", "), last = *last).into()
        }
        _ => words.concat().into(),
    }
}

fn described(value: &Json) -> Value {
    match value {
        Json::Number(given) => match given.as_u64() {
            Some(given) => number(given),
            None => given.to_string().into(),
        },
        Json::String(text) => quoted(text),
        Json::Array(_) => Message::from("a list").into(),
        other => other.to_string().into(),
    }
}
