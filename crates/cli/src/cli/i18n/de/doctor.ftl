# Meldungen von `scratchpad doctor`.
doctor-ok = ok
doctor-not = FEHLER
doctor-version = Version
doctor-store = Speicher
doctor-settings = Einstellungen
doctor-server = Server
doctor-log = Hook-Protokoll
doctor-last-event = { $host }, letztes Ereignis
doctor-last-receipt = { $host }, zuletzt zurückgegeben
doctor-receipt = { $receipt } ({ $event }, { $time })
doctor-sessions = { $count ->
    [one] { $count } Sitzung
   *[other] { $count } Sitzungen
}
doctor-log-empty = leer
doctor-log-last = letzter Fehler: { $line }
doctor-answers = { $path } antwortet mit { $count ->
    [one] { $count } Werkzeug
   *[other] { $count } Werkzeugen
}
doctor-wired = in { $path }
doctor-different = in { $path } für eine andere Installation oder Version von scratchpad: `{ $command }` ausführen
doctor-missing = nicht in { $path }: `{ $command }` ausführen
doctor-taken = nicht in { $path }: dort heißt ein anderer MCP-Server `scratchpad`. `{ $command } --name NAME` gibt unserem einen anderen Namen
doctor-approval = { $host }, Bestätigung der Hooks
doctor-approved = bestätigt
doctor-not-approved = { $count ->
    [one] { $count } Hook ist
   *[other] { $count } Hooks sind
} nicht bestätigt: codex starten, /hooks eingeben und ihnen vertrauen
doctor-off = { $count ->
    [one] { $count } Hook ist
   *[other] { $count } Hooks sind
} in Codex ausgeschaltet: dort mit /hooks einschalten
doctor-none = noch keins: den Host einmal starten
doctor-no-block = noch kein Block übergeben
doctor-block-gone = { $chars ->
    [one] ein Block von { $chars } Zeichen wurde übergeben und ging bei einer Kompaktierung verloren
   *[other] ein Block von { $chars } Zeichen wurde übergeben und ging bei einer Kompaktierung verloren
}
doctor-block = { $chars ->
    [one] letzter Block: { $chars } Zeichen, Hash { $hash }
   *[other] letzter Block: { $chars } Zeichen, Hash { $hash }
}
doctor-event = { $event } von Sitzung { $session } um { $time }; { $given }
doctor-code-mode = { $host }, Code-Modus
doctor-code-mode-rule = Aufrufe aus Skripten sind dort nicht gekennzeichnet. Wenn Sie ihn nutzen, für jeden Server hinter dem Proxy `SERVER/*: never` in outputs.rules aufnehmen, damit Skripte vollständige Ergebnisse bekommen
doctor-note = Hinweis
doctor-project = Projekt
doctor-mark-of-others = { $path } gehört einem anderen Benutzer und wird ignoriert
doctor-unchecked = nicht geprüft: die Einstellungen, die sagen, wo er ist, sind nicht lesbar
doctor-unwired = nicht eingerichtet: `scratchpad install { $host }` ausführen oder, falls nicht gewünscht, `scratchpad doctor --ignore { $host }`
doctor-ignored = wird ignoriert; `scratchpad doctor --check { $host }` prüft ihn wieder
doctor-ignored-now = { $title } wird nicht mehr geprüft. `scratchpad doctor --check { $host }` nimmt das zurück.
doctor-checked-now = { $title } wird wieder geprüft.
doctor-scene-write = 1. In einer Probesitzung von { $host } schreibt der Agent einen Plan: { $plan }
doctor-scene-compact = 2. Das Gespräch wird kompaktiert; { $host } sendet { $event }.
doctor-scene-call = 3. Danach sendet { $host } { $event } an `{ $command }`.
doctor-scene-answer = 4. Der Agent bekommt zurück: { $text }
doctor-scene-nothing = nichts
doctor-proved = 5. Der Plan ist nach der Kompaktierung wieder da.
doctor-proved-but = 5. Der Plan ist wieder da, aber { $host } führt die Hooks noch nicht aus: { $reason }.
doctor-proved-uninstalled = 5. Der Plan ist wieder da; die Hooks von { $host } sind noch nicht installiert: `scratchpad install { $name }` ausführen.
doctor-lost = 5. Der Plan ist verloren.
