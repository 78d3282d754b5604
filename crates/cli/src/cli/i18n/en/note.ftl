# Messages of `scratchpad note`.
note-exported = { $count ->
    [one] { $count } note of the { $scope }.
   *[other] { $count } notes of the { $scope }.
}
note-cleared = { $count ->
    [one] Deleted { $count } note of the { $scope }.
   *[other] Deleted { $count } notes of the { $scope }.
}
note-not-cleared = Nothing was changed.
note-clear-project = Delete all notes of the project { $project } for good?
note-read = { $count } notes read
note-imported = { $count ->
    [one] { $count } note added to the { $scope }.
   *[other] { $count } notes added to the { $scope }.
}
note-imported-known = { $count ->
    [one] { $count } note added to the { $scope }
   *[other] { $count } notes added to the { $scope }
}; { $known ->
    [one] { $known } already existed.
   *[other] { $known } already existed.
}
note-pinned = Pinned { $id }: every new conversation here is given it whole.
note-unpinned = { $id } is no longer pinned.
note-not-pinned = { $id } was not pinned.
note-none-pinned = No note is pinned. `scratchpad note pin ID` pins one of the project.
note-source = { $now ->
    [same] as it was
    [moved] moved to { $line }
    [gone] gone
   *[other] changed since
}
note-source-branch = { $became }, noted on branch { $branch }
note-no-sources = No note names lines of a file.
note-sources = { $sources ->
    [one] { $sources } source
   *[other] { $sources } sources
} of { $notes ->
    [one] { $notes } note
   *[other] { $notes } notes
}: { $same } as they were, { $moved } moved, { $changed } changed, { $gone } gone.
