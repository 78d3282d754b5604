# Messages of `scratchpad install`, `uninstall` and `plugin`.
install-wrote = wrote
install-already = already
install-would-write = would write
install-nothing = nothing of ours in
install-would-change = would change
install-removed = removed
install-restored = restored
install-removed-entries = removed our entries from
install-no-host = No host was found.
install-plugin = wrote { $directory }:
