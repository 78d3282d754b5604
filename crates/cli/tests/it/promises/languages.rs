//! German: help, messages, numbers and dates.

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

/// What a command says in German, to stdout and stderr.
fn german(machine: &Machine, arguments: &[&str]) -> String {
    let mut command = machine.command(arguments);
    command.env("LANG", "de_DE.UTF-8");
    let answer = machine.answer(command.output().unwrap());
    answer.out + &answer.err
}

/// The subcommands that a help text lists, from its English form.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_help_of_every_command_is_german_when_asked_for() {
    let machine = Machine::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let english = machine.run(&arguments).ok();
        let german = german(&machine, &arguments);
        for mark in [
            "Usage:",
            "Options:",
            "[default:",
            "[possible values:",
            "Print help",
        ] {
            assert!(!german.contains(mark), "{mark} in {path:?}: {german}");
        }
        // Sentences that both have are not translated; lines of examples are shorter or indented.
        let same: Vec<&str> = english
            .lines()
            .filter(|line| line.starts_with(|char: char| char.is_ascii_uppercase()))
            .filter(|line| german.lines().any(|other| other == *line))
            .collect();
        assert_eq!(same, [] as [&str; 0], "{path:?}");
        for inner in subcommands(&english) {
            open.push([path.clone(), vec![inner]].concat());
        }
        seen += 1;
    }
    assert!(seen > 45, "{seen}");
}

#[test]
fn errors_and_hints_of_every_area_are_german_when_asked_for() {
    let machine = Machine::new();
    let calls: [&[&str]; 16] = [
        &["call", "session_scratchpad", "{"],
        &["config", "set", "pad.notes_max_chars", "x"],
        &["config", "set", "store.outputs", "ftp://x"],
        &["help", "session", "undo", "now"],
        &["hook", "--nope"],
        &["mcp", "--http", "0.0.0.0:0", "--no-token"],
        &["mcp", "--http", "127.0.0.1:0", "--token-file", "nowhere"],
        &["note", "list", "--limit", "0"],
        &["output", "read", "123456789012"],
        &["output", "put", "--nope"],
        &["proxy"],
        &["proxy", "--url", "x"],
        &["proxy", "--wrap", "nowhere.json"],
        &["profile", "show", "nope"],
        &["run", "--", "no-such-command"],
        &["session", "restore", "9"],
    ];
    for arguments in calls {
        let said = german(&machine, arguments);
        assert!(
            said.starts_with("Fehler:") || arguments[0] == "hook",
            "{arguments:?}: {said}"
        );
        let words: Vec<&str> = said.split(|char: char| !char.is_alphabetic()).collect();
        for english in [
            "the", "not", "is", "Nothing", "Can", "takes", "with", "Unknown",
        ] {
            assert!(
                !words.contains(&english),
                "{english:?} after {arguments:?}: {said}"
            );
        }
    }
}

#[test]
fn wrong_usage_of_every_kind_is_german_when_asked_for() {
    let machine = Machine::new();
    let said: String = [
        &["session"][..],
        &["session", "--session", "s"],
        &["session", "refs", "--session", "s"],
        &["session", "list", "--json=yes"],
        &["session", "fork"],
        &["session", "list", "--limit"],
        &["session", "list", "--limit", "x"],
        &["note", "list", "--all", "--limit", "4"],
        &["mcp", "--http", "x"],
        &["completions", "x"],
        &["store", "copy", "a", "b"],
    ]
    .iter()
    .map(|arguments| {
        let said = german(&machine, arguments);
        said.split("\n\n").next().unwrap().trim_end().to_owned() + "\n"
    })
    .collect();
    assert_data_eq!(
        said,
        str![[r#"
Das Pad einer Sitzung: Notizen, Plan und Refs, mit jedem früheren Stand
Fehler: 'scratchpad session' braucht einen Befehl: show, set-notes, append-notes, set-plan, mark, refs, history, undo, restore, list, delete, clear, fork, export, import
Fehler: 'scratchpad session refs' braucht einen Befehl: add, remove, set, list
Fehler: '--json' nimmt keinen Wert; angegeben ist 'yes'
Fehler: es fehlt: <FROM>
Fehler: '--limit <N>' braucht einen Wert
Fehler: ungültiger Wert 'x' für '--limit <N>': keine ganze Zahl
Fehler: '--all' und '--limit <N>' schließen sich aus
Fehler: ungültiger Wert 'x' für '--http <ADDR>': keine IP-Adresse mit Port
Fehler: ungültiger Wert 'x' für '<SHELL>'; möglich sind: bash, zsh, fish, nushell, powershell
Fehler: FROM: `store.url` hat kein Schema.
Hinweis: `sqlite:` für eine Datenbank im Datenverzeichnis, `sqlite:/PFAD` für eine andere oder `postgres://USER:PASSWORD@HOST/DATABASE` angeben.

"#]]
    );
}

#[test]
fn what_the_system_refuses_is_said_in_german_too() {
    let machine = Machine::new();
    let said = german(&machine, &["session", "import", "nope"]);
    assert_eq!(
        said,
        "Fehler: Kann nope nicht lesen: Datei oder Verzeichnis nicht gefunden.\n"
    );
    let said = german(&machine, &["proxy", "--", "no-such-program"]);
    assert_eq!(
        said,
        "Fehler: \"no-such-program\" kann nicht gestartet werden: Datei oder Verzeichnis nicht gefunden.\n\
         Hinweis: ist das Programm installiert und im PATH?\n"
    );
}

#[test]
fn numbers_and_dates_are_written_as_the_language_does_and_stay_as_they_are_for_programs() {
    let machine = Machine::new();
    let text = "line\n".repeat(3_000);
    machine
        .run_with(&["output", "put", "--tool", "t"], text.as_bytes())
        .ok();
    // A recent time is an age; an old one a date.
    rusqlite::Connection::open(machine.database())
        .unwrap()
        .execute(
            "UPDATE output_keep SET kept = kept - ?1",
            [60 * 24 * 60 * 60 * 1_000_i64],
        )
        .unwrap();
    let english = machine.run(&["output", "list"]).ok();
    let spoken = german(&machine, &["output", "list"]);
    assert!(
        english.contains(" 15,000 ") && spoken.contains(" 15.000 "),
        "{english}{spoken}"
    );
    // 2026-11-19 and 19.11.2026
    let is_date = |text: &str, mark: char| {
        text.split_whitespace()
            .any(|word| word.len() == 10 && word.matches(mark).count() == 2)
    };
    assert!(
        is_date(&english, '-') && !is_date(&english, '.'),
        "{english}"
    );
    assert!(is_date(&spoken, '.') && !is_date(&spoken, '-'), "{spoken}");

    let for_programs = ["output", "list", "--json"];
    assert_eq!(
        machine.run(&for_programs).ok(),
        german(&machine, &for_programs)
    );

    let id = english.lines().nth(1).unwrap().split_whitespace().next();
    let id = id.unwrap().to_owned();
    machine.run(&["output", "delete", &id]).ok();
    let english = machine.run(&["output", "read", &id]).err;
    let spoken = german(&machine, &["output", "read", &id]);
    assert!(english.contains("it was removed at 2"), "{english}");
    assert!(spoken.contains(" UTC entfernt."), "{spoken}");
}

#[test]
fn what_an_agent_reads_stays_english() {
    let machine = Machine::new();
    let call = ["call", "session_scratchpad", r#"{"action":"nope"}"#];
    assert_eq!(machine.run(&call).out, {
        let said = german(&machine, &call);
        said.split("\nSitzung:").next().unwrap().to_owned()
    });
    assert_eq!(
        machine.run(&["guidance"]).ok(),
        german(&machine, &["guidance"])
    );
}

#[test]
fn tables_and_reports_are_german_when_asked_for() {
    let machine = Machine::new();
    let file = machine.project().join("mcp.json");
    let servers = r#"{"mcpServers":{"a":{"command":"npx"},"b":{"url":"ftp://b"}}}"#;
    std::fs::write(&file, servers).unwrap();
    let wrap = ["proxy", "--wrap", file.to_str().unwrap()];
    assert_eq!(
        german(&machine, &wrap),
        "umgeschrieben a\nübersprungen b: die URL beginnt nicht mit http:// oder https://\n"
    );
    let set = german(&machine, &["config", "set", "pad.notes_max_chars", "5000"]);
    assert!(set.starts_with("pad.notes_max_chars = 5000 in "), "{set}");
    let shown = german(&machine, &["config", "show"]);
    assert!(shown.starts_with("EINSTELLUNG "), "{shown}");
    assert!(
        shown.contains(" Vorgabe\n") && !shown.contains(" default\n"),
        "{shown}"
    );
    let path = german(&machine, &["config", "path"]);
    assert!(path.contains("\nIhre Einstellungen "), "{path}");
}
