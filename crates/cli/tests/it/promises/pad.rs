//! The pad: actions, limits, the block, nudges.

use crate::support::Machine;
use serde_json::json;

/// What Codex's hook gives before a prompt, after this reply.
fn given_after(machine: &Machine, reply: &str) -> String {
    let hook = |event: &str| {
        let payload = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": event,
            "last_assistant_message": reply, "prompt": "Go on."});
        machine
            .run_with(&["hook", "codex"], payload.to_string().as_bytes())
            .ok()
    };
    hook("Stop");
    hook("UserPromptSubmit")
}

#[test]
fn an_append_that_is_refused_names_the_action_that_rewrites() {
    let machine = Machine::new();
    let call = |arguments: serde_json::Value| {
        machine.run(&["call", "session_scratchpad", &arguments.to_string()])
    };
    call(json!({"action": "set_notes", "content": "n".repeat(3_990)})).ok();
    let refused = call(json!({"action": "append_notes", "content": "eleven char"}));
    assert_eq!(refused.code, Some(1));
    assert_eq!(
        refused.out,
        "Notes not appended: 3,990 characters kept and 11 given make 4,002, the limit is 4,000. Nothing was changed.\n\
         Hint: rewrite them shorter with set_notes, or append less.\n"
    );
}

#[test]
fn a_reply_with_a_plan_in_prose_or_in_a_table_is_nudged_and_another_is_not() {
    let machine = Machine::new();
    machine.run(&["config", "set", "nudge_on_plan", "1"]).ok();
    for (reply, is_plan) in [
        (
            "Step 1: read the parser, then Step 2: write a test, then Step 3: fix it.",
            true,
        ),
        ("I finished step 1, step 2 and step 3.", false),
        (
            "| # | Step |\n|---|---|\n| 1 | read |\n| 2 | write |\n| 3 | test |",
            true,
        ),
        (
            "| # | Name |\n|---|---|\n| 1 | Ada |\n| 2 | Bob |\n| 3 | Cid |",
            false,
        ),
        ("```\nStep 1: a, then Step 2: b, then Step 3: c\n```", false),
    ] {
        let given = given_after(&machine, reply);
        assert_eq!(given.contains("was a plan"), is_plan, "{reply}: {given}");
    }
}
