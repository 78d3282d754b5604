# Meldungen von `scratchpad install`, `uninstall` und `plugin`.
install-wrote = geschrieben:
install-already = schon da:
install-would-write = würde schreiben:
install-nothing = nichts von uns in
install-would-change = würde ändern:
install-removed = entfernt:
install-restored = wiederhergestellt:
install-removed-entries = unsere Einträge entfernt aus
install-no-host = Kein Host wurde gefunden.
install-plugin = { $directory } geschrieben:
