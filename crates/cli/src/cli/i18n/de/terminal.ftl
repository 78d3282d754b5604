# Was vor Fehlern, Hinweisen und Warnungen steht.
terminal-error = Fehler:
terminal-hint = Hinweis:
terminal-yes-no = j/N
terminal-warning = Warnung:
terminal-not-edited = Es wurde nichts geändert.
terminal-man = { $count } Handbuchseiten liegen in { $directory }.
terminal-just-now = gerade eben
terminal-minutes-ago = vor { $count } Min.
terminal-hours-ago = vor { $count } Std.
terminal-days-ago = { $count ->
    [one] vor { $count } Tag
   *[other] vor { $count } Tagen
}
terminal-open-passwords = { $file } wurde ignoriert: andere Benutzer können die Datei lesen. `chmod 600` darauf anwenden.
