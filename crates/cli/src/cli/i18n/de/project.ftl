# Wo ein Projekt beginnt, welche es gibt, und verschobene Repositories.
project-former = { $project } ist ein eigenes Projekt; was dort gespeichert ist, gilt hier nicht mehr: `scratchpad --project-dir { $project } { $command }` zeigt es.
project-arrived = Jetzt Teil von { $project }: { $sessions ->
    [one] { $sessions } Sitzung
   *[other] { $sessions } Sitzungen
}, { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
} und { $outputs ->
    [one] { $outputs } Ausgabe
   *[other] { $outputs } Ausgaben
}, gespeichert als { $from }, das dasselbe Repository ist.
project-column-project = PROJEKT
project-column-path = PFAD
project-column-sessions = SITZUNGEN
project-column-notes = NOTIZEN
project-column-outputs = AUSGABEN
project-column-used = ZULETZT BENUTZT
project-none = Für kein Projekt ist schon etwas gespeichert.
project-named = { $project } heißt jetzt { $name }.
project-unnamed = { $project } hat wieder seinen eigenen Namen: { $name }.
project-context-arrived = { $count ->
    [one] { $count } Kontextnotiz
   *[other] { $count } Kontextnotizen
} dieses Worktrees bei denen seines Repositorys abgelegt, in { $file }.
