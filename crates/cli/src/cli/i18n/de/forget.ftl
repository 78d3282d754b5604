# Meldungen von `scratchpad forget` und von allem, was endgültig löscht.
forget-nowhere = Hier enthält ihn nichts.
forget-question = Den Text überall in dieser Liste vergessen, in allen Projekten? Das lässt sich nicht rückgängig machen.
forget-nothing-changed = Es wurde nichts geändert.
forget-done = Vergessen. Keine Datei von Scratchpad enthält den Text.
forget-still-in = Der Text ist noch in { $file }.
forget-in-use = Gelöscht, aber ein anderer Prozess las gerade aus der Datenbank: in ihren Dateien können Spuren geblieben sein. `scratchpad forget` mit dem Text entfernt sie später.
forget-not-cleared = Gelöscht, aber in den Dateien des Speichers können Spuren geblieben sein: { $why }
forget-of-server = Der Server kann in seinen Dateien, Protokollen und Sicherungen Kopien haben, bis er sie überschreibt.
forget-pad = Pad
forget-revision = Revision
forget-note = Notiz
forget-hooks = Hooks
forget-preview = Vorschau
forget-output = Ausgabe
forget-lines = { $count ->
    [one] { $count } Zeile
   *[other] { $count } Zeilen
}
forget-replaced = durch [forgotten] ersetzt
forget-deleted = gelöscht
forget-column-what = WAS
forget-column-then = DANN
