//! Two teams on one server see nothing of each other.

use std::io::Write as _;

use crate::support::postgres::{Schema, address, psql, settings, try_psql, with_option};
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::store::postgres::Postgres;
use scratchpad::store::{
    NoteChange, Notes as _, OutputDraft, OutputFilter, Outputs as _, Scopes, Sessions as _,
};
use scratchpad::{ProjectId, SessionId};
use snapbox::{assert_data_eq, str};

/// Keeps something of everything.
fn fill(store: &Postgres, scopes: Scopes<'_>, word: &str) -> (NoteId, scratchpad::OutputId) {
    let text = format!("{word} notes");
    let write = scratchpad::model::pad::revision::Write::new(
        "set_notes",
        scratchpad::model::pad::Content::Notes(text.clone()),
    );
    store
        .update(scopes.session, scopes.project, 1, &mut |_| {
            Ok(vec![write.clone()])
        })
        .unwrap();
    let (note, _) = store
        .add_note(scopes, Scope::Project, &text, &[word.to_owned()], 1_000)
        .unwrap();
    let mut staged = store.stage().unwrap();
    staged.write_all(text.as_bytes()).unwrap();
    let draft = OutputDraft {
        origin: Origin {
            upstream: "",
            tool: word,
        },
        session: scopes.session,
        project: Some(scopes.project),
        kind: Kind::Text,
        lines: 1,
        preview: "",
        is_pinned: false,
        at: 1,
        room: None,
        entries: &[],
    };
    (note.id, store.keep(&draft, staged).unwrap())
}

#[test]
fn two_teams_on_one_server_are_apart() {
    let (Some(red), Some(blue)) = (Schema::new(), Schema::new()) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    // As docs/postgres.md sets teams up: a role and a schema for each.
    for team in [&red, &blue] {
        psql(
            &team.server,
            &format!(
                "CREATE ROLE {0} LOGIN; CREATE SCHEMA {0} AUTHORIZATION {0}",
                team.name
            ),
        );
    }
    let as_role = |team: &Schema| team.server.replace("postgres@", &format!("{}@", team.name));
    let open = |team: &Schema| {
        let url = with_option(&as_role(team), &format!("schema={}", team.name));
        Postgres::open(settings(&url, directory.path())).unwrap()
    };
    let (session, project) = (SessionId::new("same").unwrap(), ProjectId::new("same"));
    let scopes = Scopes {
        session: &session,
        project: &project,
    };
    let (reds, blues) = (open(&red), open(&blue));
    // The same ids of sessions, projects and notes, in both; and nobody sees what the other has.
    let (red_note, red_output) = fill(&reds, scopes, "red");
    let (blue_note, blue_output) = fill(&blues, scopes, "blue");
    assert_eq!(red_note, blue_note);
    for (store, word, theirs) in [(&reds, "red", &blue_output), (&blues, "blue", &red_output)] {
        let pad = store.session(&session).unwrap().unwrap().pad;
        assert_eq!(pad.notes, format!("{word} notes"));
        let found = store
            .find_notes(scopes, &Matcher::text("notes"), &[], NotePage::first(9))
            .unwrap();
        assert_eq!(
            (found.total, found.notes[0].content.as_str()),
            (1, pad.notes.as_str())
        );
        let tags = store.tags(scopes).unwrap();
        assert_eq!((tags.len(), tags[0].tag.as_str()), (1, word));
        assert_eq!(store.outputs(OutputFilter::Everything).unwrap().len(), 1);
        assert!(store.read(theirs).unwrap().is_none());
        assert_eq!(store.removed(theirs).unwrap(), None);
        assert_eq!(store.sessions(None, 9).unwrap().len(), 1);
    }
    let change = NoteChange {
        content: Some("mine now".to_owned()),
        ..NoteChange::default()
    };
    reds.change_note(scopes, red_note, &change, 2)
        .unwrap()
        .unwrap();
    assert_eq!(
        blues
            .find_notes(scopes, &Matcher::text("mine"), &[], NotePage::first(9))
            .unwrap()
            .total,
        0
    );

    // Not even by SQL of their own.
    for table in [
        "session",
        "revision",
        "note",
        "tag",
        "scope",
        "output",
        "output_keep",
        "binding",
        "attention",
        "meta",
    ] {
        let shown = try_psql(
            &as_role(&red),
            &format!("SELECT * FROM {}.{table}", blue.name),
        );
        assert_eq!(
            shown,
            Err(format!("permission denied for schema {}", blue.name))
        );
    }
    // Nor by opening the other's schema.
    let url = with_option(&as_role(&red), &format!("schema={}", blue.name));
    let error = Postgres::open(settings(&url, directory.path()))
        .err()
        .unwrap();
    let shown = format!("{error}\nHint: {}\n", error.next_step().unwrap())
        .replace(&format!(":{}/", address(&url).port()), ":PORT/")
        .replace(&red.name, "RED")
        .replace(&blue.name, "BLUE");
    assert_data_eq!(
        shown,
        str![[r#"
This role has no access to the schema "BLUE" in postgres://RED@127.0.0.1:PORT/postgres. Nothing was changed.
Hint: use a role of the team that owns it in `store.url`, or a schema of your own: `?schema=NAME`.

"#]]
    );

    drop((reds, blues));
    for team in [&red, &blue] {
        psql(
            &team.server,
            &format!(
                "DROP SCHEMA {0} CASCADE; DROP OWNED BY {0}; DROP ROLE {0}",
                team.name
            ),
        );
    }
}
