//! JSON values as JSONPath queries them.

use std::fmt;

use jaq_json::Val;
use jsonpath_rust::query::queryable::Queryable;

/// A value that JSONPath can query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Node {
    #[default]
    Null,
    Bool(bool),
    /// Kept as written.
    Number(Val),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl From<&Val> for Node {
    fn from(value: &Val) -> Self {
        match value {
            Val::Null => Self::Null,
            Val::Bool(truth) => Self::Bool(*truth),
            Val::Num(_) => Self::Number(value.clone()),
            Val::BStr(text) | Val::TStr(text) => {
                Self::Text(String::from_utf8_lossy(text).into_owned())
            }
            Val::Arr(items) => Self::Array(items.iter().map(Self::from).collect()),
            Val::Obj(entries) => Self::Object(
                entries
                    .iter()
                    .map(|(key, value)| {
                        let key = match key {
                            Val::BStr(text) | Val::TStr(text) => {
                                String::from_utf8_lossy(text).into_owned()
                            }
                            other => other.to_string(),
                        };
                        (key, Self::from(value))
                    })
                    .collect(),
            ),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(truth) => write!(formatter, "{truth}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(&quoted(text)),
            Self::Array(items) => {
                formatter.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{item}")?;
                }
                formatter.write_str("]")
            }
            Self::Object(entries) => {
                formatter.write_str("{")?;
                for (position, (key, value)) in entries.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{}:{value}", quoted(key))?;
                }
                formatter.write_str("}")
            }
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Node {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Node {
    fn from(number: i64) -> Self {
        Self::Number(Val::Num(jaq_json::Num::from_integral(number)))
    }
}

impl From<f64> for Node {
    fn from(number: f64) -> Self {
        Self::Number(Val::from(number))
    }
}

impl From<Vec<Self>> for Node {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
}

impl Queryable for Node {
    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    fn as_object(&self) -> Option<Vec<(&str, &Self)>> {
        match self {
            Self::Object(entries) => Some(
                entries
                    .iter()
                    .map(|(key, value)| (key.as_str(), value))
                    .collect(),
            ),
            _ => None,
        }
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(Val::Num(number)) => number
                .as_isize()
                .and_then(|number| i64::try_from(number).ok()),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(Val::Num(number)) => number.to_string().parse().ok(),
            _ => None,
        }
    }

    fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    fn null() -> Self {
        Self::Null
    }
}
