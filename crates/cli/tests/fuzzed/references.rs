//! References to outputs in a message from a client.

use scratchpad_mcp::proxy;
use serde_json::Value;

/// References to outputs are replaced where they are arguments, and nothing else is.
pub(super) fn check(line: &[u8]) {
    let with = r#"{"put": "here"}"#;
    let Some(replaced) = proxy::replaced(line, with.as_bytes()) else {
        return;
    };
    let has_mark = line.windows(11).any(|window| window == b"scratchpad:");
    if !has_mark {
        assert_eq!(replaced, line, "without a reference nothing changes");
    }
    // Below some depth nothing is looked for, and nothing is parsed here.
    let Ok(mut expected) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let mut left = 1_024;
    let messages = match &mut expected {
        Value::Array(messages) => messages.as_mut_slice(),
        message => std::slice::from_mut(message),
    };
    for message in messages {
        if let Some(arguments) = message
            .pointer_mut("/params/arguments")
            .filter(|it| it.is_object() || it.is_array())
        {
            put_in(arguments, &mut left);
        }
    }
    if has_mark && left > 0 {
        let found: Value = serde_json::from_slice(&replaced).expect("still JSON");
        assert_eq!(
            found, expected,
            "references are replaced, and nothing else is"
        );
    }
}

fn put_in(value: &mut Value, left: &mut usize) {
    *left = left.saturating_sub(1);
    match value {
        Value::String(text) if text.starts_with("scratchpad://output/") => {
            *value = serde_json::json!({"put": "here"});
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_in(item, left)),
        Value::Object(members) => members.values_mut().for_each(|member| put_in(member, left)),
        _ => {}
    }
}
