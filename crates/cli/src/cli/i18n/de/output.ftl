# Meldungen von `scratchpad output`.
output-none = Keine Ausgaben gefunden.
output-more = { $count } weitere: --limit { $limit } zeigt alle.
output-deleted = Ausgabe { $id } gelöscht ({ $bytes ->
    [one] { $bytes } Byte
   *[other] { $bytes } Bytes
}).
output-absent = Es gibt keine Ausgabe { $id }.
output-pruned = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
} entfernt ({ $bytes } Bytes).
output-pruned-strays = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
} entfernt ({ $bytes } Bytes), und { $strays ->
    [one] { $strays } liegen gebliebene Datei
   *[other] { $strays } liegen gebliebene Dateien
}.
output-cleared = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
} gelöscht ({ $bytes } Bytes).
output-size = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
}, { $bytes } Bytes
output-bytes = { $bytes } Bytes
output-hours = { $hours ->
    [one] { $hours } Stunde
   *[other] { $hours } Stunden
}
output-stat-project = dieses Projekt
output-stat-all = alle Projekte
output-stat-most = Größenlimit
output-stat-longest = Alterslimit
output-stat-oldest = älteste
output-stat-largest = größte
output-column-what = WAS
output-column-how-much = WIE VIEL
output-column-id = ID
output-column-bytes = BYTES
output-column-lines = ZEILEN
output-column-kind = ART
output-column-kept = AUFBEWAHRT
output-column-tool = WERKZEUG
output-column-matches = TREFFER
output-column-line = ZEILE
output-column-first = ERSTE
output-not-kept = Warnung: Die Ausgabe wurde nicht aufbewahrt und wird vollständig ausgegeben: { $error }
output-not-tidied = Warnung: Die Ausgaben konnten nicht aufgeräumt werden: { $error }
