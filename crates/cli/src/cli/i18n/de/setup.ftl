# Meldungen von `scratchpad setup`.
setup-found = { $count ->
    [one] Ein Host gefunden. Geschrieben würde:
   *[other] { $count } Hosts gefunden. Geschrieben würde:
}
setup-already = ist schon eingerichtet
setup-changes-pad = Agenten bekommen ein Pad, das Kompaktierung und Neustart überdauert, Notizen, und Ausgaben, die sie in Teilen lesen.
setup-undo = Nichts wird irgendwohin gesendet. `scratchpad uninstall --all` macht das alles rückgängig.
setup-hints = Aus, außer bei der Antwort `hinweise`: ab und zu eine Zeile für einen Agenten, der sein Pad vergisst. `scratchpad install --nudges off` schaltet sie wieder aus.
setup-question = Alle einrichten? [j/N, hinweise, oder einige von: { $names }]
setup-nothing-done = Es wurde nichts geändert.
setup-none-found = Hier wurde kein Host gefunden. Gesucht wurde:
setup-none-next = Einen davon einmal starten, oder den eigenen nennen: `scratchpad install HOST`.
setup-proved = eingerichtet; ein Plan kam nach einer Kompaktierung zurück
setup-tools-only = eingerichtet; ohne Hooks, der Agent ruft die Werkzeuge selbst auf
setup-unprovable = eingerichtet; der Host meldet keine Kompaktierung, darum ist das nicht zu beweisen
setup-lost = ein Plan kam nach einer Kompaktierung nicht zurück: `scratchpad doctor` zeigt mehr
setup-waiting = eingerichtet, aber { $reason }
setup-server = MCP-Server: antwortet mit { $count ->
    [one] { $count } Werkzeug
   *[other] { $count } Werkzeugen
}
setup-next = Jetzt { $hosts } neu starten; dann `scratchpad status`.
