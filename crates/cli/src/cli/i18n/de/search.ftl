# Meldungen von `scratchpad search`.
search-nothing = Nirgends steht "{ $query }".
search-more = { $count } weitere: ein größeres --limit zeigt sie.
search-plan = Plan
search-notes = Notizen
search-refs = Refs
search-note = Notiz
search-output = Ausgabe
search-column-id = ID
search-column-kind = WAS
search-column-age = ALTER
search-column-match = ERSTER TREFFER
