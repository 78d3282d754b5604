# Where a project begins, which there are, and repositories that were moved.
project-former = { $project } is a project of its own, and what was kept there no longer applies here: `scratchpad --project-dir { $project } { $command }` shows it.
project-arrived = Now part of { $project }: { $sessions ->
    [one] { $sessions } session
   *[other] { $sessions } sessions
}, { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
} and { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
} kept as { $from }, which is the same repository.
project-column-project = PROJECT
project-column-path = PATH
project-column-sessions = SESSIONS
project-column-notes = NOTES
project-column-outputs = OUTPUTS
project-column-used = LAST USE
project-none = Nothing is kept for any project yet.
project-named = { $project } is called { $name } now.
project-unnamed = { $project } has its own name again: { $name }.
project-context-arrived = { $count ->
    [one] { $count } context note
   *[other] { $count } context notes
} of this worktree moved to those of its repository, in { $file }.
