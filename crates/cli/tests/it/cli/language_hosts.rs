//! What a person reads about hosts and about copying a store, in German.

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

#[test]
fn hosts_are_wired_and_looked_at_in_german() {
    let machine = Machine::new();
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command
            .env("LANG", "de_DE.UTF-8")
            .env("HOME", machine.home());
        machine.answer(command.output().unwrap())
    };
    let program = env!("CARGO_BIN_EXE_scratchpad");
    let all = [
        run(&["install", "codex"]).seen(),
        run(&["doctor"]).seen().replace(program, "[PROGRAM]"),
        run(&["uninstall", "codex"]).seen(),
        run(&["install"]).seen(),
    ];
    assert_data_eq!(
        all.concat(),
        str![[r#"
exit 0
--- stdout
Codex
  geschrieben: [ROOT]/home/.codex/config.toml: MCP-Server
  geschrieben: [ROOT]/home/.codex/hooks.json: 6 Hooks
  Pad: Hooks stellen es vor die nächste Nachricht an den Agenten, wenn es sich geändert hat, und geben es nach einer Kompaktierung oder einem Neustart zurück.
  Ergebnisse von Werkzeugen über 4.096 Bytes werden zu kurzen Referenzen. Der ganze Text liegt in ~/outputs; Teile davon liest der Agent mit scratchpad_read.
  Nächster Schritt: Codex neu starten und eine Nachricht schicken. Dann zeigt `scratchpad doctor` das letzte Ereignis und `scratchpad session show` das Pad.
  Rückgängig machen: scratchpad uninstall codex
  Codex führt Hooks erst aus, wenn sie bestätigt sind: codex starten, /hooks eingeben und denen von scratchpad vertrauen.
--- stderr
exit 1
--- stdout
ok      Version: [..]
ok      Speicher: 0 Sitzungen
ok      Speicher, Datei: [..]scratchpad.db, [..] Bytes, Schema [..], SQLite [..]
ok      Speicher, Integrität: Schnellprüfung bestanden
ok      Speicher, Datenträger: [..] Bytes sind frei
ok      Server: [PROGRAM] antwortet mit 10 Werkzeugen
ok      Hook-Protokoll: leer
ok      Codex, MCP-Server: in [ROOT]/home/.codex/config.toml
ok      Codex, 6 Hooks: in [ROOT]/home/.codex/hooks.json
FEHLER  Codex, Bestätigung der Hooks: 6 Hooks sind nicht bestätigt: codex starten, /hooks eingeben und ihnen vertrauen
Hinweis Codex, letztes Ereignis: noch keins: den Host einmal starten
--- stderr
exit 0
--- stdout
Codex
  entfernt: [ROOT]/home/.codex/config.toml: MCP-Server
  entfernt: [ROOT]/home/.codex/hooks.json: 6 Hooks
  Die Änderung wirkt nach einem Neustart von Codex.
--- stderr
exit 2
--- stdout
--- stderr
Fehler: Kein Host angegeben.
Hinweis: hier wurde keiner gefunden: einen oder mehrere nennen von claude, codex, gemini, qwen, copilot, opencode, pi, cline, cursor, vscode, windsurf, zed, goose, openclaw.

"#]]
    );
}

#[test]
fn a_copy_of_a_store_in_german() {
    let machine = Machine::new();
    for arguments in [
        ["session", "set-notes", "x", "--session", "s"],
        ["note", "add", "x", "--session", "s"],
        ["note", "add", "y", "--session", "s"],
    ] {
        machine.run(&arguments).ok();
    }
    let away = format!("sqlite:{}/away.db", machine.project().display());
    let output = |arguments: &[&str]| {
        let mut command = machine.command(&[&["store", "copy"], arguments].concat());
        let output = command.env("LANG", "de_DE.UTF-8").output().unwrap();
        machine.answer(output).seen()
    };
    let all = [
        output(&["sqlite:", &away]),
        output(&["sqlite:", "sqlite:"]),
        output(&["sqlite:/nowhere/pad.db", "."]),
        output(&[".", &away, "--rename-project", "shop"]),
    ];
    assert_data_eq!(
        all.concat(),
        str![[r#"
exit 0
--- stdout
Kopiert: 1 Sitzung mit 1 Revision, 2 Notizen, 0 Ausgaben von 0 Bytes.
Mit der Quelle verglichen: 1 Sitzung mit 1 Revision, 2 Notizen, 0 Ausgaben von 0 Bytes.
Stand: [..]:[..]:[..].
--- stderr
exit 1
--- stdout
--- stderr
Fehler: Beide Angaben meinen denselben Speicher. Es wurde nichts geändert.
Hinweis: zwei Speicher angeben: `scratchpad store copy FROM TO`.
exit 1
--- stdout
--- stderr
Fehler: Den Speicher /nowhere/pad.db gibt es nicht.
exit 2
--- stdout
--- stderr
Fehler: --rename-project erwartet ALT=NEU; angegeben ist "shop".

"#]]
    );
}
