//! Counts the values in a JSON text before it is parsed: a two-byte number takes a hundred bytes or more in memory, so
//! a limit in bytes alone is not enough.

use std::ops::Range;

use scratchpad::model::json::{Container, Leaf, Member, Visitor, Walk};
use scratchpad::model::text::quantity::grouped;

/// The maximum number of values in one message; our tools need a few hundred at most.
pub(super) const MAX_VALUES: usize = 100_000;

/// The reason to refuse a message with too many values.
pub(super) fn too_many(message: &[u8]) -> Option<String> {
    // Every value takes at least one byte, so a shorter message needs no counting.
    if message.len() <= MAX_VALUES {
        return None;
    }
    let values = count(message);
    (values > MAX_VALUES).then(|| {
        format!(
            "The message has {} values, the limit is {}. Nothing was changed.",
            grouped(values),
            grouped(MAX_VALUES)
        )
    })
}

/// The number of values in a JSON text, including nested ones. Stops at the first syntax error, as the parser does.
pub(super) fn count(text: &[u8]) -> usize {
    let mut walk = Walk::new(Values { nested: 0 });
    walk.push(text);
    walk.so_far().nested + 1
}

struct Values {
    nested: usize,
}

impl Visitor for Values {
    type Role = ();

    fn enter(&mut self, _: Option<()>, _: &[u8], _: Container) -> Option<()> {
        Some(())
    }

    fn member(&mut self, (): (), _: Member) {
        self.nested += 1;
    }

    fn leaf(&mut self, (): (), _: &[u8], _: &Leaf<'_>) {}

    fn leave(&mut self, _: Option<()>, _: Option<()>, _: &[u8], _: Range<u64>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    #[test]
    fn each_value_is_counted_once_and_strings_are_one() {
        for (text, values) in [
            ("7", 1),
            ("[]", 1),
            ("[ ]", 1),
            ("[1]", 2),
            ("[1, [2, {}], \"a,[{\"]", 6),
            (r#"{"a": {"b": [1, 2]}, "c\",\\": ""}"#, 6),
            (r#"["\\", "\"", "]"]"#, 4),
        ] {
            assert_eq!(count(text.as_bytes()), values, "{text}");
        }
    }

    #[test]
    fn the_limit_itself_passes() {
        let array = |values: usize| format!("[{}1]", "1,".repeat(values - 2)).into_bytes();
        assert_eq!(too_many(&array(MAX_VALUES)), None);
        assert_eq!(
            too_many(&array(MAX_VALUES + 1)).unwrap(),
            "The message has 100,001 values, the limit is 100,000. Nothing was changed."
        );
    }

    fn values_in(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(values_in).sum(),
            Value::Object(members) => members.values().map(values_in).sum::<usize>(),
            _ => 0,
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            r#"[\[\]{}",:\\ a\n]{0,9}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let name = r#"[\[\]{}",:\\a]{0,5}"#;
            let members = prop::collection::vec((name, inner.clone()), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..5).prop_map(Value::Array),
                members.prop_map(|members| Value::Object(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_count_is_that_of_the_parsed_value(value in any_json()) {
            let expected = values_in(&value);
            prop_assert_eq!(count(&serde_json::to_vec(&value).unwrap()), expected);
            prop_assert_eq!(count(&serde_json::to_vec_pretty(&value).unwrap()), expected);
        }

        #[test]
        fn no_more_values_are_found_than_there_are_bytes(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'['), Just(b','), Just(b'"'), Just(b'\\')], 1..200)
        ) {
            prop_assert!(count(&bytes) <= bytes.len() + 1);
        }
    }
}
