# Meldungen von `scratchpad session`, und welche Sitzung gemeint ist.
session-meant = Sitzung: { $id }
session-newest = Sitzung: { $id } (neueste dieses Projekts)
session-new = Sitzung: { $id } (neu)
session-none = In { $project } gibt es noch keine Sitzung.
session-more = Es gibt mehr als { $limit }: ein größeres --limit zeigt sie.
session-deleted = Sitzung { $id } gelöscht: { $revisions ->
    [one] { $revisions } Revision
   *[other] { $revisions } Revisionen
}, { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
}, { $outputs ->
    [one] { $outputs } Ausgabe
   *[other] { $outputs } Ausgaben
}.
session-clear-project = { $count ->
    [one] Die eine Sitzung des Projekts { $project } endgültig löschen?
   *[other] Alle { $count } Sitzungen des Projekts { $project } endgültig löschen?
}
session-clear-all = { $count ->
    [one] Die einzige Sitzung endgültig löschen?
   *[other] Alle { $count } Sitzungen aller Projekte endgültig löschen?
}
session-cleared = Gelöscht: { $count ->
    [one] { $count } Sitzung
   *[other] { $count } Sitzungen
} mit { $revisions ->
    [one] { $revisions } Revision
   *[other] { $revisions } Revisionen
}, { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
} und { $outputs ->
    [one] { $outputs } Ausgabe
   *[other] { $outputs } Ausgaben
}.
session-in-use = Sitzung { $id } bleibt: ein laufender Agent benutzt sie.
session-delete-used = Sitzung { $id } wird gerade von einem laufenden Agenten benutzt (Prozess { $process }). Trotzdem löschen?
session-none-anywhere = Hier gibt es noch keine Sitzung.
session-shown = Sitzung { $id }, Revision { $revision }
session-space = { $space ->
    [notes] Notizen ({ $used } / { $max } Zeichen)
    [plan] Plan ({ $used } / { $max } Zeichen)
   *[refs] Refs ({ $used } / { $max } Einträge)
}
session-empty = Das Pad ist leer.
session-undo-of = { $action } von { $number }
session-older = { $count ->
    [one] { $count } ältere Revision: --limit { $limit }
   *[other] { $count } ältere Revisionen: --limit { $limit }
}
session-undone = Revision { $revision } zurückgenommen ({ $space }).
session-restored = Zurück auf Revision { $revision } ({ $space }).
session-import-nothing = Die Datei enthält keine Einträge eines Pads; es wurde nichts geändert.
session-import-malformed = { $count ->
    [one] { $count } Zeile war nicht lesbar und wurde übersprungen.
   *[other] { $count } Zeilen waren nicht lesbar und wurden übersprungen.
}
session-running = läuft, { $age }
session-plan-done = { $count }/{ $count } erledigt
session-column-title = PLAN
session-column-host = HOST
session-column-branch = BRANCH
session-column-seen = ZULETZT
session-column-session = SITZUNG
session-column-revision = REV
session-column-when = WANN
session-column-space = TEIL
session-column-action = AKTION
session-column-size = GRÖSSE
session-column-project = PROJEKT
session-column-author = AUTOR
session-in-worktree = { $branch } im Worktree { $worktree }
session-on-branch = Auf dem Branch { $branch }.
session-on-branch-in = Auf dem Branch { $branch }, im Worktree { $worktree }.
