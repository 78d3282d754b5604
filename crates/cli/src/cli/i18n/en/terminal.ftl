# Prefixes of errors, hints and warnings.
terminal-error = Error:
terminal-hint = Hint:
terminal-yes-no = y/N
terminal-warning = Warning:
terminal-not-edited = Nothing was changed.
terminal-man = { $count } man pages are in { $directory }.
terminal-just-now = just now
terminal-minutes-ago = { $count } min ago
terminal-hours-ago = { $count } h ago
terminal-days-ago = { $count ->
    [one] { $count } day ago
   *[other] { $count } days ago
}
terminal-open-passwords = { $file } was ignored: other users can read it. Run `chmod 600` on it.
