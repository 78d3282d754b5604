# Was `scratchpad stats` zeigt.
stats-of-session = Sitzung { $session }
stats-of-project = Dieses Projekt, { $days ->
    [1] der letzte Tag
   *[other] die letzten { $days } Tage
}: { $sessions ->
    [1] 1 Sitzung
   *[other] { $sessions } Sitzungen
}
stats-everywhere = Alle Projekte, { $days ->
    [1] der letzte Tag
   *[other] die letzten { $days } Tage
}: { $sessions ->
    [1] 1 Sitzung
   *[other] { $sessions } Sitzungen
}
stats-nothing = Nichts gezählt: kein Ergebnis wurde zur Ausgabe, und kein Hook hat etwas eingefügt.
stats-kept = Aus dem Fenster gehalten
stats-results = { $count ->
    [1] 1 Ergebnis
   *[other] { $count } Ergebnisse
}
stats-cut = weitere { $tokens } hätten die Hosts ohnehin abgeschnitten, das zählt nicht
stats-passed = Als Referenz übergeben
stats-arguments = { $count ->
    [1] 1 Argument
   *[other] { $count } Argumente
}
stats-references = Referenzen
stats-read = Wieder gelesen
stats-calls = { $count ->
    [1] 1 Aufruf mit Antwort
   *[other] { $count } Aufrufe mit Antworten
}
stats-whole = { $count } bis zum Ende
stats-listed = Werkzeuge in der Liste
stats-lists = { $count ->
    [1] 1 Liste
   *[other] { $count } Listen
}
stats-injected = Von Hooks eingefügt
stats-times = { $count ->
    [1] einmal
   *[other] { $count }-mal
}
stats-net = Netto
stats-in-tokens = Tokens; unter null hat es mehr gekostet als gespart
stats-unknown = unbekannt
stats-column-tool = WERKZEUG
stats-column-host = HOST
stats-column-day = TAG
stats-column-author = AUTOR
stats-column-kept = AUSGELAGERT
stats-column-cost = KOSTEN
stats-column-net = NETTO
stats-worst = Am schlechtesten: { $tool }: { $kept ->
    [1] einmal
   *[other] { $kept }-mal
} aufbewahrt, { $whole ->
    [1] einmal
   *[other] { $whole }-mal
} bis zum Ende gelesen: { $net } Tokens
stats-better = Besser: scratchpad config set outputs.rules { $rules }
stats-unknown-host = Wo der Host nicht bekannt ist, zählt ein Ergebnis ganz.
stats-estimates = Tokens sind geschätzt, auf 4 % genau gegenüber o200k.
stats-plotted = Das Bild ist in { $file }.
stats-plot-title = Aus dem Fenster gehaltene Tokens: netto { $net }
stats-plot-legend = blau: herausgehalten; rot: Referenzen, Lesen, Listen, Hooks; Punkte: netto
stats-plot-day = { $day }: herausgehalten { $kept }, Kosten { $cost }, netto { $net }
