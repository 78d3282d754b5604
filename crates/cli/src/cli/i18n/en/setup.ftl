# Messages of `scratchpad setup`.
setup-found = { $count ->
    [one] Found one agent host. This would be written:
   *[other] Found { $count } agent hosts. This would be written:
}
setup-already = is set up already
setup-changes-pad = Agents get a pad that outlives compaction and restarts, notes, and outputs they read in parts.
setup-undo = Nothing is sent anywhere. `scratchpad uninstall --all` undoes all of this.
setup-hints = Off unless you answer `hints`: a line now and then for an agent that forgets its pad. `scratchpad install --nudges off` switches it off again.
setup-question = Set up all of them? [y/N, hints, or some of: { $names }]
setup-nothing-done = Nothing was changed.
setup-none-found = No agent host found here. Looked for:
setup-none-next = Start one of them once, or name yours: `scratchpad install HOST`.
setup-proved = set up; a plan came back after a compaction
setup-tools-only = set up; it has no hooks, so its agent calls the tools itself
setup-unprovable = set up; it sends no events around a compaction, so that can't be proved
setup-lost = a plan did not come back after a compaction: `scratchpad doctor` says more
setup-waiting = set up, but { $reason }
setup-server = MCP server: answers with { $count ->
    [one] { $count } tool
   *[other] { $count } tools
}
setup-next = Now restart { $hosts }; then `scratchpad status`.
