//! `pad.enabled`, `notes.enabled`, `outputs.enabled`: what is switched off appears in no edge, and what is stored stays.

use scratchpad::{Group, NudgeSettings, Scratchpad, SessionId, Turn};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use crate::support::Machine;
use crate::support::client::Client;
use crate::support::person::Person;

/// What is said only about the pad.
const OF_PAD: [&str; 9] = [
    "session_scratchpad",
    "session.scratchpad",
    "session show",
    "set-plan",
    "the plan to find",
    "[Hint: ",
    "the pad",
    "the plan or",
    "pad and notes",
];
/// What is said only about notes.
const OF_NOTES: [&str; 6] = [
    "add_note",
    "search_notes",
    "note add",
    "a note to find",
    "from the notes",
    "pad and notes",
];

/// A session with a plan and a note, and with every hint due; then these settings.
fn machine(off: &[&str]) -> Machine {
    let machine = Machine::new();
    let run = |arguments: &[&str]| machine.run(arguments).ok();
    run(&["session", "set-plan", "the plan to find", "--session", "s"]);
    run(&["note", "add", "a note to find", "--session", "s"]);
    for key in [
        "nudge_after_turns",
        "nudge_on_plan",
        "nudge_after_compaction",
        "nudge_turns_since_last_use",
    ] {
        run(&["config", "set", key, "1"]);
    }
    run(&["config", "set", "nudge_at_tools", "true"]);
    for key in off {
        run(&["config", "set", key, "false"]);
    }
    machine
}

/// Everything that an agent gets from the MCP server without calling a tool.
fn over_mcp(machine: &Machine, options: &[&str]) -> String {
    let arguments = [&["mcp", "--session", "s"], options].concat();
    let mut client = Client::start(&mut machine.command(&arguments));
    let hello = client.request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}),
    );
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let mut parts = vec![hello["instructions"].clone()];
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        parts.push(client.request(method, json!({})));
    }
    for prompt in ["handoff", "recap"] {
        let answer = client.ask("prompts/get", json!({"name": prompt}));
        parts.push(answer.get("result").cloned().unwrap_or_default());
    }
    let uri = json!({"uri": "scratchpad://session/pad"});
    let pad = client.ask("resources/read", uri);
    parts.push(pad.get("result").cloned().unwrap_or_default());
    client.end();
    Value::from(parts).to_string()
}

/// The hooks' answers in a conversation.
fn by_hooks(machine: &Machine, host: &str, events: &[&str]) -> String {
    let said = events.iter().map(|event| {
        let payload = json!({"session_id": "s", "cwd": machine.project(), "hook_event_name": event,
            "source": "compact", "trigger": "auto", "tool_name": "Bash", "tool_input": {}, "tool_response": "ok",
            "last_assistant_message": "1. a\n2. b\n3. c", "prompt": "Go on."});
        machine
            .run_with(&["hook", host, "--tools"], payload.to_string().as_bytes())
            .ok()
    });
    said.collect()
}

const CLAUDE: [&str; 6] = [
    "SessionStart",
    "Stop",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "UserPromptSubmit",
];

/// What an instruction file says about our commands and tools.
fn by_inject(machine: &Machine) -> String {
    machine.run(&["inject", "--tool", "gemini"]).ok();
    let text = std::fs::read_to_string(machine.project().join("GEMINI.md")).unwrap();
    text.split_once("## Runtime Context").unwrap().1.to_owned()
}

fn every_edge(machine: &Machine) -> [(&'static str, String); 7] {
    let run = |arguments: &[&str]| machine.run(arguments).ok();
    let prompt = machine.run_with(&["prompt", "--session", "s", "--compacted"], b"Go on.");
    [
        ("mcp", over_mcp(machine, &[])),
        ("mcp --compact", over_mcp(machine, &["--compact"])),
        ("guidance", run(&["guidance"])),
        ("hooks", by_hooks(machine, "claude", &CLAUDE)),
        ("model call", by_hooks(machine, "gemini", &["BeforeModel"])),
        ("prompt", prompt.ok()),
        ("inject", by_inject(machine)),
    ]
}

#[test]
fn a_pad_that_is_switched_off_is_in_no_edge_and_comes_back_as_it_was() {
    let on = machine(&[]);
    for (edge, text) in every_edge(&on) {
        let is_there = OF_PAD.iter().any(|part| text.contains(part));
        assert!(is_there, "{edge}: {text}");
    }
    let off = machine(&["pad.enabled"]);
    for (edge, text) in every_edge(&off) {
        for part in OF_PAD {
            assert!(!text.contains(part), "{edge} says {part}: {text}");
        }
    }
    assert!(over_mcp(&off, &[]).contains("add_note"));
    let call = off.run(&[
        "call",
        "session_scratchpad",
        r#"{"action":"get"}"#,
        "--session",
        "s",
    ]);
    assert_data_eq!(
        call.seen(),
        str![[r#"
exit 1
--- stdout
The pad is switched off (`pad.enabled` is false). Nothing was changed.
Hint: `scratchpad config show` says where that is set.
--- stderr

"#]]
    );
    off.run(&["config", "set", "pad.enabled", "true"]).ok();
    let prompt = off.run_with(&["prompt", "--session", "s"], b"Go on.").ok();
    assert!(prompt.contains("Plan:\nthe plan to find\n"), "{prompt}");
}

#[test]
fn notes_that_are_switched_off_are_in_no_edge_and_come_back_as_they_were() {
    let off = machine(&["notes.enabled"]);
    for (edge, text) in every_edge(&off) {
        for part in OF_NOTES {
            assert!(!text.contains(part), "{edge} says {part}: {text}");
        }
    }
    assert!(over_mcp(&off, &[]).contains("session_scratchpad"));
    let call = off.run(&["call", "list_tags", "{}", "--session", "s"]);
    assert_eq!(
        (call.code, &*call.out),
        (
            Some(1),
            "Notes are switched off (`notes.enabled` is false). Nothing was changed.\n\
             Hint: `scratchpad config show` says where that is set.\n"
        )
    );
    let both = machine(&["notes.enabled", "pad.enabled"]);
    for (edge, text) in every_edge(&both) {
        for part in OF_NOTES {
            assert!(!text.contains(part), "{edge} says {part}: {text}");
        }
    }
    off.run(&["config", "set", "notes.enabled", "true"]).ok();
    let list = off
        .run(&["call", "list_notes", "{}", "--session", "s"])
        .ok();
    assert!(list.contains("a note to find"), "{list}");
}

#[test]
fn a_person_reads_what_is_switched_off_and_a_remark_says_so_where_they_would_write() {
    let machine = machine(&["pad.enabled", "notes.enabled"]);
    machine.run(&["session", "show", "--session", "s"]).ok();
    let export = machine.run(&["session", "export", "--session", "s"]).ok();
    assert!(export.contains("the plan to find"), "{export}");
    let list = machine.run(&["note", "list", "--session", "s"]).ok();
    assert!(list.contains("a note to find"), "{list}");
    let id = machine
        .run(&["note", "list", "--session", "s", "--json"])
        .json();
    let id = id["notes"][0]["id"].as_str().unwrap().to_owned();
    std::fs::write(machine.project().join("log.jsonl"), &export).unwrap();
    let pad = "Error: The pad is switched off (`pad.enabled` is false). Nothing was changed.\n\
               Hint: `scratchpad config show` says where that is set.\n";
    let notes = pad
        .replace("The pad is", "Notes are")
        .replace("pad.enabled", "notes.enabled");
    for (command, refusal) in [
        (&["session", "set-notes", "x"][..], pad),
        (&["session", "append-notes", "x"], pad),
        (&["session", "set-plan", "x"], pad),
        (&["session", "refs", "add", "x"], pad),
        (&["session", "undo"], pad),
        (&["session", "restore", "1"], pad),
        (&["session", "fork", "s"], pad),
        (&["session", "import", "log.jsonl"], pad),
        (&["note", "add", "x"], &notes),
        (&["note", "scratch", "x"], &notes),
        (&["note", "update", &id, "--content", "x"], &notes),
        (&["note", "promote", &id], &notes),
        (&["note", "import", "log.jsonl"], &notes),
    ] {
        let answer = machine.run(&[command, &["--session", "s"]].concat());
        assert_eq!(answer.code, Some(1), "{command:?}");
        assert_eq!(answer.err, refusal, "{command:?}");
    }
    assert_eq!(machine.run(&["note", "add", "for the project"]).err, notes);
    let german = machine.run(&["session", "undo", "--session", "s", "--lang", "de"]);
    assert_eq!(
        german.err,
        "Fehler: Das Pad ist abgeschaltet (`pad.enabled` ist false). Es wurde nichts geändert.\n\
         Hinweis: `scratchpad config show` zeigt, wo das eingestellt ist.\n"
    );
    let doctor = machine.run(&["doctor"]).out;
    assert!(
        doctor.contains("The pad is switched off (`pad.enabled` is false)."),
        "{doctor}"
    );
    assert!(
        doctor.contains("Notes are switched off (`notes.enabled` is false)."),
        "{doctor}"
    );
    // Deleting still works.
    machine.run(&["note", "delete", &id, "--session", "s"]).ok();
}

#[test]
fn install_promises_nothing_that_is_switched_off() {
    let person = Person::new();
    for key in ["pad.enabled", "outputs.enabled"] {
        person.run(&["config", "set", key, "false"]).ok();
    }
    assert_data_eq!(
        person.run(&["install", "claude"]).ok(),
        str![[r#"
Claude Code
  wrote [ROOT]/person/.claude.json: MCP server
  wrote [ROOT]/person/.claude/settings.json: 10 hooks
  Pad: switched off (`pad.enabled` is false).
  Results of tools are left alone.
  Next: restart Claude Code.
  Undo: scratchpad uninstall claude
  VS Code runs these hooks too: don't install others there.

"#]]
    );
}

#[test]
fn the_library_offers_only_what_is_switched_on() {
    let directory = tempfile::tempdir().unwrap();
    let all = Scratchpad::open(directory.path()).unwrap();
    let session = SessionId::new("s").unwrap();
    let plan = json!({"action": "set_plan", "content": "go"});
    assert!(!all.call(&session, "session_scratchpad", &plan).is_error);
    assert_eq!(all.tools(), scratchpad::tools());
    let every_turn = NudgeSettings {
        turns_since_last_use: 1,
        on_plan: 1,
        ..NudgeSettings::default()
    };
    let less = all.clone().with_nudges(every_turn).without(Group::Pad);
    let turn = Turn::new("Go on.").after_reply("1. a\n2. b\n3. c");
    assert_eq!(less.prompt(&session, turn).unwrap(), "Go on.");
    assert!(less.tools().iter().all(|tool| tool.group != Group::Pad));
    assert!(less.call(&session, "session_scratchpad", &plan).is_error);
    let note = json!({"content": "x"});
    assert!(!less.call(&session, "add_note", &note).is_error);
    assert!(
        less.without(Group::Notes)
            .call(&session, "add_note", &note)
            .is_error
    );
    assert!(
        all.prompt(&session, "Go on.")
            .unwrap()
            .contains("Plan:\ngo\n")
    );
}

#[test]
fn the_file_that_goose_shows_is_emptied_when_the_pad_is_switched_off() {
    let machine = machine(&[]);
    let file = machine.project().join("message");
    let note = |content: &str| {
        let mut command = machine.command(&["mcp", "--session", "s"]);
        let mut client = Client::greeted(command.env("GOOSE_MOIM_MESSAGE_FILE", &file));
        client.call("add_note", json!({"content": content}));
        client.end();
        std::fs::read_to_string(&file).unwrap()
    };
    assert!(note("one").contains("the plan to find"));
    machine.run(&["config", "set", "pad.enabled", "false"]).ok();
    assert_eq!(note("two"), "");
}
