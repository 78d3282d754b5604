# Meldungen von `scratchpad doctor`.
doctor-ok = ok
doctor-not = FEHLER
doctor-version = Version
doctor-store = Speicher
doctor-settings = Einstellungen
doctor-server = Server
doctor-log = Hook-Protokoll
doctor-last-event = { $host }, letztes Ereignis
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
doctor-proved = Der Plan ist nach der Kompaktierung wieder da.
doctor-lost = Der Plan ist verloren.
