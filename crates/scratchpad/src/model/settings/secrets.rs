//! Settings for secrets.

use std::borrow::Cow;
use std::fmt;

use regex::bytes::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What is done about secrets before something is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecretMode {
    // They are replaced.
    #[default]
    Mask,
    // They are stored like everything else.
    Keep,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SecretSettings {
    /// What is done about secrets: `mask` replaces them before anything is stored, `keep` stores them.
    pub mode: SecretMode,
    /// Regular expressions for secrets of your own, such as `acme_[0-9a-f]{32}`.
    pub patterns: Vec<SecretPattern>,
    /// Kinds, such as `jwt`, or beginnings of values that are no secrets.
    pub allow: Vec<String>,
}

/// A regular expression for secrets. It is checked when it is read, and compiled when something is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretPattern(String);

impl SecretPattern {
    /// The compiled pattern; `None` if it is too large.
    pub fn compiled(&self) -> Option<Regex> {
        Regex::new(&self.0).ok()
    }
}

impl fmt::Debug for SecretPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl Serialize for SecretPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
        let is_pattern = !text.is_empty() && parser.parse(&text).is_ok();
        is_pattern
            .then_some(Self(text))
            .ok_or_else(|| D::Error::custom("not a regular expression"))
    }
}

impl JsonSchema for SecretPattern {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SecretPattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "regex", "minLength": 1})
    }
}
