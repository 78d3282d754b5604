//! Random changes and searches, compared with a plain model in memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::words::{TAGS, WORDS};
use super::*;
use crate::model::note::search::{Rank, SearchMethod, fold};

const SCOPES: [i64; 3] = [1, 2, 5];

#[derive(Clone, Debug)]
enum Step {
    Insert(Draft),
    /// That many copies, in one transaction.
    Bulk(Draft, i64),
    Change(Index, Draft),
    /// Replaces the content and nothing else.
    Rewrite(Index, String),
    Delete(Index),
    /// That many at once, the oldest.
    DeleteMany(usize),
    Search(Vec<i64>, Query, Vec<&'static str>, usize),
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
    prop_oneof![
        6 => words(0..8),
        2 => (words(0..4), "[0-9a-f]{1,8}").prop_map(|(words, digits)| format!("{words} {digits}")),
        1 => words(30..60),
        1 => ".{0,30}",
    ]
}

fn drafts() -> impl Strategy<Value = Draft> {
    let tags = prop::collection::vec(select(&TAGS[..]), 0..3);
    (select(&SCOPES[..]), 0..4_i64, content(), tags).prop_map(|(scope, updated, content, tags)| {
        Draft {
            id: 0,
            scope,
            updated,
            content,
            tags: tags.into_iter().map(str::to_owned).collect(),
        }
    })
}

/// Part of a content, sometimes in upper case.
fn fragment() -> impl Strategy<Value = String> {
    (content(), any::<Index>(), 1..14_usize, any::<bool>()).prop_map(
        |(content, start, length, upper)| {
            let start = start.index(content.chars().count() + 1);
            let text: String = content.chars().skip(start).take(length).collect();
            if upper { text.to_uppercase() } else { text }
        },
    )
}

fn queries() -> impl Strategy<Value = Query> {
    let several = prop::collection::vec(select(&WORDS[..]), 1..4);
    prop_oneof![
        1 => Just(Query::Everything),
        4 => fragment().prop_map(Query::Text),
        1 => "[0-9a-f]{1,3}".prop_map(Query::Text),
        3 => several.prop_map(|words| Query::Words(words.join(", "))),
        1 => fragment().prop_map(Query::Words),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let scopes = prop::collection::vec(select(&SCOPES[..]), 0..4);
    let tags = prop::collection::vec(select(&TAGS[..]), 0..2);
    let search = (scopes, queries(), tags, select(&[0, 1, 3, 20, 1000][..]))
        .prop_map(|(scopes, query, tags, limit)| Step::Search(scopes, query, tags, limit));
    let step = prop_oneof![
        8 => drafts().prop_map(Step::Insert),
        1 => (drafts(), 2..70_i64).prop_map(|(draft, count)| Step::Bulk(draft, count)),
        4 => (any::<Index>(), drafts()).prop_map(|(index, draft)| Step::Change(index, draft)),
        3 => (any::<Index>(), content()).prop_map(|(index, content)| Step::Rewrite(index, content)),
        3 => any::<Index>().prop_map(Step::Delete),
        1 => (1..30_usize).prop_map(Step::DeleteMany),
        6 => search,
    ];
    prop::collection::vec(step, 0..160)
}

/// The store and its model, changed in the same way.
struct Twin {
    connection: Connection,
    notes: BTreeMap<i64, Draft>,
    made: i64,
}

impl Twin {
    fn insert(&mut self, mut draft: Draft) {
        self.made += 1;
        // Every third note is imported: its id is older than all others.
        draft.id = if self.made % 3 == 0 {
            -self.made
        } else {
            self.made
        };
        let key = insert(&self.connection, &draft);
        assert!(self.notes.insert(key, draft).is_none());
    }

    fn key(&self, index: Index) -> Option<i64> {
        let keys: Vec<i64> = self.notes.keys().copied().collect();
        (!keys.is_empty()).then(|| *index.get(&keys))
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Insert(draft) => self.insert(draft),
            Step::Bulk(draft, count) => {
                for number in 0..count {
                    let content = format!("{} {number:x}", draft.content);
                    self.insert(Draft {
                        content,
                        ..draft.clone()
                    });
                }
            }
            Step::Change(index, mut draft) => {
                if let Some(key) = self.key(index) {
                    draft.id = self.notes[&key].id;
                    change(&self.connection, key, &draft);
                    self.notes.insert(key, draft);
                }
            }
            Step::Rewrite(index, content) => {
                if let Some(key) = self.key(index) {
                    let draft = Draft {
                        content,
                        ..self.notes[&key].clone()
                    };
                    change(&self.connection, key, &draft);
                    self.notes.insert(key, draft);
                }
            }
            Step::Delete(index) => {
                if let Some(key) = self.key(index) {
                    delete(&self.connection, key);
                    self.notes.remove(&key);
                }
            }
            Step::DeleteMany(count) => {
                for _ in 0..count {
                    if let Some((key, _)) = self.notes.pop_first() {
                        delete(&self.connection, key);
                    }
                }
            }
            Step::Search(scopes, query, tags, limit) => self.search(&scopes, &query, &tags, limit),
        }
        for scope in SCOPES {
            while maintain_within(&mut self.connection, scope, &SMALL).unwrap() {}
        }
    }

    fn search(&self, scopes: &[i64], query: &Query, tags: &[&str], limit: usize) {
        let matcher = match query {
            Query::Everything => Some(Matcher::everything()),
            Query::Text(text) => Some(Matcher::text(text)),
            Query::Words(text) => Matcher::words(text),
        };
        let Some(matcher) = matcher else {
            return;
        };
        let tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
        let expected = self.expected(scopes, query, &tags, usize::MAX);
        let page = |from: usize| {
            let hits = expected.hits.iter().skip(from).take(limit);
            let (total, hits) = (expected.total, hits.copied().collect());
            Found { total, hits }
        };
        for method in [SearchMethod::Index, SearchMethod::Scan] {
            let found = |wanted| {
                query::find(&self.connection, method, scopes, &matcher, &tags, wanted).unwrap()
            };
            assert_eq!(found(Wanted::first(limit)), page(0));
            // The page after any hit continues exactly there.
            for (place, hit) in expected.hits.iter().enumerate().step_by(3) {
                let after = Some(*hit);
                assert_eq!(found(Wanted { after, limit }), page(place + 1));
            }
        }
    }

    fn expected(&self, scopes: &[i64], query: &Query, tags: &[String], limit: usize) -> Found {
        let has = |note: &Draft, tag: &String| note.tags.iter().any(|own| fold(own) == *tag);
        let mut hits: Vec<Hit> = self
            .notes
            .iter()
            .filter(|(_, note)| scopes.contains(&note.scope))
            .filter(|(_, note)| tags.iter().all(|tag| has(note, tag)))
            .filter_map(|(key, note)| {
                Some(Hit {
                    rank: rank(query, &fold(&note.content))?,
                    updated: Reverse(note.updated),
                    id: Reverse(note.id),
                    key: *key,
                })
            })
            .collect();
        hits.sort_by_key(|hit| {
            let Rank { score, position } = hit.rank;
            (score, position, hit.updated, hit.id)
        });
        let total = hits.len() as u64;
        hits.truncate(limit);
        Found { total, hits }
    }
}

/// The rules, written as simply as possible.
fn rank(query: &Query, text: &str) -> Option<Rank> {
    let at = |start: usize| u32::try_from(text.split_at(start).0.chars().count()).unwrap();
    match query {
        Query::Everything => Some(Rank::default()),
        Query::Text(query) => text.find(&fold(query)).map(|start| Rank {
            score: Reverse(0),
            position: at(start),
        }),
        Query::Words(query) => {
            let query = fold(query);
            let mut words: Vec<&str> = query.split(|char: char| !char.is_alphanumeric()).collect();
            words.retain(|word| !word.is_empty());
            words.sort_unstable();
            words.dedup();
            let mut score = 0;
            let mut first = text.len();
            for word in words {
                let mut sum = 0;
                for (start, _) in text.match_indices(word) {
                    let (before, rest) = text.split_at(start);
                    let after = rest.strip_prefix(word)?;
                    if sum >= 16 || before.ends_with(char::is_alphanumeric) {
                        continue;
                    }
                    sum += if after.starts_with(char::is_alphanumeric) {
                        1
                    } else {
                        2
                    };
                    first = first.min(start);
                }
                if sum == 0 {
                    return None;
                }
                score += 1000 * sum / (sum + 2);
            }
            Some(Rank {
                score: Reverse(score),
                position: at(first),
            })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn every_search_finds_what_a_plain_model_finds(steps in steps()) {
        let mut twin = Twin {
            connection: memory(),
            notes: BTreeMap::new(),
            made: 0,
        };
        for step in steps {
            twin.apply(step);
        }
        assert_sound(&twin.connection);
        let everything = |twin: &Twin| twin.search(&SCOPES, &Query::Everything, &[], 1000);
        everything(&twin);
        rebuild(&twin.connection).unwrap();
        everything(&twin);
        twin.apply(Step::DeleteMany(0));
        everything(&twin);
    }
}
