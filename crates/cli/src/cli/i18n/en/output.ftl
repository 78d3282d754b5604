# Messages of `scratchpad output`.
output-none = No outputs found.
output-more = { $count } more: --limit { $limit } shows all.
output-deleted = Deleted output { $id } ({ $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
}).
output-pinned = Output { $id } was not deleted: it is the whole of a text that was cut for a pad, of session { $session }. --force deletes it.
output-absent = Output { $id } not found.
output-pruned = Removed { $count ->
    [one] { $count } output
   *[other] { $count } outputs
} ({ $bytes } bytes).
output-pruned-strays = Removed { $count ->
    [one] { $count } output
   *[other] { $count } outputs
} ({ $bytes } bytes), and { $strays ->
    [one] { $strays } file
   *[other] { $strays } files
} left behind.
output-cleared = Deleted { $count ->
    [one] { $count } output
   *[other] { $count } outputs
} ({ $bytes } bytes).
output-not-cleared = { $count ->
    [one] 1 output stays: a pad was cut from it, and the pad's history needs it. --force deletes it too.
   *[other] { $count } outputs stay: pads were cut from them, and their history needs them. --force deletes them too.
}
output-stays-pinned = { $count ->
    [one] 1 output stays ({ $bytes } bytes): a pad was cut from it, and the pad's history needs it. `output delete --force` deletes it.
   *[other] { $count } outputs stay ({ $bytes } bytes): pads were cut from them, and their history needs them. `output delete --force` deletes them.
}
output-stays-others = { $count ->
    [one] 1 output stays
   *[other] { $count } outputs stay
} ({ $bytes } bytes): kept by others, and used within a week.
output-stays-in-use = { $count ->
    [one] 1 output stays
   *[other] { $count } outputs stay
} ({ $bytes } bytes): used within the last hour.
output-stays-within = { $count ->
    [one] 1 output stays
   *[other] { $count } outputs stay
} ({ $bytes } bytes): within the limits of age and size.
output-size = { $count ->
    [one] { $count } output
   *[other] { $count } outputs
}, { $bytes } bytes
output-bytes = { $bytes } bytes
output-hours = { $hours ->
    [one] { $hours } hour
   *[other] { $hours } hours
}
output-minutes = { $minutes ->
    [one] { $minutes } minute
   *[other] { $minutes } minutes
}
output-stat-project = this project
output-stat-all = all projects
output-stat-most = size limit
output-stat-longest = age limit
output-stat-oldest = oldest
output-stat-newest = newest
output-stat-largest = largest
output-column-what = WHAT
output-column-how-much = HOW MUCH
output-column-id = ID
output-column-bytes = BYTES
output-column-lines = LINES
output-column-kind = KIND
output-column-kept = KEPT
output-column-tool = TOOL
output-column-preview = PREVIEW
output-column-matches = MATCHES
output-column-line = LINE
output-column-first = FIRST
output-not-kept = Warning: the output was not kept and is printed whole: { $error }
output-not-tidied = Warning: outputs could not be pruned: { $error }
