# Prefixes of errors, hints and warnings.
terminal-error = Error:
terminal-hint = Hint:
terminal-yes-no = y/N
terminal-warning = Warning:
terminal-open-passwords = { $file } was ignored: other users can read it. Run `chmod 600` on it.
