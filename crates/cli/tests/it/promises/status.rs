//! `status`, and lists that say what a session is about, where it runs and how old it is.

use std::fs;

use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::support::Machine;
use crate::support::person::Person;
#[cfg(unix)]
use crate::support::terminal::{Terminal, plain};

const UUID: &str = "9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111";

/// A person with Claude Code, whose agent works on a branch. The host that runs is this test.
fn at_work() -> Person {
    let person = Person::new();
    person.write(".claude.json", "{}");
    person.run(&["install", "claude"]).ok();
    let git = person.machine.project().join(".git");
    fs::write(git.join("HEAD"), "ref: refs/heads/fix-cache\n").unwrap();
    hook(&person.machine, UUID, "SessionStart");
    let plan = "1. find the cache key\n2. fix it";
    let machine = &person.machine;
    machine
        .run(&["session", "set-plan", plan, "--session", UUID])
        .ok();
    machine
        .run(&["session", "set-notes", "by hand", "--session", "mine"])
        .ok();
    let note = [
        "note",
        "add",
        "use the VPN",
        "--tag",
        "deploy",
        "--scope",
        "project",
    ];
    machine.run(&note).ok();
    person
}

/// What Claude Code sends.
fn hook(machine: &Machine, session: &str, event: &str) {
    let cwd = machine.project().canonicalize().unwrap();
    let event = serde_json::json!({
        "session_id": session, "hook_event_name": event, "source": "startup", "cwd": cwd, "prompt": "x",
    });
    machine
        .run_with(&["hook", "claude"], event.to_string().as_bytes())
        .ok();
}

/// Makes everything that sessions and hooks did this much older.
fn grow_older(machine: &Machine, hours: i64) {
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let by = hours * 60 * 60 * 1_000;
    for change in [
        "UPDATE session SET updated = updated - ?1",
        "UPDATE attention SET at = at - ?1",
    ] {
        database.execute(change, [by]).unwrap();
    }
}

#[test]
fn status_is_one_screen_of_what_goes_on() {
    let person = at_work();
    grow_older(&person.machine, 3);
    assert_data_eq!(
        person.run(&["status"]).ok(),
        str![[r#"
Project   [ROOT]/project, on branch fix-cache

SESSION                               PLAN                   HOST         BRANCH     SEEN
mine                                  by hand                                        3 h ago
9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111  1. find the cache key  Claude Code  fix-cache  running, 3 h ago

Notes     1 in this project (deploy 1)
Outputs   none kept
Savings   nothing counted in the last 30 days
Hosts     Claude Code: set up, last event 3 h ago
Problems  none

"#]]
    );
}

#[test]
fn where_nothing_is_yet_status_says_what_to_do() {
    let person = Person::new();
    person.write(".gemini/settings.json", "{}");
    assert_data_eq!(
        person.run(&["status"]).ok(),
        str![[r#"
Project   [ROOT]/project
Sessions  none yet: restart your agent after `scratchpad setup`; its session appears when it writes to its pad
Notes     none in this project
Outputs   none kept
Savings   nothing counted in the last 30 days
Hosts     Gemini CLI: not set up; `scratchpad install gemini` does it
Problems  none

"#]]
    );
}

#[test]
fn an_agent_that_never_wrote_is_seen() {
    let person = Person::new();
    person.write(".claude.json", "{}");
    person.run(&["install", "claude"]).ok();
    hook(&person.machine, UUID, "SessionStart");
    let said = person.run(&["status"]).ok();
    assert!(
        said.contains("set up, last event just now; its agent has not written to the pad"),
        "{said}"
    );
}

#[test]
fn a_new_conversation_of_a_host_whose_agent_wrote_before_is_not_said_to_be_silent() {
    let person = at_work();
    hook(
        &person.machine,
        "0b7f1f6e-5b4a-4c58-9f5e-5cf4d0c0a222",
        "SessionStart",
    );
    let said = person.run(&["status"]).ok();
    assert!(said.contains("set up, last event just now\n"), "{said}");
    let json = person.run(&["status", "--json"]).json();
    assert_eq!(json["hosts"][0]["last_event"]["has_written"], true);
    // What was written in another project says nothing about this one.
    let other = person.machine.project().join("../other");
    fs::create_dir_all(other.join(".git")).unwrap();
    let event = serde_json::json!({
        "session_id": "there", "hook_event_name": "SessionStart", "source": "startup", "cwd": other,
    });
    let event = event.to_string();
    person
        .machine
        .run_with(&["hook", "claude"], event.as_bytes())
        .ok();
    let there = ["status", "--project-dir", other.to_str().unwrap()];
    let said = person.run(&there).ok();
    assert!(said.contains("has not written to the pad"), "{said}");
}

#[test]
fn a_store_that_can_not_be_read_is_not_shown_as_empty() {
    let person = at_work();
    for name in ["-wal", "-shm"] {
        let mut beside = person.machine.database().into_os_string();
        beside.push(name);
        fs::remove_file(beside).ok();
    }
    fs::write(person.machine.database(), "not a database".repeat(1_000)).unwrap();
    let said = person.run(&["status"]).ok();
    for line in [
        "Sessions  can't be read\n",
        "Notes     can't be read\n",
        "Outputs   can't be read\n",
        "Claude Code: set up; when it was last heard of can't be read\n",
        "Problems  ",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let json = person.run(&["status", "--json"]).json();
    for key in ["sessions", "has_more", "notes", "outputs"] {
        assert_eq!(json[key], Value::Null, "{key}: {json}");
    }
    assert_ne!(json["problems"], serde_json::json!([]));
    let german = person.run(&["status", "--lang", "de"]).ok();
    assert!(german.contains("Notizen    nicht lesbar\n"), "{german}");
}

#[test]
fn a_plan_with_boxes_is_known_by_how_far_it_is() {
    let person = at_work();
    let title = |plan: &str| {
        let set = ["session", "set-plan", plan, "--session", UUID];
        person.machine.run(&set).ok();
        let listed = person.run(&["session", "list", "--json"]).json();
        listed["sessions"][0]["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(title("- [x] read\n- [ ] write\n- [>] test"), "1/3 test");
    assert_eq!(title("- [x] read\n- [ ] write"), "1/2 write");
    assert_eq!(title("- [x] read"), "1/1 done");
    // What was dropped is not waited for.
    assert_eq!(title("- [x] read\n- [-] ask\n- [ ] write"), "1/2 write");
    assert_eq!(title("- [x] read\n- [-] write"), "1/1 done");
    let listed = person.run(&["session", "list", "--lang", "de"]).ok();
    assert!(listed.contains("1/1 erledigt"), "{listed}");
    assert_eq!(title("- [-] write"), "- [-] write");
}

#[test]
fn status_as_json_has_exact_times() {
    let person = at_work();
    let status = person.run(&["status", "--json"]).json();
    let session = &status["sessions"][1];
    assert_eq!(session["session"], UUID);
    assert_eq!(session["title"], "1. find the cache key");
    assert_eq!(session["host"], "Claude Code");
    assert_eq!(session["branch"], "fix-cache");
    assert!(
        session["seen"].as_i64() > Some(1_700_000_000_000),
        "{session}"
    );
    assert_eq!(status["sessions"][0]["host"], Value::Null);
    assert_eq!(status["branch"], "fix-cache");
    assert_eq!(status["notes"]["count"], 1);
    assert_eq!(status["notes"]["tags"][0]["tag"], "deploy");
    assert_eq!(status["hosts"][0]["set_up"], true);
    assert_eq!(status["hosts"][0]["last_event"]["event"], "SessionStart");
    assert_eq!(status["problems"], serde_json::json!([]));
}

#[test]
fn what_is_wrong_is_on_the_screen_and_the_rest_is_still_there() {
    let person = at_work();
    let home = person.machine.home();
    fs::write(home.join("config.toml"), "[pad]\nnotes_max = 5\n").unwrap();
    person.write(".claude/settings.json", "{");
    let now = now_in_log();
    fs::write(
        home.join("hook.log"),
        format!("{now} claude Stop: it broke\n"),
    )
    .unwrap();
    let status = person.run(&["status"]).ok();
    for wanted in [
        "notes_max",
        "settings.json: not valid JSON",
        "a hook failed just now: claude Stop: it broke",
        "1. find the cache key",
        "`scratchpad doctor` says more.",
    ] {
        assert!(status.contains(wanted), "{wanted}: {status}");
    }
    fs::write(home.join("config.toml"), "[store]\nurl = \"nowhere\"\n").unwrap();
    let status = person.run(&["status"]).ok();
    assert!(
        status.contains("config.toml") && status.contains("Hosts"),
        "{status}"
    );
}

/// The current time as the log has it.
fn now_in_log() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let database = rusqlite::Connection::open_in_memory().unwrap();
    let sql = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ?1, 'unixepoch')";
    database
        .query_row(sql, [seconds.cast_signed()], |row| row.get(0))
        .unwrap()
}

#[test]
fn a_list_of_sessions_has_title_host_branch_and_age() {
    let person = at_work();
    grow_older(&person.machine, 50);
    assert_data_eq!(
        person.run(&["session", "list"]).ok(),
        str![[r#"
SESSION                               PLAN                   HOST         BRANCH     SEEN
mine                                  by hand                                        2 days ago
9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111  1. find the cache key  Claude Code  fix-cache  running, 2 days ago

"#]]
    );
    let listed = person.run(&["session", "list", "--json"]).json();
    let first = &listed["sessions"][0];
    assert!(
        first["updated"].is_i64() && first["plan_chars"].is_i64(),
        "{first}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_whose_agent_runs_is_shown_as_running() {
    use crate::hosts::binding::{done, in_host};
    let machine = Machine::new();
    let host = in_host(
        &machine,
        "hook SessionStart live startup >/dev/null; plan go; scratchpad session list",
    );
    let said = done(&machine, host);
    assert!(said.contains("running, just now"), "{said}");
    let said = machine.run(&["session", "list"]).ok();
    assert!(said.ends_with("  just now\n"), "{said}");
}

#[test]
#[cfg(unix)]
fn the_program_alone_shows_the_status_on_a_terminal_and_else_its_help() {
    let machine = Machine::new();
    let (seen, is_success) = Terminal::start(machine.command(&[]), 80, 30).finish();
    assert!(is_success, "{seen}");
    assert!(plain(&seen).starts_with("Project   "), "{seen}");
    let german = machine.command(&["--lang", "de"]);
    let (seen, _) = Terminal::start(german, 80, 30).finish();
    assert!(plain(&seen).starts_with("Projekt "), "{seen}");
    let piped = machine.run(&[]);
    assert_eq!(piped.code, Some(2));
    assert!(piped.err.contains("Usage: scratchpad"), "{piped:?}");
    // A wrong option is an error there too.
    let (seen, is_success) = Terminal::start(machine.command(&["--lnag"]), 80, 30).finish();
    assert!(!is_success && seen.contains("--lang"), "{seen}");
}

#[test]
#[cfg(unix)]
fn a_followed_status_is_drawn_again_when_something_changes() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(machine.command(&["status", "--follow"]), 80, 30);
    terminal.until("none yet");
    machine
        .run(&["session", "set-plan", "1. look", "--session", "s"])
        .ok();
    let seen = terminal.until("1. look");
    assert!(seen.contains("\x1b[H\x1b[2J"), "{seen:?}");
    terminal.stop();
}

#[test]
#[cfg(unix)]
fn a_list_fits_a_narrow_terminal_and_names_what_it_cuts() {
    let person = at_work();
    for columns in [40, 50, 80, 120, 200] {
        for list in [
            &["session", "list"][..],
            &["status"],
            &["config", "show"],
            &["doctor"],
        ] {
            let mut command = person.machine.command(list);
            command.env("PAGER", "cat");
            let (seen, _) = Terminal::start(command, columns, 50).finish();
            let seen = plain(&seen);
            for line in seen.lines() {
                // The project's path has as many characters as the directory for temporary files wants.
                let is_path = line.split_whitespace().any(|word| {
                    word.starts_with('/') && word.chars().count() + 12 > columns.into()
                });
                let is_word = !line.trim().contains(' ');
                assert!(
                    line.chars().count() <= columns.into() || is_word || is_path,
                    "{list:?} at {columns}: {line}"
                );
            }
            if list[0] == "session" {
                assert!(seen.contains("9f0f1f6e") && !seen.contains(UUID), "{seen}");
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn paths_and_ids_are_never_cut_so_that_they_can_not_be_used() {
    let person = at_work();
    let at_50 = |arguments: &[&str]| {
        let mut command = person.machine.command(arguments);
        command.env("PAGER", "cat");
        plain(&Terminal::start(command, 50, 50).finish().0)
    };
    let paths = at_50(&["config", "path"]);
    let data = person.machine.home().display().to_string();
    assert!(paths.contains(&data) && !paths.contains('…'), "{paths}");
    let found = at_50(&["search", "cache"]);
    let id = found
        .split_whitespace()
        .find(|word| UUID.starts_with(word))
        .unwrap_or_else(|| panic!("{found}"));
    person.run(&["session", "show", "--session", id]).ok();
}

#[test]
#[cfg(unix)]
fn a_wrapped_line_of_status_is_in_its_colour_on_each_line() {
    let person = Person::new();
    std::fs::create_dir_all(person.machine.home()).unwrap();
    let settings = person.machine.home().join("config.toml");
    std::fs::write(settings, "[pad]\nnotes_max_charz = 1\n").unwrap();
    let command = person.machine.command(&["status"]);
    let (seen, _) = Terminal::start(command, 60, 50).finish();
    let red = seen.lines().filter(|line| line.contains("\x1b[1;31m"));
    assert!(red.count() > 1, "{seen:?}");
}

#[test]
#[cfg(unix)]
fn a_long_answer_goes_through_the_pager_and_a_short_one_does_not() {
    let machine = Machine::new();
    let lines = "a line\n".repeat(60);
    machine
        .run(&["session", "set-notes", &lines, "--session", "s"])
        .ok();
    let shown = |arguments: &[&str], rows, variables: &[(&str, &str)]| {
        let mut command = machine.command(arguments);
        command
            .env("PATH", "/usr/bin:/bin")
            .envs(variables.iter().copied());
        Terminal::start(command, 80, rows).finish().0
    };
    let show = ["session", "show", "--session", "s"];
    let pager = [("PAGER", "sed 's/^/> /'")];
    assert!(shown(&show, 30, &pager).contains("> a line"));
    assert!(!shown(&show, 90, &pager).contains("> "));
    assert!(!shown(&show, 30, &[pager[0], ("NO_PAGER", "1")]).contains("> "));
    let json = [&show[..], &["--json"]].concat();
    assert!(!shown(&json, 3, &pager).contains("> "));
    let missing = shown(&show, 30, &[("PAGER", "/nowhere/pager")]);
    assert!(missing.contains("a line"), "{missing}");
}
