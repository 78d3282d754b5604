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
    [one] { $notes } note has a new id: its own was taken.
   *[other] { $notes } notes have new ids: their own were taken.
}
store-project = Project { $old } is called { $new } there.
store-differing = Left alone because their history there differs: { $sessions }.
store-lost = Left out because they are damaged: { $outputs }.
store-as-of = As of { $time }.
store-backup = Written to { $file }: one file of { $bytes } bytes, verified.
