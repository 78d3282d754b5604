# Was vor Fehlern, Hinweisen und Warnungen steht.
terminal-error = Fehler:
terminal-hint = Hinweis:
terminal-yes-no = j/N
terminal-warning = Warnung:
terminal-open-passwords = { $file } wurde ignoriert: andere Benutzer können die Datei lesen. `chmod 600` darauf anwenden.
