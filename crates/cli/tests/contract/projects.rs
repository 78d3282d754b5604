//! What every engine must do with projects and repositories.

use std::io::Write as _;

use scratchpad::model::context::known::KnownRepository;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::search::Matcher;
use scratchpad::model::note::{NoteId, Scope};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::store::{MovedRows, OutputDraft, OutputFilter, Scopes, SessionNote, Store};
use scratchpad::store::{NoteProject, ProjectHead};

use super::{Open, id, notes, project};

/// Gives a project a session, a note of the project, one of the session, and an output.
fn fill(store: &dyn Store, name: &str, at: i64) -> (NoteId, NoteId) {
    let (session, home) = (id(name), project(name));
    store
        .update(&session, &home, at, &mut |_| Ok(vec![notes(name)]))
        .unwrap();
    let add = |scope, text: &str| {
        let note = SessionNote {
            session: &session,
            project: NoteProject::OfSession(&home),
            scope,
            content: text,
            tags: &["both".to_owned(), name.to_owned()],
            at,
        };
        store.add_session_note(&note).unwrap().0.id
    };
    let of_project = add(Scope::Project, &format!("needle of {name}"));
    let of_session = add(Scope::Session, &format!("thread of {name}"));
    for text in ["kept by all", name] {
        let mut staged = store.stage().unwrap();
        staged.write_all(text.as_bytes()).unwrap();
        let draft = OutputDraft {
            entries: &[],
            origin: Origin {
                upstream: "",
                tool: "run",
            },
            session: &session,
            project: Some(&home),
            kind: Kind::Text,
            lines: 1,
            preview: "",
            is_pinned: false,
            at,
            room: None,
        };
        store.keep(&draft, staged).unwrap();
    }
    (of_project, of_session)
}

/// A project becomes part of another with all that it has.
pub(crate) fn projects_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let [a, b, c] = ["a", "b", "c"].map(project);
    assert_eq!(store.projects().unwrap(), []);
    assert_eq!(store.projects_in_use(std::slice::from_ref(&a)).unwrap(), []);
    let (of_a, _) = fill(&*store, "a", 1_000);
    let (of_b, of_session) = fill(&*store, "b", 2_000);
    store.name_project(&b, Some("The \u{1F980} shop")).unwrap();

    let head = |id: &str, name: &str, used| ProjectHead {
        id: project(id),
        name: name.to_owned(),
        sessions: 1,
        notes: 1,
        outputs: 2,
        used,
    };
    let listed = store.projects().unwrap();
    assert_eq!(
        listed,
        [head("b", "The \u{1F980} shop", 2_000), head("a", "", 1_000)]
    );
    let among = [c.clone(), b.clone(), a.clone()];
    assert_eq!(
        store.projects_in_use(&among).unwrap(),
        [b.clone(), a.clone()]
    );

    // Into one that has nothing, under another name.
    let moved = MovedRows {
        sessions: 1,
        notes: 1,
        outputs: 2,
    };
    assert_eq!(store.move_project(&b, &c).unwrap(), moved);
    assert_eq!(store.move_project(&b, &c).unwrap(), MovedRows::default());
    assert_eq!(store.move_project(&c, &c).unwrap(), MovedRows::default());
    let listed = store.projects().unwrap();
    assert_eq!(
        listed,
        [head("c", "The \u{1F980} shop", 2_000), head("a", "", 1_000)]
    );

    // Into one that has the same, with an own name.
    store.name_project(&a, Some("mine")).unwrap();
    assert_eq!(store.move_project(&c, &a).unwrap(), moved);
    let all = ProjectHead {
        sessions: 2,
        notes: 2,
        outputs: 3,
        ..head("a", "mine", 2_000)
    };
    assert_eq!(store.projects().unwrap(), std::slice::from_ref(&all));
    store.name_project(&a, None).unwrap();
    let unnamed = ProjectHead {
        name: String::new(),
        ..all
    };
    assert_eq!(store.projects().unwrap(), [unnamed]);

    // Everybody in it sees all of it, and it can be searched and changed.
    let other = open(directory.path());
    let reader = id("b");
    let scopes = Scopes {
        session: &reader,
        project: &a,
    };
    let session = other.session(&reader).unwrap().unwrap();
    assert_eq!(session.project, Some(a.clone()));
    let found = other
        .find_notes(scopes, &Matcher::text("needle"), &[], NotePage::first(9))
        .unwrap();
    let mut ids: Vec<NoteId> = found.notes.iter().map(|note| note.id).collect();
    ids.sort();
    assert_eq!(ids, [of_a, of_b]);
    let tags = other.tags(scopes).unwrap();
    let tags: Vec<(&str, usize)> = tags.iter().map(|it| (it.tag.as_str(), it.count)).collect();
    assert_eq!(tags, [("a", 1), ("b", 2), ("both", 3)]);
    let totals = other.delete_note(scopes, of_b).unwrap().unwrap();
    assert_eq!((totals.notes, totals.tags), (2, 3));
    let found = other
        .find_notes(scopes, &Matcher::text("e"), &[], NotePage::first(9))
        .unwrap();
    let mut ids: Vec<NoteId> = found.notes.iter().map(|note| note.id).collect();
    ids.sort();
    assert_eq!(ids, [of_a, of_session]);
    let seen = other.outputs(OutputFilter::Seen(scopes)).unwrap();
    assert_eq!(seen.len(), 3);

    repositories(&*store);
}

fn repositories(store: &dyn Store) {
    let known = |path: &str| KnownRepository {
        path: path.to_owned(),
        project: Some(project("a")),
        mark: "1".to_owned(),
        home_mark: "2".to_owned(),
        remote: "host/a\u{0}".to_owned(),
        first_commit: String::new(),
    };
    assert_eq!(store.repository("/a").unwrap(), None);
    store.put_repository(&known("/a"), 1).unwrap();
    store.put_repository(&known("/b"), 2).unwrap();
    assert_eq!(store.repository("/a").unwrap(), Some(known("/a")));
    assert_eq!(store.repositories().unwrap(), [known("/b"), known("/a")]);
    let again = KnownRepository {
        first_commit: "abc".to_owned(),
        project: None,
        ..known("/a")
    };
    store.put_repository(&again, 3).unwrap();
    assert_eq!(store.repositories().unwrap(), [again, known("/b")]);
    store.forget_repository("/a").unwrap();
    assert_eq!(store.repositories().unwrap(), [known("/b")]);
}
