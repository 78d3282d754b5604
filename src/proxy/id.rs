//! The id of a request, as it was sent, and as it is compared.

use std::hash::{Hash, Hasher};

/// A request's id. Two are equal if they mean the same, however they were written.
#[derive(Clone, Debug)]
pub(super) struct Id {
    raw: Vec<u8>,
    meaning: String,
}

impl Id {
    /// Reads an id; `null` is none.
    pub(super) fn new(raw: &[u8]) -> Option<Self> {
        let meaning = match raw.first()? {
            b'"' => format!("\"{}", serde_json::from_slice::<String>(raw).ok()?),
            b'-' | b'0'..=b'9' => number(std::str::from_utf8(raw).ok()?),
            _ => return None,
        };
        Some(Self {
            raw: raw.to_vec(),
            meaning,
        })
    }

    /// As it was sent.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }
}

/// Numbers that every program reads alike are compared by value; of larger ones some programs keep fewer
/// digits, so those are compared as they were sent.
fn number(raw: &str) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match raw.parse::<f64>() {
        Ok(value) if value.fract() == 0.0 && value.abs() < EXACT => format!("{value:.0}"),
        _ => raw.to_owned(),
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
