# Meldungen von `scratchpad install`, `uninstall` und `plugin`.
install-wrote = geschrieben:
install-already = unverändert:
install-would-write = würde schreiben:
install-nothing = nichts zu entfernen in
install-would-change = würde ändern:
install-removed = entfernt:
install-restored = wiederhergestellt:
install-removed-entries = Einträge von scratchpad entfernt aus
install-no-host = Kein Host gefunden.
install-plugin = { $directory } geschrieben:
