//! The same random notes and queries on both engines: every answer, its order and its totals must be the same.

#[path = "../../../../scratchpad/src/store/sqlite/search/tests/words.rs"]
mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use words::{TAGS, WORDS};

use crate::support::postgres::{Schema, psql, settings};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use scratchpad::model::error::Error;
use scratchpad::model::note::jsonl::NoteLine;
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::search::{Matcher, fold};
use scratchpad::model::note::{Note, NoteId, Scope};
use scratchpad::store::postgres::{Postgres, Settings};
use scratchpad::store::sqlite::Sqlite;
use scratchpad::store::{NoteChange, Notes, Scopes};
use scratchpad::{ProjectId, SessionId};

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
enum Step {
    Add(usize, Scope, String, Vec<String>),
    Change(usize, Index, NoteChange),
    Delete(usize, Index),
    Import(usize, Scope, Vec<NoteLine>),
    Find(usize, Query, Vec<String>, usize),
    Look(usize, Index, usize),
}

#[derive(Clone, Debug)]
enum Query {
    Everything,
    Text(String),
    Words(String),
}

fn content() -> impl Strategy<Value = String> {
    let words =
        |count| prop::collection::vec(select(&WORDS[..]), count).prop_map(|words| words.join(" "));
    prop_oneof![6 => words(1..8), 1 => words(30..60), 1 => ".{1,30}"]
}

fn query() -> impl Strategy<Value = Query> {
    let part = (content(), any::<Index>(), 1..12_usize).prop_map(|(text, from, length)| {
        let chars: Vec<char> = text.chars().collect();
        let from = from.index(chars.len());
        chars[from..].iter().take(length).collect::<String>()
    });
    prop_oneof![
        1 => Just(Query::Everything),
        5 => part.prop_map(Query::Text),
        3 => prop::collection::vec(select(&WORDS[..]), 1..4).prop_map(|words| Query::Words(words.join(", "))),
    ]
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(select(&TAGS[..]), 0..3).prop_map(|tags| {
        let mut tags: Vec<String> = tags.into_iter().map(str::to_owned).collect();
        tags.sort_by_key(|tag| fold(tag));
        tags.dedup_by_key(|tag| fold(tag));
        tags
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    select(&Scope::ALL[..])
}

fn line() -> impl Strategy<Value = NoteLine> {
    let time = || prop::option::of(1..9_i64);
    (
        prop::option::of(1..40_i64),
        content(),
        tags(),
        time(),
        time(),
    )
        .prop_map(|(id, content, tags, created, updated)| NoteLine {
            id: id.map(NoteId),
            content,
            tags,
            created,
            updated,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..2_usize;
    let limit = || prop_oneof![Just(0_usize), Just(1), Just(3), Just(100)];
    let change = (
        prop::option::of(content()),
        prop::option::of(tags()),
        prop::option::of(scope()),
    )
        .prop_map(|(content, tags, scope)| NoteChange {
            content,
            tags,
            scope,
        });
    prop_oneof![
        6 => (who.clone(), scope(), content(), tags()).prop_map(|(who, scope, text, tags)| Step::Add(who, scope, text, tags)),
        2 => (who.clone(), any::<Index>(), change).prop_map(|(who, which, change)| Step::Change(who, which, change)),
        1 => (who.clone(), any::<Index>()).prop_map(|(who, which)| Step::Delete(who, which)),
        1 => (who.clone(), scope(), prop::collection::vec(line(), 0..6)).prop_map(|(who, scope, lines)| Step::Import(who, scope, lines)),
        10 => (who.clone(), query(), tags(), limit()).prop_map(|(who, query, tags, limit)| Step::Find(who, query, tags, limit)),
        2 => (who, any::<Index>(), limit()).prop_map(|(who, which, limit)| Step::Look(who, which, limit)),
    ]
}

/// What an engine answers to a step, in words.
fn answer(store: &dyn Notes, step: &Step, at: i64) -> String {
    let sessions = ["one", "two"].map(|id| SessionId::new(id).unwrap());
    let project = ProjectId::new("home");
    let seen = |who: usize| Scopes {
        session: &sessions[who],
        project: &project,
    };
    // Every id that there may be, and a few that there are not.
    let some_id = |which: &Index| NoteId(i64::try_from(which.index(60)).unwrap());
    match step {
        Step::Add(who, scope, text, tags) => {
            format!(
                "{:?}",
                store.add_note(seen(*who), *scope, text, tags, at).unwrap()
            )
        }
        Step::Change(who, which, change) => {
            format!(
                "{:?}",
                store
                    .change_note(seen(*who), some_id(which), change, at)
                    .unwrap()
            )
        }
        Step::Delete(who, which) => format!(
            "{:?}",
            store.delete_note(seen(*who), some_id(which)).unwrap()
        ),
        Step::Import(who, scope, lines) => {
            let mut lines = lines.iter().cloned();
            format!(
                "{:?}",
                store
                    .import_notes(seen(*who), *scope, at, &mut || Ok(lines.next()))
                    .unwrap()
            )
        }
        Step::Find(who, query, tags, limit) => {
            let matcher = match query {
                Query::Everything => Some(Matcher::everything()),
                Query::Text(text) => Some(Matcher::text(text)),
                Query::Words(text) => Matcher::words(text),
            };
            let tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
            let found = matcher.map(|matcher| {
                pages(*limit, |page| {
                    store.find_notes(seen(*who), &matcher, &tags, page)
                })
            });
            format!("{found:?}")
        }
        Step::Look(who, which, limit) => {
            let mut all = Vec::new();
            let mut each = |note: &Note| {
                all.push(note.id);
                Ok(())
            };
            store
                .each_note(seen(*who), Scope::Project, &mut each)
                .unwrap();
            format!(
                "{:?} {:?} {:?} {all:?}",
                pages(*limit, |page| store.newest_notes(seen(*who), page)),
                store.nearest_notes(seen(*who), some_id(which)).unwrap(),
                store.tags(seen(*who)).unwrap(),
            )
        }
    }
}

/// A few pages of an answer, each after the last note of the one before.
fn pages(limit: usize, find: impl Fn(NotePage) -> Result<FoundNotes, Error>) -> Vec<FoundNotes> {
    let mut pages = vec![find(NotePage::first(limit)).unwrap()];
    while pages.len() < 4
        && let Some(last) = pages.last().and_then(|page| page.notes.last())
    {
        let after = Some(last.id);
        pages.push(find(NotePage { after, limit }).unwrap());
    }
    pages
}

fn postgres(schema: &Schema, staging: &Path) -> Arc<dyn Notes> {
    // The embedded engine writes no author.
    let settings = Settings {
        author: String::new(),
        ..settings(&schema.url(), staging)
    };
    Arc::new(Postgres::open(settings).unwrap())
}

fn compare(steps: &[Step], prepare: fn(&Schema)) {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let embedded = Sqlite::open(&directory.path().join("scratchpad.db"), PATIENCE).unwrap();
    let server = postgres(&schema, directory.path());
    prepare(&schema);
    for (number, step) in (0..).zip(steps) {
        // Several in one moment, and now and then a clock that goes back.
        let at = (number / 3) % 20;
        assert_eq!(
            answer(&*server, step, at),
            answer(&embedded, step, at),
            "{step:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_answer_the_same(steps in prop::collection::vec(step(), 1..80)) {
        compare(&steps, |_| {});
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_its_index_the_server_answers_the_same(steps in prop::collection::vec(step(), 40..80)) {
        compare(&steps, |schema| drop(psql(&schema.server, &format!("DROP INDEX {}.note_by_text", schema.name))));
    }
}
