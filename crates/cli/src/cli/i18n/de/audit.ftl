# Was `scratchpad audit` zeigt.
audit-nothing = Keine Transkripte gefunden: hier ist kein Host, der welche aufhebt, oder keines wurde in dieser Zeit geändert.
audit-host = { $host }: { $files ->
    [1] 1 Datei
   *[other] { $files } Dateien
}
audit-damaged = Übersprungen: { $lines } nicht lesbare Zeilen (halb geschrieben oder zu lang), { $files } Dateien im Ganzen.
audit-requests = { $requests } Anfragen: { $input } Tokens gesendet und { $output } geschrieben, wie die Hosts zählen; { $compactions } Kompaktierungen.
audit-results = Ergebnisse von Werkzeugen
audit-said = was das Modell schrieb
audit-listed = Werkzeuge in der Liste
audit-added = Eingaben, Anweisungen, Hooks
audit-rest = nicht in den Transkripten
audit-column-window = IM FENSTER, SO OFT ES GESENDET WURDE
audit-column-tool = WERKZEUG
audit-column-calls = AUFRUFE
audit-column-tokens = TOKENS
audit-column-share = ANTEIL
audit-column-large = GROSS
audit-column-cut = GEKÜRZT
audit-column-lost = BYTES VERLOREN
audit-column-repeated = WIEDERHOLT
audit-more = und { $count } weitere: --json
audit-no-large = Kein Ergebnis lag über der Schwelle: Ausgaben hätten nichts gespart, und ihre Liste kostet etwas.
audit-range = { $large ->
    [one] Wäre das eine Ergebnis über 4.096 Bytes zu einer Ausgabe geworden, wäre von allem Gesendeten so viel gespart worden:
   *[other] Wären die { $large } Ergebnisse über 4.096 Bytes zu Ausgaben geworden, wäre von allem Gesendeten so viel gespart worden:
}
audit-least = wenn alles wieder gelesen wird
audit-used = wenn gelesen wird, was später in Text und Aufrufen des Modells vorkam
audit-most = wenn nichts wieder gelesen wird
audit-no-claim = Was ein Agent wieder gelesen hätte, weiß niemand; weniger Schritte, bessere Antworten und Geld werden nicht behauptet.
audit-models = Tokens eines Modells je hier geschätztem Token:
audit-model = { $model }: { $factor } ± { $spread } ({ $samples } Messungen)
audit-model-unknown = { $model }: zu wenig, um es zu sagen ({ $requests } Anfragen)
audit-server = { $server } hinter den Proxy stellen: { $large ->
    [one] ein großes Ergebnis
   *[other] { $large } große Ergebnisse
}, { $tokens } Tokens, wenn gelesen wird, was vorkam. scratchpad proxy --wrap DATEI
audit-exempt = Von diesen Werkzeugen wurde fast alles gebraucht; so sind sie ausgenommen:
