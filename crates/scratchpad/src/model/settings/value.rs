//! The value of a setting.

use serde_json::Value as Json;

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A text.
    Text(String),
    /// On or off.
    Switch(bool),
    /// Texts in order.
    List(Vec<String>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
            Self::Switch(on) => write!(formatter, "{on}"),
            Self::List(texts) => formatter.write_str(&texts.join("; ")),
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Whole(number) => Json::from(*number),
            Value::Text(text) => Json::from(text.as_str()),
            Value::Switch(on) => Json::from(*on),
            Value::List(texts) => Json::from(texts.as_slice()),
        }
    }
}
