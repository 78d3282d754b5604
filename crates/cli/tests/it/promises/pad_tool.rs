//! The tool `session_scratchpad`: each action, limit, reply and refusal.

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// An agent with a pad of its own.
struct Agent {
    machine: Machine,
    flags: Vec<&'static str>,
}

impl Agent {
    fn new() -> Self {
        Self {
            machine: Machine::new(),
            flags: Vec::new(),
        }
    }

    fn with(setting: &'static str) -> Self {
        Self {
            flags: vec!["--config", setting],
            ..Self::new()
        }
    }

    /// The whole reply.
    fn call(&self, arguments: &Value) -> Value {
        let words = [
            "call",
            "session_scratchpad",
            "-",
            "--json",
            "--session",
            "s",
        ];
        let arguments = arguments.to_string();
        let answer = self
            .machine
            .run_with(&[&words[..], &self.flags].concat(), arguments.as_bytes());
        serde_json::from_str(&answer.out).unwrap()
    }

    /// Its text, and `isError` in front if it is one.
    fn says(&self, arguments: &Value) -> String {
        let reply = self.call(arguments);
        let text = reply["content"][0]["text"].as_str().unwrap().to_owned();
        match reply["isError"].as_bool() {
            Some(true) => format!("isError: {text}"),
            _ => text,
        }
    }

    fn pad(&self) -> Value {
        self.call(&json!({"action": "get"}))["structuredContent"].clone()
    }

    /// What an output holds.
    fn output(&self, reply: &Value) -> String {
        let id = reply["structuredContent"]["spilled_output"]
            .as_str()
            .unwrap();
        self.machine.run(&["output", "read", id]).ok()
    }
}

#[test]
fn set_notes_replaces_the_notes() {
    let agent = Agent::new();
    let set = |content| agent.says(&json!({"action": "set_notes", "content": content}));
    assert_data_eq!(set("old"), str!["Notes saved (3 / 4000 chars)."]);
    assert_data_eq!(set("new 🎉"), str!["Notes saved (5 / 4000 chars)."]);
    assert_eq!(agent.pad()["notes"], "new 🎉");
}

#[test]
fn set_notes_beyond_4000_characters_is_cut_and_kept_whole() {
    let agent = Agent::new();
    let text = "ä".repeat(4_001);
    let reply = agent.call(&json!({"action": "set_notes", "content": text}));
    assert_data_eq!(
        reply["content"][0]["text"].as_str().unwrap(),
        str![
            "Notes cut to 4000 chars (4001 given): rewrite shorter. All of it is output 1609fe5d9df9 (scratchpad_read, or `scratchpad output read 1609fe5d9df9`)."
        ]
    );
    assert_eq!(agent.pad()["notes"], "ä".repeat(4_000));
    assert_eq!(agent.output(&reply), text);
    let data = &reply["structuredContent"];
    assert_eq!(
        (
            &data["used"],
            &data["max"],
            &data["unit"],
            &data["truncated"]
        ),
        (&json!(4_000), &json!(4_000), &json!("chars"), &json!(true))
    );
}

#[test]
fn append_notes_starts_a_new_line_and_refuses_what_does_not_fit() {
    let agent = Agent::new();
    let append = |content: &str| agent.says(&json!({"action": "append_notes", "content": content}));
    assert_data_eq!(append("a"), str!["Notes saved (1 / 4000 chars)."]);
    assert_data_eq!(append("b"), str!["Notes saved (3 / 4000 chars)."]);
    assert_eq!(agent.pad()["notes"], "a\nb");
    assert_data_eq!(
        append(&"x".repeat(3_997)),
        str![[r#"
isError: Notes not appended: 3 characters kept and 3,997 given make 4,001, the limit is 4,000. Nothing was changed.
Hint: rewrite them shorter with set_notes, or append less.
"#]]
    );
    assert_eq!(agent.pad()["notes"], "a\nb");
    assert_data_eq!(
        append(&"x".repeat(3_996)),
        str!["Notes saved (4000 / 4000 chars)."]
    );
}

#[test]
fn set_plan_replaces_the_plan_and_beyond_2000_characters_is_cut_and_kept_whole() {
    let agent = Agent::new();
    let plan = |content: &str| agent.call(&json!({"action": "set_plan", "content": content}));
    let reply = plan("1. read");
    assert_eq!(reply["content"][0]["text"], "Plan saved (7 / 2000 chars).");
    let reply = plan(&"p".repeat(2_001));
    assert_data_eq!(
        reply["content"][0]["text"].as_str().unwrap(),
        str![
            "Plan cut to 2000 chars (2001 given): rewrite shorter. All of it is output 81405715b7bf (scratchpad_read, or `scratchpad output read 81405715b7bf`)."
        ]
    );
    assert_eq!(agent.output(&reply).len(), 2_001);
    assert_eq!(agent.pad()["plan"], "p".repeat(2_000));
}

#[test]
fn only_an_empty_text_clears_a_space() {
    let agent = Agent::new();
    agent.call(&json!({"action": "set_notes", "content": "n"}));
    agent.call(&json!({"action": "set_plan", "content": "p"}));
    assert_data_eq!(
        agent.says(&json!({"action": "set_notes", "content": ""})),
        str!["Notes saved (0 / 4000 chars)."]
    );
    agent.call(&json!({"action": "set_plan", "content": null}));
    assert_eq!(agent.pad()["notes"], "");
    assert_eq!(agent.pad()["plan"], "p");
}

#[test]
fn refs_add_keeps_fifty_and_says_which_went() {
    let agent = Agent::new();
    let items: Vec<String> = (1..=50).map(|number| format!("ref {number}")).collect();
    assert_data_eq!(
        agent.says(&json!({"action": "refs.set", "items": items})),
        str!["Refs saved (50 / 50)."]
    );
    let reply = agent.call(&json!({"action": "refs.add", "ref": "new"}));
    assert_data_eq!(
        reply["content"][0]["text"].as_str().unwrap(),
        str!["Ref added (50 / 50). Oldest dropped: ref 1"]
    );
    assert_eq!(reply["structuredContent"]["dropped"], "ref 1");
    assert_eq!(agent.pad()["refs"][49], "new");
}

#[test]
fn refs_remove_needs_the_exact_text() {
    let agent = Agent::new();
    agent.call(&json!({"action": "refs.set", "items": ["src/main.rs", "b"]}));
    assert_data_eq!(
        agent.says(&json!({"action": "refs.remove", "ref": "src/main"})),
        str![[r#"
isError: No ref equals "src/main"; there are 2 refs. Nothing was changed.
Hint: did you mean `src/main.rs`?
"#]]
    );
    assert_data_eq!(
        agent.says(&json!({"action": "refs.remove", "ref": "b"})),
        str!["Ref removed (1 / 50)."]
    );
    assert_eq!(agent.pad()["refs"], json!(["src/main.rs"]));
}

#[test]
fn refs_set_replaces_all_keeps_the_first_fifty_and_drops_what_is_no_string() {
    let agent = Agent::new();
    let items: Vec<String> = (1..=60).map(|number| format!("ref {number}")).collect();
    let reply = agent.call(&json!({"action": "refs.set", "items": items}));
    assert_data_eq!(
        reply["content"][0]["text"].as_str().unwrap(),
        str![
            "Refs saved: the first 50 of 60. All of it is output 8d85a0ac41b6 (scratchpad_read, or `scratchpad output read 8d85a0ac41b6`)."
        ]
    );
    assert_eq!(agent.output(&reply), json!(items).to_string());
    assert_eq!(agent.pad()["refs"][49], "ref 50");
    assert_data_eq!(
        agent.says(&json!({"action": "refs.set", "items": ["a", 7, null, "b"]})),
        str!["Refs saved (2 / 50). 2 items dropped: not a string."]
    );
    assert_eq!(agent.pad()["refs"], json!(["a", "b"]));
}

#[test]
fn get_shows_the_pad_and_an_empty_one_says_how_to_write_it() {
    let agent = Agent::new();
    let get = || agent.says(&json!({"action": "get"}));
    assert_data_eq!(
        get(),
        str!["The pad is empty. Write it with set_notes, set_plan or refs.add."]
    );
    agent.call(&json!({"action": "set_plan", "content": "go"}));
    agent.call(&json!({"action": "refs.add", "ref": "a.rs"}));
    assert_data_eq!(
        get(),
        str![[r#"
[Session Scratchpad - your persistent working memory]
Plan:
go

References:
- a.rs
[End Scratchpad]
"#]]
    );
    assert_eq!(
        agent.pad(),
        json!({
            "notes": "", "plan": "go", "refs": ["a.rs"], "revision": 2,
            "spaces": [
                {"space": "notes", "used": 0, "max": 4000, "unit": "chars"},
                {"space": "plan", "used": 2, "max": 2000, "unit": "chars"},
                {"space": "refs", "used": 1, "max": 50, "unit": "items"},
            ],
        })
    );
}

#[test]
fn every_reply_to_a_write_has_its_figures() {
    let agent = Agent::new();
    let data = |arguments| agent.call(&arguments)["structuredContent"].clone();
    assert_eq!(
        data(json!({"action": "set_plan", "content": "go"})),
        json!({"space": "plan", "used": 2, "max": 2000, "unit": "chars", "truncated": false,
            "spilled_output": null, "revision": 1})
    );
    assert_eq!(
        data(json!({"action": "refs.add", "ref": "a"})),
        json!({"space": "refs", "used": 1, "max": 50, "unit": "items", "truncated": false,
            "spilled_output": null, "revision": 2, "dropped": null})
    );
    assert_eq!(
        data(json!({"content": "two words"})),
        json!({"space": "notes", "used": 2, "max": 2000, "unit": "tokens", "truncated": false,
            "spilled_output": null, "revision": 3})
    );
}

#[test]
fn a_refusal_names_the_valid_choices_and_changes_nothing() {
    let agent = Agent::new();
    agent.call(&json!({"action": "set_notes", "content": "here"}));
    let refused: String = [
        json!({}),
        json!({"action": "set_note", "content": "x"}),
        json!({"action": "set_notes"}),
        json!({"action": "set_plan", "content": 42}),
        json!({"action": "append_notes", "content": ["a"]}),
        json!({"action": "refs.add", "ref": " "}),
        json!({"action": "refs.add", "ref": "x".repeat(4_001)}),
        json!({"action": "refs.remove"}),
        json!({"action": "refs.set", "items": "a"}),
        json!({"action": "set_notes", "text": "x"}),
        json!({"action": "set_notes", "content": "x", "mode": "append"}),
        json!({"mode": "replace"}),
        json!({"mode": "append", "content": null}),
        json!({"mode": "prepend", "content": "x"}),
        json!({"content": "x", "ref": "y"}),
    ]
    .iter()
    .map(|arguments| agent.says(arguments) + "\n")
    .collect();
    assert_data_eq!(
        refused,
        str![[r#"
isError: session_scratchpad needs `action`: set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue. Nothing was changed.
isError: session_scratchpad: `action` must be one of set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue; "set_note" was given. Nothing was changed.
Hint: did you mean `set_notes` or `set_plan`?
isError: set_notes needs `content`, a string ("" clears). Nothing was changed.
isError: session_scratchpad: `content` must be a string; the number 42 was given. Nothing was changed.
isError: session_scratchpad: `content` must be a string; an array was given. Nothing was changed.
isError: A ref is empty: give a path, a link or an id. Nothing was changed.
Hint: to clear all refs, set an empty list.
isError: A ref has 4,001 characters, the limit is 4,000. Nothing was changed.
Hint: a ref points to something: put long text in the notes, or in a file and add its path.
isError: refs.remove needs `ref`, a string. Nothing was changed.
isError: session_scratchpad: `items` must be an array; "a" was given. Nothing was changed.
isError: session_scratchpad has no argument "text". Nothing was changed.
Hint: did you mean `items` or `state`?
isError: set_notes can't have mode append. Nothing was changed.
Hint: leave `mode` out: it is for calls without `action`.
isError: mode replace needs `content`, a string ("" clears). Nothing was changed.
isError: mode append needs `content`, a string ("" clears). Nothing was changed.
isError: session_scratchpad: `mode` must be one of replace, append; "prepend" was given. Nothing was changed.
Hint: did you mean `append` or `replace`?
isError: session_scratchpad needs `action`: set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue. Nothing was changed.

"#]]
    );
    let pad = agent.pad();
    assert_eq!(
        (&pad["notes"], &pad["revision"]),
        (&json!("here"), &json!(1))
    );
}

#[test]
fn the_old_form_works_on_the_notes_with_a_budget_in_tokens() {
    let agent = Agent::new();
    let says = |content: &str, mode: Value| agent.says(&json!({"content": content, "mode": mode}));
    assert_data_eq!(
        says("first", json!(null)),
        str!["Scratchpad updated (1 tokens / 2000 budget)"]
    );
    assert_data_eq!(
        says("second", json!("append")),
        str!["Scratchpad updated (3 tokens / 2000 budget)"]
    );
    assert_eq!(agent.pad()["notes"], "first\nsecond");
    assert_data_eq!(
        says("third", json!("replace")),
        str!["Scratchpad updated (1 tokens / 2000 budget)"]
    );
    // Some hosts fill in every argument.
    assert_data_eq!(
        agent.says(&json!({"action": null, "content": "fourth", "mode": "append", "ref": null, "items": null})),
        str!["Scratchpad updated (4 tokens / 2000 budget)"]
    );
    let text = "lorem ipsum dolor ".repeat(2_000);
    let reply = agent.call(&json!({"content": text}));
    assert_data_eq!(
        reply["content"][0]["text"].as_str().unwrap(),
        str![
            "Scratchpad truncated to 2000 tokens (original: 6560). Consider summarizing. All of it is output c07e5fa7d153 (scratchpad_read, or `scratchpad output read c07e5fa7d153`)."
        ]
    );
    assert_eq!(agent.output(&reply), text);
    assert_data_eq!(
        says("one two three four five six", json!("append")),
        str![
            "isError: Append would exceed 2000 token budget (current: 2000, append: 7). Use mode 'replace' to rewrite, or reduce content."
        ]
    );
}

#[test]
fn a_mode_that_agrees_with_the_action_does_no_harm() {
    let agent = Agent::new();
    for (arguments, reply) in [
        (
            json!({"action": "set_plan", "content": "p", "mode": "replace"}),
            "Plan saved (1 / 2000 chars).",
        ),
        (
            json!({"action": "append_notes", "content": "n", "mode": "append"}),
            "Notes saved (1 / 4000 chars).",
        ),
        (
            json!({"action": "refs.add", "ref": "r", "mode": "append"}),
            "Ref added (1 / 50).",
        ),
    ] {
        assert_eq!(agent.says(&arguments), reply);
    }
    let get = agent.says(&json!({"action": "get", "mode": "replace"}));
    assert!(get.contains("Plan:\np"), "{get}");
}

#[test]
fn append_notes_after_the_old_form_says_which_budget_rules() {
    let agent = Agent::new();
    // 6,399 characters, but fewer than 2,000 tokens.
    let long = vec!["information"; 533].join(" ");
    assert_data_eq!(
        agent.says(&json!({"content": long})),
        str!["Scratchpad updated (736 tokens / 2000 budget)"]
    );
    assert_data_eq!(
        agent.says(&json!({"action": "append_notes", "content": "more"})),
        str![[r#"
isError: Notes not appended: they already have 6,395 characters, and append_notes goes up to 4,000. Only a call with `mode` goes beyond, up to 2,000 tokens. Nothing was changed.
Hint: rewrite them shorter with set_notes, or go on with `mode` "append".
"#]]
    );
    assert_data_eq!(
        agent.says(&json!({"content": "more", "mode": "append"})),
        str!["Scratchpad updated (738 tokens / 2000 budget)"]
    );
    assert_data_eq!(
        agent.says(&json!({"action": "set_notes", "content": "short"})),
        str!["Notes saved (5 / 4000 chars)."]
    );
    assert_data_eq!(
        agent.says(&json!({"action": "append_notes", "content": "more"})),
        str!["Notes saved (10 / 4000 chars)."]
    );
}

#[test]
fn with_outputs_switched_off_texts_are_cut_as_ever_and_the_rest_is_not_kept() {
    let agent = Agent::with("outputs.enabled=false");
    let items: Vec<String> = (1..=51).map(|number| format!("ref {number}")).collect();
    let all: String = [
        json!({"action": "set_notes", "content": "n".repeat(4_001)}),
        json!({"action": "set_plan", "content": "p".repeat(2_001)}),
        json!({"action": "refs.set", "items": items}),
        json!({"content": "lorem ipsum dolor ".repeat(2_000)}),
    ]
    .iter()
    .map(|arguments| agent.says(arguments) + "\n")
    .collect();
    assert_data_eq!(
        all,
        str![[r#"
Notes cut to 4000 chars (4001 given): rewrite shorter. The rest is not kept: outputs are switched off (`outputs.enabled`).
Plan cut to 2000 chars (2001 given): rewrite shorter. The rest is not kept: outputs are switched off (`outputs.enabled`).
Refs saved: the first 50 of 51. The rest is not kept: outputs are switched off (`outputs.enabled`).
Scratchpad truncated to 2000 tokens (original: 6560). Consider summarizing. The rest is not kept: outputs are switched off (`outputs.enabled`).

"#]]
    );
    assert_eq!(agent.pad()["plan"], "p".repeat(2_000));
    assert!(!agent.machine.home().join("outputs").exists());
}
