# Meldungen von `scratchpad store`.
store-sessions = Sitzungen
store-notes = Notizen
store-outputs = Ausgaben
store-compared = verglichen
store-progress = { $what }: { $done } von { $all }
store-copied = Kopiert: { $sessions ->
    [one] { $sessions } Sitzung
   *[other] { $sessions } Sitzungen
} mit { $revisions ->
    [one] { $revisions } Revision
   *[other] { $revisions } Revisionen
}, { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
}, { $outputs ->
    [one] { $outputs } Ausgabe
   *[other] { $outputs } Ausgaben
} von { $bytes } Bytes.
store-same = Mit der Quelle verglichen: { $sessions ->
    [one] { $sessions } Sitzung
   *[other] { $sessions } Sitzungen
} mit { $revisions ->
    [one] { $revisions } Revision
   *[other] { $revisions } Revisionen
}, { $notes ->
    [one] { $notes } Notiz
   *[other] { $notes } Notizen
}, { $outputs ->
    [one] { $outputs } Ausgabe
   *[other] { $outputs } Ausgaben
} von { $bytes } Bytes.
store-renumbered = { $notes ->
    [one] { $notes } Notiz hat
   *[other] { $notes } Notizen haben
} eine neue ID: die alte war vergeben.
store-project = Das Projekt { $old } heißt dort { $new }.
store-differing = Unverändert, weil ihr Verlauf dort abweicht: { $sessions }.
store-lost = Ausgelassen, da beschädigt: { $outputs }.
store-as-of = Stand: { $time }.
store-backup = Geschrieben nach { $file }: eine Datei mit { $bytes } Bytes, geprüft.
