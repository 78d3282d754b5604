# Messages of `scratchpad doctor`.
doctor-ok = ok
doctor-not = FAIL
doctor-version = version
doctor-store = store
doctor-settings = settings
doctor-server = server
doctor-log = hook log
doctor-last-event = { $host }, last event
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
doctor-proved = The plan is back after the compaction.
doctor-lost = The plan is lost.
