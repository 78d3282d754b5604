//! Whole numbers within bounds, as serde reads them and as a JSON Schema states them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bounds of a field: `#[serde(with = "Whole::<1, 100>")]`, which schemars reads too.
pub struct Whole<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    pub fn deserialize<'de, N: TryFrom<u64>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<N, D::Error> {
        let number = u64::deserialize(deserializer)?;
        Some(number)
            .filter(|number| (MIN..=MAX).contains(number))
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| D::Error::custom("out of bounds"))
    }

    pub fn serialize<N: Copy + Serialize, S: Serializer>(
        number: &N,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.serialize(serializer)
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Whole<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("Whole<{MIN}, {MAX}>").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": MIN, "maximum": MAX})
    }
}
