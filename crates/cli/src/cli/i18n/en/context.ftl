# Messages of `scratchpad context`.
context-added = Context note { $number } added.
context-removed = Context note { $number } removed: { $note }
context-cleared = { $count ->
    [0] There were no context notes.
    [one] One context note removed.
   *[other] { $count } context notes removed.
}
context-damaged-removed = The file could not be read and was removed: { $file }
context-none = No context notes in { $project }. Add one: `scratchpad context add TEXT`.
context-header = ## Current Context
context-with-next-prompt = With the next prompt, also to running agents: { $hosts }
context-hooks-not-run = No agent reads the notes yet: the hooks of { $hosts } are installed, but have not run. Restart, and `scratchpad doctor` shows whether they run.
context-reaches-nobody = No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject`.
context-added-for-all = Context note { $number } added, for all projects.
context-for-all-reaches-nobody = No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject --global`.
context-none-for-all = No context notes for all projects. Add one: `scratchpad context add --global TEXT`.
context-also-for-all = { $count ->
    [one] 1 more note is
   *[other] { $count } more notes are
} for all projects: `scratchpad context --global`.
