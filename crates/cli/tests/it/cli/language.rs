//! What a person reads, in German.

use std::fs;

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

/// The text with the digits of each note's id and times made the same.
fn without_moments(text: &str) -> String {
    let word = |word: &str| match word.replace(|char: char| char.is_ascii_digit(), "0") {
        moment if ["00.00.0000", "00:00"].contains(&moment.trim_end()) => moment,
        id if id.starts_with("note_0000") => id.replace(&"0".repeat(13), "[ID]"),
        _ => word.to_owned(),
    };
    text.split_inclusive([' ', '\n']).map(word).collect()
}

/// What each of these says in German.
fn german(machine: &Machine, commands: &[&[&str]]) -> String {
    let seen = commands.iter().map(|arguments| {
        let mut command = machine.command(arguments);
        command.env("LANG", "de_DE.UTF-8");
        let answer = machine.answer(command.output().unwrap());
        let (out, err) = (without_moments(&answer.out), answer.err);
        format!("$ {}\n{out}{err}", arguments.join(" "))
    });
    seen.collect()
}

#[test]
fn the_language_comes_from_flag_setting_and_environment() {
    let machine = Machine::new();
    let spoken = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = machine.command(&[&["context"], arguments].concat());
        command.envs(variables.iter().copied());
        let said = machine.answer(command.output().unwrap()).err;
        if said.starts_with("Keine") {
            "de"
        } else {
            "en"
        }
    };
    assert_eq!(spoken(&[], &[]), "en");
    assert_eq!(spoken(&[], &[("LANG", "de_DE.UTF-8")]), "de");
    assert_eq!(
        spoken(&[], &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]),
        "en"
    );
    assert_eq!(spoken(&[], &[("LC_MESSAGES", "de_AT")]), "de");
    assert_eq!(spoken(&["--lang", "en"], &[("LANG", "de_DE")]), "en");
    assert_eq!(spoken(&["--lang=de"], &[]), "de");
    assert_eq!(spoken(&["--config", "language=de"], &[]), "de");
    assert_eq!(spoken(&[], &[("SCRATCHPAD_LANGUAGE", "de")]), "de");
    machine.run(&["config", "set", "language", "de"]).ok();
    assert_eq!(spoken(&[], &[("LC_ALL", "en_US.UTF-8")]), "de");
    assert_eq!(spoken(&["--lang", "en"], &[]), "en");
    assert_eq!(machine.run(&["context", "--lang", "xx"]).code, Some(2));
    // Help is asked for before anything is read.
    let help = machine.run(&["context", "add", "--help"]).ok();
    assert!(help.starts_with("Eine Notiz hinzufügen\n"), "{help}");
}

#[test]
fn context_inject_and_profile_speak_german() {
    let machine = Machine::new();
    fs::write(
        machine.project().join("GEMINI.md"),
        "<!-- scratchpad:start -->\n",
    )
    .unwrap();
    let seen = german(
        &machine,
        &[
            &["context"],
            &["context", "add", "Deploys sind gesperrt"],
            &["context", "add", " "],
            &["context", "remove", "7"],
            &["inject", "--tool", "claude"],
            &["inject", "--tool", "cloude"],
            &["inject"],
            &["inject", "--status"],
            &["context", "remove", "1"],
            &["profile", "list"],
            &["profile", "use", "defualt"],
            &["inject", "--uninstall"],
            &["context", "clear"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
$ context
Keine Kontextnotizen in [ROOT]/project. Eine hinzufügen: `scratchpad context add TEXT`.
$ context add Deploys sind gesperrt
Kontextnotiz 1 hinzugefügt.
Warnung: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert. (die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.)
$ context add  
Fehler: Kontextnotiz nicht hinzugefügt: sie ist leer. Es wurde nichts geändert.
Hinweis: angeben, was Agenten wissen sollen: `scratchpad context add "Deploys sind gesperrt"`.
$ context remove 7
Fehler: Es gibt keine Kontextnotiz 7: es gibt nur Nummer 1. Es wurde nichts geändert.
Hinweis: `scratchpad context list` zeigt sie mit ihren Nummern.
$ inject --tool claude
CLAUDE.md: angelegt (1.300 Bytes, etwa 318 Tokens)
$ inject --tool cloude
Fehler: Unbekanntes Werkzeug "cloude". Es wurde nichts geändert.
Hinweis: bekannt sind claude, claude-local, codex, gemini, qwen, copilot, opencode, pi, cline, cursor, windsurf, zed, goose, amp, crush, droid, kiro, openclaw, agents.
$ inject
CLAUDE.md: unverändert
Fehler: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert.
Hinweis: die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.
$ inject --status
DATEI      ZUSTAND     BYTES  TOKENS  WERKZEUGE
CLAUDE.md  aktuell     1.300  318     claude
GEMINI.md  beschädigt  -      -       gemini
Warnung: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet.
$ context remove 1
Kontextnotiz 1 entfernt: Deploys sind gesperrt
Auch aktualisiert: CLAUDE.md
Warnung: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert. (die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.)
$ profile list
  PROFIL   HERKUNFT   PAKETE
* default  eingebaut  base
$ profile use defualt
Fehler: Unbekanntes Profil "defualt". Es wurde nichts geändert.
Hinweis: war `default` gemeint?
$ inject --uninstall
CLAUDE.md: entfernt
Fehler: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert.
Hinweis: die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.
$ context clear
Es gab keine Kontextnotizen.
Warnung: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert. (die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.)

"#]]
    );
    let directory = machine.project().join(".scratchpad");
    fs::write(directory.join("scratch.yaml"), "notes: 5\n").unwrap();
    assert_data_eq!(
        german(
            &machine,
            &[
                &["context"],
                &["context", "add", "x"],
                &["context", "clear"]
            ]
        ),
        str![[r#"
$ context
Fehler: [ROOT]/project/.scratchpad/scratch.yaml: Zeile 1, Spalte 8: hier wird eine Liste von Texten erwartet.
Hinweis: die Datei korrigieren oder mit `scratchpad context clear` entfernen.
$ context add x
Fehler: [ROOT]/project/.scratchpad/scratch.yaml: Zeile 1, Spalte 8: hier wird eine Liste von Texten erwartet. Es wurde nichts geändert.
Hinweis: die Datei korrigieren oder mit `scratchpad context clear` entfernen.
$ context clear
Die Datei war nicht lesbar und wurde entfernt: [ROOT]/project/.scratchpad/scratch.yaml
Warnung: [ROOT]/project/GEMINI.md: Zeile 1 beginnt einen Bereich, der nicht endet. Es wurde nichts geändert. (die Markierungen `<!-- scratchpad:… -->` und alles dazwischen entfernen, dann erneut versuchen.)

"#]]
    );
}

#[test]
fn session_and_note_speak_german() {
    let machine = Machine::new();
    let long = "x".repeat(5_000);
    let seen = german(
        &machine,
        &[
            &["session", "list"],
            &["session", "show"],
            &[
                "session",
                "set-notes",
                "Die API liegt unter /v2",
                "--session",
                "s",
            ],
            &["session", "refs", "add", "src/main.rs:10", "--session", "s"],
            &["session", "refs", "remove", "src/lib.rs", "--session", "s"],
            &["session", "show", "--session", "s"],
            &["session", "undo", "--session", "s"],
            &["session", "restore", "9", "--session", "s"],
            &["session", "append-notes", &long, "--session", "s"],
            &["session", "list", "--limit", "0"],
            &["session", "show", "--session", "t"],
            &["session", "show", "--session", "t t"],
            &["note", "list", "--session", "s"],
            &["note", "add", " ", "--session", "s"],
            &["note", "delete", "note_7", "--session", "s"],
            &["note", "tags", "--session", "s"],
        ],
    );
    assert_data_eq!(
        seen.replace(&long, "[LONG]"),
        str![[r#"
$ session list
In [ROOT]/project gibt es noch keine Sitzung.
$ session show
Fehler: In [ROOT]/project gibt es noch keine Sitzung.
Hinweis: mit `scratchpad session set-notes TEXT` eine beginnen oder mit --session ID eine angeben.
$ session set-notes Die API liegt unter /v2 --session s
Notizen gespeichert (23 / 4000 Zeichen).
$ session refs add src/main.rs:10 --session s
Ref hinzugefügt (1 / 50).
$ session refs remove src/lib.rs --session s
Fehler: Keine Ref lautet "src/lib.rs"; hier gibt es 1 Ref. Es wurde nichts geändert.
Hinweis: war `src/main.rs:10` gemeint?
$ session show --session s
Sitzung s, Revision 2

Notizen (23 / 4000 Zeichen)
Die API liegt unter /v2

Refs (1 / 50 Einträge)
- src/main.rs:10
$ session undo --session s
Revision 2 zurückgenommen (refs).
$ session restore 9 --session s
Fehler: Es gibt keine Revision 9: die Sitzung hat die Revisionen 1 bis 3. Es wurde nichts geändert.
Hinweis: `scratchpad session history` listet sie auf.
$ session append-notes [LONG] --session s
Fehler: Notizen nicht angehängt: 23 vorhandene und 5.000 neue Zeichen ergeben 5.024, erlaubt sind 4.000. Es wurde nichts geändert.
Hinweis: mit set_notes kürzer fassen oder weniger anhängen.
$ session list --limit 0
Fehler: ungültiger Wert '0' für '--limit <N>': es muss mindestens 1 sein

Mehr dazu mit '--help'.
$ session show --session t
Fehler: Es gibt keine Sitzung t.
Hinweis: `scratchpad session list --all` listet die Sitzungen auf.
$ session show --session t t
Fehler: Die Sitzungs-ID "t t" enthält das Zeichen ' ': eine Sitzungs-ID besteht aus 1 bis 200 druckbaren ASCII-Zeichen ohne Leerzeichen. Es wurde nichts geändert.
Hinweis: sie stammt aus --session.
$ note list --session s
Keine Notizen.
$ note add   --session s
Fehler: Notiz nicht gespeichert: der Text ist leer. Es wurde nichts geändert.
Hinweis: den Text angeben, der gespeichert werden soll.
$ note delete note_7 --session s
Fehler: note_7 gibt es hier nicht. Es wurde nichts geändert.
Hinweis: diese Sitzung und ihr Projekt haben noch keine Notizen.
$ note tags --session s
Keine Schlagwörter.

"#]]
    );
    machine
        .run(&[
            "note",
            "add",
            "3 notes, newest first:",
            "--tag",
            "a",
            "--session",
            "s",
        ])
        .ok();
    machine
        .run(&["note", "add", "zwei Dinge", "--session", "s"])
        .ok();
    let seen = german(
        &machine,
        &[
            &["note", "list", "--session", "s"],
            &["note", "list", "--limit", "1", "--session", "s"],
            &["note", "search", "dinge", "--session", "s"],
            &["note", "search", "dinge zwei", "--session", "s"],
            &["note", "search", "newest", "--tag", "A", "--session", "s"],
            &["note", "search", "nichts", "--session", "s"],
            &["note", "export", "--session", "t"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
$ note list --session s
2 Notizen, die neuesten zuerst:

note_[ID] session gerade eben
zwei Dinge

note_[ID] session [a] gerade eben
3 notes, newest first:
$ note list --limit 1 --session s
1 von 2 Notizen, die neuesten zuerst:

note_[ID] session gerade eben
zwei Dinge

Weitere: --before note_[ID], ein größeres --limit oder --all.
$ note search dinge --session s
1 Notiz mit "dinge":

note_[ID] session gerade eben
zwei Dinge
$ note search dinge zwei --session s
Keine enthält "dinge zwei" wörtlich; 1 Notiz mit den einzelnen Wörtern:

note_[ID] session gerade eben
zwei Dinge
$ note search newest --tag A --session s
1 Notiz mit Schlagwort "A" und "newest":

note_[ID] session [a] gerade eben
3 notes, newest first:
$ note search nichts --session s
Keine Notiz enthält "nichts" oder die einzelnen Wörter.
$ note export --session t
0 Notizen der Sitzung.

"#]]
    );
}

#[test]
fn help_and_usage_errors_speak_german() {
    let machine = Machine::new();
    let seen = german(
        &machine,
        &[
            &["inject", "--help"],
            &["note", "add", "--help"],
            &["context", "--nots"],
            &["context", "ad"],
            &["context", "remove"],
            &["context", "remove", "x"],
            &["note", "add", "x", "--scope", "world"],
            &["note", "add", "--tga"],
            &["inject", "--project", "--global"],
            &["inject", "--tool"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
$ inject --help
Kontextnotizen und Arbeitsregeln in die Anweisungsdateien der Hosts schreiben

Aufruf: scratchpad inject [OPTIONEN]

Optionen:
      --project             In die Dateien dieses Projekts (die Vorgabe)
      --global              In Ihre Dateien für alle Projekte; mit den Kontextnotizen für alle
      --tool <TOOL>         Für diesen Host; mehrfach möglich: claude, claude-local, codex, gemini,
                            qwen, copilot, opencode, pi, cline, cursor, windsurf, zed, goose, amp,
                            crush, droid, kiro, openclaw, agents
      --all                 Für alle bekannten Hosts
      --dry-run             Zeigen, was sich ändern würde, und nichts ändern
      --uninstall           Entfernen, was geschrieben wurde
      --status              Zeigen, welche Dateien aktuell, veraltet, beschädigt oder ohne Bereich
                            sind
      --session <ID>        Die Sitzung [Vorgabe: die vom Host gemeldete, sonst die neueste des
                            Projekts]
      --project-dir <DIR>   Das Wurzelverzeichnis des Projekts [Vorgabe: vom Arbeitsverzeichnis aus
                            ermittelt]
      --config <KEY=VALUE>  Eine Einstellung für diesen Aufruf setzen, z. B.
                            `pad.notes_max_chars=8000`
      --json                Als JSON antworten
      --lang <LANG>         Die Sprache von Meldungen und Hilfe: en, de [Vorgabe: aus den
                            Einstellungen oder LANG]
  -h, --help                Diese Hilfe anzeigen
  -V, --version             Die Version anzeigen

Beispiele:
  scratchpad inject                       vorhandene Dateien, eingerichtete Hosts
  scratchpad inject --tool claude --dry-run
  scratchpad inject --status
  scratchpad inject --uninstall

Nur der Text zwischen <!-- scratchpad:start --> und <!-- scratchpad:end --> wird geändert, und
--uninstall stellt jede Datei Byte für Byte wieder her.
$ note add --help
Eine Notiz speichern

Aufruf: scratchpad note add [OPTIONEN] [TEXT]

Argumente:
  [TEXT]  Der Text; - oder keine Angabe liest die Standardeingabe

Optionen:
      --tag <TAG>           Ein Schlagwort; mehrfach möglich
      --source <SOURCE>     Zeilen, von denen sie spricht, PFAD:ZEILE oder PFAD:ZEILE-ZEILE, neben
                            denen, die ihr Text nennt; mehrfach möglich
      --scope <SCOPE>       Wo die Notiz gespeichert wird [Vorgabe: im Projekt; in der Sitzung, wenn
                            ein Agent aufruft oder eine angegeben ist] [mögliche Werte: session,
                            project]
      --session <ID>        Die Sitzung [Vorgabe: die vom Host gemeldete, sonst die neueste des
                            Projekts]
      --project-dir <DIR>   Das Wurzelverzeichnis des Projekts [Vorgabe: vom Arbeitsverzeichnis aus
                            ermittelt]
      --config <KEY=VALUE>  Eine Einstellung für diesen Aufruf setzen, z. B.
                            `pad.notes_max_chars=8000`
      --json                Als JSON antworten
      --lang <LANG>         Die Sprache von Meldungen und Hilfe: en, de [Vorgabe: aus den
                            Einstellungen oder LANG]
  -h, --help                Diese Hilfe anzeigen
  -V, --version             Die Version anzeigen
$ context --nots
Fehler: unbekanntes Argument '--nots'

Aufruf: scratchpad context [OPTIONEN] [BEFEHL]

Mehr dazu mit '--help'.
$ context ad
Fehler: unbekannter Befehl 'ad'
Hinweis: war 'add' gemeint?

Aufruf: scratchpad context [OPTIONEN] [BEFEHL]

Mehr dazu mit '--help'.
$ context remove
Fehler: es fehlt: <N>

Aufruf: scratchpad context remove <N>

Mehr dazu mit '--help'.
$ context remove x
Fehler: ungültiger Wert 'x' für '<N>': keine ganze Zahl

Mehr dazu mit '--help'.
$ note add x --scope world
Fehler: ungültiger Wert 'world' für '--scope <SCOPE>'; möglich sind: session, project

Mehr dazu mit '--help'.
$ note add --tga
Fehler: ungültiger Wert '--tga' für '[TEXT]': unbekannte Option; als Text über die Standardeingabe übergeben

Mehr dazu mit '--help'.
$ inject --project --global
Fehler: '--project' und '--global' schließen sich aus

Aufruf: scratchpad inject --project

Mehr dazu mit '--help'.
$ inject --tool
Fehler: '--tool <TOOL>' braucht einen Wert

Mehr dazu mit '--help'.

"#]]
    );
}

#[test]
fn what_agents_and_programs_read_stays_english() {
    let machine = Machine::new();
    let seen = german(
        &machine,
        &[
            &[
                "call",
                "session_scratchpad",
                r#"{"action":"set_notes","content":"x"}"#,
                "--session",
                "s",
            ],
            &[
                "call",
                "session_scratchpad",
                r#"{"action":"set_note"}"#,
                "--session",
                "s",
            ],
            &["guidance", "--tools", "notes"],
            &["inject", "--tool", "cline", "--json"],
        ],
    );
    assert_data_eq!(
        seen,
        str![[r#"
$ call session_scratchpad {"action":"set_notes","content":"x"} --session s
Notes saved (1 / 4000 chars).
$ call session_scratchpad {"action":"set_note"} --session s
session_scratchpad: `action` must be one of set_notes, append_notes, set_plan, mark, refs.add, refs.remove, refs.set, get, continue; "set_note" was given. Nothing was changed.
Hint: did you mean `set_notes` or `set_plan`?
$ guidance --tools notes
Single facts to find again go into notes (4,000 characters each). search_notes before you work something out again, and before you add: update_note rather than the same twice, delete_note what is no longer true. add_note with tags; scope project keeps one for later sessions. Name the code a note is about as path:line; of one that says `changed since`, look at the code and update it.
$ inject --tool cline --json
{"scope":"project","dry_run":false,"targets":[{"file":"[ROOT]/project/.clinerules/scratchpad.md","tools":["cline"],"step":"made","bytes":1256,"tokens":308,"notes":0}]}

"#]]
    );
    let text = fs::read_to_string(machine.project().join(".clinerules/scratchpad.md")).unwrap();
    assert!(text.contains("## Runtime Context"));
}

#[test]
fn numbers_in_tables_are_written_as_in_the_language() {
    let machine = Machine::new();
    let long = "line\n".repeat(2_000);
    machine.run_with(&["output", "put"], long.as_bytes()).ok();
    let row = |language: &str| {
        let table = machine.run(&["output", "list", "--lang", language]).ok();
        let row = table.lines().last().unwrap().split_whitespace();
        row.skip(1).take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("en"), "10,000 2,000");
    assert_eq!(row("de"), "10.000 2.000");
}
