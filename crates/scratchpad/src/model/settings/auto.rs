//! Settings that are text: names, and `auto` for values that are detected.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The value that leaves the choice to the program.
pub const AUTO: &str = "auto";

/// The longest name of a project or an author.
pub const MAX_NAME_CHARS: usize = 500;

/// A value, or `auto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auto<T>(Option<T>);

use crate::model::json::inline_schema;
impl<T> Auto<T> {
    /// `None` for `auto`.
    pub fn chosen(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T> Default for Auto<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: fmt::Display> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            None => serializer.serialize_str(AUTO),
            Some(value) => serializer.collect_str(value),
        }
    }
}

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == AUTO {
            return Ok(Self(None));
        }
        text.parse()
            .map(|value| Self(Some(value)))
            .map_err(D::Error::custom)
    }
}

impl<T: JsonSchema> JsonSchema for Auto<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Auto{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(serde_json::Value::Array(choices)) = schema.get_mut("enum") {
            choices.insert(0, AUTO.into());
        }
        schema
    }
}

/// The name of a project or an author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = (1..=MAX_NAME_CHARS).contains(&text.chars().count())
            && !text.contains(char::is_control)
            && text.trim() == text;
        is_name.then(|| Self(text.to_owned())).ok_or("not a name")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

inline_schema!(Name, {"type": "string", "format": "name", "minLength": 1, "maxLength": MAX_NAME_CHARS});

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileName(String);

impl ProfileName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ProfileName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl TryFrom<String> for ProfileName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name.is_empty() {
            return Err("empty");
        }
        Ok(Self(name))
    }
}

impl From<ProfileName> for String {
    fn from(name: ProfileName) -> Self {
        name.0
    }
}

inline_schema!(ProfileName, {"type": "string", "minLength": 1});
