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
    .no-command = '…' braucht einen Befehl: …
    .missing = es fehlt: …
    .surplus-value = '…' nimmt keinen Wert; angegeben ist '…'
    .no-utf8 = ein Argument ist nicht UTF-8
    .conflict = '…' und '…' schließen sich aus
    .no-value = '…' braucht einen Wert
    .bad-value = ungültiger Wert '…' für '…'; möglich sind: …
    .wrong-value = ungültiger Wert '…' für '…': …
    .did-you-mean = Hinweis: war '…' gemeint?
    .more = Mehr dazu mit '--help'.

help-options =
    .session = Die Sitzung [Vorgabe: die vom Host gemeldete, sonst die neueste des Projekts]
    .project_dir = Das Wurzelverzeichnis des Projekts [Vorgabe: vom Arbeitsverzeichnis aus ermittelt]
    .config = Eine Einstellung für diesen Aufruf setzen, z. B. `pad.notes_max_chars=8000`
    .json = Als JSON antworten
    .lang = Die Sprache von Meldungen und Hilfe: en, de [Vorgabe: aus den Einstellungen oder LANG]
    .help = Diese Hilfe anzeigen
    .version = Die Version anzeigen

help = Arbeitsgedächtnis für KI-Agenten, das das Kontextfenster überdauert
    .after =
        Beispiele:
          scratchpad session set-notes "API liegt unter /v2; Tests brauchen eine Datenbank"
          scratchpad session refs add src/auth.rs:120
          scratchpad note search vpn
          echo "Weiter mit dem Anmeldeformular." | scratchpad prompt
          scratchpad call session_scratchpad '{"{"}"action":"get"{"}"}'

        Die Daten liegen in Ihrem Datenverzeichnis: `scratchpad config path` zeigt, wo.
help-status = Auf einem Bildschirm zeigen, was hier vor sich geht
    .follow = Bei jeder Änderung neu zeigen, bis Strg-C
    .after =
        Beispiel:
          scratchpad status --follow

        Zu sehen sind die Sitzungen, Notizen und Ausgaben des Projekts, die eingerichteten Hosts und was nicht stimmt. `scratchpad` allein zeigt im Terminal dasselbe. `scratchpad doctor` prüft alles.
help-help = Die Hilfe zu einem Befehl anzeigen
    .path = Der Befehl, gegebenenfalls mit Unterbefehl [Vorgabe: was scratchpad ist]
    .after =
        Beispiel:
          scratchpad help session undo
help-call = Ein Werkzeug aufrufen wie ein Agent und die Antwort ausgeben
    .tool = Der Name des Werkzeugs; mit --xml nicht nötig, dort steht er im XML
    .arguments = Die Argumente als JSON-Objekt; - liest die Standardeingabe
    .xml = Den Aufruf als XML von der Standardeingabe lesen
    .after =
        Beispiele:
          scratchpad call session_scratchpad '{"{"}"action":"set_plan","content":"1. lesen 2. schreiben"{"}"}'
          echo '{"{"}"query":"cache"{"}"}' | scratchpad call search_notes -
          scratchpad call add_note '{"{"}"content":"Deploys brauchen das VPN","tags":["deploy"]{"}"}' --json
          scratchpad call --xml < call.xml

        --json gibt die ganze Antwort aus, wie MCP sie liefert. Der Exit-Code ist 1, wenn die Antwort ein Fehler ist.

        Die XML-Form: <tool><tool_name>add_note</tool_name><arguments><content>…</content> <tags><tag>a</tag></tags></arguments></tool>
help-completions = Vervollständigungen für eine Shell ausgeben
    .shell = Die Shell
    .after =
        Beispiele:
          scratchpad completions bash > ~/.local/share/bash-completion/completions/scratchpad
          scratchpad completions zsh > ~/.zfunc/_scratchpad
          scratchpad completions fish > ~/.config/fish/completions/scratchpad.fish
          scratchpad completions nushell | save -f ($nu.default-config-dir | path join autoload scratchpad.nu)
          scratchpad completions powershell >> $PROFILE

        Sie kennen Hosts, Einstellungen, Sitzungen, Notizen und Ausgaben.
help-man = Handbuchseiten in ein Verzeichnis schreiben
    .directory = Das Verzeichnis; es wird bei Bedarf angelegt
    .after =
        Beispiel:
          scratchpad man ~/.local/share/man/man1

        Je Befehl entsteht eine Seite: scratchpad.1, scratchpad-session.1, scratchpad-session-show.1.
help-config = Einstellungen: welche es gibt, woher ihre Werte kommen, wie man sie ändert
    .after =
        Beispiele:
          scratchpad config show
          scratchpad config set pad.notes_max_chars 8000
          SCRATCHPAD_PAD_NOTES_MAX_CHARS=8000 scratchpad config show
          scratchpad --config pad.notes_max_chars=8000 session show

        Vorrang: Vorgabe < Ihre Datei < die Datei des Projekts < Umgebung < --config. Die Datei des Projekts gehört dem, der das Repository geschrieben hat; darum darf sie nicht bestimmen, wohin Ihre Daten gehen.
help-config-show = Alle Einstellungen mit Wert und Herkunft auflisten
help-config-set = Eine Einstellung in Ihrer Datei ändern; Kommentare und Layout bleiben
    .key = Die Einstellung, wie `config show` sie nennt
    .value = Der neue Wert
    .project = Stattdessen in die Datei des Projekts schreiben
help-config-path = Ausgeben, wo Einstellungen und Daten liegen
help-config-schema = Ein JSON-Schema der Datei ausgeben, für Editoren
help-store = Der Speicher: alles kopieren oder sichern
help-store-copy = Alle Sitzungen, Notizen und Ausgaben eines Speichers in einen anderen kopieren und vergleichen
    .from = Der Speicher, aus dem gelesen wird
    .to = Der Speicher, in den geschrieben wird
    .rename_project = Wie ein Projekt am Ziel heißt [sonst: im gemeinsamen Speicher wie sein Repository, im eingebetteten wie sein Verzeichnis]
    .after =
        Beispiele:
          scratchpad store copy sqlite: .
          scratchpad store copy . sqlite:/backup/pad.db

        Ein Speicher ist `sqlite:`, `sqlite:/PFAD`, `postgres://…` oder `.` für den aus den Einstellungen. Eine abgebrochene Kopie wird beim nächsten Aufruf fortgesetzt. Was in TO abweicht, bleibt unverändert und wird gemeldet. FROM wird nur gelesen; stammt es von einer älteren Version, wird es wie bei jedem Befehl beim Öffnen auf den neuen Stand gebracht.
help-store-backup = Alles in eine einzige Datei schreiben und prüfen
    .file = Die Datei; dort darf noch nichts liegen
    .after =
        Beispiele:
          scratchpad store backup ~/pads-2026-11-19.db
          scratchpad store copy sqlite:/home/ann/pads-2026-11-19.db .

        Der Speicher darf in Benutzung sein: die Datei hat, was er zu Beginn der Sicherung enthielt. Zum Wiederherstellen die Datei in einen Speicher kopieren.
help-guidance = Ausgeben, was ein Agent über diese Werkzeuge wissen muss, für einen Systemprompt
    .tools = Die angebotenen Gruppen von Werkzeugen: pad, notes, outputs [Vorgabe: alle]
    .compact = Ein Werkzeug je Gruppe; belegt etwa halb so viel vom Kontextfenster
    .dotted_names = Das Werkzeug des Pads session.scratchpad nennen, für Hosts, die Punkte erlauben
    .after = Der MCP-Server sendet den Hosts denselben Text. Viele geben ihn an den Agenten weiter; Copilot CLI und Cline nicht.
help-hook = Ein Ereignis eines Hosts von der Standardeingabe beantworten; das rufen Hosts auf
    .host = Der Host: { $hooked } [Vorgabe: wird erkannt]
    .event = Das Ereignis, für Hosts, die es nicht auf der Standardeingabe nennen
    .tools = Der Host bietet die Werkzeuge an: sie erklären, wenn der Host es nicht tut
    .no_outputs = Große Ergebnisse von Werkzeugen unverändert lassen
    .name = Der Name des MCP-Servers von scratchpad in den Einstellungen des Hosts [Vorgabe: scratchpad]
    .after = `scratchpad install` trägt diese Aufrufe in die Dateien des Hosts ein. Die Antwort hat das Format des Hosts; schlägt etwas fehl, ist sie leer, der Exit-Code ist 0, und hook.log im Datenverzeichnis bekommt eine Zeile.
help-serve = Die Seite zeigen, auf der Sie sehen, was Ihre Agenten sich merken
    .listen = Die Loopback-Adresse, an der gelauscht wird; Port 0 wählt einen freien
    .open = Die Seite im Browser öffnen
    .log = Was auf stderr protokolliert wird
    .after =
        Beispiele:
          scratchpad serve --open
          scratchpad serve --listen 127.0.0.1:9000

        Es gibt einen Link aus, der einen Browser anmeldet, einmal und binnen zwei Minuten. Wo schon ein Server läuft, holt `scratchpad serve --open` einen neuen Link für ihn. Von einem anderen Rechner: ssh -L 8765:127.0.0.1:8765 HOST.
help-mcp = Einem Host die Werkzeuge anbieten, über Standardein- und -ausgabe oder HTTP
    .http = Stattdessen HTTP an dieser Adresse anbieten; Port 0 wählt einen freien
    .allow_host = Ein Name, den Clients für diesen Server verwenden dürfen, neben localhost und seiner Adresse
    .unix = Stattdessen HTTP an diesem Socket anbieten, nur für Programme dieses Benutzers
    .token_file = Das Token aus dieser Datei verlangen [Vorgabe: eines wird erzeugt]
    .no_token = Kein Token verlangen: jeder Benutzer dieses Rechners kann jedes Pad lesen und ändern
    .idle_timeout = Eine MCP-Sitzung schließen, die so lange untätig ist; was sie geschrieben hat, bleibt
    .tools = Die angebotenen Gruppen von Werkzeugen: pad, notes, outputs [Vorgabe: alle]
    .compact = Ein Werkzeug je Gruppe; belegt etwa halb so viel vom Kontextfenster
    .dotted_names = Das Werkzeug des Pads session.scratchpad nennen, für Hosts, die Punkte erlauben
    .structured = Zusätzlich strukturierte Daten senden, mit Schema je Werkzeug; belegt mehr vom Kontextfenster
    .journal = Die Sitzung in dieser Sitzungsdatei (JSON Lines) führen
    .log = Was auf stderr protokolliert wird
    .after =
        Beispiele:
          claude mcp add scratchpad -- scratchpad mcp
          scratchpad mcp --http 127.0.0.1:8765        antwortet unter http://127.0.0.1:8765/mcp
          scratchpad mcp --unix ~/pad.socket
          scratchpad mcp --compact --tools pad,notes

        Die Sitzung ist die erste von diesen: das Argument `session` des Aufrufs, --session, SCRATCHPAD_SESSION, die vom Host gemeldete, eine neue. Über HTTP bekommt jede MCP-Sitzung ihre eigene, wenn der Client nicht den Header Scratchpad-Session sendet.
help-prompt = Die Nachricht des Benutzers von der Standardeingabe lesen und mit dem Pad davor ausgeben
    .journal = Das Pad aus dieser Sitzungsdatei (JSON Lines) lesen statt aus dem Speicher
    .last_reply = Eine Datei mit der letzten Antwort des Agenten, für `nudge_on_plan`
    .compacted = Das Gespräch wurde seit der letzten Nachricht kompaktiert, für `nudge_after_compaction`
    .after =
        Beispiel:
          echo "Weiter mit dem Anmeldeformular." | scratchpad prompt --session "$MY_SESSION"

        Ein leeres Pad fügt nichts hinzu: der Text wird Byte für Byte ausgegeben. Kann das Pad nicht gelesen werden oder ist der Text zu groß, wird nur der Text ausgegeben, der Fehler geht nach stderr, und der Exit-Code ist 1.

        Mit einer der Einstellungen `nudge_…` steht zwischen Pad und Text eine Zeile, die den Agenten an sein Pad erinnert, wenn sie fällig ist; jeder Aufruf zählt dann als eine Runde der Sitzung.
help-proxy = Als Proxy vor einem MCP-Server große Ergebnisse aus dem Kontextfenster heraushalten
    .command = Der Server: ein Programm und seine Argumente
    .url = Stattdessen die Adresse eines Servers über HTTP
    .header = Mit --url: ein Header für jede Nachricht; ${"{"}VARIABLE{"}"} darin wird ersetzt
    .name = Der Name des Servers, für Regeln [Vorgabe: der seines Programms oder Rechners]
    .hide = Ein Werkzeug des Servers, das in seiner Liste fehlen soll, mit * für Beliebiges, so oft wie nötig; Aufrufe davon werden abgelehnt
    .grace = Wie lange der Server schweigen darf, wenn der Client weg ist, bevor er beendet wird
    .timeout = Mit --url: wie lange der Server schweigen darf, während eine Anfrage offen ist
    .wrap = Eine MCP-Konfigurationsdatei so umschreiben, dass ihre Server über den Proxy laufen
    .unwrap = --wrap rückgängig machen
    .dry_run = Mit --wrap oder --unwrap: die Änderungen als Diff ausgeben und nichts schreiben
    .after =
        Beispiele:
          claude mcp add files -- scratchpad proxy -- npx -y @modelcontextprotocol/server-filesystem .
          scratchpad proxy --url https://example.com/mcp --header 'Authorization: Bearer ${"{"}TOKEN{"}"}'
          scratchpad proxy --hide 'delete_*' -- npx -y server-name
          scratchpad proxy --wrap .mcp.json --dry-run
          scratchpad proxy --unwrap .mcp.json

        Alle Nachrichten gehen unverändert durch. Nur Texte über 4.096 Bytes in Ergebnissen von Werkzeugen werden aufbewahrt und durch eine kurze Referenz ersetzt, und zu den Werkzeugen des Servers kommen scratchpad_read und scratchpad_list hinzu. Regeln für einzelne Werkzeuge stehen in der Einstellung outputs.rules.

        Ein umgeschriebener Eintrag enthält alles, was zum Zurücknehmen nötig ist: die Datei wird Byte für Byte wiederhergestellt.
help-run = Einen Befehl ausführen; eine große Ausgabe wird aufbewahrt und durch eine Referenz ersetzt
    .command = Der Befehl und seine Argumente
    .tool = Der Name in der Liste der Ausgaben und in Regeln [Vorgabe: der Name des Befehls]
    .tee = Die Ausgabe schon während des Laufs auf stderr zeigen
    .after =
        Beispiele:
          scratchpad run -- cargo test
          scratchpad run --tool build --tee -- make -j8
          scratchpad run -- sh -c 'grep -rn TODO src | sort'

        Ist der Befehl beendet, wird alles, was er auf stdout und stderr geschrieben hat, in derselben Reihenfolge auf stdout ausgegeben: bis `outputs.threshold` (4.096 Bytes) unverändert, darüber als Referenz auf die aufbewahrte Ausgabe. Der Exit-Code ist der des Befehls; 127, wenn es den Befehl nicht gibt, 126, wenn er sich nicht ausführen lässt, 128 + N, wenn Signal N ihn beendet hat.

help-context = Kontextnotizen: was jeder Agent in diesem Projekt wissen soll
    .after =
        Beispiele:
          scratchpad context add "Deploys sind bis Freitag gesperrt"
          scratchpad context
          scratchpad context remove 1

        Die Notizen liegen in .scratchpad/scratch.yaml und sind privat. `scratchpad inject` schreibt sie in die Anweisungsdateien der Hosts; stehen sie dort, wird jede Änderung auch dort übernommen. Die für alle Projekte liegen bei Ihren Einstellungen.
    .global = Die Notizen für alle Ihre Projekte
help-context-add = Eine Notiz hinzufügen
    .note = Der Text; - oder keine Angabe liest die Standardeingabe
help-context-list = Die Notizen mit ihren Nummern auflisten (die Vorgabe)
help-context-remove = Eine Notiz entfernen
    .number = Die Nummer, wie `context list` sie zeigt
help-context-clear = Alle Notizen entfernen, auch eine Datei, die sich nicht lesen lässt

help-inject = Kontextnotizen und Arbeitsregeln in die Anweisungsdateien der Hosts schreiben
    .after =
        Beispiele:
          scratchpad inject                       vorhandene Dateien, eingerichtete Hosts
          scratchpad inject --tool claude --dry-run
          scratchpad inject --status
          scratchpad inject --uninstall

        Nur der Text zwischen <!-- scratchpad:start --> und <!-- scratchpad:end --> wird geändert, und --uninstall stellt jede Datei Byte für Byte wieder her.
    .project = In die Dateien dieses Projekts (die Vorgabe)
    .global = In Ihre Dateien für alle Projekte; mit den Kontextnotizen für alle
    .tools = Für diesen Host; mehrfach möglich: { $instructed }
    .all = Für alle bekannten Hosts
    .dry_run = Zeigen, was sich ändern würde, und nichts ändern
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
help-profile-use = Ab jetzt ein Profil verwenden und die Bereiche aktualisieren
    .name = Das Profil; `default` nimmt alle Pakete
    .project = Nur für dieses Projekt, in dessen Einstellungen, die geteilt werden können; bei seinen eigenen Profilen immer

help-project = Projekte: welche es gibt, und wie sie heißen
    .after =
        Beispiele:
          scratchpad project list
          scratchpad project rename shop
          scratchpad project rename "Der alte Laden" ~/work/shop

        Ein Repository ist ein Projekt, mit allen seinen Worktrees, wohin es auch verschoben wird. `scratchpad session list --all` listet die Sitzungen aller Projekte auf.
help-project-list = Die Projekte auflisten, für die etwas gespeichert ist, das zuletzt benutzte zuerst
help-project-rename = Einem Projekt einen Namen für Listen geben
    .name = Sein neuer Name; "" für den Namen seines Verzeichnisses
    .project = Das Projekt, mit seinem Pfad oder seinem Namen [Vorgabe: dieses]

help-note = Notizen: mit Schlagwörtern, durchsuchbar, in der Sitzung oder ihrem Projekt
    .after =
        Beispiele:
          scratchpad note add "Deploys brauchen das VPN" --tag deploy --scope project
          cargo test 2>&1 | tail -3 | scratchpad note scratch
          scratchpad note search vpn
          scratchpad note list --tag deploy --limit 5
          scratchpad note import memory.jsonl --scope project

        Die Suche achtet nicht auf Groß- und Kleinschreibung und findet auch Teile von Wörtern; Notizen, in denen der Text weiter vorn steht, kommen zuerst. Enthält ihn keine Notiz wörtlich, werden seine Wörter einzeln gesucht.
help-note-add = Eine Notiz speichern
    .text = Der Text; - oder keine Angabe liest die Standardeingabe
    .tags = Ein Schlagwort; mehrfach möglich
    .sources = Zeilen, von denen sie spricht, PFAD:ZEILE oder PFAD:ZEILE-ZEILE, neben denen, die ihr Text nennt; mehrfach möglich
    .scope = Wo die Notiz gespeichert wird [Vorgabe: im Projekt; in der Sitzung, wenn ein Agent aufruft oder eine angegeben ist]
help-note-scratch = Eine schnelle Notiz ohne Schlagwörter speichern
    .text = Der Text; - oder keine Angabe liest die Standardeingabe
help-note-update = Text, Schlagwörter oder Quellen einer Notiz ersetzen
    .id = Die ID der Notiz
    .content = Der neue Text; - liest die Standardeingabe
    .tags = Ein neues Schlagwort anstelle aller alten; mehrfach möglich
    .no_tags = Alle Schlagwörter entfernen
    .sources = Zeilen, von denen sie spricht, neben denen, die ihr Text nennt; mehrfach möglich
help-note-show = Eine Notiz vollständig zeigen
    .id = Die ID der Notiz
help-note-edit = Eine Notiz im Editor ändern
    .id = Die ID der Notiz
help-note-delete = Eine Notiz löschen
    .id = Die ID der Notiz
help-note-clear = Alle Notizen einer Sitzung (--session ID) oder des Projekts (--project) endgültig löschen
    .project = Die Notizen des Projekts
    .yes = Nicht nachfragen
help-note-list = Notizen auflisten, die zuletzt geänderten zuerst
    .tag = Nur Notizen mit diesem Schlagwort
    .limit = Wie viele [Vorgabe: 20]
    .all = Alle auflisten
    .before = Nach dieser Notiz der Liste weitermachen
help-note-search = Notizen nach Text, Schlagwörtern oder beidem finden, oder eine nach ihrer ID
    .query = Der gesuchte Text oder eine ID
    .tags = Ein Schlagwort, das die Notiz haben muss; mehrfach möglich
    .limit = Wie viele [Vorgabe: 20]
    .all = Alle auflisten
    .before = Nach dieser Notiz der Liste weitermachen
help-note-tags = Die verwendeten Schlagwörter mit ihrer Anzahl auflisten
help-note-promote = Eine Notiz aus der Sitzung in ihr Projekt verschieben
    .id = Die ID der Notiz
help-note-check = Sagen, was aus den Zeilen von Dateien geworden ist, von denen Notizen sprechen
    .stale = Nur die, die geändert oder nicht mehr da sind
    .fail = Mit 1 enden, wenn eine geändert oder nicht mehr da ist
help-note-pin = Eine Notiz des Projekts anheften: Jedes neue Gespräch bekommt sie ganz. Ohne ID: auflisten, was angeheftet ist
    .id = Die ID der Notiz
help-note-unpin = Eine Notiz nicht mehr anheften
    .id = Die ID der Notiz
help-note-export = Die Notizen der Sitzung oder des Projekts als JSON Lines ausgeben
    .scope = Welche Notizen [Vorgabe: die des Projekts; die der Sitzung, wenn ein Agent aufruft oder eine angegeben ist]
help-note-import = Notizen aus JSON Lines importieren: aus einem Export oder der Datei des MCP-Servers „memory“
    .file = Die Datei; - liest die Standardeingabe
    .scope = Wo die Notizen gespeichert werden [Vorgabe: im Projekt; in der Sitzung, wenn ein Agent aufruft oder eine angegeben ist]

help-output = Ausgaben: große Texte, vollständig aufbewahrt, in Ausschnitten gelesen
    .after =
        Beispiele:
          cargo test 2>&1 | scratchpad output put --tool "cargo test"
          scratchpad output list --query "connection refused"
          scratchpad output read 3fa9c1d2e4b5 --lines -40
          scratchpad output read 3fa9c1d2e4b5 --grep 'panicked at' --context 3
          scratchpad output read 3fa9c1d2e4b5 --expr '$.items[0:3]'
          scratchpad output read 3fa9c1d2e4b5 --expr 'group_by(.state) | map({"{"}state: .[0].state, n: length{"}"})'
          scratchpad output read 3fa9c1d2e4b5 --sql 'select state, count(*) from t group by state'

        Eine Ausgabe bleibt, bis sie 24 Stunden alt ist oder alle zusammen mehr als 50 MiB haben: einstellbar mit `outputs.max_age` und `outputs.max_total_bytes`. Was in der letzten Stunde benutzt wurde, bleibt.
help-output-put = Die Standardeingabe aufbewahren, wenn sie groß ist, und eine Referenz ausgeben; sonst sie selbst
    .tool = Was die Ausgabe erzeugt hat, für die Liste der Ausgaben und für Regeln
    .always = Auch kleine Texte aufbewahren
help-output-read = Eine Ausgabe Byte für Byte ausgeben, oder einen Ausschnitt davon
    .id = Die ID aus der Referenz
    .lines = Zeilen: 120-180, 120-, 120, oder -40 für die letzten 40
    .grep = Zeilen, auf die ein regulärer Ausdruck passt
    .context = Zeilen vor und nach jedem Treffer
    .ignore_case = Groß- und Kleinschreibung nicht unterscheiden
    .expr = Was ein Ausdruck in JSON findet: JSONPath, wenn er mit $ beginnt, sonst ein jq-Filter
    .sql = Die Zeilen, die eine Abfrage ergibt, als CSV: ein SELECT über die Tabelle t, die die Zeilen der Ausgabe hat
    .offset = Das erste Byte
    .limit = Höchstens so viele Bytes
help-output-list = Ausgaben auflisten, die neuesten zuerst
    .query = Nur Ausgaben, die diesen Text enthalten
    .tool = Nur Ausgaben von Werkzeugen, deren Name diesen Text enthält
    .limit = Wie viele
    .all = Aus allen Projekten
help-output-delete = Ausgaben löschen; meldet für jede, ob es sie gab
    .ids = Die IDs der Ausgaben
    .force = Auch Ausgaben, aus denen ein Pad gekürzt wurde
help-output-prune = Zu alte, überzählige, beschädigte und liegen gebliebene Ausgaben entfernen und melden, warum die anderen bleiben; geschieht auch von selbst
help-output-clear = Alle Ausgaben des Projekts löschen, außer denen, aus denen ein Pad gekürzt wurde
    .all = Die Ausgaben aller Projekte
    .force = Auch Ausgaben, aus denen ein Pad gekürzt wurde
help-output-stats = Zeigen, wie viel aufbewahrt wird

help-forget = Einen Text vergessen: ihn endgültig aus allem entfernen, was gespeichert ist
    .text = Der Text; von stdin, wenn er fehlt oder - ist
    .dry_run = Nur auflisten, was ihn enthält
    .yes = Nicht nachfragen
    .after =
        Beispiele:
          scratchpad forget --dry-run < key.txt
          scratchpad forget "Jane Doe"

        Gesucht wird genau dieser Text, in allen Projekten. In Pads, früheren Revisionen, Notizen und dem Protokoll der Hooks tritt [forgotten] an seine Stelle; Ausgaben, die ihn enthalten, werden gelöscht. Ein Geheimnis übergibt man besser über stdin als auf der Befehlszeile, die sich die Shell merkt. Danach werden alle Dateien von Scratchpad durchsucht, und jede, die den Text noch enthält, wird genannt.
help-secrets = Geheimnisse, die schon gespeichert sind
    .after =
        Beispiel:
          scratchpad secrets scan --mask

        Geheimnisse werden ersetzt, bevor ein Pad oder eine Notiz gespeichert wird; dieser Befehl findet die, die vorher gespeichert wurden, in allen Projekten, auch in früheren Revisionen. Mit --mask werden sie jetzt ersetzt und aus den Dateien des Speichers entfernt. Ausgaben werden nur aufgelistet.
help-secrets-scan = Die Pads, Notizen und Ausgaben auflisten, die Geheimnisse enthalten; beendet sich mit 1, wenn es welche gibt
    .mask = Sie ersetzen, außer in Ausgaben
    .yes = Nicht nachfragen
help-search = Einen Text in Pads, Notizen und Ausgaben zugleich finden
    .text = Der gesuchte Text
    .everywhere = In allen Projekten suchen
    .limit = Wie viele von jeder Art
    .after =
        Beispiel:
          scratchpad search "connection refused"

        Gefunden wird der Text selbst, groß oder klein geschrieben: in den Pads, wie sie jetzt sind, in Notizen und ihren Schlagwörtern und in Ausgaben.

help-audit = Die Transkripte der Hosts lesen: was das Fenster füllte und was Ausgaben sparen würden
    .host = Der Host: { $audited } [Vorgabe: alle, die da sind]
    .path = Ein Transkript oder ein Verzeichnis davon [Vorgabe: wo der Host sie aufhebt]
    .since = Nur Dateien, die in dieser Zeit geändert wurden, etwa 30d
    .after =
        Beispiele:
          scratchpad audit
          scratchpad audit claude --since 30d
          scratchpad audit codex ~/.codex/sessions/2026/11

        Gelesen werden die Transkripte, die Hosts aufheben; nichts wird geändert, und von ihrem Inhalt wird nichts gezeigt: Namen, Anzahlen und Größen. Was Ausgaben gespart hätten, ist eine Spanne, weil niemand weiß, was ein Agent wieder gelesen hätte. docs/savings.md sagt, wie gezählt wird.
help-stats = Zeigen, was aus dem Kontextfenster gehalten wurde und was das gekostet hat
    .everywhere = Alle Projekte zählen
    .since = Nur so lange zurück, in ganzen Tagen, etwa 7d
    .by = Die Summen aufteilen
    .plot = Ein Bild der Tage (SVG) in diese Datei schreiben
    .everybody = Auch zählen, was andere Autoren eines gemeinsamen Speichers taten
    .after =
        Beispiele:
          scratchpad stats
          scratchpad stats --since 7d --by tool
          scratchpad stats --session 9f0f1f6e
          scratchpad stats --since 60d --plot savings.svg

        Gezählt wird, was der Host von den Ergebnissen gezeigt hätte, die zu Ausgaben wurden; davon gehen ab: die Referenzen, was wieder gelesen wurde, unsere Werkzeuge in der Liste und was Hooks einfügten. Netto kann unter null liegen. Tokens sind geschätzt. docs/savings.md sagt, wie gezählt wird und was nicht.

help-session = Das Pad einer Sitzung: Notizen, Plan und Refs, mit jedem früheren Stand
    .after =
        Beispiele:
          scratchpad session set-notes "API liegt unter /v2"
          git diff --stat | scratchpad session append-notes
          scratchpad session refs add src/auth.rs:120
          scratchpad session show
          scratchpad session undo

        Texte können über die Standardeingabe kommen; ein Zeilenumbruch am Ende entfällt dann. Jede Änderung ist eine Revision: Ersetzen, Leeren und Zurücknehmen verlieren nichts.
    .journal = Das Pad in dieser Sitzungsdatei (JSON Lines) führen statt im Speicher
help-session-show = Das Pad anzeigen
    .revision = Den Inhalt eines Teils bei dieser Revision zeigen (siehe `session history`)
    .follow = Bei jeder Änderung neu zeigen, bis Strg-C
help-session-set-notes = Die Notizen ersetzen; zu lange werden gekürzt und vollständig als Ausgabe aufbewahrt
    .text = Der Text; ohne Angabe im Terminal Ihr Editor, sonst die Standardeingabe; "" leert
help-session-append-notes = Den Notizen eine Zeile anfügen; was nicht mehr passt, wird abgelehnt
    .text = Der Text; - oder keine Angabe liest die Standardeingabe
help-session-set-plan = Den Plan ersetzen; ein zu langer wird gekürzt und vollständig als Ausgabe aufbewahrt
    .text = Der Text; ohne Angabe im Terminal Ihr Editor, sonst die Standardeingabe; "" leert
help-session-mark = Punkte des Plans, Zeilen wie `- [ ] Cache reparieren`, markieren: pending (offen), active (in Arbeit), done (erledigt), blocked (blockiert), dropped (verworfen)
    .items = Die Punkte: Nummern ab 1, oder wie ihr Text beginnt
    .state = Ihr neuer Zustand: pending, active, done, blocked, dropped
help-session-refs = Die Refs: Pfade, Links, IDs
help-session-refs-add = Eine Ref als neueste hinzufügen; ist die Liste voll, entfällt die älteste
    .reference = Ein Pfad, ein Link oder eine ID
help-session-refs-remove = Eine Ref anhand ihres genauen Textes entfernen
    .reference = Die Ref, wie `refs list` sie zeigt
help-session-refs-set = Alle Refs ersetzen; ohne Angabe werden sie geleert
    .references = Die Refs, die älteste zuerst
help-session-refs-list = Die Refs auflisten, eine je Zeile
help-session-history = Die Revisionen auflisten, die neuesten zuerst
    .limit = Wie viele
help-session-undo = Die letzte Änderung zurücknehmen; noch einmal: die davor
help-session-restore = Einen Teil auf den Inhalt einer Revision zurücksetzen
    .revision = Die Nummer der Revision (siehe `session history`)
help-session-list = Die Sitzungen des Projekts auflisten, die zuletzt geschriebenen zuerst
    .all = Aus allen Projekten
    .limit = Wie viele
help-session-delete = Sitzungen endgültig löschen: Pad, Verlauf, Notizen und die Ausgaben, die sonst niemand aufbewahrt
    .ids = Ihre IDs
    .force = Eine Sitzung auch dann löschen, wenn ein laufender Agent sie benutzt
help-session-clear = Alle Sitzungen des Projekts endgültig löschen, außer denen laufender Agenten
    .all = Die Sitzungen aller Projekte
    .yes = Nicht nachfragen
help-session-fork = Eine neue Sitzung mit einer Kopie des Pads einer anderen beginnen, für einen Helfer oder eine Übergabe
    .from = Die Sitzung, die kopiert wird
    .new = Die ID der neuen Sitzung [Vorgabe: wird erzeugt]
help-session-export = Das Pad als Zeilen einer Sitzungsdatei (JSON Lines) ausgeben
    .jsonl = Als JSON Lines (die Vorgabe)
help-session-import = Das Pad aus einer Sitzungsdatei (JSON Lines) übernehmen
    .file = Die Datei; - liest die Standardeingabe

help-setup = Die Hosts hier finden, einrichten und zeigen, dass sie funktionieren
    .yes = Nicht fragen: jeden gefundenen Host einrichten
    .nudges = Hinweise für einen Agenten, der sein Pad vergisst, in Ihren Einstellungen
    .after =
        Beispiel:
          scratchpad setup

        Der Befehl findet die Hosts dieses Rechners, sagt, was er schreiben und ändern würde, fragt einmal, richtet sie ein und spielt in jedem eine Kompaktierung nach. `scratchpad uninstall --all` macht das rückgängig; Hinweise schaltet `scratchpad install --nudges off` aus.
help-install = Hosts einrichten: MCP-Server und Hooks, in deren eigenen Dateien
    .after =
        Beispiele:
          scratchpad install claude
          scratchpad install --all --dry-run
          scratchpad install claude --no-outputs
          scratchpad install claude --nudges gentle

        Die Dateien eines Hosts werden alle geändert oder keine, und ein Host, bei dem es scheitert, hält die anderen nicht auf. Alles andere in den Dateien bleibt, wie es ist, auch Kommentare und Layout. Der vorherige Stand liegt im Datenverzeichnis, damit `scratchpad uninstall` ihn Byte für Byte wiederherstellen kann.
    .hosts = Die Hosts: { $installable }
    .all = Alle gefundenen Hosts
    .project = Die Dateien des Repositorys statt Ihrer eigenen
    .dry_run = Zeigen, was sich ändern würde, und nichts ändern
    .name = Der Name des MCP-Servers von scratchpad in deren Einstellungen [Vorgabe: scratchpad]
    .statusline = Plan und Ausgaben in der Statuszeile des Hosts zeigen, wenn er eine hat und sie frei ist
    .nudges = Hinweise für einen Agenten, der sein Pad vergisst, in Ihren Einstellungen
    .no_outputs = Große Ergebnisse von Werkzeugen unverändert lassen, statt sie durch Referenzen zu ersetzen
help-uninstall = Rückgängig machen, was `install` geschrieben hat
    .after = Eine Datei, die seither nicht geändert wurde, wird wiederhergestellt; aus jeder anderen werden nur die Einträge von scratchpad entfernt.
    .hosts = Die Hosts: { $installable }
    .all = Alle gefundenen Hosts
    .project = Die Dateien des Repositorys statt Ihrer eigenen
    .dry_run = Zeigen, was sich ändern würde, und nichts ändern
    .name = Der Name des MCP-Servers von scratchpad in deren Einstellungen [Vorgabe: scratchpad]
help-doctor = Zeigen, welche Hosts eingerichtet sind und was nicht stimmt
    .after =
        Beispiele:
          scratchpad doctor
          scratchpad doctor --prove claude
          scratchpad doctor --ignore qwen
    .prove = Eine Kompaktierung durch den Hook-Befehl eines Hosts nachspielen und zeigen, was sein Agent bekäme
    .ignore = Einen Host auslassen, der nicht verwendet wird; steht in den Einstellungen
    .check = Einen ausgelassenen Host wieder prüfen
help-statusline = Eine kurze Zeile für die Statuszeile eines Hosts ausgeben
    .after =
        Beispiel:
          scratchpad install claude --statusline

        Claude Code nennt die Sitzung auf der Standardeingabe; sonst ist die neueste des Projekts gemeint. Was auch schiefgeht: die Zeile ist dann leer und der Exit-Code 0.
help-plugin = Ein Plugin für Claude Code, Codex, Copilot CLI und Gemini CLI schreiben
    .after =
        Beispiel:
          scratchpad plugin ./scratchpad-plugin
          claude plugin marketplace add ./scratchpad-plugin
          claude plugin install scratchpad@scratchpad
          gemini extensions install ./scratchpad-plugin/gemini-extension
    .directory = Das Verzeichnis, in das geschrieben wird
    .program = Wie Hosts scratchpad starten [Vorgabe: sein Name, wenn er über PATH gefunden wird, sonst sein Pfad]
