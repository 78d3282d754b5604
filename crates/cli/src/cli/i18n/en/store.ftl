# Messages of `scratchpad store`.
store-sessions = sessions
store-notes = notes
store-outputs = outputs
store-compared = compared
store-progress = { $what }: { $done } of { $all }
store-copied = Copied { $sessions ->
    [one] { $sessions } session
   *[other] { $sessions } sessions
} with { $revisions ->
    [one] { $revisions } revision
   *[other] { $revisions } revisions
}, { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
}, { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
} of { $bytes } bytes.
store-same = Compared with the source: { $sessions ->
    [one] { $sessions } session
   *[other] { $sessions } sessions
} with { $revisions ->
    [one] { $revisions } revision
   *[other] { $revisions } revisions
}, { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
}, { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
} of { $bytes } bytes.
store-renumbered = { $notes ->
    [one] { $notes } note has
   *[other] { $notes } notes have
} another id now: theirs was taken.
store-project = Project { $old } is { $new } there.
store-differing = Left alone, since they have another history there: { $sessions }.
store-lost = Left out, since they are damaged: { $outputs }.
