# Words of the page that `scratchpad serve` shows.
page-skip = Skip to the content
page-nav = Pages
page-sessions = Sessions
page-notes = Notes
page-outputs = Outputs
page-health = Health
page-projects = Projects
page-live = Live
page-paused = Paused
page-lost = Not live
page-updated = The page was updated.
page-theme-auto = Automatic
page-theme-light = Light
page-theme-dark = Dark
page-logout = Log out
page-error = Something went wrong
page-to-start = Back to the start
page-login = You are not logged in
page-login-used = That link was used already, or is older than two minutes.
page-login-how = Ask for a new link in a terminal on the machine that serves this page:
page-login-why = The link works once. It lets this browser in for a week, or until the server stops.
page-login-again = I have a new login: try again
page-empty = Nothing is kept yet.
page-empty-how = Set up an agent host, and what its agents write appears here by itself:
page-number = { $count }
page-progress = { $one } of { $all }
page-used = { $one } of { $all } characters
page-refs-used = { $one } of { $all }
page-size = { $one } characters, about { $all } tokens
page-column-project = Project
page-column-seen = Last seen
page-column-work = Working on
page-column-plan = Plan
page-column-host = Host
page-column-revision = Revision
page-column-space = Space
page-column-action = Action
page-column-change = Change
page-column-when = When
page-column-output = From
page-column-kind = Kind
page-column-size = Size
page-column-lines = Lines
page-column-tool = Tool
page-today = Sessions today
page-no-sessions = No sessions yet.
page-no-sessions-how = As soon as an agent writes to its pad in this project, it is listed here.
page-plan-done = All done
page-untitled = Nothing written yet
page-now = Written in the last minute
page-running = Running
page-newer = Newer
page-older = Older
page-next = Next
page-pinned = Pinned notes
page-no-pinned = Pinned notes are given to every new conversation. Pin one on its page.
page-session = Session
page-given = What the agent gets
page-undo = Undo
page-plan = Plan
page-no-plan = No plan.
page-mark-done = Mark as done
page-mark-open = Mark as open again
page-mark-item = Mark as done: { $value }
page-unmark-item = Mark as open again: { $value }
page-active = active
page-blocked = blocked
page-dropped = dropped
page-closed = { $count } done or dropped
page-edit = Edit
page-save = Save
page-pad-notes = Notes
page-no-pad-notes = No notes.
page-refs = Refs
page-no-refs = No refs.
page-refs-how = One on each line.
page-timeline = Timeline
page-no-timeline = Nothing was written yet.
page-undoes = takes back { $value }
page-older-revisions = { $count ->
    [one] Show { $count } older revision
   *[other] Show { $count } older revisions
}
page-session-notes = Notes of this session
page-no-session-notes = The agent has added no notes.
page-no-session-outputs = No large results.
page-revision = Revision { $value }
page-against = compared with revision { $value }
page-restore = Restore this
page-is-current = This is what the pad holds now.
page-conflict = Somebody was faster
page-conflict-note = This note was changed after you opened it. Nothing was saved.
page-theirs = There now
page-yours = Yours
page-save-anyway = Save mine
page-look-again = Look at the session
page-given-what = This is the text that the hooks of the host would give its agent now, to the last character.
page-given-now = In it
page-given-has = The agent has
page-given-nothing = nothing of the pad yet
page-given-revision = revision { $one } of { $all }
page-given-last = Last call
page-given-back = Last given back
page-given-compacted = After a compaction
page-given-prompted = With your next message
page-given-none = Nothing.
page-given-none-new = Nothing: the agent has it all.
page-show = Show
page-search = Search
page-search-notes = Search the notes
page-search-outputs = Search inside all outputs
page-found-notes = { $count ->
    [one] { $count } note
   *[other] { $count } notes
}
page-by-words = No note has this text as it is; these have its words.
page-no-notes = No notes yet.
page-no-notes-how = Agents add notes to a project when something should outlive their session. Notes of one session are on its page.
page-none-found = Nothing found.
page-tick = Choose { $value }
page-is-pinned = pinned
page-open = Open
page-pin = Pin
page-unpin = Unpin
page-delete = Delete
page-delete-ticked = Delete…
page-delete-notes = { $count ->
    [one] Delete { $count } note?
   *[other] Delete { $count } notes?
}
page-delete-sure = Notes have no history: what is deleted here is gone.
page-keep = Keep them
page-note = Note
page-of-session = Kept with its session
page-of-project = Kept with the project
page-promote = Move to the project
page-text = Text
page-tags = Tags, separated by commas
page-found-outputs = { $count ->
    [one] { $count } output
   *[other] { $count } outputs
}
page-no-outputs = No outputs yet.
page-no-outputs-how = Tool results too large for an agent's window are kept here whole, for a day or as your settings say.
page-hits = { $count ->
    [one] { $count } match
   *[other] { $count } matches
}
page-stays = stays with its pad
page-output = Output
page-lines = { $count ->
    [one] { $count } line
   *[other] { $count } lines
}
page-views = Views
page-view-log = Lines
page-view-tree = Tree
page-view-table = Table
page-grep = Find, as a regular expression
page-range = Lines from-to
page-download = Download
page-more-chars = … and { $count } more characters
page-way = Place in the tree
page-entries = { $count ->
    [one] { $count } entry
   *[other] { $count } entries
}
page-json-path = JSONPath of this place:
page-call = An agent reads this with
page-store = Store
page-hosts = Hosts
page-no-hosts = No agent host was found on this machine. `scratchpad setup` sets one up.
page-state-good = Good
page-state-note = Note
page-state-bad = Wrong
page-done-saved = Saved.
page-done-undone = Undone. Undo again to go further back.
page-done-restored = Restored.
page-done-deleted = Deleted.
page-done-promoted = Moved to the project.
page-done-pinned = Pinned.
page-done-unpinned = Unpinned.
page-listening = Serving the page at { $url }
page-login-link = Log in once, within two minutes: { $link }
page-already = A server is running there already; this is a new login for it.
page-no-browser = Can't open a browser: open the link yourself.
