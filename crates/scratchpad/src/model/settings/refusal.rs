//! Why a value is refused: what the setting takes, and what was given.
//!
//! Serde can only say that a value does not fit. What would fit is in the JSON Schema of the same fields.

use serde_json::Value as Json;

use super::auto::MAX_NAME_CHARS;
use super::outputs_url::OutputsUrl;
use super::schema::{property_in, schema};
use super::store_url::StoreUrl;
use crate::model::error::Error;
use crate::model::output::offload::Rule;
use crate::model::text::quantity::{grouped, shortened};

/// The error for a value that does not fit.
pub(super) fn refusal(name: &str, given: &Json, error: &serde_json::Error) -> Error {
    let schema = schema();
    let property = property_in(&schema, name);
    let format = property.get("format").and_then(Json::as_str);
    match (given, format) {
        (Json::String(url), Some("store-url")) => StoreUrl::parse(url).err(),
        (Json::String(url), Some("outputs-url")) => OutputsUrl::parse(url).err(),
        (Json::String(text), Some("name")) => Some(Error::usage(format!(
            "`{name}` takes a name of 1 to {MAX_NAME_CHARS} characters on one line, without blanks around it; {:?} was given.",
            shortened(text, 60)
        ))),
        (Json::Array(rules), _) => rules
            .iter()
            .filter_map(Json::as_str)
            .find_map(|rule| Rule::parse(rule).err())
            .filter(|_| property.get("items").is_some())
            .map(|error| error.within(name)),
        _ => None,
    }
    .unwrap_or_else(|| match property {
        Json::Null => Error::usage(format!("`{name}`: {error}.")),
        _ => takes(name, &described(given)),
    })
}

/// The error for a value that is described in the words of its file.
pub(super) fn takes(name: &str, given: &str) -> Error {
    let schema = schema();
    let property = property_in(&schema, name);
    let text = |key: &str| property.get(key).and_then(Json::as_str);
    let number = |key: &str| property.get(key).and_then(Json::as_u64).unwrap_or(0);
    let choices = property.get("enum").and_then(Json::as_array);
    Error::usage(match (choices, text("type"), text("format")) {
        (Some(choices), _, _) => {
            let words: Vec<&str> = choices.iter().filter_map(Json::as_str).collect();
            format!("`{name}` takes {}; {given} was given.", any_of(&words))
        }
        (_, Some("integer"), _) => format!(
            "`{name}` takes a whole number from {} to {}; {given} was given.",
            grouped(number("minimum")),
            grouped(number("maximum"))
        ),
        (_, Some("boolean"), _) => format!("`{name}` takes true or false; {given} was given."),
        (_, Some("array"), _) => format!(
            "`{name}` takes a list of rules like [\"github/list_*: 16384\"]; {given} was given."
        ),
        (_, _, Some("age")) => format!(
            "`{name}` takes a time of 1 minute to 10,000 days, like `90m`, `24h` or `7d`; {given} was given."
        ),
        _ => format!("`{name}` takes a text; {given} was given."),
    })
}

/// `a, b or c`.
fn any_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn described(value: &Json) -> String {
    match value {
        Json::Number(number) => match number.as_u64() {
            Some(number) => grouped(number),
            None => number.to_string(),
        },
        Json::String(text) => format!("{text:?}"),
        Json::Array(_) => "a list".to_owned(),
        other => other.to_string(),
    }
}
