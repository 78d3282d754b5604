//! Tools through `call`, and what they answer.

use crate::support::Machine;
use serde_json::json;
use snapbox::{assert_data_eq, str};

#[test]
fn call_runs_the_tool_and_its_exit_code_says_whether_it_worked() {
    let machine = Machine::new();
    let call =
        |arguments: &str| machine.run(&["call", "session_scratchpad", arguments, "--session", "s"]);
    assert_data_eq!(
        call(r#"{"action":"set_plan","content":"go"}"#).seen(),
        str![[r"
exit 0
--- stdout
Plan saved (2 / 2000 chars).
--- stderr

"]]
    );
    assert_data_eq!(
        call(r#"{"action":"get"}"#).seen(),
        str![[r"
exit 0
--- stdout
[Session Scratchpad - your persistent working memory]
Plan:
go
[End Scratchpad]
--- stderr

"]]
    );
    assert_data_eq!(
        call(r#"{"action":"refs.add","ref":" "}"#).seen(),
        str![[r#"
exit 1
--- stdout
A ref is empty: give a path, a link or an id. Nothing was changed.
Hint: to clear all refs, set an empty list.
--- stderr

"#]]
    );
    assert_data_eq!(
        call(r#"{"content":"by tokens","mode":"append"}"#).seen(),
        str![[r"
exit 0
--- stdout
Scratchpad updated (3 tokens / 2000 budget)
--- stderr

"]]
    );

    let whole = machine
        .run_with(
            &[
                "call",
                "session.scratchpad",
                "-",
                "--json",
                "--session",
                "s",
            ],
            br#"{"action":"refs.set","items":["a",7],"session":"other"}"#,
        )
        .json();
    assert_eq!(
        whole,
        json!({
            "content": [{"type": "text", "text": "Refs saved (1 / 50). 1 item dropped: not a string."}],
            "structuredContent": {
                "space": "refs", "used": 1, "max": 50, "unit": "items", "truncated": false,
                "spilled_output": null, "revision": 1, "dropped": null,
            },
            "isError": false,
        })
    );
    assert_eq!(
        machine
            .run(&["session", "refs", "list", "--session", "other"])
            .ok(),
        "a\n"
    );
}

#[test]
fn replies_say_what_was_cut_and_what_went() {
    let machine = Machine::new();
    let call = |arguments: serde_json::Value| {
        let whole = machine.run_with(
            &[
                "call",
                "session_scratchpad",
                "-",
                "--json",
                "--session",
                "s",
            ],
            arguments.to_string().as_bytes(),
        );
        let whole = whole.json();
        let text = whole["content"][0]["text"].as_str().unwrap().to_owned();
        (text, whole["structuredContent"].clone())
    };
    let (text, data) = call(json!({"content": "lorem ipsum dolor ".repeat(2_000)}));
    assert_data_eq!(
        text,
        str![
            "Scratchpad truncated to 2000 tokens (original: 6560). Consider summarizing. All of it is output c07e5fa7d153 (scratchpad_read, or `scratchpad output read c07e5fa7d153`)."
        ]
    );
    assert_eq!(
        (&data["unit"], &data["truncated"]),
        (&json!("tokens"), &json!(true))
    );
    assert!(data["spilled_output"].is_string());

    let many: Vec<String> = (1..=60).map(|number| format!("ref {number}")).collect();
    let (text, data) = call(json!({"action": "refs.set", "items": many}));
    assert_data_eq!(
        text,
        str![
            "Refs saved: the first 50 of 60. All of it is output 8d85a0ac41b6 (scratchpad_read, or `scratchpad output read 8d85a0ac41b6`)."
        ]
    );
    assert_eq!(
        (&data["used"], &data["dropped"]),
        (&json!(50), &json!(null))
    );
    let spilled = data["spilled_output"].as_str().unwrap().to_owned();
    assert_eq!(
        machine.run(&["output", "read", &spilled]).ok(),
        json!(many).to_string()
    );

    let (text, data) = call(json!({"action": "refs.add", "ref": "new"}));
    assert_data_eq!(text, str!["Ref added (50 / 50). Oldest dropped: ref 1"]);
    assert_eq!(
        (&data["dropped"], &data["truncated"]),
        (&json!("ref 1"), &json!(false))
    );
}
