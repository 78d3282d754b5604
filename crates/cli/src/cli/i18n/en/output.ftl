# Messages of `scratchpad output`.
output-none = No outputs found.
output-more = { $count } more: --limit { $limit } shows all.
output-deleted = Deleted output { $id } ({ $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
}).
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
output-size = { $count ->
    [one] { $count } output
   *[other] { $count } outputs
}, { $bytes } bytes
output-bytes = { $bytes } bytes
output-hours = { $hours ->
    [one] { $hours } hour
   *[other] { $hours } hours
}
output-stat-project = this project
output-stat-all = all projects
output-stat-most = size limit
output-stat-longest = age limit
output-stat-oldest = oldest
output-stat-largest = largest
output-column-what = WHAT
output-column-how-much = HOW MUCH
output-column-id = ID
output-column-bytes = BYTES
output-column-lines = LINES
output-column-kind = KIND
output-column-kept = KEPT
output-column-tool = TOOL
output-column-matches = MATCHES
output-column-line = LINE
output-column-first = FIRST
output-not-kept = Warning: the output was not kept and is printed whole: { $error }
output-not-tidied = Warning: outputs could not be pruned: { $error }
