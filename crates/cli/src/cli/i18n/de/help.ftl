# Die Hilfe. Schlüssel: `help-` und der Weg zum Befehl; Attribute: seine Argumente, und `after` der Text am Ende.

help-headings =
    .usage = Aufruf:
    .commands = Befehle:
    .arguments = Argumente:
    .options = Optionen:
    .mark-options = [OPTIONEN]
    .mark-command = <BEFEHL>
    .mark-command-optional = [BEFEHL]
    .mark-default = [Vorgabe:
    .mark-values = [mögliche Werte:

# Falsche Aufrufe; an die Stelle jedes … tritt, worum es geht.
help-errors =
    .unknown-argument = unbekanntes Argument '…'
    .unknown-command = unbekannter Befehl '…'
    .missing = es fehlt: …
    .conflict = '…' und '…' schließen sich aus
    .no-value = '…' braucht einen Wert
    .bad-value = ungültiger Wert '…' für '…'; möglich sind: …
    .wrong-value = ungültiger Wert '…' für '…': …
    .did-you-mean = Hinweis: war '…' gemeint?
    .more = Mehr dazu mit '--help'.

help-options =
    .session = Die Sitzung [Vorgabe: was der Host sagt, sonst die neueste des Projekts]
    .project_dir = Das Wurzelverzeichnis des Projekts [Vorgabe: vom Arbeitsverzeichnis aus gefunden]
    .config = Einen Wert für diesen Aufruf setzen, z. B. `pad.notes_max_chars=8000`
    .json = Als JSON antworten
    .lang = Die Sprache von Meldungen und Hilfe: en, de [Vorgabe: was Einstellungen oder LANG sagen]
    .help = Diese Hilfe zeigen
    .version = Die Version zeigen

help = Arbeitsgedächtnis für KI-Agenten: es überdauert das Kontextfenster
    .after =
        Beispiele:
          scratchpad session set-notes "API liegt unter /v2; Tests brauchen eine Datenbank"
          scratchpad session refs add src/auth.rs:120
          scratchpad note search vpn
          echo "Weiter mit dem Anmeldeformular." | scratchpad prompt
          scratchpad call session_scratchpad '{"{"}"action":"get"{"}"}'

        Alles liegt in Ihrem Datenverzeichnis: `scratchpad config path` sagt, wo.
help-call = Ein Werkzeug ausführen wie ein Agent und seine Antwort ausgeben
help-completions = Vervollständigungen für eine Shell ausgeben
help-help = Die Hilfe zu einem Befehl zeigen
help-config = Einstellungen: welche es gibt, woher jede kommt, wie man eine ändert
help-store = Der Speicher: alles von einem in einen anderen kopieren
help-store-copy = Alle Sitzungen, Notizen und Ausgaben eines Speichers in einen anderen kopieren, und vergleichen
    .from = Der Speicher, der gelesen wird
    .to = Der Speicher, in den geschrieben wird
    .rename_project = Wie ein Projekt dort heißt [sonst: im gemeinsamen Speicher sein Repository, im eingebetteten sein Verzeichnis]
    .after =
        Beispiele:
          scratchpad store copy sqlite: .
          scratchpad store copy . sqlite:/backup/pad.db

        Ein Speicher ist `sqlite:`, `sqlite:/PFAD`, `postgres://…` oder `.`, der in den Einstellungen genannte. Abgebrochen, macht es weiter, wo es war, wenn man es noch einmal ausführt. Was in TO anders ist, bleibt unberührt und wird gesagt. FROM wird nur gelesen; ist es von einer älteren Version, wird es beim Öffnen auf den neuen Stand gebracht, wie von jedem Befehl.
help-guidance = Ausgeben, was einem Agenten über diese Werkzeuge zu sagen ist, für einen Systemprompt
help-hook = Ein Ereignis eines Hosts beantworten, das von der Standardeingabe kommt; Hosts rufen das auf
help-mcp = Einem Host die Werkzeuge anbieten, über Standardein- und -ausgabe oder HTTP
help-prompt = Den Text der Person von der Standardeingabe lesen und die Nachricht für den Agenten ausgeben
help-proxy = Große Ergebnisse eines MCP-Servers aus dem Kontextfenster halten, indem man vor ihm steht
help-run = Einen Befehl ausführen; eine große Ausgabe wird aufbewahrt, an ihrer Stelle steht ein Verweis

help-context = Kontextnotizen: was jeder Agent in diesem Projekt wissen soll
    .after =
        Beispiele:
          scratchpad context add "Deploys sind bis Freitag gesperrt"
          scratchpad context
          scratchpad context remove 1

        Die Notizen liegen in .scratchpad/scratch.yaml und gehören Ihnen allein. `scratchpad inject` fügt sie in die Anweisungsdateien der Hosts ein; stehen sie dort, wird jede Änderung auch dort geschrieben.
help-context-add = Eine Notiz hinzufügen
    .note = Der Text; - oder nichts liest die Standardeingabe
help-context-list = Die Notizen mit ihren Nummern auflisten (die Vorgabe)
help-context-remove = Eine Notiz entfernen
    .number = Ihre Nummer, wie `context list` sie zeigt
help-context-clear = Alle Notizen entfernen; auch eine Datei, die nicht lesbar ist

help-inject = Kontextnotizen und Arbeitsregeln in die Anweisungsdateien der Hosts schreiben
    .after =
        Beispiele:
          scratchpad inject                       alle Hosts, die hier gefunden werden
          scratchpad inject --tool claude --dry-run
          scratchpad inject --status
          scratchpad inject --uninstall

        Nur der Text zwischen <!-- scratchpad:start --> und <!-- scratchpad:end --> wird je berührt, und --uninstall stellt jede Datei auf das Byte genau wieder her.
    .project = In die Dateien dieses Projekts (die Vorgabe)
    .global = In Ihre Dateien für alle Projekte; ohne Kontextnotizen
    .tools = Für diesen Host; mehrmals möglich
    .all = Für alle bekannten Hosts
    .dry_run = Zeigen, was sich ändern würde; nichts ändern
    .uninstall = Entfernen, was geschrieben wurde
    .status = Zeigen, welche Dateien aktuell, veraltet, beschädigt oder ohne Bereich sind

help-profile = Profile: welche Pakete von Arbeitsregeln geschrieben werden
    .after =
        Beispiele:
          scratchpad profile list
          scratchpad profile show backend
          scratchpad profile use backend

        Ein Profil ist eine Datei profiles/NAME.toml mit `name` und `packs`, neben Ihren Einstellungen oder im .scratchpad/ des Projekts; ein Paket ist ein Verzeichnis packs/ID/ mit pack.toml und Markdown-Dateien.
help-profile-list = Die Profile auflisten; das verwendete hat einen Stern
help-profile-show = Die Pakete eines Profils zeigen
    .name = Das Profil [Vorgabe: das verwendete]
help-profile-use = Von nun an ein Profil verwenden und die Bereiche auf den Stand bringen
    .name = Das Profil; `default` nimmt alle Pakete
    .project = Nur für dieses Projekt, wie immer bei seinen eigenen Profilen: in seinen Einstellungen, die geteilt werden können

help-note = Notizen: mit Schlagwörtern, durchsuchbar, bei der Sitzung oder ihrem Projekt
    .after =
        Beispiele:
          scratchpad note add "Deploys brauchen das VPN" --tag deploy --scope project
          cargo test 2>&1 | tail -3 | scratchpad note scratch
          scratchpad note search vpn
          scratchpad note list --tag deploy --limit 5
          scratchpad note import memory.jsonl --scope project

        Die Suche findet den Text ohne Rücksicht auf Groß- und Kleinschreibung, auch als Teil eines Wortes; wo er früher steht, zuerst. Enthält ihn keine Notiz wörtlich, wird jedes seiner Wörter gesucht.
help-note-add = Eine Notiz aufbewahren
    .text = Der Text; - oder nichts liest die Standardeingabe
    .tags = Ein Schlagwort; mehrmals möglich
    .scope = Wobei sie bleibt
help-note-scratch = Eine schnelle Notiz ohne Schlagwörter aufbewahren
    .text = Der Text; - oder nichts liest die Standardeingabe
help-note-update = Text oder Schlagwörter einer Notiz ersetzen, oder beides
    .id = Der Name der Notiz
    .content = Der neue Text; - liest die Standardeingabe
    .tags = Ein neues Schlagwort statt aller alten; mehrmals möglich
    .no_tags = Alle Schlagwörter entfernen
help-note-delete = Eine Notiz löschen
    .id = Der Name der Notiz
help-note-list = Notizen auflisten, zuletzt geänderte zuerst
    .tag = Nur die mit diesem Schlagwort
    .limit = Wie viele
help-note-search = Notizen nach Text, Schlagwörtern oder beidem finden
    .query = Der gesuchte Text
    .tags = Ein Schlagwort, das da sein muss; mehrmals möglich
    .limit = Wie viele
help-note-tags = Die verwendeten Schlagwörter mit ihrer Anzahl auflisten
help-note-promote = Eine Notiz von der Sitzung in ihr Projekt verschieben
    .id = Der Name der Notiz
help-note-export = Die Notizen der Sitzung oder des Projekts als JSON Lines ausgeben
    .scope = Wessen Notizen
help-note-import = Notizen aus JSON Lines aufnehmen: ein Export, oder die Datei des MCP-Servers „memory“
    .file = Die Datei; - liest die Standardeingabe
    .scope = Wobei sie bleiben

help-output = Ausgaben: große Texte, ganz aufbewahrt, in Teilen gelesen
    .after =
        Beispiele:
          cargo test 2>&1 | scratchpad output put --tool "cargo test"
          scratchpad output list --query "connection refused"
          scratchpad output read 3fa9c1d2e4b5 --lines -40
          scratchpad output read 3fa9c1d2e4b5 --grep 'panicked at' --context 3
          scratchpad output read 3fa9c1d2e4b5 --expr '$.items[0:3]'
          scratchpad output read 3fa9c1d2e4b5 --expr 'group_by(.state) | map({"{"}state: .[0].state, n: length{"}"})'

        Eine Ausgabe bleibt, bis sie 24 Stunden alt ist oder alle zusammen mehr als 50 MiB haben: `outputs.max_age` und `outputs.max_total_bytes` bestimmen das. Was in der letzten Stunde benutzt wurde, bleibt.
help-output-put = Was über die Standardeingabe kommt, aufbewahren, wenn es groß ist, und einen Verweis ausgeben; sonst es selbst
    .tool = Was es gemacht hat, wie die Liste der Ausgaben und Regeln es nennen
    .always = Es aufbewahren, auch wenn es klein ist
help-output-read = Eine Ausgabe auf das Byte genau ausgeben, oder einen Teil von ihr
    .id = Der Name, wie der Verweis ihn nennt
    .lines = Zeilen: 120-180, 120-, 120, oder -40 für die letzten 40
    .grep = Zeilen, auf die ein regulärer Ausdruck passt
    .context = Zeilen um jeden Treffer
    .ignore_case = Ohne Rücksicht auf Groß- und Kleinschreibung
    .expr = Was ein Ausdruck in JSON findet: JSONPath, wenn er mit $ beginnt, sonst ein jq-Filter
    .offset = Das erste Byte
    .limit = Höchstens so viele Bytes
help-output-list = Ausgaben auflisten, zuletzt aufbewahrte zuerst
    .query = Nur die, die diesen Text enthalten
    .tool = Nur die von Werkzeugen, deren Name dies enthält
    .limit = Wie viele
    .all = Aller Projekte
help-output-delete = Ausgaben löschen; sagt von jeder, ob sie da war
    .ids = Ihre Namen
help-output-prune = Entfernen, was zu alt, zu viel, beschädigt oder übrig ist; geschieht auch von selbst
help-output-clear = Alle Ausgaben des Projekts löschen
    .all = Aller Projekte
help-output-stats = Zeigen, wie viel aufbewahrt wird

help-session = Das Pad einer Sitzung: Notizen, Plan und Verweise, mit jedem früheren Stand
    .after =
        Beispiele:
          scratchpad session set-notes "API liegt unter /v2"
          git diff --stat | scratchpad session append-notes
          scratchpad session refs add src/auth.rs:120
          scratchpad session show
          scratchpad session undo

        Texte können über die Standardeingabe kommen; ein Zeilenumbruch an ihrem Ende entfällt dann. Jede Änderung ist eine Revision: durch Ersetzen, Leeren oder Zurücknehmen geht nichts verloren.
    .journal = Das Pad in dieser Sitzungsdatei (JSON Lines) führen statt im Speicher
help-session-show = Das Pad zeigen
    .revision = Zeigen, was ein Teil bei dieser Revision enthielt (siehe `session history`)
help-session-set-notes = Die Notizen ersetzen; was zu lang ist, wird gekürzt und ganz als Ausgabe aufbewahrt
    .text = Der Text; - oder nichts liest die Standardeingabe, "" leert
help-session-append-notes = Den Notizen eine Zeile anfügen; was nicht passt, wird abgelehnt
    .text = Der Text; - oder nichts liest die Standardeingabe
help-session-set-plan = Den Plan ersetzen; was zu lang ist, wird gekürzt und ganz als Ausgabe aufbewahrt
    .text = Der Text; - oder nichts liest die Standardeingabe, "" leert
help-session-refs = Die Verweise: Pfade, Links, Namen
help-session-refs-add = Einen Verweis als neuesten hinzufügen; ist alles voll, geht der älteste
    .reference = Ein Pfad, ein Link, ein Name
help-session-refs-remove = Einen Verweis mit seinem genauen Text entfernen
    .reference = Der Verweis, wie `refs list` ihn zeigt
help-session-refs-set = Alle Verweise ersetzen; keiner leert sie
    .references = Die Verweise, ältester zuerst
help-session-refs-list = Die Verweise auflisten, einen je Zeile
help-session-history = Die Revisionen auflisten, neueste zuerst
    .limit = Wie viele
help-session-undo = Die letzte Änderung zurücknehmen; noch einmal: die davor
help-session-restore = Einem Teil den Inhalt geben, den er bei einer Revision hatte
    .revision = Die Nummer der Revision (siehe `session history`)
help-session-list = Die Sitzungen des Projekts auflisten, zuletzt geschriebene zuerst
    .all = Aller Projekte
    .limit = Wie viele
help-session-fork = Eine neue Sitzung mit einer Kopie des Pads einer anderen beginnen, für einen Helfer oder eine Übergabe
    .from = Die Sitzung, die kopiert wird
    .new = Der Name der neuen Sitzung [Vorgabe: ein neuer]
help-session-export = Das Pad als Zeilen einer Sitzungsdatei (JSON Lines) ausgeben
    .jsonl = Als JSON Lines (die Vorgabe)
help-session-import = Das Pad übernehmen, das eine Sitzungsdatei (JSON Lines) hinterlässt
    .file = Die Datei; - liest die Standardeingabe

help-install = Hosts einrichten: MCP-Server und Hooks, in deren eigenen Dateien
    .after =
        Beispiele:
          scratchpad install claude
          scratchpad install --all --dry-run

        Alles andere in den Dateien bleibt, wie es ist, auch Kommentare und Gestaltung. Was vorher da war, liegt im Datenverzeichnis, damit `scratchpad uninstall` es auf das Byte genau zurückbringen kann.
    .hosts = Die Hosts: claude, codex, gemini, qwen, copilot, opencode, cline, cursor, vscode, windsurf, zed, goose
    .all = Jeder Host, der gefunden wird
    .project = Die Dateien des Repositorys statt Ihrer eigenen
    .dry_run = Zeigen, was sich ändern würde, und nichts ändern
help-uninstall = Zurücknehmen, was `install` geschrieben hat
    .after = Eine Datei, die seither niemand geändert hat, wird wie zuvor; aus jeder anderen werden nur unsere Einträge entfernt.
    .hosts = Die Hosts: claude, codex, gemini, qwen, copilot, opencode, cline, cursor, vscode, windsurf, zed, goose
    .all = Jeder Host, der gefunden wird
    .project = Die Dateien des Repositorys statt Ihrer eigenen
    .dry_run = Zeigen, was sich ändern würde, und nichts ändern
help-doctor = Sagen, welche Hosts eingerichtet sind und was nicht stimmt
    .after =
        Beispiele:
          scratchpad doctor
          scratchpad doctor --prove claude
    .prove = Eine Kompaktierung durch den Hook-Befehl eines Hosts spielen und zeigen, was sein Agent bekäme
help-plugin = Ein Plugin für Claude Code, Codex, Copilot CLI und Gemini CLI schreiben
    .after =
        Beispiel:
          scratchpad plugin ./scratchpad-plugin
          claude plugin marketplace add ./scratchpad-plugin
          claude plugin install scratchpad@scratchpad
          gemini extensions install ./scratchpad-plugin/gemini-extension
    .directory = Das Verzeichnis, das geschrieben wird
