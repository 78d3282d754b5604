//! `statusline`, and `install --statusline`.

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::person::Person;

/// The line that the host gets for its session.
fn line(machine: &Machine, session: &str, arguments: &[&str]) -> String {
    let cwd = machine.project().canonicalize().unwrap();
    let told = json!({
        "session_id": session, "cwd": cwd, "workspace": {"current_dir": cwd}, "model": {"id": "x"},
    });
    let arguments = [&["statusline"], arguments].concat();
    let answer = machine.run_with(&arguments, told.to_string().as_bytes());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    answer.out
}

fn set_plan(machine: &Machine, plan: &str) {
    machine
        .run(&["session", "set-plan", plan, "--session", "s"])
        .ok();
}

#[test]
fn the_status_line_says_how_far_the_plan_is_and_what_was_kept() {
    let machine = Machine::new();
    assert_eq!(line(&machine, "s", &[]), "pad empty\n");
    set_plan(&machine, "1. look around\n2. fix");
    assert_eq!(line(&machine, "s", &[]), "1. look around\n");
    set_plan(&machine, "- [x] look\n- [>] fix the cache key\n- [ ] test");
    let log = "line\n".repeat(2_000);
    machine
        .run_with(&["output", "put", "--session", "s"], log.as_bytes())
        .ok();
    for (lang, kept, net) in [
        (
            "en",
            "plan 1/3 · fix the cache key · 1 kept, 9.7 KiB",
            " · net 3,",
        ),
        (
            "de",
            "Plan 1/3 · fix the cache key · 1 aufbewahrt, 9,7 KiB",
            " · netto 3.",
        ),
    ] {
        // The reference names a file, whose path differs.
        let said = line(&machine, "s", &["--lang", lang]);
        assert!(said.starts_with(&format!("{kept}{net}")), "{said}");
    }
    assert_eq!(line(&machine, "other", &[]), "pad empty\n");
    let before = "- [x] look\n- [>] fix the cache key\n- [ ] test";
    set_plan(&machine, "- [x] look\n- [x] fix\n- [-] test");
    assert!(line(&machine, "s", &[]).starts_with("plan 2/2 done · 1 kept"));
    let german = line(&machine, "s", &["--lang", "de"]);
    assert!(german.starts_with("Plan 2/2 erledigt · "), "{german}");
    set_plan(&machine, before);
    let data: Value = serde_json::from_str(&line(&machine, "s", &["--json"])).unwrap();
    assert_eq!(
        data["plan"],
        json!({"done": 1, "total": 3, "at_hand": "fix the cache key"})
    );
    // Without a host, the newest session is meant.
    assert!(machine.run(&["statusline"]).ok().starts_with("plan 1/3"));
}

#[test]
fn the_status_line_is_one_short_line_whatever_is_in_the_pad() {
    let machine = Machine::new();
    set_plan(
        &machine,
        &format!("- [ ] a\u{1b}[2J {}\n", "very long ".repeat(50)),
    );
    let said = line(&machine, "s", &[]);
    assert_eq!(said.lines().count(), 1);
    assert!(
        said.chars().count() < 60 && !said.contains('\u{1b}'),
        "{said:?}"
    );
}

#[test]
fn a_status_line_never_fails() {
    let machine = Machine::new();
    for stdin in [
        "",
        "{",
        "[]",
        "{\"session_id\": 5}",
        "{\"session_id\": \"a b\"}",
    ] {
        let answer = machine.run_with(&["statusline"], stdin.as_bytes());
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(0), "\n"),
            "{stdin}"
        );
    }
    std::fs::create_dir_all(machine.home()).unwrap();
    std::fs::write(
        machine.home().join("config.toml"),
        "[store]\nurl = \"nowhere\"\n",
    )
    .unwrap();
    assert_eq!(line(&machine, "s", &[]), "\n");
}

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn a_status_line_is_installed_only_when_asked_for_and_undone_to_the_byte() {
    let person = Person::new();
    let before = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    person.write(SETTINGS, before);
    let said = person.run(&["install", "claude"]).ok();
    assert!(!said.contains("status line"), "{said}");
    assert!(!person.read(SETTINGS).contains("statusLine"));
    let said = person.run(&["install", "claude", "--statusline"]).ok();
    assert!(
        said.contains("settings.json: 10 hooks, status line"),
        "{said}"
    );
    assert!(person.read(SETTINGS).contains("scratchpad statusline\""));
    let doctor = person.run(&["doctor"]).ok();
    assert!(doctor.contains("Claude Code, status line: in "), "{doctor}");
    // A later installation leaves it there.
    person.run(&["install", "claude"]).ok();
    assert!(person.read(SETTINGS).contains("statusLine"));
    person.run(&["uninstall", "claude"]).ok();
    assert_eq!(person.read(SETTINGS), before);
}

#[test]
fn somebody_elses_status_line_stays() {
    let person = Person::new();
    let before = "{\"statusLine\": {\"type\": \"command\", \"command\": \"~/my-line.sh\"}}";
    person.write(SETTINGS, before);
    let answer = person.run(&["install", "claude", "codex", "--statusline"]);
    assert!(
        answer
            .err
            .contains("Claude Code has a status line of its own, which stays"),
        "{answer:?}"
    );
    assert!(
        answer.err.contains("Codex has no status line"),
        "{answer:?}"
    );
    assert!(person.read(SETTINGS).contains("~/my-line.sh"));
    assert!(!person.read(SETTINGS).contains("scratchpad statusline"));
    // Changed since: only our entries go.
    let text = person.read(SETTINGS).replace("my-line", "my-other-line");
    person.write(SETTINGS, &text);
    person.run(&["uninstall", "claude"]).ok();
    assert!(person.read(SETTINGS).contains("~/my-other-line.sh"));
}
