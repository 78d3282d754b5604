//! What commands say is true, and names what a person can type.

use crate::support::Machine;
use crate::support::outputs;
use crate::support::person::Person;
use snapbox::{assert_data_eq, str};

/// What each of these says, one after the other.
fn all(machine: &Machine, calls: &[&[&str]]) -> String {
    let said = calls
        .iter()
        .map(|words| format!("{}\n{}", words.join(" "), machine.run(words).seen()));
    said.collect()
}

fn count_of_sessions(machine: &Machine) -> usize {
    let listed = machine.run(&["session", "list", "--json"]).json();
    listed["sessions"].as_array().unwrap().len()
}

#[test]
fn a_session_is_announced_only_once_it_is_there() {
    let machine = Machine::new();
    let refused: [&[&str]; 6] = [
        &["session", "mark", "1", "done"],
        &["session", "refs", "remove", "x"],
        &["note", "promote", "note_7000"],
        &["note", "delete", "note_7000"],
        &["note", "import", "/nope"],
        &["call", "get_note", "{}"],
    ];
    for words in refused {
        let answer = machine.run(words);
        assert_ne!(answer.code, Some(0), "{words:?}");
        assert!(!answer.err.contains("Session:"), "{words:?}: {answer:?}");
    }
    let notes = b"{\"content\":\"Deploys need the VPN\"}\n";
    let import = |scope| machine.run_with(&["note", "import", "-", "--scope", scope], notes);
    assert_eq!(import("project").err, "");
    let nothing = machine.run_with(&["note", "import", "-", "--scope", "session"], b"");
    assert_eq!(nothing.err, "");
    assert_eq!(count_of_sessions(&machine), 0);
    let kept = import("session");
    assert!(kept.err.ends_with("(new)\n"), "{kept:?}");
    assert_eq!(count_of_sessions(&machine), 1);
}

#[test]
fn errors_on_the_command_line_name_commands() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "x", "--session", "s"])
        .ok();
    let seen = all(
        &machine,
        &[
            &["note", "promote", "x", "--session", "s"],
            &["session", "mark", "x", "done", "--session", "s"],
            &["session", "mark", "x", "done", "--session", "s", "--json"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
note promote x --session s
exit 1
--- stdout
--- stderr
Error: "x" is not a note id: an id is note_ and digits. Nothing was changed.
Hint: `note list` and `note search` show the ids.
session mark x done --session s
exit 1
--- stdout
--- stderr
Error: There is no plan to mark. Nothing was changed.
Hint: write it with `scratchpad session set-plan` as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped.
session mark x done --session s --json
exit 1
--- stdout
--- stderr
{"error":{"kind":"refused","message":"There is no plan to mark. Nothing was changed.","hint":"write it with `scratchpad session set-plan` as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped."}}

"#]]
    );
    machine
        .run(&["session", "set-plan", "- [ ] go", "--session", "s"])
        .ok();
    let mark = |item| machine.run(&["session", "mark", item, "done", "--session", "s"]);
    for item in ["7", "zzz"] {
        let said = mark(item).err;
        assert!(
            said.contains("Hint: `scratchpad session show` shows the plan"),
            "{said}"
        );
    }
    let call = [
        "call",
        "session_scratchpad",
        "{\"action\":\"mark\",\"items\":[\"7\"],\"state\":\"done\"}",
        "--session",
        "s",
    ];
    let agents = machine.run(&call).out;
    assert!(agents.contains("action get shows the plan"), "{agents}");
}

#[test]
fn a_beginning_that_no_id_has_is_no_wrong_id() {
    let machine = Machine::new();
    let id = outputs::keep(&machine, "t", "line\n".repeat(9_000).as_bytes());
    let near = format!("{}0000", &id[..8]);
    let mut seen = all(
        &machine,
        &[
            &["output", "read", "abcd"],
            &["output", "read", "abcd", "--lines", "1-2"],
            &["output", "delete", "abc"],
            &["note", "show", "12"],
            &["note", "show", "1234"],
            &["output", "read", "abcd", "--lang", "de"],
            &["note", "show", "12", "--lang", "de"],
        ],
    );
    seen += &machine.run(&["output", "read", &near[..10]]).err;
    assert_data_eq!(
        seen.replace(&id, "[ID]").replace(&near[..10], "[NEAR]"),
        str![[r#"
output read abcd
exit 1
--- stdout
--- stderr
Error: No output begins with "abcd".
Hint: `scratchpad output list` shows the ids.
output read abcd --lines 1-2
exit 1
--- stdout
--- stderr
Error: No output begins with "abcd".
Hint: `scratchpad output list` shows the ids.
output delete abc
exit 1
--- stdout
--- stderr
Error: "abc" is too short to name one: give the whole id, or at least 4 of its digits. Nothing was changed.
Hint: `scratchpad output list` shows the ids.
note show 12
exit 1
--- stdout
--- stderr
Error: "12" is too short to name one: give the whole id, or at least 4 of its digits. Nothing was changed.
Hint: `note list` and `note search` show the ids.
note show 1234
exit 1
--- stdout
--- stderr
Error: note_1234 not found here. Nothing was changed.
Hint: this session and its project have no notes yet.
output read abcd --lang de
exit 1
--- stdout
--- stderr
Fehler: Keine Ausgabe beginnt mit "abcd".
Hinweis: `scratchpad output list` zeigt die IDs.
note show 12 --lang de
exit 1
--- stdout
--- stderr
Fehler: "12" ist zu kurz: die ganze ID angeben oder mindestens 4 ihrer Ziffern. Es wurde nichts geändert.
Hinweis: `note list` und `note search` zeigen die IDs.
Error: No output begins with "[NEAR]".
Hint: the nearest: [ID].

"#]]
    );
}

#[test]
fn install_without_a_host_lists_those_that_are_here() {
    let person = Person::new();
    let none = person.run(&["uninstall"]).err;
    person.write(".claude.json", "{}");
    person.write(".gemini/settings.json", "{}");
    let two = person.run(&["install"]).err;
    assert_data_eq!(
        none + &two,
        str![[r#"
Error: No host given.
Hint: none was found here: name one or more of claude, codex, gemini, qwen, copilot, opencode, pi, cline, cursor, vscode, windsurf, zed, goose, openclaw.
Error: No host given.
Hint: name one or more, or use --all for those found here: claude, gemini.

"#]]
    );
}

#[test]
fn hints_are_switched_off_without_naming_a_host() {
    let person = Person::new();
    person.write(".claude.json", "{}");
    person
        .run(&["install", "claude", "--nudges", "gentle"])
        .ok();
    person.run(&["uninstall", "--all"]).ok();
    let of = |words: &[&str]| person.run(words).ok();
    assert_eq!(of(&["install", "--nudges", "off"]), "Hints are off.\n");
    assert_eq!(
        of(&["install", "--nudges", "off", "--json"]),
        "{\"nudges\":\"off\"}\n"
    );
    assert_eq!(person.read(".claude.json"), "{}");
    let settings = person.run(&["config", "show", "--json"]).json();
    let hints = settings["settings"].as_array().unwrap().iter();
    let hints: Vec<_> = hints
        .filter(|it| it["key"].as_str().unwrap().starts_with("nudge_"))
        .collect();
    assert!(!hints.is_empty());
    for hint in hints {
        assert!(hint["value"] == 0 || hint["value"] == false, "{hint}");
    }
}

#[test]
fn a_mistyped_section_gets_the_nearest_name_of_the_whole_key() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home()).unwrap();
    let file = machine.home().join("config.toml");
    std::fs::write(
        file,
        "ouputs.threshold = 5000\n[pda]\nmax_refs = 3\n[empty]\n",
    )
    .unwrap();
    assert_data_eq!(
        machine.run(&["note", "list"]).err,
        str![[r#"
Warning: [ROOT]/home/config.toml: Unknown setting "ouputs.threshold". It is ignored. (did you mean `outputs.threshold` or `outputs.rules`?)
Warning: [ROOT]/home/config.toml: Unknown setting "pda.max_refs". It is ignored. (did you mean `pad.max_refs` or `pad.ref_max_chars`?)
Warning: [ROOT]/home/config.toml: Unknown setting "empty". It is ignored. (`scratchpad config show` lists the settings.)

"#]]
    );
}

#[test]
fn an_unknown_language_is_an_error_with_a_hint() {
    let machine = Machine::new();
    let seen = all(
        &machine,
        &[
            &["note", "list", "--lang", "xx"],
            &["note", "list", "--lang", "xx", "--json"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
note list --lang xx
exit 2
--- stdout
--- stderr
Error: invalid value 'xx' for '--lang <LANG>': Unknown language "xx".

Hint: the languages are `en` and `de`.

For more information, try '--help'.
note list --lang xx --json
exit 2
--- stdout
--- stderr
{"error":{"kind":"usage","message":"invalid value 'xx' for '--lang <LANG>': Unknown language /"xx/".","hint":"the languages are `en` and `de`."}}

"#]]
    );
    let mut german = machine.command(&["note", "list", "--lang", "xx"]);
    german.env("LANG", "de_DE.UTF-8");
    // An unknown language is none that anything could be said in.
    let said = machine.answer(german.output().unwrap()).err;
    assert!(said.contains("Unknown language"), "{said}");
}

#[test]
fn what_was_not_pinned_is_not_unpinned_and_no_sources_are_no_zeros() {
    let machine = Machine::new();
    let added = machine
        .run(&["note", "add", "Deploys need the VPN", "--json"])
        .json();
    let id = added["note_id"].as_str().unwrap().to_owned();
    let of = |words: &[&str]| machine.run(words).ok().replace(&id, "note_1");
    let mut seen = of(&["note", "unpin", &id]);
    seen += &of(&["note", "unpin", &id, "--lang", "de"]);
    seen += &of(&["note", "pin", &id]);
    seen += &of(&["note", "unpin", &id]);
    seen += &of(&["note", "unpin", &id]);
    seen += &of(&["note", "check"]);
    seen += &of(&["note", "check", "--lang", "de"]);
    assert_data_eq!(
        seen,
        str![[r#"
note_1 was not pinned.
note_1 war nicht angeheftet.
Pinned note_1: every new conversation here is given it whole.
note_1 is no longer pinned.
note_1 was not pinned.
No note names lines of a file.
Keine Notiz nennt Zeilen einer Datei.

"#]]
    );
}

#[test]
fn german_of_states_and_items_is_german() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "- [ ] go", "--session", "s"])
        .ok();
    let seen = all(
        &machine,
        &[
            &["session", "mark", "1", "blub", "--lang", "de"],
            &[
                "session",
                "mark",
                "7",
                "done",
                "--session",
                "s",
                "--lang",
                "de",
            ],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
session mark 1 blub --lang de
exit 2
--- stdout
--- stderr
Fehler: ungültiger Wert 'blub' für '<STATE>': Es gibt keinen Zustand "blub"; möglich sind pending, active, done, blocked, dropped.

Mehr dazu mit '--help'.
session mark 7 done --session s --lang de
exit 1
--- stdout
--- stderr
Fehler: Kein Punkt 7: Der Plan hat 1 Punkt. Es wurde nichts geändert.
Hinweis: `scratchpad session show` zeigt den Plan; gezählt wird ab 1.

"#]]
    );
}

#[cfg(unix)]
#[test]
fn who_answers_no_changes_nothing_and_has_not_failed() {
    use crate::support::terminal::{Terminal, plain};

    let machine = Machine::new();
    machine.run(&["note", "add", "Deploys need the VPN"]).ok();
    let mut terminal = Terminal::start(machine.command(&["note", "clear", "--project"]), 200, 20);
    terminal.until("[y/N]");
    terminal.type_line("n");
    let (seen, is_success) = terminal.finish();
    let seen = plain(&seen);
    assert!(
        is_success && seen.ends_with("Nothing was changed.\n"),
        "{seen}"
    );
    let listed = machine.run(&["note", "list"]).ok();
    assert!(listed.starts_with("1 note,"), "{listed}");
}

#[cfg(unix)]
#[test]
fn how_an_editor_failed_is_said_in_the_language_of_the_person() {
    use crate::support::terminal::{Terminal, plain};

    let machine = Machine::new();
    for (editor, language, why) in [
        ("exit 3;", "en", "failed: exit code 3."),
        ("exit 3;", "de", "ist fehlgeschlagen: Exit-Code 3."),
        (
            "kill -9 $$;",
            "de",
            "ist fehlgeschlagen: durch Signal 9 beendet.",
        ),
    ] {
        let words = ["session", "set-notes", "--session", "s", "--lang", language];
        let mut command = machine.command(&words);
        command.env("PATH", "/usr/bin:/bin").env("EDITOR", editor);
        let (seen, is_success) = Terminal::start(command, 200, 20).finish();
        assert!(!is_success && plain(&seen).contains(why), "{seen}");
    }
}
