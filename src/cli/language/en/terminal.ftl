# What stands before errors, hints and warnings.
terminal-error = Error:
terminal-hint = Hint:
terminal-warning = Warning:
