# Meldungen von `scratchpad doctor`.
doctor-ok = gut
doctor-not = NEIN
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
doctor-log-last = der letzte Fehler: { $line }
doctor-answers = { $path } antwortet mit { $count ->
    [one] { $count } Werkzeug
   *[other] { $count } Werkzeugen
}
doctor-wired = in { $path }
doctor-different = in { $path } für eine andere Kopie oder Version von scratchpad: `scratchpad install { $host }` ausführen
doctor-missing = nicht in { $path }: `scratchpad install { $host }` ausführen
doctor-approval = { $host }, Bestätigung der Hooks
doctor-approved = bestätigt
doctor-not-approved = { $count ->
    [one] { $count } Hook ist
   *[other] { $count } Hooks sind
} nicht bestätigt: codex starten, /hooks tippen und ihnen vertrauen
doctor-off = { $count ->
    [one] { $count } Hook ist
   *[other] { $count } Hooks sind
} in Codex ausgeschaltet: dort /hooks tippen und einschalten
doctor-none = noch keines: den Host einmal starten
doctor-no-block = noch kein Block gegeben
doctor-block-gone = { $chars ->
    [one] ein Block von { $chars } Zeichen wurde gegeben und ist mit einer Kompaktierung verloren
   *[other] ein Block von { $chars } Zeichen wurde gegeben und ist mit einer Kompaktierung verloren
}
doctor-block = { $chars ->
    [one] der zuletzt gegebene Block: { $chars } Zeichen, Hash { $hash }
   *[other] der zuletzt gegebene Block: { $chars } Zeichen, Hash { $hash }
}
doctor-event = { $event } von Sitzung { $session } um { $time }; { $given }
doctor-code-mode = { $host }, Code-Modus
doctor-code-mode-rule = Aufrufe aus Skripten sind dort nicht gekennzeichnet. Wer ihn nutzt, nimmt für jeden Server hinter dem Proxy `SERVER/*: never` in outputs.rules auf, damit Skripte ganze Ergebnisse bekommen
doctor-proved = Der Plan ist nach der Kompaktierung wieder da.
doctor-lost = Der Plan ist verloren.
