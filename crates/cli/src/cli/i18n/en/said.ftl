# What the layers below say in English, here to be found by it. The text must be that of the code.

# What ends an error that changed nothing.
said-unchanged = Nothing was changed.

# Phrases within messages.
said-one-note = 1 note
said-some-notes = { $number } notes
said-part-of-note = { $shown } of 1 note
said-part-of-notes = { $shown } of { $number } notes
said-one-tag = 1 tag
said-some-tags = { $number } tags
said-one-item = 1 item
said-some-items = { $number } items
said-is-one-ref = is 1 ref
said-are-refs = are { $number } refs

# Writes of the pad.
said-notes-saved = Notes saved ({ $used } / { $max } chars).
said-plan-saved = Plan saved ({ $used } / { $max } chars).
said-notes-cut = Notes cut to { $max } chars ({ $given } given): rewrite shorter.
said-plan-cut = Plan cut to { $max } chars ({ $given } given): rewrite shorter.
said-ref-added = Ref added ({ $used } / { $max }).
said-ref-removed = Ref removed ({ $used } / { $max }).
said-refs-saved = Refs saved ({ $used } / { $max }).
said-refs-first = Refs saved: the first { $max } of { $given }.
said-oldest-dropped = Oldest dropped: { $ref }
said-more-dropped = { $number } oldest dropped, first: { $ref }
said-output-kept = All of it is output { $id } (scratchpad_read, or `scratchpad output read { $same }`).

# Notes.
said-note-saved = Saved { $id } ({ $count }).
said-note-updated = Updated { $note }
said-note-moved = Moved { $id } to the project.
said-note-deleted = Deleted { $id } ({ $count } left).
said-notes-listed = { $count }, newest first:
said-notes-listed-tagged = { $count } tagged { $tags }, newest first:
said-notes-found = { $count } with { $query }:
said-notes-found-tagged = { $count } tagged { $tags } with { $query }:
said-notes-words = None has { $query } as it stands; { $count } with its words:
said-notes-words-tagged = None tagged { $tags } has { $query } as it stands; { $count } with its words:
said-notes-none = No notes.
said-notes-none-tagged = No notes tagged { $tags }.
said-notes-without = No note has { $query } or its words.
said-notes-without-tagged = No note tagged { $tags } has { $query } or its words.
said-notes-more = { $number } more: a larger `limit`, or search by text or tag.
said-notes-left-out = { $count } left out, this answer is full ({ $bytes } bytes at most): { $ids }. Search for less, or by tag.
said-tags-none = No tags.
said-tags-left-out = { $count } left out: this answer is full. search_notes finds by them all the same.

# Errors of context notes.
said-context-empty = Context note not added: it is empty.
said-context-empty-hint = say what agents should know: `scratchpad context add "Deploys are frozen"`.
said-context-long = Context note not added: { $given } bytes, the limit is { $max }.
said-context-long-hint = put the text in a file, and name the file in a note.
said-context-full = The context notes would have { $given } bytes, the limit is { $max }.
said-context-full-hint = `scratchpad context remove N` makes room.
said-context-none = There is no context note { $number }: there are none.
said-context-only-one = There is no context note { $number }: there is only number 1.
said-context-range = There is no context note { $number }: they are numbered 1 to { $last }.
said-context-list-hint = `scratchpad context list` shows them with their numbers.
said-context-correct = correct the file, or remove it with `scratchpad context clear`.
said-context-correct-older = correct the file, or leave it unread with `scratchpad context clear`.
said-yaml-list = line { $line }, column { $column }: a list of texts is expected here.
said-yaml-text = line { $line }, column { $column }: a text is expected here.
said-yaml-mapping = line { $line }, column { $column }: a mapping with the key `notes` is expected here.
said-yaml-bomb = line { $line }, column { $column }: this repeats or nests too much.
said-at-line = line { $line }, column { $column }: { $what }

# Errors of injection, packs and profiles.
said-region-second = line { $line } begins a second region.
said-region-nested = line { $line } begins a second region inside the one of line { $first }.
said-region-unopened = line { $line } ends a region that does not begin.
said-region-unclosed = line { $line } begins a region that does not end.
said-region-hint = remove the marker lines `<!-- scratchpad:… -->` and what is between them, then try again.
said-no-tool = There is no tool { $tool }.
said-no-tool-hint = the known ones are { $tools }.
said-no-file = { $host } has no instruction file with --{ $reach }.
said-no-host = No agent host was found here.
said-no-host-hint = name one, for example `scratchpad inject --tool claude`, or take --all.
said-no-home-hosts = There is no home directory to find hosts in: HOME is not set to an absolute path.
said-no-home-hosts-hint = set HOME, or use --project.
said-no-profile = There is no profile { $profile }.
said-no-profile-hint = `scratchpad profile list` shows them.
said-missing-pack = The profile { $profile } asks for the pack { $pack }, which there is not.
said-pack-link = { $path } is a link out of the project.
said-pack-link-hint = copy the file into the project, or keep the pack beside your settings.
said-packs-full = { $path } has more than { $max } bytes, which is the limit; packs past it are left out.
said-pack-no-id = `id` is missing.
said-pack-weight = `weight` takes a whole number.
said-pack-text = `{ $key }` takes a text.
said-profile-packs = `packs` takes a list of ids.
said-pack-key = there is no key { $key }.
said-pack-keys = the keys are { $keys }.
said-pack-toml = not valid TOML: line { $line }: { $what }

# Errors of sessions.
said-session-none = There is no session in { $project } yet.
said-session-none-hint = begin one: `scratchpad session set-notes TEXT`; or name one with --session ID.
said-session-unknown = There is no session { $session }.
said-session-list-hint = `scratchpad session list --all` lists the sessions.
said-nearest = the nearest: { $ids }.
said-session-there = There is a session { $session } already.
said-session-there-hint = choose another id, or leave it out to get a new one.
said-session-id-empty = The session id is empty: a session id is 1 to { $max } printable ASCII characters without blanks.
said-session-id-long = The session id has { $given } characters: a session id is 1 to { $max } printable ASCII characters without blanks.
said-session-id-bad = The session id { $id } has the character { $bad }: a session id is 1 to { $max } printable ASCII characters without blanks.
said-journal-and-session = --journal and --session can't go together: the journal is the session.
said-journal-list = A journal holds one session, there is no list of journals.
said-journal-list-hint = leave out --journal to list the sessions of the store.
said-journal-kind = The journal { $path } is { $kind }.
said-journal-kind-hint = name a file; it is made if it does not exist.
said-append-long = Notes not appended: { $there } characters there and { $given } given make { $sum }, the limit is { $max }.
said-append-long-hint = rewrite the notes shorter, or append less.
said-ref-empty = A ref is empty: give a path, a link or an id.
said-ref-empty-hint = to clear all refs, set an empty list.
said-ref-long = A ref has { $given } characters, the limit is { $max }.
said-ref-long-hint = a ref points to something: put long text in the notes, or in a file and add its path.
said-ref-unknown = No ref equals { $ref }; there { $count }.
said-ref-unknown-hint = a ref is removed by its exact text.
said-text-long = The text has { $given } bytes, the limit of one call is { $max }.
said-text-long-hint = keep it in a file and add the path as a ref.
said-undo-none = Nothing to undo: no write is left to take back.
said-undo-none-hint = `scratchpad session history` lists the revisions, `session restore REV` brings one back.
said-revision-none = No revision { $number }: nothing was written yet.
said-revision-range = No revision { $number }: the session has 1 to { $last }.
said-revision-hint = `scratchpad session history` lists them.
said-text-missing = The text is missing.
said-text-missing-hint = give it as an argument ("" is the empty text), or pipe it in.

# Errors of notes.
said-note-blank = Note not saved: the content is blank.
said-note-blank-hint = give the fact to keep as `content`.
said-note-long = Note not saved: { $given } characters, the limit is { $max }.
said-note-long-hint = split it into shorter notes.
said-note-tags = Note not saved: { $given } tags, the limit is { $max }.
said-note-tags-hint = keep the tags you will search by.
said-tag-blank = Note not saved: a tag is blank.
said-tag-blank-hint = leave it out.
said-tag-long = Note not saved: a tag has { $given } characters, the limit is { $max }.
said-tag-long-hint = a tag is a word or two: put the rest in the content.
said-tag-control = Note not saved: the tag { $tag } has the control character { $bad }.
said-tag-control-hint = a tag is one line of text.
said-note-id = { $id } is not a note id: an id is note_ and digits.
said-note-id-hint = list_notes and search_notes show the ids.
said-note-unknown = There is no { $id } here.
said-note-unknown-none = there are no notes in this session and its project yet.
said-note-nearest = the nearest ids: { $ids }.
said-note-update = Say what to replace: --content, --tag or --no-tags.
said-limit = { $command }: `limit` must be 1 to { $max }; { $given } was given.
said-many-tags = search_notes: { $given } tags, no note has more than { $max }.
said-import-line = Line { $line }: { $what }
said-import-unreadable = The file could not be read: { $what }

# Errors of files, settings and the store.
said-did-you-mean = did you mean { $names }?
said-cant-read = Can't read { $path }: { $why }.
said-cant-write = Can't write { $path }: { $why }.
said-cant-remove = Can't remove { $path }: { $why }.
said-cant-lock = Can't lock { $path }: { $why }.
said-cant-make = Can't make the directory { $path }: { $why }.
said-cant-make-hint = make it yourself, or choose another place with SCRATCHPAD_HOME=DIR.
said-cant-find = Can't find the directory { $path }: { $why }.
said-cant-use = Can't use the directory { $path }: { $why }.
said-in-place-hint = move away what is in its place, or make the directory yourself.
said-writable-hint = make it writable for you.
said-space-hint = free some space, then try again.
said-is-directory = { $path } is a directory, not a file.
said-is-directory-only = { $path } is a directory.
said-not-regular = { $path } is not a regular file.
said-too-large = { $path } has more than { $max } bytes, which is the limit.
said-not-text = { $path } is not UTF-8 text.
said-busy = Another process held { $path } for more than { $time } ms.
said-busy-hint = try again; `store.busy_timeout_ms` sets how long to wait.
said-stdin-long = More than { $max } bytes came by stdin, which is the limit.
said-stdin-text = Stdin is not UTF-8: byte { $byte } at offset { $at }.
said-stdin-text-hint = convert it first, for example with `iconv -f LATIN1 -t UTF-8`.
said-no-home = There is no home directory to keep data in: HOME is not set to an absolute path.
said-no-home-hint = say where to keep it: SCRATCHPAD_HOME=DIR.
said-no-language = There is no language { $name }. the languages are `en` and `de`.
said-no-option = there is no such option; to give it as text, pipe it in
said-not-a-number = invalid digit found in string
said-came-from = it came from { $place }.
said-no-setting = There is no setting { $name }.
said-no-setting-hint = `scratchpad config show` lists the settings.
said-setting-whole = `{ $name }` takes a whole number from { $min } to { $max }; { $given } was given.
said-setting-text = `{ $name }` takes a text; { $given } was given.
said-setting-language = `language` takes auto, en or de; { $given } was given.
said-setting-flag = --config takes KEY=VALUE; { $given } was given.
said-setting-data = A project may not set `{ $name }`: it chooses where your data goes.
said-setting-yours = A project may not set `{ $name }`: you choose what you read.
said-setting-project-hint = set it for yourself: `scratchpad config set { $name } VALUE`.
said-setting-toml = { $path } is not valid TOML: line { $line }, column { $column }: { $what }
said-store-newer = { $path } was written by a newer scratchpad (schema { $version }, this one knows { $known }).
said-store-newer-hint = update scratchpad, or choose another place with SCRATCHPAD_HOME=DIR.
said-store-other = { $path } is not a Scratchpad database.
said-store-other-hint = move it away (a new one is made then), or choose another place with SCRATCHPAD_HOME=DIR.
said-store-damaged = { $path } is damaged ({ $why }).
said-store-damaged-hint = copy the file away before anything else; `sqlite3 FILE .recover` may save its content.
said-store-closed = Can't open { $path } for writing ({ $why }).
said-store-closed-hint = make the file and its directory writable for you, or choose another place with SCRATCHPAD_HOME=DIR.
said-store-full = The disk is full: { $path } could not be written.

# A team's server.
said-server-newer = The schema { $schema } in { $place } was written by a newer scratchpad (schema { $version }, this one knows { $known }).
said-server-newer-hint = update scratchpad, or name another schema: `?schema=NAME` at the end of `store.url`.
said-server-other = The schema { $schema } in { $place } has tables that are not Scratchpad's.
said-server-other-hint = name another schema: `?schema=NAME` at the end of `store.url`.
said-server-closed = The schema { $schema } in { $place } is not open to this role.
said-server-closed-hint = let `store.url` name a role of the team that it belongs to, or your own schema: `?schema=NAME`.
said-server-old = { $place } is PostgreSQL { $version }; { $oldest } or newer is needed.
said-server-old-hint = let `store.url` name a newer server.
said-server-encoding = The database { $place } has the encoding { $encoding }; UTF8 is needed.
said-server-encoding-hint = make one that has it: `createdb --encoding=UTF8 --template=template0 NAME`.
said-server-url = `store.url` is not a PostgreSQL URL: { $why }.
said-server-no-connection = Can't connect to { $place }: { $why }.
said-server-password-hint = check the user and the password; in `store.url`, characters like @ and / are written as %40 and %2F.
said-server-no-password-hint = put the password into `~/.pgpass` (`HOST:PORT:DATABASE:USER:PASSWORD`, mode 0600), `PGPASSWORD` or `store.url`.
said-server-tls-hint = check `sslmode` in `store.url`; `sslrootcert=FILE` names the authority of a server that browsers don't trust.
said-server-role-hint = check the user in `store.url`, and what the server's pg_hba.conf lets in; `sslmode=require` if it wants TLS.
said-server-database-hint = make it (`createdb NAME`), or name another database in `store.url`.
said-server-reach-hint = check host, port and sslmode in `store.url`, and whether the server is up and reachable from here.
said-server-silent = { $place } did not answer within { $time } ms.
said-server-silent-hint = look whether the server is up and can be reached from here; `store.busy_timeout_ms` says how long to wait.
said-server-busy = { $place } was busy for { $time } ms.
said-server-busy-hint = try again; `store.busy_timeout_ms` says how long to wait.
said-server-in-use = All connections to { $place } were in use for { $time } ms.
said-server-lost = The connection to { $place } was lost.
said-server-lost-hint = look whether the server is up; scratchpad connects again by itself, so just repeat the call.
said-server-unsure = The connection to { $place } was lost while the change was saved: whether it was is not known.
said-server-unsure-hint = look at what is kept before you repeat it.
said-server-no-index = Searches in { $place } have no index and are slower: { $why }. docs/postgres.md says what an administrator can do.
said-server-refuses = { $place } refuses it: { $why }.
said-server-full = The disk of { $place } is full.
said-server-standby = { $place } can only be read: it is a standby, or set so.

# Outputs.
said-output-bad-id = { $id } is not an output id: an id is 12 to 64 hex digits, { $chars } characters were given.
said-output-unknown = There is no output { $id }: it was never kept here.
said-output-removed = Output { $id } is not kept any more: it was removed at { $time }.
said-output-gone = Output { $id } is damaged: { $path } is gone.
said-output-damaged = Output { $id } is damaged: { $path } does not hold what was kept.
said-output-again = run what made it again.
said-output-lines = `lines` must be like "120-180" or "-40" (the last 40); { $given } was given.
said-output-ways = scratchpad_read: `lines`, `grep` and `json` can't go together: slice one way.
said-output-lines-bytes = scratchpad_read: `lines` can't go with `offset` or `limit`: slice one way.
said-output-grep = `grep` can't be read at character { $place }, before { $rest }: { $why }.
said-output-grep-large = `grep` is too large: compiled, it needs more than { $max } bytes.
said-output-filter = `json` can't be read as a jq filter at character { $place }, before { $rest }: { $why }.
said-output-filter-end = `json` can't be read as a jq filter at its end: { $why }.
said-output-path = `json` can't be read as JSONPath at character { $place }, before { $rest }.
said-output-path-end = `json` can't be read as JSONPath at its end.
said-output-probe-time = `{ $way }` was stopped: it took longer than { $seconds } seconds.
said-output-probe-memory = `{ $way }` was stopped: it needed too much memory, or something is nested too deep.
said-output-probe-answer = `{ $way }` was stopped: it answered more than { $max } bytes.
said-output-json-less = ask for less: limit(10; …), or a narrower path.
said-output-json-halted = `json` halted with { $code }.
said-output-grep-less = ask for less: a plainer pattern, or `lines`.
said-output-not-json = This output is not JSON or JSON Lines ({ $why }).
said-output-not-json-hint = slice it by `grep` or `lines`.
said-output-no-match = No match in output { $id } ({ $bytes } bytes).
said-output-no-result = The expression finds nothing in output { $id }.
said-output-past = Nothing there: output { $id } has { $bytes } bytes.
said-output-past-lines = Nothing there: output { $id } has { $bytes } bytes in { $lines } lines.
said-output-one-match = 1 match.
said-output-matches = { $count } matches.
said-output-one-result = 1 result.
said-output-results = { $count } results.
said-output-part = N@B: part of the long line N from byte B.
said-output-shown-lines = Lines { $range } of { $total }.
said-output-shown-bytes = Bytes { $range } of { $total }.
said-output-whole = All of output { $id }: { $bytes } bytes.
said-output-not-text = Bytes that are not UTF-8 are shown as { $form }.
said-output-query = `query` takes a text of 1 to { $max } characters; { $chars } were given.

# Hosts.
said-host-unnamed = No host was named.
said-host-unnamed-hint = name some, or give --all for those that are found: { $names }.
said-host-not-ours = There is a file { $path } already, which is not ours.
said-host-not-ours-hint = move it away, or call scratchpad from it yourself.
said-host-meanwhile = { $path } was written by somebody else meanwhile.
said-host-again = try again.
said-host-no-compaction = { $host } has no events around a compaction.
said-host-claude = VS Code runs these hooks too: don't install others there.
said-host-codex = Codex runs no hook before you approve it: start codex, type /hooks, and trust the ones of scratchpad.
said-host-qwen = Qwen Code hides tools behind a search; `tools.toolSearch.enabled: false` in its settings shows them at once.
said-host-vscode = Hooks come from Claude Code's settings, which VS Code reads: `scratchpad install claude` writes them.
said-host-no-hooks = No hook puts the pad before its agent: it calls the tools itself, as its instructions say.
said-host-no-rules = { $host } keeps rules for all projects in no file: paste what `scratchpad guidance` prints into its settings, or run `scratchpad install { $name } --project` in a repository.
said-host-no-servers = { $host } has MCP servers for all projects only: run `scratchpad install { $name }` too.
said-host-goose = To have the pad before its agent in each turn, start it with a file of its own for that: GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.

# Boundaries.
said-leads-out = { $path } is or lies behind a link to { $meant }, outside the project.
said-leads-out-hint = put a file in the place of the link, if you want it there.
said-place-of-another = { $path } belongs to another user (number { $owner }), who could read and change what is kept there.
said-place-of-another-hint = choose a place of your own with SCRATCHPAD_HOME=DIR.
said-log-too-large = The session log holds more than { $limit } bytes of this pad, which is the limit.
said-log-too-large-hint = begin a new file with the end of this one: `tail -n 1000 OLD > NEW`; the last entry of each space counts.
said-unconfirmed = { $path } was written, but the disk did not confirm it: { $why }.
said-unconfirmed-hint = look after the disk: a power cut may bring back what was there.
said-check-integrity-passed = quick check passed
said-check-free = { $bytes } bytes are free
said-check-latency = { $time } ms a round trip
said-check-indexed = there, by pg_trgm
said-check-in-database = in the database
said-check-stored = { $place } stored, read and removed one
said-check-not-indexed = Searches have no index, and are slower.
said-check-file = file
said-check-integrity = integrity
said-check-disk = disk
said-check-search = search index
said-check-time = latency
said-check-objects = objects

# Copying a store.
said-copy-same = Both are the same store.
said-copy-same-hint = name two stores: `scratchpad store copy FROM TO`.
said-copy-output = Can't copy output { $id }: { $why }.
said-copy-differs = The copy is not whole: { $thing } is not what it is in the source.
said-copy-differs-hint = run it again: what is there already is not copied twice.
said-copy-none = There is no store { $path }.
said-copy-rename = --rename-project takes OLD=NEW; { $given } was given.
