//! The JSON Schema of a configuration file, for editors.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::keys::{KEYS, Kind};

/// The JSON Schema of a configuration file.
pub fn schema() -> Json {
    let mut top = Map::new();
    let mut sections: BTreeMap<&str, Map<String, Json>> = BTreeMap::new();
    for key in KEYS {
        let property = match key.kind {
            Kind::Whole { default, min, max } => json!({
                "type": "integer", "minimum": min, "maximum": max,
                "default": default, "description": key.about,
            }),
            Kind::Text { default } => json!({
                "type": "string", "minLength": 1, "default": default, "description": key.about,
            }),
            Kind::Choice { default, of } => json!({
                "enum": of, "default": default, "description": key.about,
            }),
            Kind::Time { default } => json!({
                "type": "string", "pattern": "^[0-9]+ *[mhd]$", "default": default, "description": key.about,
            }),
            Kind::Switch { default } => {
                json!({"type": "boolean", "default": default, "description": key.about})
            }
            Kind::Rules => json!({
                "type": "array", "items": {"type": "string"},
                "default": [], "description": key.about,
            }),
        };
        match key.name.split_once('.') {
            None => top.insert(key.name.to_owned(), property),
            Some((section, name)) => sections
                .entry(section)
                .or_default()
                .insert(name.to_owned(), property),
        };
    }
    top.extend(sections.into_iter().map(|(name, properties)| {
        let section =
            json!({"type": "object", "additionalProperties": false, "properties": properties});
        (name.to_owned(), section)
    }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scratchpad configuration",
        "type": "object",
        "additionalProperties": false,
        "properties": top,
    })
}
