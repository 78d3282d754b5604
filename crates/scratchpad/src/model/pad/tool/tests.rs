use super::*;
use snapbox::{assert_data_eq, str};

fn refusal(arguments: &Value) -> String {
    let reply = Reply::from(pad_call(arguments).unwrap_err());
    format!("{arguments}\n  {}\n", reply.text().replace('\n', "\n  "))
}

#[test]
fn every_wrong_call_gets_an_error_that_says_what_is_right() {
    let calls = [
        json!({}),
        json!([]),
        json!({"action": "set_note", "content": "x"}),
        json!({"action": 7}),
        json!({"action": "set_notes"}),
        json!({"action": "set_notes", "content": null}),
        json!({"action": "set_notes", "content": 42}),
        json!({"action": "append_notes", "content": ["a"]}),
        json!({"action": "set_plan", "content": {"a": 1}}),
        json!({"action": "refs.add"}),
        json!({"action": "refs.add", "ref": false}),
        json!({"action": "refs.set", "items": "a"}),
        json!({"action": "set_notes", "contents": "x"}),
        json!({"content": "x", "mode": "prepend"}),
        json!({"content": "x", "mode": 1}),
        json!({"mode": "append"}),
        json!({"action": null}),
        json!({"content": "x", "items": []}),
        json!({"action": "set_notes", "content": "x", "mode": "append"}),
        json!({"action": "mark"}),
        json!({"action": "mark", "items": [], "state": "done"}),
        json!({"action": "mark", "items": ["1"]}),
        json!({"action": "mark", "items": ["1"], "state": "finished"}),
    ];
    let all: String = calls.iter().map(refusal).collect();
    assert_data_eq!(
        all,
        str![[r#"
{}
  session_scratchpad needs `action`: set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue. Nothing was changed.
[]
  session_scratchpad: the arguments must be a JSON object, an array was given. Nothing was changed.
{"action":"set_note","content":"x"}
  session_scratchpad: `action` must be one of set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue; "set_note" was given. Nothing was changed.
  Hint: did you mean `set_notes` or `set_plan`?
{"action":7}
  session_scratchpad: `action` must be one of set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue; the number 7 was given. Nothing was changed.
{"action":"set_notes"}
  set_notes needs `content`, a string ("" clears). Nothing was changed.
{"action":"set_notes","content":null}
  set_notes needs `content`, a string ("" clears). Nothing was changed.
{"action":"set_notes","content":42}
  session_scratchpad: `content` must be a string; the number 42 was given. Nothing was changed.
{"action":"append_notes","content":["a"]}
  session_scratchpad: `content` must be a string; an array was given. Nothing was changed.
{"action":"set_plan","content":{"a":1}}
  session_scratchpad: `content` must be a string; an object was given. Nothing was changed.
{"action":"refs.add"}
  refs.add needs `ref`, a string. Nothing was changed.
{"action":"refs.add","ref":false}
  session_scratchpad: `ref` must be a string; false was given. Nothing was changed.
{"action":"refs.set","items":"a"}
  session_scratchpad: `items` must be an array; "a" was given. Nothing was changed.
{"action":"set_notes","contents":"x"}
  session_scratchpad has no argument "contents". Nothing was changed.
  Hint: did you mean `content` or `items`?
{"content":"x","mode":"prepend"}
  session_scratchpad: `mode` must be one of replace, append; "prepend" was given. Nothing was changed.
  Hint: did you mean `append` or `replace`?
{"content":"x","mode":1}
  session_scratchpad: `mode` must be one of replace, append; the number 1 was given. Nothing was changed.
{"mode":"append"}
  mode append needs `content`, a string ("" clears). Nothing was changed.
{"action":null}
  session_scratchpad needs `action`: set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue. Nothing was changed.
{"content":"x","items":[]}
  session_scratchpad needs `action`: set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue. Nothing was changed.
{"action":"set_notes","content":"x","mode":"append"}
  set_notes can't have mode append. Nothing was changed.
  Hint: leave `mode` out: it is for calls without `action`.
{"action":"mark"}
  mark needs `items`, plan items by number or by how they begin. Nothing was changed.
{"action":"mark","items":[],"state":"done"}
  mark needs `items`, plan items by number or by how they begin. Nothing was changed.
{"action":"mark","items":["1"]}
  mark needs `state`, one of pending, active, done, blocked, dropped. Nothing was changed.
{"action":"mark","items":["1"],"state":"finished"}
  session_scratchpad: `state` must be one of pending, active, done, blocked, dropped; "finished" was given. Nothing was changed.

"#]]
    );
}

#[test]
fn items_that_are_not_strings_are_dropped_and_counted() {
    let call = pad_call(&json!({"action": "refs.set", "items": ["a", 1, null, "b"]})).unwrap();
    let expected = Action::SetRefs {
        refs: vec!["a".to_owned(), "b".to_owned()],
        not_strings: 2,
    };
    assert_eq!(call, PadCall::Write(expected));
}

#[test]
fn plan_items_are_named_by_number_or_beginning() {
    let call = pad_call(&json!({"action": "mark", "items": [3, "4", "fix"], "state": "done"}));
    let expected = Action::Mark {
        items: vec![
            ItemName::Number(3),
            ItemName::Number(4),
            ItemName::Beginning("fix".to_owned()),
        ],
        state: ItemState::Done,
    };
    assert_eq!(call.unwrap(), PadCall::Write(expected));
}

#[test]
fn the_old_form_is_accepted() {
    let call = |arguments| pad_call(&arguments).unwrap();
    let replace = PadCall::Write(Action::ReplaceByTokens("x".to_owned()));
    let append = PadCall::Write(Action::AppendByTokens("x".to_owned()));
    assert_eq!(call(json!({"content": "x"})), replace);
    assert_eq!(call(json!({"content": "x", "mode": "replace"})), replace);
    assert_eq!(call(json!({"content": "x", "mode": "append"})), append);
}

#[test]
fn the_schema_is_short_and_complete() {
    assert_data_eq!(
        definition(&Limits::default()).input_schema.to_string(),
        str![[
            r#"{"type":"object","properties":{"action":{"type":"string","enum":["set_notes","append_notes","set_plan","mark","refs.add","refs.remove","refs.set","get","continue"],"description":"set_* replaces"},"content":{"type":"string","description":"notes 4000 chars, plan 2000; empty clears"},"ref":{"type":"string","description":"path, link or id, 4000 chars"},"items":{"type":"array","items":{"type":"string"},"description":"all refs, 50; mark: number or beginning"},"state":{"type":"string","enum":["pending","active","done","blocked","dropped"],"description":"for mark"},"mode":{"type":"string","enum":["replace","append"],"description":"instead of action: content into notes"}}}"#
        ]]
    );
}
