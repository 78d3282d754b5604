//! Tool arguments: one type per tool gives both its schema and its parser.
//!
//! The schema is checked first, argument by argument, so that an agent reads which argument was
//! wrong and what it should be, not a parser's complaint.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::model::error::{Error, Result};
use crate::model::text::message::{message, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;

/// How many entries an answer lists by default.
pub const DEFAULT_LIMIT: usize = 20;
/// The most entries an answer lists.
pub const MAX_LIMIT: usize = 1_000;

/// The JSON Schema of a tool's arguments, without the parts that only cost tokens.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    trim(&mut schema);
    if let Value::Object(root) = &mut schema {
        // The tool's own description says it all.
        root.remove("description");
    }
    schema
}

/// Removes titles, `null` alternatives, formats and minima of 0: every byte of a schema stays in the window.
fn trim(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    object.remove("title");
    object.remove("format");
    object.remove("minimum");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&Value::from("null")));
        if let [Value::Object(one)] = choices.as_slice() {
            let mut one = one.clone();
            // The property's own line says more than its type's.
            one.remove("description");
            object.remove("anyOf");
            object.extend(one);
        }
    }
    if let Some(Value::Array(choices)) = object.get("oneOf") {
        // An enum whose values have comments.
        let names: Vec<Value> = choices
            .iter()
            .filter_map(|choice| choice.get("const").cloned())
            .collect();
        if names.len() == choices.len() {
            object.remove("oneOf");
            object.insert("type".to_owned(), Value::from("string"));
            object.insert("enum".to_owned(), Value::Array(names));
        }
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(trim),
            ("items", items) => trim(items),
            _ => {}
        }
    }
}

/// Takes a property out of what agents read of a tool; calls may still give it.
pub fn unlist(schema: &mut Value, property: &str) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove(property);
    }
}

/// Sets a keyword of one property, for what depends on settings.
///
/// `maxLength` and `maxItems` only repeat what a tool refuses: a client may refuse it too, before the tool can keep it or
/// say what to do. They stay below 2,000: servers on llama.cpp build a grammar from all schemas of a request, and those
/// before August 2026 fail every call at a larger bound. Larger budgets are in the property's description.
pub fn set(schema: &mut Value, property: &str, keyword: &str, value: impl Into<Value>) {
    let found = schema
        .get_mut("properties")
        .and_then(|properties| properties.get_mut(property))
        .and_then(Value::as_object_mut);
    if let Some(property) = found {
        property.insert(keyword.to_owned(), value.into());
    }
}

/// Removes the properties' descriptions, where the tool's own says what is needed in fewer tokens.
pub fn without_lines(mut schema: Value) -> Value {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        if let Some(property) = property.as_object_mut() {
            property.remove("description");
        }
    }
    schema
}

/// Reads a tool's arguments. `hidden` names arguments that are served but not advertised.
///
/// `null` counts as not given: some hosts fill every optional argument with it.
pub fn parse<T: JsonSchema + DeserializeOwned>(
    tool: &str,
    arguments: &Value,
    hidden: &[&str],
) -> Result<T> {
    let Value::Object(given) = arguments else {
        return Err(Error::refused(message!(
            "{tool}: the arguments must be a JSON object, {arguments} was given.",
            tool,
            arguments = described(arguments)
        )));
    };
    let given: Map<String, Value> = given
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let schema = schema::<T>();
    let known = schema.get("properties").and_then(Value::as_object);
    for (name, value) in &given {
        match known.and_then(|known| known.get(name)) {
            Some(property) => check(tool, name, property, value)?,
            None if hidden.contains(&name.as_str()) => {}
            None => return Err(unknown(tool, name, known)),
        }
    }
    for name in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(name) = name.as_str()
            && !given.contains_key(name)
        {
            return Err(needs(tool, name, known));
        }
    }
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        Error::refused(message!(
            "{tool}: {error}.",
            tool,
            error = error.to_string()
        ))
    })
}

/// The error for an argument that is not given, with its choices.
fn needs(tool: &str, name: &str, known: Option<&Map<String, Value>>) -> Error {
    let choices = known
        .and_then(|known| known.get(name)?.get("enum")?.as_array())
        .map(|choices| {
            choices
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        });
    let choices = choices
        .map(|names| format!(": {names}"))
        .unwrap_or_default();
    Error::refused(message!(
        "{tool} needs `{name}`{choices}.",
        tool,
        name,
        choices
    ))
}

/// The same for an argument that the schema does not require.
pub fn missing<T: JsonSchema>(tool: &str, name: &str) -> Error {
    let schema = schema::<T>();
    needs(
        tool,
        name,
        schema.get("properties").and_then(Value::as_object),
    )
}

/// Checks the type and the choices of one argument against its schema.
fn check(tool: &str, name: &str, property: &Value, value: &Value) -> Result<()> {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        if choices.contains(value) {
            return Ok(());
        }
        let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        let error = Error::refused(message!(
            "{tool}: `{name}` must be one of {names}; {value} was given.",
            tool,
            name,
            names = names.join(", "),
            value = described(value)
        ));
        return Err(
            match value.as_str().and_then(|word| did_you_mean(word, names)) {
                Some(hint) => error.hint(hint),
                None => error,
            },
        );
    }
    let Some(wanted) = property.get("type").and_then(Value::as_str) else {
        return Ok(());
    };
    let fits = match wanted {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => true,
    };
    if fits {
        return check_items(tool, name, property, value);
    }
    Err(Error::refused(message!(
        "{tool}: `{name}` must be {kind}; {value} was given.",
        tool,
        name,
        kind = match wanted {
            "integer" => "a positive whole number",
            "array" => "an array",
            "boolean" => "true or false",
            _ => "a string",
        },
        value = described(value)
    )))
}

/// Checks that an array of strings holds nothing else.
fn check_items(tool: &str, name: &str, property: &Value, value: &Value) -> Result<()> {
    let of_strings = property.pointer("/items/type").and_then(Value::as_str) == Some("string");
    let items = value
        .as_array()
        .filter(|_| of_strings)
        .into_iter()
        .flatten();
    match items.into_iter().find(|item| !item.is_string()) {
        None => Ok(()),
        Some(odd) => Err(Error::refused(message!(
            "{tool}: `{name}` must be an array of strings; {odd} is in it.",
            tool,
            name,
            odd = described(odd)
        ))),
    }
}

fn unknown(tool: &str, name: &str, known: Option<&Map<String, Value>>) -> Error {
    let names: Vec<&str> = known
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let shown = shortened(name, 80);
    Error::refused(message!(
        "{tool} has no argument {shown}.",
        tool,
        shown = quoted(&shown)
    ))
    .hint(did_you_mean(name, names.iter().copied()).unwrap_or_else(
        || match names.as_slice() {
            [] => "it takes no arguments.".into(),
            names => message!("it takes {names}.", names = names.join(", ")),
        },
    ))
}

/// A JSON value in a few words, never the whole of a long one.
pub fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("{:?}", shortened(text, 60)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// How many to list: within bounds, or an error that names them.
pub fn checked_limit(tool: &str, limit: Option<u64>) -> Result<usize> {
    let limit = limit.map_or(DEFAULT_LIMIT, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    if (1..=MAX_LIMIT).contains(&limit) {
        return Ok(limit);
    }
    Err(Error::refused(message!(
        "{command}: `limit` must be 1 to {max}; {given} was given.",
        command = tool,
        max = MAX_LIMIT.to_string(),
        given = limit.to_string()
    )))
}
