//! The id of a request.

use std::hash::{Hash, Hasher};

/// A request's id. Ids with the same value are equal, however they are written.
#[derive(Clone, Debug)]
pub(super) struct Id {
    raw: Vec<u8>,
    meaning: Meaning,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    /// A number that every program parses to the same value.
    Exact(i64),
    /// Any other number. Parsers round these differently, so they are compared as text.
    Number(String),
    Text(String),
}

impl Id {
    /// Parses an id; `null` is not one.
    pub(super) fn new(raw: &[u8]) -> Option<Self> {
        let meaning = match raw.first()? {
            b'"' => Meaning::Text(serde_json::from_slice(raw).ok()?),
            b'-' | b'0'..=b'9' => number(std::str::from_utf8(raw).ok()?),
            _ => return None,
        };
        Some(Self {
            raw: raw.to_vec(),
            meaning,
        })
    }

    /// An id that is this text.
    pub(super) fn text(text: &str) -> Self {
        Self {
            raw: serde_json::Value::from(text).to_string().into_bytes(),
            meaning: Meaning::Text(text.to_owned()),
        }
    }

    /// The id as it was sent.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }
}

fn number(raw: &str) -> Meaning {
    const EXACT: i64 = 1 << 53;
    if let Ok(value) = raw.parse::<i64>() {
        return if value.abs() < EXACT {
            Meaning::Exact(value)
        } else {
            Meaning::Number(raw.to_owned())
        };
    }
    match raw.parse::<f64>() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole, and below 2^53"
        )]
        #[expect(clippy::cast_precision_loss, reason = "the limit is exact")]
        Ok(value) if value.fract() == 0.0 && value.abs() < EXACT as f64 => {
            Meaning::Exact(value as i64)
        }
        _ => Meaning::Number(raw.to_owned()),
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.meaning == other.meaning
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_by_what_they_mean() {
        let id = |raw: &str| Id::new(raw.as_bytes());
        for (left, right) in [
            ("1", "1"),
            ("1", "1.0"),
            ("1000", "1e3"),
            ("-7", "-7"),
            (r#""a""#, r#""\u0061""#),
            ("12345678901234567890", "12345678901234567890"),
        ] {
            assert_eq!(id(left).unwrap(), id(right).unwrap());
        }
        for (left, right) in [
            ("1", r#""1""#),
            ("1", "2"),
            ("12345678901234567890", "12345678901234567891"),
            (r#""a""#, r#""A""#),
        ] {
            assert_ne!(id(left).unwrap(), id(right).unwrap());
        }
        for none in ["null", "true", "", r#""\ud800""#] {
            assert!(id(none).is_none(), "{none}");
        }
    }
}
