# Messages of `scratchpad forget`, and of all that deletes for good.
forget-nowhere = Nothing here contains it.
forget-question = Forget it everywhere in this list, in all projects? This can't be undone.
forget-nothing-changed = Nothing was changed.
forget-done = Forgotten. No file of Scratchpad contains it.
forget-still-in = It is still in { $file }.
forget-in-use = Deleted, but another process was reading the database: traces may be left in its files. Run `scratchpad forget` with the text later, which clears them.
forget-not-cleared = Deleted, but traces may be left in the files of the store: { $why }
forget-of-server = The server may have copies in its own files, logs and backups until it recycles them.
forget-pad = pad
forget-revision = revision
forget-note = note
forget-hooks = hooks
forget-preview = preview
forget-output = output
forget-lines = { $count ->
    [one] { $count } line
   *[other] { $count } lines
}
forget-replaced = replaced by [forgotten]
forget-deleted = deleted
forget-column-what = WHAT
forget-column-then = THEN
