//! `setup`: from finding the hosts to proof that they work.

use snapbox::{assert_data_eq, str};

use crate::support::person::Person;

/// A person with these hosts.
fn with(marks: &[&str]) -> Person {
    let person = Person::new();
    for mark in marks {
        person.write(mark, "{}");
    }
    person
}

const CLAUDE: &str = ".claude.json";
const GEMINI: &str = ".gemini/settings.json";
const ZED: &str = ".config/zed/settings.json";

#[test]
fn setup_says_what_it_would_do_and_does_nothing_unless_it_is_confirmed() {
    let person = with(&[CLAUDE, GEMINI]);
    let before = person.everything();
    let answer = person.run(&["setup"]);
    assert_eq!(person.everything(), before);
    assert_data_eq!(
        answer.seen(),
        str![[r#"
exit 1
--- stdout
Found 2 agent hosts. This would be written:
  Claude Code  ~/.claude.json (MCP server), ~/.claude/settings.json (10 hooks)
  Gemini CLI   ~/.gemini/settings.json (MCP server, 6 hooks)
Agents get a pad that outlives compaction and restarts, notes, and outputs they read in parts.
Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.
Nothing is sent anywhere. `scratchpad uninstall --all` undoes all of this.
Off unless you answer `hints`: a line now and then for an agent that forgets its pad. `scratchpad install --nudges off` switches it off again.
--- stderr
Error: Not confirmed. Nothing was changed.
Hint: run it on a terminal, or pass --yes to set up every host that was found.

"#]]
    );
}

#[test]
fn setup_installs_every_host_and_proves_it() {
    let person = with(&[CLAUDE, GEMINI, ZED]);
    assert_data_eq!(
        person.run(&["setup", "--yes"]).seen(),
        str![[r#"
exit 0
--- stdout
  Claude Code: set up; a plan came back after a compaction. VS Code runs these hooks too: don't install others there.
  Gemini CLI: set up; a plan came back after a compaction
  Zed: set up; it has no hooks, so its agent calls the tools itself
  MCP server: answers with 10 tools
Now restart Claude Code, Gemini CLI, Zed; then `scratchpad status`.
--- stderr

"#]]
    );
    assert!(person.read(CLAUDE).contains("scratchpad"));
    assert!(person.read(ZED).contains("scratchpad"));
    let status = person.run(&["status", "--json"]).json();
    for host in status["hosts"].as_array().unwrap() {
        assert_eq!(host["set_up"], true, "{host}");
    }
    // Again changes nothing and proves it once more.
    let before = person.everything();
    let again = person.run(&["setup", "--yes", "--json"]).json();
    assert_eq!(again["hosts"][0]["proved"], true);
    assert_eq!(again["server"]["tools"], 10);
    assert_eq!(person.everything(), before);
    person.run(&["uninstall", "--all"]).ok();
    assert_eq!(person.read(CLAUDE), "{}");
    assert_eq!(person.read(GEMINI), "{}");
    assert_eq!(person.read(ZED), "{}");
}

#[test]
fn a_host_that_sends_no_events_around_a_compaction_is_set_up_and_said_to_be_without_proof() {
    let person = with(&[".cline/data.json"]);
    assert_data_eq!(
        person.run(&["setup", "--yes"]).seen(),
        str![[r#"
exit 0
--- stdout
  Cline: set up; it sends no events around a compaction, so that can't be proved
  MCP server: answers with 10 tools
Now restart Cline; then `scratchpad status`.
--- stderr

"#]]
    );
    let again = person.run(&["setup", "--yes", "--json"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(
        again.json()["hosts"],
        serde_json::json!([{"host": "cline", "set_up": true, "proved": false, "problem": null}])
    );
}

#[test]
fn where_no_host_is_found_setup_says_what_it_looked_for() {
    let person = Person::new();
    let answer = person.run(&["setup", "--yes"]);
    assert_eq!(answer.code, Some(1));
    assert_data_eq!(
        answer.out,
        str![[r#"
No agent host found here. Looked for:
  Claude Code  ~/.claude, ~/.claude.json
  Codex        ~/.codex
  Gemini CLI   ~/.gemini
  Qwen Code    ~/.qwen
  Copilot CLI  ~/.copilot
  OpenCode     ~/.config/opencode
  pi           ~/.pi/agent
  Cline        ~/.cline
  Cursor       ~/.cursor
  VS Code      ~/.config/Code/User
  Windsurf     ~/.codeium/windsurf
  Zed          ~/.config/zed
  Goose        ~/.config/goose
  OpenClaw     ~/.openclaw
Start one of them once, or name yours: `scratchpad install HOST`.

"#]]
    );
    let json = person.run(&["setup", "--json"]);
    assert_eq!(
        (json.code, json.out.as_str()),
        (Some(1), "{\"hosts\":[]}\n")
    );
}

#[test]
fn a_host_that_fails_is_named_and_the_others_are_set_up() {
    let person = with(&[CLAUDE, GEMINI]);
    person.write(GEMINI, "{");
    let answer = person.run(&["setup", "--yes"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.out.contains("settings.json: not valid JSON"),
        "{answer:?}"
    );
    assert!(
        answer.out.contains("Claude Code: set up; a plan came back"),
        "{answer:?}"
    );
    assert!(
        answer
            .out
            .ends_with("Now restart Claude Code; then `scratchpad status`.\n"),
        "{answer:?}"
    );
}

#[test]
fn a_host_that_the_person_ignores_is_not_set_up() {
    let person = with(&[CLAUDE, GEMINI]);
    person.run(&["doctor", "--ignore", "gemini"]).ok();
    person.run(&["setup", "--yes"]).ok();
    assert_eq!(person.read(GEMINI), "{}");
}

#[test]
fn what_keeps_a_host_from_running_hooks_is_said() {
    let person = with(&[".codex/config.json"]);
    let answer = person.run(&["setup", "--yes"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(
        answer.out.contains(
            "Codex: set up, but 6 hooks are not approved: start codex, type /hooks, and trust them"
        ),
        "{answer:?}"
    );
}

#[test]
#[cfg(unix)]
fn setup_asks_once_and_takes_names() {
    use crate::support::terminal::{Terminal, plain};
    let person = with(&[CLAUDE, GEMINI]);
    let set_up = |typed: &str| {
        let mut terminal = Terminal::start(person.command(&["setup"]), 80, 40);
        terminal.until("Set up all of them?");
        terminal.type_line(typed);
        let (seen, is_success) = terminal.finish();
        assert!(is_success, "{seen}");
        plain(&seen)
    };
    assert!(set_up("").contains("Nothing was changed."));
    assert_eq!(person.read(CLAUDE), "{}");
    let seen = set_up("gemini");
    assert!(
        seen.contains("Gemini CLI: set up; a plan came back"),
        "{seen}"
    );
    assert_eq!(person.read(CLAUDE), "{}");
    assert!(set_up("y").contains("Now restart Claude Code, Gemini CLI"));
    assert!(person.read(CLAUDE).contains("scratchpad"));
}

#[test]
fn gentle_hints_are_off_until_they_are_chosen() {
    let person = with(&[CLAUDE]);
    let after_turns = || {
        let shown = person.run(&["config", "show", "--json"]).json();
        let settings = shown["settings"].as_array().unwrap().clone();
        let mut settings = settings.into_iter();
        settings
            .find(|setting| setting["key"] == "nudge_after_turns")
            .unwrap()["value"]
            .clone()
    };
    person.run(&["setup", "--yes"]).ok();
    assert_eq!(after_turns(), 0);
    person
        .run(&["install", "claude", "--nudges", "gentle", "--dry-run"])
        .ok();
    assert_eq!(after_turns(), 0);
    let said = person
        .run(&["install", "claude", "--nudges", "gentle"])
        .ok();
    assert!(said.contains("Hints are on"), "{said}");
    assert_eq!(after_turns(), 8);
    person.run(&["install", "claude", "--nudges", "off"]).ok();
    assert_eq!(after_turns(), 0);
    person.run(&["setup", "--yes", "--nudges", "gentle"]).ok();
    assert_eq!(after_turns(), 8);
}
