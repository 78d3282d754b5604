# What `scratchpad stats` shows.
stats-of-session = Session { $session }
stats-of-project = This project, the last { $days ->
    [1] day
   *[other] { $days } days
}: { $sessions ->
    [1] 1 session
   *[other] { $sessions } sessions
}
stats-everywhere = All projects, the last { $days ->
    [1] day
   *[other] { $days } days
}: { $sessions ->
    [1] 1 session
   *[other] { $sessions } sessions
}
stats-nothing = Nothing was counted: no result became an output, and no hook put anything in.
stats-kept = Kept out of the window
stats-results = { $count ->
    [1] 1 result
   *[other] { $count } results
}
stats-cut = their hosts would have cut { $tokens } more anyway, which is not counted
stats-passed = Passed by reference
stats-arguments = { $count ->
    [1] 1 argument
   *[other] { $count } arguments
}
stats-references = References
stats-read = Read again
stats-calls = { $count ->
    [1] 1 call and its answer
   *[other] { $count } calls and their answers
}
stats-whole = { $count } to the end
stats-listed = Tools in the list
stats-lists = { $count ->
    [1] 1 list
   *[other] { $count } lists
}
stats-injected = Put in by hooks
stats-times = { $count ->
    [1] once
   *[other] { $count } times
}
stats-net = Net
stats-in-tokens = tokens; below zero it cost more than it saved
stats-unknown = unknown
stats-column-tool = TOOL
stats-column-host = HOST
stats-column-day = DAY
stats-column-author = AUTHOR
stats-column-kept = KEPT OUT
stats-column-cost = COST
stats-column-net = NET
stats-worst = Worst: { $tool }: kept { $kept ->
    [1] once
   *[other] { $kept } times
}, read to the end { $whole ->
    [1] once
   *[other] { $whole } times
}: { $net } tokens
stats-better = Better: scratchpad config set outputs.rules { $rules }
stats-unknown-host = Where the host is not known, all of a result counts as shown.
stats-estimates = Tokens are estimates, within 4 % of o200k.
stats-plotted = The picture is in { $file }.
stats-plot-title = Tokens kept out of the window: net { $net }
stats-plot-legend = blue: kept out; red: references, reads, lists, hooks; dots: net
stats-plot-day = { $day }: kept out { $kept }, cost { $cost }, net { $net }
