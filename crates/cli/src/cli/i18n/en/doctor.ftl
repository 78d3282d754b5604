# Messages of `scratchpad doctor`.
doctor-ok = ok
doctor-not = FAIL
doctor-version = version
doctor-store = store
doctor-settings = settings
doctor-server = server
doctor-log = hook log
doctor-last-event = { $host }, last event
doctor-last-receipt = { $host }, last given back
doctor-receipt = { $receipt } ({ $event }, { $time })
doctor-sessions = { $count ->
    [one] { $count } session
   *[other] { $count } sessions
}
doctor-log-empty = empty
doctor-log-last = last failure: { $line }
doctor-answers = { $path } answers with { $count ->
    [one] { $count } tool
   *[other] { $count } tools
}
doctor-wired = in { $path }
doctor-different = in { $path } for another copy or version of scratchpad: run `{ $command }`
doctor-missing = not in { $path }: run `{ $command }`
doctor-taken = not in { $path }: another MCP server is called `scratchpad` there. Run `{ $command } --name NAME` with another name for ours
doctor-approval = { $host }, approval of hooks
doctor-approved = approved
doctor-not-approved = { $count ->
    [one] { $count } hook is
   *[other] { $count } hooks are
} not approved: start codex, type /hooks, and trust them
doctor-off = { $count ->
    [one] { $count } hook is
   *[other] { $count } hooks are
} switched off in Codex: type /hooks there to switch them on
doctor-none = none yet: start it once
doctor-no-block = no block given yet
doctor-block-gone = { $chars ->
    [one] a block of { $chars } character was given, then lost to a compaction
   *[other] a block of { $chars } characters was given, then lost to a compaction
}
doctor-block = { $chars ->
    [one] last block: { $chars } character, hash { $hash }
   *[other] last block: { $chars } characters, hash { $hash }
}
doctor-event = { $event } of session { $session } at { $time }; { $given }
doctor-code-mode = { $host }, code mode
doctor-code-mode-rule = calls from scripts are not marked there. If you use it, add `SERVER/*: never` to outputs.rules for each server behind the proxy, so that scripts get whole results
doctor-note = note
doctor-project = project
doctor-mark-of-others = { $path } belongs to another user and is ignored
doctor-unchecked = not checked: the settings that say where it is can't be read
doctor-unwired = not set up: run `scratchpad install { $host }`, or `scratchpad doctor --ignore { $host }` if you don't want it
doctor-ignored = ignored; `scratchpad doctor --check { $host }` checks it again
doctor-ignored-now = { $title } is no longer checked. `scratchpad doctor --check { $host }` takes that back.
doctor-checked-now = { $title } is checked again.
doctor-scene-write = 1. In a scratch session of { $host }, the agent writes a plan: { $plan }
doctor-scene-compact = 2. The conversation is compacted; { $host } sends { $event }.
doctor-scene-call = 3. { $host } then sends { $event } to `{ $command }`.
doctor-scene-answer = 4. The agent gets back: { $text }
doctor-scene-nothing = nothing
doctor-proved = 5. The plan is back after the compaction.
doctor-proved-but = 5. The plan is back, but { $host } does not run the hooks yet: { $reason }.
doctor-proved-uninstalled = 5. The plan is back; the hooks of { $host } are not installed yet: run `scratchpad install { $name }`.
doctor-lost = 5. The plan is lost.
