# Meldungen von `scratchpad context`.
context-added = Kontextnotiz { $number } hinzugefügt.
context-removed = Kontextnotiz { $number } entfernt: { $note }
context-cleared = { $count ->
    [0] Es gab keine Kontextnotizen.
    [one] Eine Kontextnotiz entfernt.
   *[other] { $count } Kontextnotizen entfernt.
}
context-damaged-removed = Die Datei war nicht lesbar und wurde entfernt: { $file }
context-none = Keine Kontextnotizen in { $project }. Eine hinzufügen: `scratchpad context add TEXT`.
context-header = ## Aktueller Kontext
context-with-next-prompt = Mit der nächsten Eingabe, auch bei laufenden Agenten: { $hosts }
context-hooks-not-run = Noch liest kein Agent die Notizen: die Hooks von { $hosts } sind eingerichtet, aber noch nicht gelaufen. Neu starten; ob sie laufen, zeigt `scratchpad doctor`.
context-reaches-nobody = Noch liest kein Agent die Notizen: `scratchpad install HOST` oder `scratchpad inject` ausführen.
context-added-for-all = Kontextnotiz { $number } für alle Projekte hinzugefügt.
context-for-all-reaches-nobody = Noch liest kein Agent die Notizen: `scratchpad install HOST` oder `scratchpad inject --global` ausführen.
context-none-for-all = Keine Kontextnotizen für alle Projekte. Eine hinzufügen: `scratchpad context add --global TEXT`.
context-also-for-all = { $count ->
    [one] 1 weitere Notiz gilt
   *[other] { $count } weitere Notizen gelten
} für alle Projekte: `scratchpad context --global`.
