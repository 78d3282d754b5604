//! The maximum age of outputs, written like `24h`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::json::inline_schema;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// Used as `#[serde(with = "Age")]`, which schemars reads too.
pub struct Age;

impl Age {
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Millis, D::Error> {
        let age = match Given::deserialize(deserializer)? {
            Given::Text(text) => parse(&text),
            Given::Millis(number) => checked(number),
        };
        age.ok_or_else(|| D::Error::custom("not a time"))
    }

    pub fn serialize<S: Serializer>(
        age: &Millis,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}", shown(*age)))
    }
}

inline_schema!(Age, {"type": "string", "format": "age", "pattern": "^[0-9]+ *[mhd]$"});

/// A time as it is written in a file. A bare number is milliseconds, as in similar tools.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Millis(Millis),
}

/// A time as it is given on a command line.
pub fn given(text: &str) -> Result<Millis> {
    parse(text).ok_or_else(|| Error::usage("not a time like 12h or 7d"))
}

/// Parses a time like `90m`, `24h`, `7d` or `86400000`.
fn parse(text: &str) -> Option<Millis> {
    let text = text.trim();
    let (unit, millis) = [("m", MINUTE), ("h", HOUR), ("d", DAY), ("", 1)]
        .into_iter()
        .find(|(unit, _)| text.ends_with(unit))?;
    let number: Millis = text.strip_suffix(unit)?.trim().parse().ok()?;
    checked(number.checked_mul(millis)?)
}

/// An age that is neither too short nor too long.
fn checked(age: Millis) -> Option<Millis> {
    (MINUTE..=10_000 * DAY).contains(&age).then_some(age)
}

/// The time in its largest whole unit, except that one day is `24h`.
fn shown(age: Millis) -> String {
    if age % MINUTE != 0 {
        age.to_string()
    } else if age % DAY == 0 && age > DAY {
        format!("{}d", age / DAY)
    } else if age % HOUR == 0 {
        format!("{}h", age / HOUR)
    } else {
        format!("{}m", age / MINUTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_its_unit() {
        for (text, as_shown) in [
            ("90m", "90m"),
            ("60m", "1h"),
            ("24h", "24h"),
            (" 7 d ", "7d"),
            ("36h", "36h"),
            ("10000d", "10000d"),
        ] {
            assert_eq!(shown(parse(text).unwrap()), as_shown, "{text}");
        }
        for text in [
            "",
            "7",
            "d",
            "0m",
            "-1h",
            "10001d",
            "1.5h",
            "9223372036854775807d",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
