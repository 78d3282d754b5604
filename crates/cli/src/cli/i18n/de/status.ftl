# Was `scratchpad status` zeigt.
status-project = Projekt
status-sessions = Sitzungen
status-notes = Notizen
status-outputs = Ausgaben
status-savings = Ersparnis
status-hosts = Hosts
status-problems = Probleme
status-on-branch = { $path }, Branch { $branch }
status-no-sessions = noch keine: nach `scratchpad setup` den Agenten neu starten; seine Sitzung erscheint, sobald er in sein Pad schreibt
status-unreadable = nicht lesbar
status-more = Weitere: scratchpad session list
status-note-count = { $count ->
    [0] keine in diesem Projekt
   *[other] { $count } in diesem Projekt
}
status-note-tags = { $count } in diesem Projekt ({ $tags })
status-no-outputs = keine aufbewahrt
status-output-count = { $count } außerhalb des Kontextfensters aufbewahrt, { $size }
status-no-savings = in den letzten 30 Tagen nichts gezählt
status-net = netto { $tokens } Tokens in den letzten 30 Tagen; `scratchpad stats` zeigt mehr
status-no-hosts = hier nicht gefunden
status-host-found = { $host }: nicht eingerichtet; `scratchpad install { $name }` tut es
status-host-tools = { $host }: eingerichtet; ohne Hooks, der Agent ruft die Werkzeuge selbst auf
status-host-silent = { $host }: eingerichtet, noch nichts gehört; neu starten
status-host-unreadable = { $host }: eingerichtet; wann er zuletzt etwas meldete, ist nicht lesbar
status-host-last = { $host }: eingerichtet, letztes Ereignis { $age }
status-host-empty = { $host }: eingerichtet, letztes Ereignis { $age }; der Agent hat noch nichts in sein Pad geschrieben
status-retention = Fristen
status-retention-sessions = { $days ->
    [one] Sitzungen gehen nach { $days } Tag
   *[other] Sitzungen gehen nach { $days } Tagen
}, die nächste { $when }: { $id }
status-retention-notes = { $days ->
    [one] Notizen gehen nach { $days } Tag
   *[other] Notizen gehen nach { $days } Tagen
}, die nächste { $when }: { $id }
status-retention-due = beim Start eines Servers
status-no-problems = keine
status-doctor = `scratchpad doctor` zeigt mehr.
status-hook-failed = Ein Hook ist fehlgeschlagen ({ $age }): { $what }
status-line-plan = Plan { $done }/{ $total }
status-line-plan-done = Plan { $count }/{ $count } erledigt
status-line-empty = Pad leer
status-line-kept = { $count } aufbewahrt, { $size }
status-line-net = netto { $tokens } Tokens
