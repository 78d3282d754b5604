//! Rewriting stored texts, wherever they are kept: as they are, or inside JSON.

use serde_json::Value;

/// Says what a text becomes; `None` if it stays as it is.
pub type Rewrite<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What stands where a forgotten text was.
pub const FORGOTTEN: &str = "[forgotten]";

/// The text with every occurrence of `what` replaced; `None` if there is none.
pub fn without(text: &str, what: &str) -> Option<String> {
    text.contains(what).then(|| text.replace(what, FORGOTTEN))
}

/// JSON whose strings are rewritten, keys excepted; `None` if all stay, or if it is not JSON.
///
/// The strings are decoded first: a text that begins with `n` must not match the second half of `\n`.
pub fn in_json(json: &str, rewrite: &Rewrite<'_>) -> Option<String> {
    let mut value: Value = serde_json::from_str(json).ok()?;
    rewrite_value(&mut value, rewrite).then(|| value.to_string())
}

fn rewrite_value(value: &mut Value, rewrite: &Rewrite<'_>) -> bool {
    match value {
        Value::String(text) => rewrite(text).is_some_and(|new| {
            *text = new;
            true
        }),
        // Not `any`: every element is rewritten.
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| {
            rewrite_value(item, rewrite) | changed
        }),
        Value::Object(fields) => fields.values_mut().fold(false, |changed, field| {
            rewrite_value(field, rewrite) | changed
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_in_json_are_rewritten_and_what_only_looks_like_one_is_not() {
        let rewrite = |text: &str| without(text, "name");
        let json = r#"{"name":["a\name","my name"],"n":1}"#;
        let expected = r#"{"n":1,"name":["a\name","my [forgotten]"]}"#;
        let rewritten = in_json(json, &rewrite).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&rewritten).unwrap(),
            serde_json::from_str::<Value>(expected).unwrap()
        );
        assert_eq!(in_json(r#"["a\name"]"#, &rewrite), None);
        assert_eq!(in_json("no json, but a name", &rewrite), None);
        assert_eq!(without("none", "name"), None);
        assert_eq!(
            without("name, name", "name").as_deref(),
            Some("[forgotten], [forgotten]")
        );
    }
}
