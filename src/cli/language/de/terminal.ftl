# Was vor Fehlern, Hinweisen und Warnungen steht.
terminal-error = Fehler:
terminal-hint = Hinweis:
terminal-warning = Warnung:
