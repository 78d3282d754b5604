# Wörter der Seite, die `scratchpad serve` zeigt.
page-skip = Zum Inhalt
page-nav = Seiten
page-sessions = Sitzungen
page-notes = Notizen
page-outputs = Ausgaben
page-health = Zustand
page-projects = Projekte
page-live = Live
page-paused = Angehalten
page-lost = Nicht live
page-updated = Die Seite wurde aktualisiert.
page-theme-auto = Automatisch
page-theme-light = Hell
page-theme-dark = Dunkel
page-logout = Abmelden
page-error = Etwas ist schiefgegangen
page-to-start = Zurück zum Anfang
page-login = Sie sind nicht angemeldet
page-login-used = Dieser Link wurde schon benutzt oder ist älter als zwei Minuten.
page-login-how = Holen Sie einen neuen Link in einem Terminal des Rechners, auf dem der Server läuft:
page-login-why = Der Link gilt einmal. Er lässt diesen Browser für eine Woche herein, oder bis der Server endet.
page-login-again = Ich bin jetzt angemeldet: weiter
page-empty = Noch nichts aufbewahrt.
page-empty-how = Richten Sie einen Host ein; was seine Agenten schreiben, erscheint hier von selbst:
page-number = { $count }
page-progress = { $one } von { $all }
page-used = { $one } von { $all } Zeichen
page-refs-used = { $one } von { $all }
page-size = { $one } Zeichen, etwa { $all } Token
page-column-project = Projekt
page-column-seen = Zuletzt gesehen
page-column-work = Arbeitet an
page-column-plan = Plan
page-column-host = Host
page-column-revision = Revision
page-column-space = Teil
page-column-action = Aktion
page-column-change = Änderung
page-column-when = Wann
page-column-output = Von
page-column-kind = Art
page-column-size = Größe
page-column-lines = Zeilen
page-column-tool = Werkzeug
page-today = Sitzungen heute
page-no-sessions = Noch keine Sitzungen.
page-no-sessions-how = Sobald ein Agent in diesem Projekt in sein Pad schreibt, steht er hier.
page-plan-done = Alles erledigt
page-untitled = Noch nichts geschrieben
page-now = In der letzten Minute geschrieben
page-running = Läuft
page-newer = Neuere
page-older = Ältere
page-next = Weiter
page-pinned = Angeheftete Notizen
page-no-pinned = Angeheftete Notizen bekommt jede neue Unterhaltung. Anheften geht auf der Seite einer Notiz.
page-session = Sitzung
page-given = Was der Agent bekommt
page-undo = Rückgängig
page-plan = Plan
page-no-plan = Kein Plan.
page-mark-done = Als erledigt markieren
page-mark-open = Wieder als offen markieren
page-mark-item = Als erledigt markieren: { $value }
page-unmark-item = Wieder als offen markieren: { $value }
page-active = in Arbeit
page-blocked = blockiert
page-dropped = verworfen
page-closed = { $count } erledigt oder verworfen
page-edit = Bearbeiten
page-save = Speichern
page-pad-notes = Notizen
page-no-pad-notes = Keine Notizen.
page-refs = Refs
page-no-refs = Keine Refs.
page-refs-how = Einer je Zeile.
page-timeline = Verlauf
page-no-timeline = Noch nichts geschrieben.
page-undoes = nimmt { $value } zurück
page-older-revisions = { $count ->
    [one] { $count } ältere Revision zeigen
   *[other] { $count } ältere Revisionen zeigen
}
page-session-notes = Notizen dieser Sitzung
page-no-session-notes = Der Agent hat keine Notizen angelegt.
page-no-session-outputs = Keine großen Ergebnisse.
page-revision = Revision { $value }
page-against = verglichen mit Revision { $value }
page-restore = Diese wiederherstellen
page-is-current = So steht es jetzt im Pad.
page-conflict = Jemand war schneller
page-conflict-note = Diese Notiz wurde geändert, nachdem Sie sie geöffnet hatten. Es wurde nichts gespeichert.
page-theirs = Jetzt dort
page-yours = Ihre Fassung
page-save-anyway = Meine speichern
page-look-again = Zur Sitzung
page-given-what = Das ist der Text, den die Hooks des Hosts seinem Agenten jetzt geben würden, auf das Zeichen genau.
page-given-now = Darin
page-given-has = Der Agent hat
page-given-nothing = noch nichts vom Pad
page-given-revision = Revision { $one } von { $all }
page-given-last = Letzter Aufruf
page-given-back = Zuletzt zurückgegeben
page-given-compacted = Nach einer Kompaktierung
page-given-prompted = Mit Ihrer nächsten Nachricht
page-given-none = Nichts.
page-given-none-new = Nichts: Der Agent hat schon alles.
page-show = Zeigen
page-search = Suchen
page-search-notes = Notizen durchsuchen
page-search-outputs = In allen Ausgaben suchen
page-found-notes = { $count ->
    [one] { $count } Notiz
   *[other] { $count } Notizen
}
page-by-words = Keine Notiz enthält diesen Text wörtlich; diese enthalten seine Wörter.
page-no-notes = Noch keine Notizen.
page-no-notes-how = Agenten legen Notizen im Projekt ab, wenn etwas ihre Sitzung überdauern soll. Notizen einer Sitzung stehen auf deren Seite.
page-none-found = Nichts gefunden.
page-tick = { $value } auswählen
page-is-pinned = angeheftet
page-open = Öffnen
page-pin = Anheften
page-unpin = Lösen
page-delete = Löschen
page-delete-ticked = Löschen…
page-delete-notes = { $count ->
    [one] { $count } Notiz löschen?
   *[other] { $count } Notizen löschen?
}
page-delete-sure = Notizen haben keinen Verlauf: Was hier gelöscht wird, ist weg.
page-keep = Behalten
page-note = Notiz
page-of-session = Gehört zu ihrer Sitzung
page-of-project = Gehört zum Projekt
page-promote = Ins Projekt verschieben
page-text = Text
page-tags = Schlagwörter, durch Kommas getrennt
page-found-outputs = { $count ->
    [one] { $count } Ausgabe
   *[other] { $count } Ausgaben
}
page-no-outputs = Noch keine Ausgaben.
page-no-outputs-how = Werkzeugergebnisse, die für das Fenster eines Agenten zu groß sind, werden hier ganz aufbewahrt: einen Tag lang, oder wie eingestellt.
page-hits = { $count ->
    [one] { $count } Treffer
   *[other] { $count } Treffer
}
page-stays = bleibt bei ihrem Pad
page-output = Ausgabe
page-lines = { $count ->
    [one] { $count } Zeile
   *[other] { $count } Zeilen
}
page-views = Ansichten
page-view-log = Zeilen
page-view-tree = Baum
page-view-table = Tabelle
page-grep = Suchen, als regulärer Ausdruck
page-range = Zeilen von-bis
page-download = Herunterladen
page-more-chars = … und { $count } weitere Zeichen
page-way = Stelle im Baum
page-entries = { $count ->
    [one] { $count } Eintrag
   *[other] { $count } Einträge
}
page-json-path = JSONPath dieser Stelle:
page-call = Ein Agent liest das mit
page-store = Speicher
page-hosts = Hosts
page-no-hosts = Auf diesem Rechner wurde kein Host gefunden. `scratchpad setup` richtet eines ein.
page-state-good = Gut
page-state-note = Hinweis
page-state-bad = Falsch
page-done-saved = Gespeichert.
page-done-undone = Rückgängig gemacht. Noch einmal geht weiter zurück.
page-done-restored = Wiederhergestellt.
page-done-deleted = Gelöscht.
page-done-promoted = Ins Projekt verschoben.
page-done-pinned = Angeheftet.
page-done-unpinned = Gelöst.
page-listening = Die Seite ist da: { $url }
page-login-link = Anmelden, einmal und binnen zwei Minuten: { $link }
page-already = Dort läuft schon ein Server; dies ist eine neue Anmeldung für ihn.
page-no-browser = Kein Browser lässt sich öffnen: Öffnen Sie den Link selbst.
