# Messages of `scratchpad session`, and about which session is meant.
session-meant = Session: { $id }
session-newest = Session: { $id } (newest of this project)
session-new = Session: { $id } (new)
session-none = No session in { $project } yet.
session-more = There are more than { $limit }: a larger --limit shows them.
session-deleted = Deleted session { $id }: { $revisions ->
    [one] { $revisions } revision
   *[other] { $revisions } revisions
}, { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
}, { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
}.
session-clear-project = { $count ->
    [one] Delete the one session of the project { $project } for good?
   *[other] Delete all { $count } sessions of the project { $project } for good?
}
session-clear-all = { $count ->
    [one] Delete the one session there is for good?
   *[other] Delete all { $count } sessions of all projects for good?
}
session-cleared = Deleted { $count ->
    [one] { $count } session
   *[other] { $count } sessions
}: { $revisions ->
    [one] { $revisions } revision
   *[other] { $revisions } revisions
}, { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
}, { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
}.
session-in-use = Session { $id } stays: a running agent uses it.
session-delete-used = Session { $id } is in use by a running agent (process { $process }). Delete it all the same?
session-none-anywhere = No session here yet.
session-shown = Session { $id }, revision { $revision }
session-space = { $space ->
    [notes] Notes ({ $used } / { $max } chars)
    [plan] Plan ({ $used } / { $max } chars)
   *[refs] Refs ({ $used } / { $max } items)
}
session-empty = The pad is empty.
session-undo-of = { $action } of { $number }
session-older = { $count ->
    [one] { $count } older revision: --limit { $limit }
   *[other] { $count } older revisions: --limit { $limit }
}
session-undone = Undid revision { $revision } ({ $space }).
session-restored = Back to revision { $revision } ({ $space }).
session-import-nothing = The file has no pad entries; nothing was changed.
session-import-malformed = { $count ->
    [one] { $count } line could not be read and was skipped.
   *[other] { $count } lines could not be read and were skipped.
}
session-running = running, { $age }
session-plan-done = { $count }/{ $count } done
session-column-title = PLAN
session-column-host = HOST
session-column-branch = BRANCH
session-column-seen = SEEN
session-column-session = SESSION
session-column-revision = REV
session-column-when = WHEN
session-column-space = SPACE
session-column-action = ACTION
session-column-size = SIZE
session-column-project = PROJECT
session-column-author = AUTHOR
session-in-worktree = { $branch } in { $worktree }
session-on-branch = On branch { $branch }.
session-on-branch-in = On branch { $branch }, in the worktree { $worktree }.
