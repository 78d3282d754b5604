//! Random operations on notes, each answer compared with a plain list in memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::reply::Match;
use scratchpad::model::note::{Note, NoteId, Scope};
use scratchpad::{ProjectId, Scratchpad, SessionId};

use crate::support::cases;

/// Two sessions of one project, because visibility is the point.
const SESSIONS: [&str; 2] = ["a", "b"];

#[derive(Clone, Debug)]
enum Step {
    Add(usize, Scope, String, Vec<String>),
    Update(usize, usize, Option<String>, Option<Vec<String>>),
    Promote(usize, usize),
    Delete(usize, usize),
    Search(usize, String, Vec<String>, usize),
    List(usize, Option<String>, usize),
    Tags(usize),
    Reopen,
}

/// Few letters in many scripts, so that queries match, with letters for which folding matters.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[abAB ßẞsSſ]{1,12}",
        "[абАБИй σςΣİı%_\"'*-]{1,12}",
        "[a-c]{1,3}( [a-c]{1,3}){0,6}",
        "(alpha|ALPHABET|beta|straße|STRASSE|привет|ПРИВЕТ|漢字|\u{1F980}|e\u{301}|NEAR|OR)( |-|\n)(alpha|beta|gamma|漢|\u{1F980}){1,3}",
    ]
    .prop_filter("a note is not blank", |text| !text.trim().is_empty())
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["[abAB]", "ß|SS|ss", "tag one|Tag One"], 0..4)
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![3 => Just(Scope::Session), 1 => Just(Scope::Project)]
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..SESSIONS.len();
    let which = 0_usize..64;
    let limit = prop_oneof![Just(1_usize), Just(3), Just(20)];
    prop_oneof![
        8 => (session.clone(), scope(), text(), tags()).prop_map(|(s, scope, text, tags)| Step::Add(s, scope, text, tags)),
        2 => (session.clone(), which.clone(), prop::option::of(text()), prop::option::of(tags()))
            .prop_map(|(s, which, text, tags)| Step::Update(s, which, text, tags)),
        1 => (session.clone(), which.clone()).prop_map(|(s, which)| Step::Promote(s, which)),
        1 => (session.clone(), which).prop_map(|(s, which)| Step::Delete(s, which)),
        6 => (session.clone(), prop_oneof![text(), "[abß%_ \"]{0,2}"], prop_oneof![3 => Just(vec![]), 1 => tags()], limit.clone())
            .prop_map(|(s, query, tags, limit)| Step::Search(s, query, tags, limit)),
        1 => (session.clone(), prop::option::of("[ab]|SS"), limit).prop_map(|(s, tag, limit)| Step::List(s, tag, limit)),
        1 => session.prop_map(Step::Tags),
        1 => Just(Step::Reopen),
    ]
}

/// Every character to upper case, and each result to lower case; written differently from the program.
fn folded(text: &str) -> String {
    // The one letter whose upper case is itself, though its lower case has another.
    text.replace('ẞ', "ß")
        .chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

fn words(text: &str) -> Vec<String> {
    folded(text)
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The notes with their owners, in no order at all.
#[derive(Default)]
struct Model {
    notes: Vec<(usize, Note)>,
}

impl Model {
    fn visible(&self, session: usize) -> Vec<&Note> {
        let seen = self
            .notes
            .iter()
            .filter(|(owner, note)| note.scope == Scope::Project || *owner == session);
        seen.map(|(_, note)| note).collect()
    }

    fn nth_id(&self, which: usize) -> NoteId {
        match self.notes.len() {
            0 => NoteId(7),
            length => self.notes[which % length].1.id,
        }
    }

    fn change(&mut self, session: usize, id: NoteId, change: impl FnOnce(&mut Note)) -> bool {
        let found = self.notes.iter_mut().find(|(owner, note)| {
            note.id == id && (note.scope == Scope::Project || *owner == session)
        });
        found.map(|(_, note)| change(note)).is_some()
    }

    fn with_tags<'a>(notes: Vec<&'a Note>, tags: &[String]) -> Vec<&'a Note> {
        let has =
            |note: &Note, tag: &String| note.tags.iter().any(|own| folded(own) == folded(tag));
        notes
            .into_iter()
            .filter(|note| tags.iter().all(|tag| has(note, tag)))
            .collect()
    }

    /// Substring by position, then newest; the position counted in characters of the folded text.
    fn by_substring(&self, session: usize, query: &str, tags: &[String]) -> Vec<NoteId> {
        let mut hits: Vec<(usize, Reverse<(i64, NoteId)>)> =
            Self::with_tags(self.visible(session), tags)
                .into_iter()
                .filter_map(|note| {
                    let content = folded(&note.content);
                    let at = content.find(&folded(query))?;
                    Some((
                        content[..at].chars().count(),
                        Reverse((note.updated, note.id)),
                    ))
                })
                .collect();
        if query.is_empty() {
            for hit in &mut hits {
                hit.0 = 0;
            }
        }
        hits.sort_unstable();
        hits.into_iter().map(|(_, Reverse((_, id)))| id).collect()
    }

    /// Notes where each word of the query begins a word, in no order.
    fn by_words(&self, session: usize, query: &str, tags: &[String]) -> Vec<NoteId> {
        let wanted = words(query);
        let begins = |note: &Note, word: &String| {
            words(&note.content)
                .iter()
                .any(|own| own.starts_with(word.as_str()))
        };
        let mut ids: Vec<NoteId> = Self::with_tags(self.visible(session), tags)
            .into_iter()
            .filter(|note| !wanted.is_empty() && wanted.iter().all(|word| begins(note, word)))
            .map(|note| note.id)
            .collect();
        ids.sort_unstable();
        ids
    }
}

fn unique(tags: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        if !kept.iter().any(|other| folded(other) == folded(tag)) {
            kept.push(tag.clone());
        }
    }
    kept
}

fn ids(notes: &[Note]) -> Vec<NoteId> {
    notes.iter().map(|note| note.id).collect()
}

/// Runs the steps. The clock sometimes stops, so that ids and times clash.
#[expect(clippy::too_many_lines, reason = "one arm for each operation")]
fn run(steps: &[Step]) {
    let home = tempfile::tempdir().unwrap();
    let clock = Arc::new(AtomicI64::new(1_000));
    let open = || {
        let clock = clock.clone();
        Scratchpad::open(home.path())
            .unwrap()
            .in_project(ProjectId::new("p"))
            .with_clock(Arc::new(move || clock.load(Ordering::Relaxed)))
    };
    let sessions = SESSIONS.map(|name| SessionId::new(name).unwrap());
    let mut pad = open();
    let mut model = Model::default();
    for (count, step) in steps.iter().enumerate() {
        if count % 3 == 0 {
            clock.fetch_add(1, Ordering::Relaxed);
        }
        let now = clock.load(Ordering::Relaxed);
        match step {
            Step::Reopen => pad = open(),
            Step::Add(session, scope, content, tags) => {
                let (note, totals) = pad
                    .add_note(&sessions[*session], *scope, content, tags)
                    .unwrap();
                assert!(
                    model.notes.iter().all(|(_, other)| other.id < note.id),
                    "ids grow"
                );
                assert_eq!(
                    (&note.content, note.created, note.updated),
                    (content, now, now)
                );
                model.notes.push((
                    *session,
                    Note {
                        tags: unique(tags),
                        ..note.clone()
                    },
                ));
                assert_eq!(note.tags, unique(tags));
                assert_eq!(totals.notes, model.visible(*session).len());
                let tags: BTreeSet<String> = model
                    .visible(*session)
                    .iter()
                    .flat_map(|note| note.tags.iter().map(|tag| folded(tag)))
                    .collect();
                assert_eq!(totals.tags, tags.len());
            }
            Step::Update(session, which, content, tags) => {
                let id = model.nth_id(*which);
                let result =
                    pad.update_note(&sessions[*session], id, content.as_deref(), tags.as_deref());
                let known = model.change(*session, id, |note| {
                    if content.is_some() || tags.is_some() {
                        note.updated = now;
                    }
                    note.content = content.clone().unwrap_or(note.content.clone());
                    note.tags = tags.as_ref().map_or(note.tags.clone(), |tags| unique(tags));
                });
                assert_eq!(result.is_ok(), known);
            }
            Step::Promote(session, which) => {
                let id = model.nth_id(*which);
                let result = pad.promote_note(&sessions[*session], id);
                let known = model.change(*session, id, |note| {
                    if note.scope == Scope::Session {
                        note.updated = now;
                        note.scope = Scope::Project;
                    }
                });
                assert_eq!(result.is_ok(), known);
            }
            Step::Delete(session, which) => {
                let id = model.nth_id(*which);
                let result = pad.delete_note(&sessions[*session], id);
                let known = model.change(*session, id, |_| {});
                if known {
                    model.notes.retain(|(_, note)| note.id != id);
                    assert_eq!(result.unwrap().notes, model.visible(*session).len());
                } else {
                    assert!(result.is_err());
                }
            }
            Step::Search(session, query, tags, limit) => {
                let (found, matched) = pad
                    .search_notes(
                        &sessions[*session],
                        Some(query),
                        tags,
                        NotePage::first(*limit),
                    )
                    .unwrap();
                let expected = model.by_substring(*session, query, tags);
                if expected.is_empty() {
                    let words = model.by_words(*session, query, tags);
                    assert_eq!(found.total, words.len(), "{query:?} by words");
                    let mut got = ids(&found.notes);
                    got.sort_unstable();
                    assert_eq!(got.len(), words.len().min(*limit));
                    assert!(got.iter().all(|id| words.contains(id)));
                    assert!(found.total == 0 || matched == Match::Words);
                } else {
                    assert_eq!(
                        (found.total, matched),
                        (expected.len(), Match::Substring),
                        "{query:?}"
                    );
                    assert_eq!(
                        ids(&found.notes),
                        expected[..expected.len().min(*limit)],
                        "{query:?}"
                    );
                }
                for note in &found.notes {
                    assert!(model.visible(*session).contains(&note), "{note:?}");
                }
                each_page_goes_on(*limit, |page| {
                    let found = pad.search_notes(&sessions[*session], Some(query), tags, page);
                    found.unwrap().0
                });
            }
            Step::List(session, tag, limit) => {
                let found = pad
                    .list_notes(&sessions[*session], tag.as_deref(), NotePage::first(*limit))
                    .unwrap();
                let tags: Vec<String> = tag.iter().cloned().collect();
                let expected = model.by_substring(*session, "", &tags);
                assert_eq!(found.total, expected.len());
                assert_eq!(ids(&found.notes), expected[..expected.len().min(*limit)]);
                each_page_goes_on(*limit, |page| {
                    let found = pad.list_notes(&sessions[*session], tag.as_deref(), page);
                    found.unwrap()
                });
            }
            Step::Tags(session) => {
                let mut expected: BTreeMap<String, usize> = BTreeMap::new();
                for tag in model.visible(*session).iter().flat_map(|note| &note.tags) {
                    *expected.entry(folded(tag)).or_default() += 1;
                }
                let found = pad.list_tags(&sessions[*session]).unwrap();
                let found: Vec<(String, usize)> = found
                    .iter()
                    .map(|tag| (folded(&tag.tag), tag.count))
                    .collect();
                assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            }
        }
    }
}

/// The pages of an answer add up to the whole.
fn each_page_goes_on(limit: usize, find: impl Fn(NotePage) -> FoundNotes) {
    let whole = find(NotePage::first(usize::MAX)).notes;
    let mut pages: Vec<NoteId> = Vec::new();
    loop {
        let after = pages.last().copied();
        let page = find(NotePage { after, limit });
        pages.extend(ids(&page.notes));
        assert_eq!(page.has_more, pages.len() < whole.len());
        if !page.has_more {
            break;
        }
    }
    assert_eq!(pages, ids(&whole));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn notes_do_what_a_plain_list_does(steps in prop::collection::vec(step(), 1..120)) {
        run(&steps);
    }
}

proptest! {
    // Long enough for notes to be indexed several times.
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "heavy: thousands of operations"]
    fn and_still_do_after_thousands_of_operations(steps in prop::collection::vec(step(), 4_000..5_000)) {
        run(&steps);
    }
}
