//! The pad: actions, limits, the block, nudges.

use crate::support::Machine;
use scratchpad::{NudgeSettings, Scratchpad, SessionId, Turn};
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

/// The message that `prompt` builds from "Go on.".
fn prompted(machine: &Machine, options: &[&str]) -> String {
    let arguments = [&["prompt", "--session", "s"], options].concat();
    machine.run_with(&arguments, b"Go on.").ok()
}

#[test]
fn prompt_gives_every_nudge_when_it_is_due_counted_per_session() {
    let machine = Machine::new();
    let empty = "[Hint: your scratchpad is empty after 2 turns. Call session_scratchpad with set_plan or append_notes: it survives compaction.]\n\nGo on.";
    machine.run(&["config", "set", "nudgeAfterTurns", "2"]).ok();
    let given: Vec<String> = (0..3).map(|_| prompted(&machine, &[])).collect();
    assert_eq!(given, ["Go on.", empty, "Go on."]);
    let other = ["prompt", "--session", "other"];
    assert_eq!(machine.run_with(&other, b"Go on.").ok(), "Go on.");
    machine.run(&["config", "set", "nudgeAfterTurns", "0"]).ok();

    machine.run(&["config", "set", "nudge_on_plan", "1"]).ok();
    let reply = machine.project().join("reply.txt");
    std::fs::write(&reply, "1. read\n2. write\n3. test").unwrap();
    let after_reply = ["--last-reply", reply.to_str().unwrap()];
    assert_eq!(
        prompted(&machine, &after_reply),
        "[Hint: your last reply was a plan. Call session_scratchpad with set_plan to keep it.]\n\nGo on."
    );
    assert_eq!(prompted(&machine, &[]), "Go on.");

    let set = ["config", "set", "nudge_after_compaction", "1"];
    machine.run(&set).ok();
    assert_eq!(
        prompted(&machine, &["--compacted"]),
        "[Hint: the conversation was just compacted. Call session_scratchpad with append_notes for what must not be lost next time.]\n\nGo on."
    );

    let set = ["config", "set", "nudge_turns_since_last_use", "2"];
    machine.run(&set).ok();
    let write = ["session", "set-plan", "go", "--session", "s"];
    machine.run(&write).ok();
    let block =
        "[Session Scratchpad - your persistent working memory]\nPlan:\ngo\n[End Scratchpad]\n\n";
    let unused = "[Hint: your scratchpad was last written 2 turns ago. Call session_scratchpad to bring notes and plan up to date.]\n\n";
    let given: Vec<String> = (0..3).map(|_| prompted(&machine, &after_reply)).collect();
    let plain = format!("{block}Go on.");
    assert_eq!(
        given,
        [plain.clone(), format!("{block}{unused}Go on."), plain]
    );
}

#[test]
fn prompt_and_hooks_count_the_same_turns() {
    let machine = Machine::new();
    machine.run(&["config", "set", "nudgeAfterTurns", "3"]).ok();
    assert_eq!(prompted(&machine, &[]), "Go on.");
    assert_eq!(given_after(&machine, "Done."), "{}\n");
    assert!(prompted(&machine, &[]).starts_with("[Hint: your scratchpad is empty after 3 turns."));
    // What a hook saw of a reply is said by the next prompt, and of a compaction too.
    machine.run(&["config", "set", "nudge_on_plan", "1"]).ok();
    let stop = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": "Stop",
        "last_assistant_message": "1. read\n2. write\n3. test"});
    machine
        .run_with(&["hook", "codex"], stop.to_string().as_bytes())
        .ok();
    assert!(prompted(&machine, &[]).starts_with("[Hint: your last reply was a plan."));
}

#[test]
fn prompt_nudges_beside_a_journal_too() {
    let machine = Machine::new();
    let journal = machine.project().join("talk.jsonl");
    let journal = journal.to_str().unwrap();
    machine
        .run(&["config", "set", "nudgeTurnsSinceLastUse", "2"])
        .ok();
    machine
        .run(&["session", "set-plan", "go", "--journal", journal])
        .ok();
    let is_nudged = || {
        let said = machine.run_with(&["prompt", "--journal", journal], b"Go on.");
        let said = said.ok();
        assert!(said.contains("Plan:\ngo\n"), "{said}");
        said.contains("last written 2 turns ago")
    };
    assert_eq!(
        [is_nudged(), is_nudged(), is_nudged()],
        [false, true, false]
    );
}

/// The content of the data directory, as one text.
fn everything_stored(machine: &Machine) -> String {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(machine.home()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn nothing_of_a_message_is_stored_by_prompt() {
    let machine = Machine::new();
    machine.run(&["config", "set", "nudgeAfterTurns", "1"]).ok();
    machine
        .run(&["config", "set", "nudgeTurnsSinceLastUse", "1"])
        .ok();
    for plan in ["", "a plan to find"] {
        let write = ["session", "set-plan", plan, "--session", "s"];
        machine.run(&write).ok();
        let arguments = ["prompt", "--session", "s"];
        let said = machine.run_with(&arguments, b"What the person typed.").ok();
        assert!(said.contains("[Hint: ") && said.ends_with("\n\nWhat the person typed."));
    }
    let stored = everything_stored(&machine);
    assert!(stored.contains("a plan to find"));
    for part in [
        "the person typed",
        "[Hint: ",
        "[Session Scratchpad",
        "[End ",
    ] {
        assert!(!stored.contains(part), "{part}");
    }
}

#[test]
fn without_nudges_prompt_writes_nothing() {
    let machine = Machine::new();
    let write = ["session", "set-plan", "go", "--session", "s"];
    machine.run(&write).ok();
    let before = everything_stored(&machine);
    assert!(prompted(&machine, &["--compacted"]).contains("Plan:\ngo\n"));
    assert!(everything_stored(&machine) == before);
    machine.run(&["config", "set", "nudgeAfterTurns", "1"]).ok();
    prompted(&machine, &[]);
    assert!(everything_stored(&machine) != before);
}

#[test]
fn a_prompt_that_can_not_be_counted_has_the_pad_all_the_same() {
    let machine = Machine::new();
    let set = ["config", "set", "nudgeTurnsSinceLastUse", "1"];
    machine.run(&set).ok();
    let write = ["session", "set-plan", "go", "--session", "s"];
    machine.run(&write).ok();
    let holder = rusqlite::Connection::open(machine.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let pad = "[Session Scratchpad - your persistent working memory]\nPlan:\ngo\n[End Scratchpad]\n\nGo on.";
    assert_eq!(prompted(&machine, &[]), pad);
    drop(holder);
    let missing = ["prompt", "--session", "s", "--last-reply", "no-such-file"];
    let answer = machine.run_with(&missing, b"Go on.");
    assert_eq!(answer.code, Some(1));
    assert_eq!(answer.err, "Error: no-such-file does not exist.\n");
    assert!(answer.out.contains("Plan:\ngo\n"), "{}", answer.out);
}

#[test]
fn the_library_nudges_by_what_the_caller_says_of_the_last_turn() {
    let directory = tempfile::tempdir().unwrap();
    let every = |turns| NudgeSettings {
        after_turns: turns,
        on_plan: 1,
        after_compaction: 1,
        turns_since_last_use: turns,
        ..NudgeSettings::default()
    };
    let scratchpad = Scratchpad::open(directory.path())
        .unwrap()
        .with_nudges(every(4));
    let session = SessionId::new("s").unwrap();
    let prompt = |turn: Turn<'_>| scratchpad.prompt(&session, turn).unwrap();
    let turn = Turn::new("Go on.");
    assert_eq!(scratchpad.prompt(&session, "Go on.").unwrap(), "Go on.");
    let plan = prompt(turn.after_reply("- [ ] a\n- [ ] b\n- [x] c"));
    assert!(plan.starts_with("[Hint: your last reply was a plan."));
    assert_eq!(prompt(turn.after_reply("Done.")), "Go on.");
    let both = prompt(turn.after_compaction());
    let hints: Vec<&str> = both
        .lines()
        .filter(|line| line.starts_with("[Hint"))
        .collect();
    assert!(hints[0].contains("empty after 4 turns"), "{both}");
    assert!(hints[1].contains("just compacted"), "{both}");
    assert!(both.ends_with(".]\n\nGo on."), "{both}");
    let write = json!({"action": "set_plan", "content": "go"});
    scratchpad.call(&session, "session_scratchpad", &write);
    let given: Vec<bool> = (0..5)
        .map(|_| prompt(turn).contains("last written 4 turns ago"))
        .collect();
    assert_eq!(given, [false, false, false, true, false]);
}
