# Messages of `scratchpad install`, `uninstall` and `plugin`.
install-wrote = wrote
install-already = unchanged
install-would-write = would write
install-nothing = nothing to remove in
install-would-change = would change
install-removed = removed
install-restored = restored
install-removed-entries = removed scratchpad's entries from
install-no-host = No host found.
install-plugin = wrote { $directory }:
