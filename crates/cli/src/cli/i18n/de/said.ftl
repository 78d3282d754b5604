# Was die unteren Schichten auf Englisch sagen, auf Deutsch.

# What ends an error that changed nothing.
said-unchanged = Nichts wurde geändert.

# Phrases within messages.
said-one-note = 1 Notiz
said-some-notes = { $number } Notizen
said-part-of-note = { $shown } von 1 Notiz
said-part-of-notes = { $shown } von { $number } Notizen
said-one-tag = 1 Schlagwort
said-some-tags = { $number } Schlagwörter
said-one-item = 1 Eintrag
said-some-items = { $number } Einträge
said-is-one-ref = gibt es 1 Verweis
said-are-refs = gibt es { $number } Verweise

# Writes of the pad.
said-notes-saved = Notizen gespeichert ({ $used } / { $max } Zeichen).
said-plan-saved = Plan gespeichert ({ $used } / { $max } Zeichen).
said-notes-cut = Notizen auf { $max } Zeichen gekürzt ({ $given } gegeben): bitte kürzer fassen.
said-plan-cut = Plan auf { $max } Zeichen gekürzt ({ $given } gegeben): bitte kürzer fassen.
said-ref-added = Verweis hinzugefügt ({ $used } / { $max }).
said-ref-removed = Verweis entfernt ({ $used } / { $max }).
said-refs-saved = Verweise gespeichert ({ $used } / { $max }).
said-refs-first = Verweise gespeichert: die ersten { $max } von { $given }.
said-oldest-dropped = Ältester entfernt: { $ref }
said-more-dropped = { $number } älteste entfernt, zuerst: { $ref }
said-output-kept = Das Ganze ist Ausgabe { $id } (`scratchpad output read { $same }`).

# Notes.
said-note-saved = { $id } gespeichert ({ $count }).
said-note-updated = Geändert: { $note }
said-note-moved = { $id } in das Projekt verschoben.
said-note-deleted = { $id } gelöscht (noch { $count }).
said-notes-listed = { $count }, neueste zuerst:
said-notes-listed-tagged = { $count } mit Schlagwort { $tags }, neueste zuerst:
said-notes-found = { $count } mit { $query }:
said-notes-found-tagged = { $count } mit Schlagwort { $tags } und { $query }:
said-notes-words = Keine enthält { $query } wörtlich; { $count } mit den Wörtern daraus:
said-notes-words-tagged = Keine mit Schlagwort { $tags } enthält { $query } wörtlich; { $count } mit den Wörtern daraus:
said-notes-none = Keine Notizen.
said-notes-none-tagged = Keine Notizen mit Schlagwort { $tags }.
said-notes-without = Keine Notiz enthält { $query } oder die Wörter daraus.
said-notes-without-tagged = Keine Notiz mit Schlagwort { $tags } enthält { $query } oder die Wörter daraus.
said-notes-more = { $number } weitere: ein größeres `--limit`, oder nach Text oder Schlagwort suchen.
said-notes-left-out = { $count } ausgelassen, diese Antwort ist voll (höchstens { $bytes } Bytes): { $ids }. Enger suchen, oder nach Schlagwort.
said-tags-none = Keine Schlagwörter.
said-tags-left-out = { $count } ausgelassen: diese Antwort ist voll. Die Suche findet auch nach ihnen.

# Errors of context notes.
said-context-empty = Kontextnotiz nicht hinzugefügt: sie ist leer.
said-context-empty-hint = sagen, was Agenten wissen sollen: `scratchpad context add "Deploys sind gesperrt"`.
said-context-long = Kontextnotiz nicht hinzugefügt: { $given } Bytes, erlaubt sind { $max }.
said-context-long-hint = den Text in eine Datei legen und in einer Notiz auf sie verweisen.
said-context-full = Die Kontextnotizen hätten { $given } Bytes, erlaubt sind { $max }.
said-context-full-hint = `scratchpad context remove N` schafft Platz.
said-context-none = Es gibt keine Kontextnotiz { $number }: es gibt gar keine.
said-context-only-one = Es gibt keine Kontextnotiz { $number }: es gibt nur Nummer 1.
said-context-range = Es gibt keine Kontextnotiz { $number }: sie sind von 1 bis { $last } nummeriert.
said-context-list-hint = `scratchpad context list` zeigt sie mit ihren Nummern.
said-context-correct = die Datei berichtigen oder mit `scratchpad context clear` entfernen.
said-context-correct-older = die Datei berichtigen oder mit `scratchpad context clear` ungelesen lassen.
said-yaml-list = Zeile { $line }, Spalte { $column }: hier wird eine Liste von Texten erwartet.
said-yaml-text = Zeile { $line }, Spalte { $column }: hier wird ein Text erwartet.
said-yaml-mapping = Zeile { $line }, Spalte { $column }: hier wird eine Zuordnung mit dem Schlüssel `notes` erwartet.
said-yaml-bomb = Zeile { $line }, Spalte { $column }: das wiederholt oder verschachtelt sich zu oft.
said-at-line = Zeile { $line }, Spalte { $column }: { $what }

# Errors of injection, packs and profiles.
said-region-second = Zeile { $line } beginnt einen zweiten Bereich.
said-region-nested = Zeile { $line } beginnt einen zweiten Bereich innerhalb dessen von Zeile { $first }.
said-region-unopened = Zeile { $line } beendet einen Bereich, der nicht beginnt.
said-region-unclosed = Zeile { $line } beginnt einen Bereich, der nicht endet.
said-region-hint = die Markenzeilen `<!-- scratchpad:… -->` und was dazwischen steht entfernen, dann noch einmal versuchen.
said-no-tool = Es gibt kein Werkzeug { $tool }.
said-no-tool-hint = bekannt sind { $tools }.
said-no-file = { $host } hat keine Anweisungsdatei für --{ $reach }.
said-no-host = Hier wurde kein Host gefunden.
said-no-host-hint = einen nennen, zum Beispiel `scratchpad inject --tool claude`, oder --all nehmen.
said-no-home-hosts = Es gibt kein Heimatverzeichnis, um Hosts zu finden: HOME ist kein absoluter Pfad.
said-no-home-hosts-hint = HOME setzen oder --project nehmen.
said-no-profile = Es gibt kein Profil { $profile }.
said-no-profile-hint = `scratchpad profile list` zeigt sie.
said-missing-pack = Das Profil { $profile } verlangt das Paket { $pack }, das es nicht gibt.
said-pack-link = { $path } ist ein Link aus dem Projekt hinaus.
said-pack-link-hint = die Datei ins Projekt kopieren oder das Paket neben die eigenen Einstellungen legen.
said-packs-full = { $path } hat mehr als die erlaubten { $max } Bytes; die Pakete dahinter fehlen.
said-pack-no-id = `id` fehlt.
said-pack-weight = `weight` ist eine ganze Zahl.
said-pack-text = `{ $key }` ist ein Text.
said-profile-packs = `packs` ist eine Liste von Namen.
said-pack-key = es gibt keinen Schlüssel { $key }.
said-pack-keys = die Schlüssel sind { $keys }.
said-pack-toml = kein gültiges TOML: Zeile { $line }: { $what }

# Errors of sessions.
said-session-none = In { $project } gibt es noch keine Sitzung.
said-session-none-hint = eine beginnen: `scratchpad session set-notes TEXT`; oder eine nennen mit --session ID.
said-session-unknown = Es gibt keine Sitzung { $session }.
said-session-list-hint = `scratchpad session list --all` listet die Sitzungen.
said-nearest = am nächsten: { $ids }.
said-session-there = Es gibt schon eine Sitzung { $session }.
said-session-there-hint = einen anderen Namen wählen, oder ihn weglassen und einen neuen bekommen.
said-session-id-empty = Der Sitzungsname ist leer: er besteht aus 1 bis { $max } druckbaren ASCII-Zeichen ohne Leerzeichen.
said-session-id-long = Der Sitzungsname hat { $given } Zeichen: er besteht aus 1 bis { $max } druckbaren ASCII-Zeichen ohne Leerzeichen.
said-session-id-bad = Der Sitzungsname { $id } enthält das Zeichen { $bad }: er besteht aus 1 bis { $max } druckbaren ASCII-Zeichen ohne Leerzeichen.
said-journal-and-session = --journal und --session schließen sich aus: das Journal ist die Sitzung.
said-journal-list = Ein Journal enthält eine Sitzung, eine Liste von Journalen gibt es nicht.
said-journal-list-hint = --journal weglassen, um die Sitzungen des Speichers zu listen.
said-journal-kind = Das Journal { $path } ist keine gewöhnliche Datei ({ $kind }).
said-journal-kind-hint = eine Datei nennen; sie wird angelegt, wenn es sie nicht gibt.
said-append-long = Notizen nicht angehängt: { $there } vorhandene und { $given } neue Zeichen sind { $sum }, erlaubt sind { $max }.
said-append-long-hint = die Notizen kürzer fassen oder weniger anhängen.
said-ref-empty = Ein Verweis ist leer: einen Pfad, einen Link oder einen Namen angeben.
said-ref-empty-hint = um alle Verweise zu löschen, eine leere Liste setzen.
said-ref-long = Ein Verweis hat { $given } Zeichen, erlaubt sind { $max }.
said-ref-long-hint = ein Verweis zeigt auf etwas: langen Text in die Notizen schreiben, oder in eine Datei und ihren Pfad hinzufügen.
said-ref-unknown = Kein Verweis ist gleich { $ref }; es { $count }.
said-ref-unknown-hint = ein Verweis wird mit seinem genauen Text entfernt.
said-text-long = Der Text hat { $given } Bytes, erlaubt sind { $max } je Aufruf.
said-text-long-hint = ihn in einer Datei aufbewahren und ihren Pfad als Verweis hinzufügen.
said-undo-none = Nichts rückgängig zu machen: keine Änderung ist übrig.
said-undo-none-hint = `scratchpad session history` listet die Revisionen, `session restore REV` holt eine zurück.
said-revision-none = Keine Revision { $number }: noch wurde nichts geschrieben.
said-revision-range = Keine Revision { $number }: die Sitzung hat 1 bis { $last }.
said-revision-hint = `scratchpad session history` listet sie.
said-text-missing = Der Text fehlt.
said-text-missing-hint = ihn als Argument angeben ("" ist der leere Text) oder über die Standardeingabe.

# Errors of notes.
said-note-blank = Notiz nicht gespeichert: der Text ist leer.
said-note-blank-hint = angeben, was zu merken ist.
said-note-long = Notiz nicht gespeichert: { $given } Zeichen, erlaubt sind { $max }.
said-note-long-hint = sie in kürzere Notizen teilen.
said-note-tags = Notiz nicht gespeichert: { $given } Schlagwörter, erlaubt sind { $max }.
said-note-tags-hint = die Schlagwörter behalten, nach denen gesucht wird.
said-tag-blank = Notiz nicht gespeichert: ein Schlagwort ist leer.
said-tag-blank-hint = es weglassen.
said-tag-long = Notiz nicht gespeichert: ein Schlagwort hat { $given } Zeichen, erlaubt sind { $max }.
said-tag-long-hint = ein Schlagwort ist ein Wort oder zwei: der Rest gehört in den Text.
said-tag-control = Notiz nicht gespeichert: das Schlagwort { $tag } enthält das Steuerzeichen { $bad }.
said-tag-control-hint = ein Schlagwort ist eine Zeile Text.
said-note-id = { $id } ist kein Name einer Notiz: er besteht aus note_ und Ziffern.
said-note-id-hint = `note list` und `note search` zeigen die Namen.
said-note-unknown = Hier gibt es keine { $id }.
said-note-unknown-none = in dieser Sitzung und ihrem Projekt gibt es noch keine Notizen.
said-note-nearest = die nächsten Namen: { $ids }.
said-note-update = Sagen, was ersetzt werden soll: --content, --tag oder --no-tags.
said-limit = { $command }: `limit` ist 1 bis { $max }; gegeben wurde { $given }.
said-many-tags = { $given } Schlagwörter, keine Notiz hat mehr als { $max }.
said-import-line = Zeile { $line }: { $what }
said-import-unreadable = Die Datei war nicht lesbar: { $what }

# Errors of files, settings and the store.
said-did-you-mean = war { $names } gemeint?
said-cant-read = Kann { $path } nicht lesen: { $why }.
said-cant-write = Kann { $path } nicht schreiben: { $why }.
said-cant-remove = Kann { $path } nicht entfernen: { $why }.
said-cant-lock = Kann { $path } nicht sperren: { $why }.
said-cant-make = Kann das Verzeichnis { $path } nicht anlegen: { $why }.
said-cant-make-hint = es selbst anlegen, oder mit SCRATCHPAD_HOME=DIR einen anderen Ort wählen.
said-cant-find = Kann das Verzeichnis { $path } nicht finden: { $why }.
said-cant-use = Kann das Verzeichnis { $path } nicht benutzen: { $why }.
said-in-place-hint = wegräumen, was an seiner Stelle ist, oder das Verzeichnis selbst anlegen.
said-writable-hint = es beschreibbar machen.
said-space-hint = Platz schaffen, dann noch einmal versuchen.
said-is-directory = { $path } ist ein Verzeichnis, keine Datei.
said-is-directory-only = { $path } ist ein Verzeichnis.
said-not-regular = { $path } ist keine gewöhnliche Datei.
said-too-large = { $path } hat mehr als die erlaubten { $max } Bytes.
said-not-text = { $path } ist kein UTF-8-Text.
said-busy = Ein anderer Prozess hielt { $path } länger als { $time } ms.
said-busy-hint = noch einmal versuchen; `store.busy_timeout_ms` sagt, wie lange gewartet wird.
said-stdin-long = Über die Standardeingabe kamen mehr als die erlaubten { $max } Bytes.
said-stdin-text = Die Standardeingabe ist kein UTF-8: Byte { $byte } an Stelle { $at }.
said-stdin-text-hint = sie erst umwandeln, zum Beispiel mit `iconv -f LATIN1 -t UTF-8`.
said-no-home = Es gibt kein Heimatverzeichnis für Daten: HOME ist kein absoluter Pfad.
said-no-home-hint = sagen, wo sie liegen sollen: SCRATCHPAD_HOME=DIR.
said-no-language = Es gibt keine Sprache { $name }. Die Sprachen sind `en` und `de`.
said-no-option = diese Option gibt es nicht; soll es Text sein, über die Standardeingabe angeben
said-not-a-number = keine ganze Zahl
said-came-from = er kam von { $place }.
said-no-setting = Es gibt keine Einstellung { $name }.
said-no-setting-hint = `scratchpad config show` listet die Einstellungen.
said-setting-whole = `{ $name }` ist eine ganze Zahl von { $min } bis { $max }; gegeben wurde { $given }.
said-setting-text = `{ $name }` ist ein Text; gegeben wurde { $given }.
said-setting-language = `language` ist auto, en oder de; gegeben wurde { $given }.
said-setting-flag = --config nimmt NAME=WERT; gegeben wurde { $given }.
said-setting-data = Ein Projekt darf `{ $name }` nicht setzen: es sagt, wohin Ihre Daten gehen.
said-setting-yours = Ein Projekt darf `{ $name }` nicht setzen: Sie entscheiden, was Sie lesen.
said-setting-project-hint = es für sich selbst setzen: `scratchpad config set { $name } WERT`.
said-setting-toml = { $path } ist kein gültiges TOML: Zeile { $line }, Spalte { $column }: { $what }
said-store-newer = { $path } wurde von einem neueren scratchpad geschrieben (Schema { $version }, dieses kennt { $known }).
said-store-newer-hint = scratchpad aktualisieren, oder mit SCRATCHPAD_HOME=DIR einen anderen Ort wählen.
said-store-other = { $path } ist keine Datenbank von Scratchpad.
said-store-other-hint = sie wegräumen (dann wird eine neue angelegt), oder mit SCRATCHPAD_HOME=DIR einen anderen Ort wählen.
said-store-damaged = { $path } ist beschädigt ({ $why }).
said-store-damaged-hint = die Datei zuerst sichern; `sqlite3 FILE .recover` rettet vielleicht ihren Inhalt.
said-store-closed = Kann { $path } nicht zum Schreiben öffnen ({ $why }).
said-store-closed-hint = die Datei und ihr Verzeichnis beschreibbar machen, oder mit SCRATCHPAD_HOME=DIR einen anderen Ort wählen.
said-store-full = Der Datenträger ist voll: { $path } konnte nicht geschrieben werden.

# Der Server eines Teams.
said-server-newer = Das Schema { $schema } in { $place } wurde von einem neueren scratchpad geschrieben (Schema { $version }, dieses kennt { $known }).
said-server-newer-hint = scratchpad aktualisieren, oder ein anderes Schema nennen: `?schema=NAME` am Ende von `store.url`.
said-server-other = Das Schema { $schema } in { $place } hat Tabellen, die nicht von Scratchpad sind.
said-server-other-hint = ein anderes Schema nennen: `?schema=NAME` am Ende von `store.url`.
said-server-closed = Das Schema { $schema } in { $place } ist für diese Rolle nicht offen.
said-server-closed-hint = in `store.url` eine Rolle des Teams nennen, dem es gehört, oder das eigene Schema: `?schema=NAME`.
said-server-old = { $place } ist PostgreSQL { $version }; nötig ist { $oldest } oder neuer.
said-server-old-hint = in `store.url` einen neueren Server nennen.
said-server-encoding = Die Datenbank { $place } hat die Kodierung { $encoding }; nötig ist UTF8.
said-server-encoding-hint = eine anlegen, die sie hat: `createdb --encoding=UTF8 --template=template0 NAME`.
said-server-url = `store.url` ist keine URL für PostgreSQL: { $why }.
said-server-no-connection = Keine Verbindung zu { $place }: { $why }.
said-server-password-hint = Benutzer und Passwort prüfen; in `store.url` werden Zeichen wie @ und / als %40 und %2F geschrieben.
said-server-no-password-hint = das Passwort in `~/.pgpass` (`HOST:PORT:DATABASE:USER:PASSWORD`, Modus 0600), `PGPASSWORD` oder `store.url` schreiben.
said-server-tls-hint = `sslmode` in `store.url` prüfen; `sslrootcert=DATEI` nennt die Stelle, die einem Server traut, dem Browser nicht trauen.
said-server-role-hint = den Benutzer in `store.url` prüfen, und wen pg_hba.conf des Servers einlässt; `sslmode=require`, wenn er TLS verlangt.
said-server-database-hint = sie anlegen (`createdb NAME`), oder in `store.url` eine andere nennen.
said-server-reach-hint = Host, Port und sslmode in `store.url` prüfen, und ob der Server läuft und von hier erreichbar ist.
said-server-silent = { $place } hat { $time } ms lang nicht geantwortet.
said-server-silent-hint = prüfen, ob der Server läuft und von hier erreichbar ist; `store.busy_timeout_ms` sagt, wie lange gewartet wird.
said-server-busy = { $place } war { $time } ms lang beschäftigt.
said-server-busy-hint = noch einmal versuchen; `store.busy_timeout_ms` sagt, wie lange gewartet wird.
said-server-in-use = Alle Verbindungen zu { $place } waren { $time } ms lang in Gebrauch.
said-server-lost = Die Verbindung zu { $place } ging verloren.
said-server-lost-hint = prüfen, ob der Server läuft; scratchpad verbindet sich von selbst wieder, also einfach wiederholen.
said-server-unsure = Die Verbindung zu { $place } ging verloren, während die Änderung gespeichert wurde: ob sie es ist, ist nicht bekannt.
said-server-unsure-hint = vor dem Wiederholen nachsehen, was gespeichert ist.
said-server-no-index = Suchen in { $place } haben keinen Index und sind langsamer: { $why }. In docs/postgres.md steht, was ein Administrator tun kann.
said-server-refuses = { $place } lehnt es ab: { $why }.
said-server-full = Der Datenträger von { $place } ist voll.
said-server-standby = { $place } kann nur gelesen werden: er ist eine Kopie, oder so eingestellt.

# Ausgaben.
said-output-bad-id = { $id } ist keine Kennung einer Ausgabe: eine Kennung hat 12 bis 64 Hexadezimalziffern, angegeben sind { $chars } Zeichen.
said-output-unknown = Es gibt keine Ausgabe { $id }: sie wurde hier nie aufbewahrt.
said-output-removed = Ausgabe { $id } wird nicht mehr aufbewahrt: sie wurde um { $time } entfernt.
said-output-gone = Ausgabe { $id } ist beschädigt: { $path } ist weg.
said-output-damaged = Ausgabe { $id } ist beschädigt: { $path } enthält nicht, was aufbewahrt wurde.
said-output-again = führe aus, was sie erzeugt hat, noch einmal.
said-output-lines = `lines` hat die Form "120-180" oder "-40" (die letzten 40); angegeben ist { $given }.
said-output-ways = scratchpad_read: `lines`, `grep` und `json` gehen nicht zusammen: nur eine Art zu schneiden.
said-output-lines-bytes = scratchpad_read: `lines` geht nicht mit `offset` oder `limit`: nur eine Art zu schneiden.
said-output-grep = `grep` ist bei Zeichen { $place }, vor { $rest }, nicht lesbar: { $why }.
said-output-grep-large = `grep` ist zu groß: übersetzt braucht es mehr als { $max } Bytes.
said-output-filter = `json` ist bei Zeichen { $place }, vor { $rest }, kein lesbarer jq-Filter: { $why }.
said-output-filter-end = `json` ist an seinem Ende kein lesbarer jq-Filter: { $why }.
said-output-path = `json` ist bei Zeichen { $place }, vor { $rest }, kein lesbarer JSONPath.
said-output-path-end = `json` ist an seinem Ende kein lesbarer JSONPath.
said-output-probe-time = `{ $way }` wurde angehalten: es dauerte länger als { $seconds } Sekunden.
said-output-probe-memory = `{ $way }` wurde angehalten: es brauchte zu viel Speicher, oder etwas ist zu tief verschachtelt.
said-output-probe-answer = `{ $way }` wurde angehalten: es antwortete mehr als { $max } Bytes.
said-output-json-less = verlange weniger: limit(10; …), oder einen engeren Pfad.
said-output-json-halted = `json` hielt mit { $code } an.
said-output-grep-less = verlange weniger: ein einfacheres Muster, oder `lines`.
said-output-not-json = Diese Ausgabe ist weder JSON noch JSON Lines ({ $why }).
said-output-not-json-hint = schneide sie mit `grep` oder `lines`.
said-output-no-match = Kein Treffer in Ausgabe { $id } ({ $bytes } Bytes).
said-output-no-result = Der Ausdruck findet nichts in Ausgabe { $id }.
said-output-past = Dort ist nichts: Ausgabe { $id } hat { $bytes } Bytes.
said-output-past-lines = Dort ist nichts: Ausgabe { $id } hat { $bytes } Bytes in { $lines } Zeilen.
said-output-one-match = 1 Treffer.
said-output-matches = { $count } Treffer.
said-output-one-result = 1 Ergebnis.
said-output-results = { $count } Ergebnisse.
said-output-part = N@B: Teil der langen Zeile N ab Byte B.
said-output-shown-lines = Zeilen { $range } von { $total }.
said-output-shown-bytes = Bytes { $range } von { $total }.
said-output-whole = Ganze Ausgabe { $id }: { $bytes } Bytes.
said-output-not-text = Bytes, die kein UTF-8 sind, stehen als { $form }.
said-output-query = `query` ist ein Text von 1 bis { $max } Zeichen; angegeben sind { $chars }.

# Hosts.
said-host-unnamed = Kein Host wurde genannt.
said-host-unnamed-hint = nennen Sie welche, oder geben Sie --all für die gefundenen an: { $names }.
said-host-not-ours = Es gibt schon eine Datei { $path }, die nicht unsere ist.
said-host-not-ours-hint = verschieben Sie sie, oder rufen Sie scratchpad selbst aus ihr auf.
said-host-meanwhile = { $path } wurde inzwischen von jemand anderem geschrieben.
said-host-again = versuchen Sie es noch einmal.
said-host-no-compaction = { $host } hat keine Ereignisse um eine Kompaktierung.
said-host-claude = VS Code führt diese Hooks auch aus: richten Sie dort keine anderen ein.
said-host-codex = Codex führt keinen Hook aus, bevor Sie ihn bestätigen: starten Sie codex, tippen Sie /hooks, und vertrauen Sie denen von scratchpad.
said-host-qwen = Qwen Code versteckt Werkzeuge hinter einer Suche; `tools.toolSearch.enabled: false` in seinen Einstellungen zeigt sie sofort.
said-host-vscode = Hooks kommen aus den Einstellungen von Claude Code, die VS Code liest: `scratchpad install claude` schreibt sie.
said-host-no-hooks = Kein Hook stellt das Pad vor seinen Agenten: er ruft die Werkzeuge selbst auf, wie seine Anweisungen sagen.
said-host-no-rules = { $host } hat Regeln für alle Projekte in keiner Datei: fügen Sie in seine Einstellungen ein, was `scratchpad guidance` ausgibt, oder rufen Sie in einem Repository `scratchpad install { $name } --project` auf.
said-host-no-servers = { $host } hat MCP-Server nur für alle Projekte: rufen Sie auch `scratchpad install { $name }` auf.
said-host-goose = Damit der Agent den Block in jeder Runde vor sich hat, starten Sie ihn mit einer eigenen Datei dafür: GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.

# Boundaries.
said-leads-out = { $path } ist ein Verweis oder liegt hinter einem: auf { $meant }, außerhalb des Projekts.
said-leads-out-hint = eine Datei an die Stelle des Verweises legen, wenn sie dort stehen soll.
said-place-of-another = { $path } gehört jemand anderem (Nummer { $owner }), der lesen und ändern könnte, was dort liegt.
said-place-of-another-hint = mit SCRATCHPAD_HOME=DIR einen eigenen Ort wählen.
said-log-too-large = Die Sitzungsdatei hat mehr als { $limit } Bytes von diesem Pad, das ist die Grenze.
said-log-too-large-hint = eine neue Datei mit dem Ende von dieser beginnen: `tail -n 1000 OLD > NEW`; der letzte Eintrag jedes Bereichs zählt.
said-unconfirmed = { $path } wurde geschrieben, aber das Laufwerk hat es nicht bestätigt: { $why }.
said-unconfirmed-hint = nach dem Laufwerk sehen: ein Stromausfall kann zurückbringen, was vorher da war.
said-check-integrity-passed = die kurze Prüfung ist bestanden
said-check-free = { $bytes } Bytes sind frei
said-check-latency = { $time } ms hin und zurück
said-check-indexed = da, durch pg_trgm
said-check-in-database = in der Datenbank
said-check-stored = { $place } hat eines gespeichert, gelesen und entfernt
said-check-not-indexed = Suchen haben keinen Index und sind langsamer.
said-check-file = Datei
said-check-integrity = Unversehrtheit
said-check-disk = Platte
said-check-search = Suchindex
said-check-time = Antwortzeit
said-check-objects = Objekte

# Copying a store.
said-copy-same = Beide sind derselbe Speicher.
said-copy-same-hint = zwei Speicher nennen: `scratchpad store copy FROM TO`.
said-copy-output = Kann die Ausgabe { $id } nicht kopieren: { $why }.
said-copy-differs = Die Kopie ist nicht vollständig: { $thing } ist nicht wie in der Quelle.
said-copy-differs-hint = noch einmal ausführen: was schon da ist, wird nicht zweimal kopiert.
said-copy-none = Es gibt keinen Speicher { $path }.
said-copy-rename = --rename-project erwartet ALT=NEU; angegeben war { $given }.
