//! Plan states: marks in the plan's text, `mark`, and the block without what is done.

use crate::support::Machine;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

const PLAN: &str =
    "Goal: green\n- [x] read\n- [>] fix the cache key\n1. [ ] fix the docs\n- [-] rewrite";

fn call(machine: &Machine, arguments: &Value) -> Value {
    let words = [
        "call",
        "session_scratchpad",
        "-",
        "--json",
        "--session",
        "s",
    ];
    let answer = machine.run_with(&words, arguments.to_string().as_bytes());
    serde_json::from_str(&answer.out).unwrap()
}

fn says(machine: &Machine, arguments: &Value) -> String {
    call(machine, arguments)["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn planned(plan: &str) -> Machine {
    let machine = Machine::new();
    call(&machine, &json!({"action": "set_plan", "content": plan}));
    machine
}

fn plan_of(machine: &Machine) -> String {
    let pad = call(machine, &json!({"action": "get"}));
    let plan = pad["structuredContent"]["plan"].as_str().unwrap();
    plan.to_owned()
}

#[test]
fn mark_sets_the_state_of_plan_items_and_changes_nothing_else_in_the_plan() {
    let machine = planned(PLAN);
    let mark = json!({"action": "mark", "items": [2, "fix the docs"], "state": "done"});
    let reply = call(&machine, &mark);
    assert_eq!(reply["content"][0]["text"], "Plan: 3 of 4 done.");
    assert_eq!(
        reply["structuredContent"],
        json!({"space": "plan", "used": PLAN.chars().count(), "max": 2_000, "unit": "chars", "truncated": false, "spilled_output": null, "revision": 2})
    );
    let marked = PLAN
        .replace("- [>] fix", "- [x] fix")
        .replace("1. [ ]", "1. [x]");
    assert_eq!(plan_of(&machine), marked);
    machine.run(&["session", "undo", "--session", "s"]).ok();
    assert_eq!(plan_of(&machine), PLAN);
}

#[test]
fn the_reply_to_mark_names_what_is_active_and_marking_one_makes_no_other_pending() {
    let machine = planned(PLAN);
    let mark = json!({"action": "mark", "items": ["Fix the docs"], "state": "active"});
    assert_eq!(
        says(&machine, &mark),
        "Plan: 1 of 4 done, active: fix the cache key; fix the docs."
    );
}

#[test]
fn the_block_leaves_out_what_is_done_or_dropped_and_counts_it() {
    let machine = planned(PLAN);
    let prompt = machine.run_with(&["prompt", "--session", "s"], b"Go on.\n");
    assert_data_eq!(
        prompt.ok(),
        str![[r"
[Session Scratchpad - your persistent working memory]
Plan (1 of 4 done):
Goal: green
- [>] fix the cache key
1. [ ] fix the docs
(1 done, 1 dropped: not shown; action get shows all)
[End Scratchpad]

Go on.

"]]
    );
    assert!(says(&machine, &json!({"action": "get"})).contains("- [x] read\n"));
}

#[test]
fn a_plan_without_boxes_is_shown_as_it_is_and_can_not_be_marked() {
    let plan = "1. read\n2. write  \n\n- a list\n";
    let machine = planned(plan);
    let prompt = machine
        .run_with(&["prompt", "--session", "s"], b"Go on.")
        .ok();
    assert_eq!(
        prompt,
        format!(
            "[Session Scratchpad - your persistent working memory]\nPlan:\n{plan}\n[End Scratchpad]\n\nGo on."
        )
    );
    let mark = json!({"action": "mark", "items": ["1"], "state": "done"});
    assert_data_eq!(
        says(&machine, &mark),
        str![[r"
No line of the plan has a box to mark. Nothing was changed.
Hint: write it with set_plan as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped.
"]]
    );
}

#[test]
fn a_name_that_fits_several_items_is_refused_with_their_numbers() {
    let machine = planned(PLAN);
    let mark = json!({"action": "mark", "items": ["read", "fix"], "state": "blocked"});
    assert_data_eq!(
        says(&machine, &mark),
        str![[r#"
2 plan items begin with "fix": 2 fix the cache key; 3 fix the docs. Nothing was changed.
Hint: name one by its number, or write more of its beginning.
"#]]
    );
    assert_eq!(plan_of(&machine), PLAN);
}

#[test]
fn session_mark_does_the_same_on_the_command_line() {
    let machine = planned(PLAN);
    let mark =
        |words: &[&str]| machine.run(&[&["session", "mark"], words, &["--session", "s"]].concat());
    assert_eq!(
        mark(&["3", "fix the cache", "done"]).ok(),
        "Plan: 3 of 4 done.\n"
    );
    assert_eq!(
        mark(&["rewrite", "pending", "--lang", "de"]).ok(),
        "Plan: 3 von 4 erledigt.\n"
    );
    assert_data_eq!(
        mark(&["3", "finished"]).seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: invalid value 'finished' for '<STATE>': No state "finished"; there are pending, active, done, blocked, dropped.

For more information, try '--help'.

"#]]
    );
}
