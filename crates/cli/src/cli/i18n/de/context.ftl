# Meldungen von `scratchpad context`.
context-added = Kontextnotiz { $number } hinzugefügt.
context-removed = Kontextnotiz { $number } entfernt: { $note }
context-cleared = { $count ->
    [0] Es gab keine Kontextnotizen.
    [one] Eine Kontextnotiz entfernt.
   *[other] { $count } Kontextnotizen entfernt.
}
context-damaged-removed = Die Datei war nicht lesbar und wurde entfernt: { $file }
context-none = Keine Kontextnotizen in { $project }.
