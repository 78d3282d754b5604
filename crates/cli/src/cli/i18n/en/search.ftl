# Messages of `scratchpad search`.
search-nothing = Nothing contains "{ $query }".
search-more = { $count } more: a larger --limit shows them.
search-plan = plan
search-notes = notes
search-refs = refs
search-note = note
search-output = output
search-column-id = ID
search-column-kind = WHAT
search-column-age = AGE
search-column-match = FIRST MATCH
