# What stands before errors, hints and warnings.
terminal-error = Error:
terminal-hint = Hint:
terminal-warning = Warning:
terminal-open-passwords = { $file } was not used: others may read it. `chmod 600` makes it yours alone.
