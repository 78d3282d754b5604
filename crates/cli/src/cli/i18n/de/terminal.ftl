# Was vor Fehlern, Hinweisen und Warnungen steht.
terminal-error = Fehler:
terminal-hint = Hinweis:
terminal-warning = Warnung:
terminal-open-passwords = { $file } wurde nicht benutzt: andere dürfen sie lesen. Nach `chmod 600` dürfen es nur Sie.
