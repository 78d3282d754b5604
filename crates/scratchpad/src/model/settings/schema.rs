//! The JSON Schema of a configuration file, for editors and for `config`.

use schemars::generate::SchemaSettings;
use serde_json::{Value as Json, json};

use super::Settings;

/// The JSON Schema of a configuration file.
pub fn schema() -> Json {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<Settings>()
        .to_value();
    if let Json::Object(root) = &mut schema {
        root.remove("description");
        root.insert("title".to_owned(), json!("Scratchpad configuration"));
        root.insert("additionalProperties".to_owned(), json!(false));
        let properties = root.get_mut("properties").and_then(Json::as_object_mut);
        for section in properties.into_iter().flat_map(|all| all.values_mut()) {
            if let Json::Object(section) = section
                && section.contains_key("properties")
            {
                section.remove("default");
                section.insert("additionalProperties".to_owned(), json!(false));
            }
        }
    }
    schema
}

/// The schema of one setting within the schema of all; null if there is no such setting.
pub fn property_in<'a>(schema: &'a Json, name: &str) -> &'a Json {
    let pointer = format!("/properties/{}", name.replace('.', "/properties/"));
    schema.pointer(&pointer).unwrap_or(&Json::Null)
}
