# Meldungen von `scratchpad note`.
note-exported = { $count ->
    [one] { $count } Notiz
   *[other] { $count } Notizen
} { $scope ->
    [session] der Sitzung.
   *[project] des Projekts.
}
note-cleared = { $count ->
    [one] { $count } Notiz
   *[other] { $count } Notizen
} { $scope ->
    [project] des Projekts
   *[session] der Sitzung
} gelöscht.
note-not-cleared = Es wurde nichts geändert.
note-clear-project = Alle Notizen des Projekts { $project } endgültig löschen?
note-read = { $count } Notizen gelesen
note-imported = { $count ->
    [one] { $count } Notiz
   *[other] { $count } Notizen
} { $scope ->
    [session] zur Sitzung hinzugefügt.
   *[project] zum Projekt hinzugefügt.
}
note-imported-known = { $count ->
    [one] { $count } Notiz
   *[other] { $count } Notizen
} { $scope ->
    [session] zur Sitzung hinzugefügt
   *[project] zum Projekt hinzugefügt
}; { $known ->
    [one] { $known } war
   *[other] { $known } waren
} schon vorhanden.
note-pinned = { $id } angeheftet: Jedes neue Gespräch hier bekommt sie ganz.
note-unpinned = { $id } ist nicht mehr angeheftet.
note-not-pinned = { $id } war nicht angeheftet.
note-none-pinned = Keine Notiz ist angeheftet. `scratchpad note pin ID` heftet eine des Projekts an.
note-source = { $now ->
    [same] wie damals
    [moved] verschoben nach { $line }
    [gone] nicht mehr da
   *[other] seitdem geändert
}
note-source-branch = { $became }, notiert auf dem Zweig { $branch }
note-no-sources = Keine Notiz nennt Zeilen einer Datei.
note-sources = { $sources ->
    [one] { $sources } Quelle
   *[other] { $sources } Quellen
} von { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
}: { $same } wie damals, { $moved } verschoben, { $changed } geändert, { $gone } nicht mehr da.
