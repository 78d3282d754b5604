# Meldungen von `scratchpad output`.
output-none = Keine Ausgaben gefunden.
output-more = { $count } weitere: --limit { $limit } zeigt alle.
output-deleted = Ausgabe { $id } gelöscht ({ $bytes ->
    [one] { $bytes } Byte
   *[other] { $bytes } Bytes
}).
output-pinned = Ausgabe { $id } wurde nicht gelöscht: Sie ist der ganze Text, der für das Pad der Sitzung { $session } gekürzt wurde. --force löscht sie.
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
output-not-cleared = { $count ->
    [one] 1 Ausgabe bleibt: Ein Pad wurde daraus gekürzt, und dessen Verlauf braucht sie.
   *[other] { $count } Ausgaben bleiben: Pads wurden daraus gekürzt, und deren Verlauf braucht sie.
} --force löscht auch sie.
output-stays-pinned = { $count ->
    [one] 1 Ausgabe bleibt ({ $bytes } Bytes): für ein Pad gekürzt, dessen Verlauf den ganzen Text braucht. `output delete --force` löscht sie.
   *[other] { $count } Ausgaben bleiben ({ $bytes } Bytes): für Pads gekürzt, deren Verlauf den ganzen Text braucht. `output delete --force` löscht sie.
}
output-stays-others = { $count ->
    [one] 1 Ausgabe bleibt
   *[other] { $count } Ausgaben bleiben
} ({ $bytes } Bytes): von anderen aufbewahrt und in der letzten Woche benutzt.
output-stays-in-use = { $count ->
    [one] 1 Ausgabe bleibt
   *[other] { $count } Ausgaben bleiben
} ({ $bytes } Bytes): in der letzten Stunde benutzt.
output-stays-within = { $count ->
    [one] 1 Ausgabe bleibt
   *[other] { $count } Ausgaben bleiben
} ({ $bytes } Bytes): innerhalb der Grenzen für Alter und Größe.
output-size = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
}, { $bytes } Bytes
output-bytes = { $bytes } Bytes
output-hours = { $hours ->
    [one] { $hours } Stunde
   *[other] { $hours } Stunden
}
output-minutes = { $minutes ->
    [one] { $minutes } Minute
   *[other] { $minutes } Minuten
}
output-stat-project = dieses Projekt
output-stat-all = alle Projekte
output-stat-most = Größenlimit
output-stat-longest = Alterslimit
output-stat-oldest = älteste
output-stat-newest = neueste
output-stat-largest = größte
output-column-what = WAS
output-column-how-much = WIE VIEL
output-column-id = ID
output-column-bytes = BYTES
output-column-lines = ZEILEN
output-column-kind = ART
output-column-kept = AUFBEWAHRT
output-column-tool = WERKZEUG
output-column-preview = VORSCHAU
output-column-matches = TREFFER
output-column-line = ZEILE
output-column-first = ERSTE
output-not-kept = Warnung: Die Ausgabe wurde nicht aufbewahrt und wird vollständig ausgegeben: { $error }
output-not-tidied = Warnung: Die Ausgaben konnten nicht aufgeräumt werden: { $error }
