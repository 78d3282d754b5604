# What `scratchpad status` shows.
status-project = Project
status-sessions = Sessions
status-notes = Notes
status-outputs = Outputs
status-retention = Expiry
status-savings = Savings
status-hosts = Hosts
status-problems = Problems
status-on-branch = { $path }, on branch { $branch }
status-no-sessions = none yet: restart your agent after `scratchpad setup`; its session appears when it writes to its pad
status-unreadable = can't be read
status-more = More: scratchpad session list
status-note-count = { $count ->
    [0] none in this project
   *[other] { $count } in this project
}
status-note-tags = { $count } in this project ({ $tags })
status-no-outputs = none kept
status-output-count = { $count } kept outside the context window, { $size }
status-no-savings = nothing counted in the last 30 days
status-net = net { $tokens } tokens in the last 30 days; `scratchpad stats` says more
status-no-hosts = none found here
status-host-found = { $host }: not set up; `scratchpad install { $name }` does it
status-host-tools = { $host }: set up; it has no hooks, so its agent calls the tools itself
status-host-silent = { $host }: set up, not heard of yet; restart it
status-host-unreadable = { $host }: set up; when it was last heard of can't be read
status-host-last = { $host }: set up, last event { $age }
status-host-empty = { $host }: set up, last event { $age }; its agent has not written to the pad
status-retention-sessions = { $days ->
    [one] sessions go after { $days } day
   *[other] sessions go after { $days } days
}, the next { $when }: { $id }
status-retention-notes = { $days ->
    [one] notes go after { $days } day
   *[other] notes go after { $days } days
}, the next { $when }: { $id }
status-retention-due = when a server starts
status-no-problems = none
status-doctor = `scratchpad doctor` says more.
status-hook-failed = a hook failed { $age }: { $what }
status-line-plan = plan { $done }/{ $total }
status-line-plan-done = plan { $count }/{ $count } done
status-line-empty = pad empty
status-line-kept = { $count } kept, { $size }
status-line-net = net { $tokens } tokens
