//! What a search finds, and in which order: pure rules that every engine applies.
//!
//! A query matches anywhere in a note, ignoring case. If there is no match, its words are searched
//! for one by one. There is no query syntax: `%`, `_` and quotes are ordinary characters.

use std::cmp::Reverse;
use std::str::Utf8Error;

use memchr::memmem::Finder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an embedded store finds what these rules match. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchMethod {
    // Through its search index.
    #[default]
    Index,
    // By reading every note.
    Scan,
}

/// Folds a text so that texts that differ only in case become equal.
///
/// Each character is mapped to lower, then upper, then lower case again: `ß`, `ẞ` and `SS`, and the
/// three sigmas, become equal. Diacritics are kept: `é` is not `e`.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    Folder::default().fold_into(text, &mut folded);
    folded
}

fn folded_char(char: char) -> impl Iterator<Item = char> {
    char.to_lowercase()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
}

/// Folds many texts faster than repeated calls of [`fold`], by caching characters.
#[derive(Debug, Default)]
pub struct Folder {
    /// A direct-mapped cache of characters that fold to a single character.
    met: Vec<(char, char)>,
}

impl Folder {
    const PLACES: usize = 512;

    /// Appends the folded form of `text`.
    pub fn fold_into(&mut self, text: &str, folded: &mut String) {
        if text.is_ascii() {
            let start = folded.len();
            folded.push_str(text);
            if let Some(new) = folded.get_mut(start..) {
                new.make_ascii_lowercase();
            }
            return;
        }
        // Empty slots hold NUL, which is never looked up because it is ASCII.
        self.met.resize(Self::PLACES, ('\0', '\0'));
        for char in text.chars() {
            if char.is_ascii() {
                folded.push(char.to_ascii_lowercase());
                continue;
            }
            match self.met.get_mut(char as usize % Self::PLACES) {
                Some((met, to)) if *met == char => folded.push(*to),
                place => {
                    let mut all = folded_char(char);
                    let first = all.next();
                    folded.extend(first);
                    let before = folded.len();
                    folded.extend(all);
                    if let (Some(place), Some(to)) = (place, first)
                        && folded.len() == before
                    {
                        *place = (char, to);
                    }
                }
            }
        }
    }
}

/// How well a text matches: smaller is better.
///
/// Engines sort by `(rank, Reverse(updated), Reverse(id))`: on a tie, the newest comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// The weight of the words found, highest first; 0 unless searching for words.
    pub score: Reverse<u32>,
    /// The characters of the folded text before the first match.
    pub position: u32,
}

/// A query compiled to match many folded texts.
#[derive(Clone, Debug)]
pub struct Matcher {
    kind: Kind,
    needles: Vec<Finder<'static>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Everything,
    Text,
    Words,
}

impl Matcher {
    /// Matches every text, all with the same rank.
    pub fn everything() -> Self {
        Self {
            kind: Kind::Everything,
            needles: Vec::new(),
        }
    }

    /// Matches texts that contain the query; early matches rank first.
    ///
    /// An empty query matches everything.
    pub fn text(query: &str) -> Self {
        if query.is_empty() {
            return Self::everything();
        }
        Self {
            kind: Kind::Text,
            needles: vec![Finder::new(&fold(query)).into_owned()],
        }
    }

    /// Matches texts in which every word of the query starts a word, in any order.
    ///
    /// `None` if that can't find more than [`Matcher::text`]: the query has no word, or is a single one.
    pub fn words(query: &str) -> Option<Self> {
        let folded = fold(query);
        let mut words: Vec<&str> = folded
            .split(|char: char| !char.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        // Longest first: it is likely the rarest, and so rules out most texts.
        words.sort_unstable_by_key(|word| (Reverse(word.len()), *word));
        words.dedup();
        if words.first().is_none_or(|word| *word == folded) {
            return None;
        }
        Some(Self {
            kind: Kind::Words,
            needles: words
                .into_iter()
                .map(|word| Finder::new(word).into_owned())
                .collect(),
        })
    }

    /// What every matching text contains, the most selective first; empty if any text matches.
    pub fn needles(&self) -> &[Finder<'static>] {
        &self.needles
    }

    /// The folded query, if it is searched for as a whole.
    pub fn folded_text(&self) -> Option<&str> {
        let needle = self.needles.first().filter(|_| self.kind == Kind::Text)?;
        std::str::from_utf8(needle.needle()).ok()
    }

    /// The rank of a folded text; `None` if it doesn't match.
    pub fn rank(&self, folded: &str) -> Option<Rank> {
        match (self.kind, self.needles.first()) {
            (Kind::Words, _) => self.rank_words(folded),
            (Kind::Text, Some(needle)) => needle
                .find(folded.as_bytes())
                .map(|found| rank_at(folded.as_bytes(), found)),
            _ => Some(Rank::default()),
        }
    }

    /// The rank of a folded text in which the first of [`Matcher::needles`] was found at `found`.
    ///
    /// Saves an engine that has just found it a second search. An error if bytes that must be
    /// decoded are not UTF-8.
    pub fn rank_found(&self, folded: &[u8], found: usize) -> Result<Option<Rank>, Utf8Error> {
        match self.kind {
            Kind::Everything => Ok(Some(Rank::default())),
            Kind::Text => Ok(Some(rank_at(folded, found))),
            Kind::Words => std::str::from_utf8(folded).map(|text| self.rank_words(text)),
        }
    }

    /// For each word, a whole word counts 2 and a prefix of a longer word counts 1. The sum saturates, so
    /// that a text with all the words is not outranked by one that repeats one of them.
    fn rank_words(&self, folded: &str) -> Option<Rank> {
        /// More occurrences hardly change the score.
        const ENOUGH: u32 = 16;
        let bytes = folded.as_bytes();
        let mut score = 0_u32;
        let mut first = usize::MAX;
        for word in &self.needles {
            let length = word.needle().len();
            let mut sum = 0;
            let mut from = 0;
            while sum < ENOUGH
                && let Some(found) = bytes.get(from..).and_then(|rest| word.find(rest))
            {
                let start = from + found;
                let end = start + length;
                from = end;
                let before = folded
                    .get(..start)
                    .and_then(|text| text.chars().next_back());
                if before.is_some_and(char::is_alphanumeric) {
                    continue;
                }
                let after = folded.get(end..).and_then(|text| text.chars().next());
                sum += if after.is_some_and(char::is_alphanumeric) {
                    1
                } else {
                    2
                };
                first = first.min(start);
            }
            if sum == 0 {
                return None;
            }
            score = score.saturating_add(1000 * sum / (sum + 2));
        }
        Some(Rank {
            score: Reverse(score),
            ..rank_at(bytes, first)
        })
    }
}

/// The rank of a text whose first match starts at the byte `found`.
fn rank_at(folded: &[u8], found: usize) -> Rank {
    let before = folded.get(..found).unwrap_or(folded);
    Rank {
        score: Reverse(0),
        // Count characters: bytes that are not UTF-8 continuation bytes.
        position: before
            .iter()
            .map(|byte| u32::from(byte & 0b1100_0000 != 0b1000_0000))
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(query: &str, text: &str) -> Option<u32> {
        Matcher::text(query)
            .rank(&fold(text))
            .map(|rank| rank.position)
    }

    fn words(query: &str, text: &str) -> Option<Rank> {
        Matcher::words(query).unwrap().rank(&fold(text))
    }

    #[test]
    fn texts_that_differ_only_in_case_fold_to_the_same() {
        // Full case folding as in Unicode's CaseFolding.txt.
        for (text, folded) in [
            ("STRAẞE", "strasse"),
            ("straße", "strasse"),
            ("ПРИВЕТ", "привет"),
            ("ΌΔΟΣ", "όδοσ"),
            ("όδος", "όδοσ"),
            ("ſ", "s"),
            ("K", "k"),
            ("ﬀ", "ff"),
            ("\u{149}", "\u{2bc}n"),
            ("\u{1f0}", "j\u{30c}"),
            ("\u{130}", "i\u{307}"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn folding_is_upper_then_lower_case_for_every_character() {
        let mut met = Folder::default();
        for char in '\0'..=char::MAX {
            let expected: String = folded_char(char).collect();
            let mut folded = String::new();
            met.fold_into(&char.to_string(), &mut folded);
            met.fold_into(&format!("é{char}"), &mut folded);
            assert_eq!(folded, format!("{expected}é{expected}"));
        }
    }

    #[test]
    fn a_text_is_found_in_either_case_and_its_position_counts_characters() {
        assert_eq!(position("STRASSE", "Die Straße"), Some(4));
        assert_eq!(position("straße", "Die STRASSE"), Some(4));
        assert_eq!(position("ss", "ß"), Some(0));
        assert_eq!(position("ПРИВЕТ", "Скажи: привет"), Some(7));
        assert_eq!(position("привет", "ПРИВЕТ!"), Some(0));
        assert_eq!(position("ΣΊΣΥΦΟΣ", "ο σίσυφος"), Some(2));
        assert_eq!(position("ς", "ΣΑΣ"), Some(0));
        assert_eq!(position("🦀b", "a🦀B"), Some(1));
    }

    #[test]
    fn diacritics_are_significant() {
        assert_eq!(fold("İ"), "i\u{307}");
        assert_eq!(position("i\u{307}s", "İSTANBUL"), Some(0));
        assert_eq!(position("istanbul", "İSTANBUL"), None);
        assert_eq!(position("E\u{301}", "cafe\u{301}"), Some(3));
        assert_eq!(position("cafe", "CAFÉ"), None);
        assert_eq!(position("É", "cafe\u{301}"), None);
    }

    #[test]
    fn no_character_has_a_special_meaning() {
        assert_eq!(position("100%", "it was 100% sure"), Some(7));
        assert_eq!(position("a%c", "abc"), None);
        assert_eq!(position("a_c", "abc"), None);
        assert_eq!(position("_", "snake_case"), Some(5));
        assert_eq!(position("\"it's\"", "say \"It's\""), Some(4));
        assert_eq!(position("a OR b", "a"), None);
        assert_eq!(position("\\", "c:\\"), Some(2));
    }

    #[test]
    fn short_queries_work_like_long_ones() {
        assert_eq!(position("x", "ABX"), Some(2));
        assert_eq!(position("bx", "ABX"), Some(1));
        assert_eq!(position("ж", "ЁЖ"), Some(1));
        assert_eq!(position("日本", "in 日本"), Some(3));
        assert_eq!(position("x", ""), None);
    }

    #[test]
    fn an_empty_query_matches_everything_alike() {
        assert_eq!(Matcher::text("").rank("abc"), Some(Rank::default()));
        assert_eq!(Matcher::everything().rank(""), Some(Rank::default()));
        assert!(Matcher::text("").needles().is_empty());
    }

    #[test]
    fn words_are_found_in_any_order_where_each_begins_a_word() {
        assert!(words("pool timeo", "The timeout of the pool").is_some());
        assert_eq!(words("pool out", "The timeout of the pool"), None);
        assert!(words("straße, ПРИВЕТ", "привет, STRASSEN").is_some());
        assert_eq!(words("b a", "x-a y b").unwrap().position, 2);
    }

    #[test]
    fn words_are_not_searched_for_if_that_finds_no_more() {
        assert!(Matcher::words("").is_none());
        assert!(Matcher::words("%%% --").is_none());
        assert!(Matcher::words("Word").is_none());
        assert!(Matcher::words("word!").is_some());
        assert!(Matcher::words("word word").is_some());
    }

    #[test]
    fn whole_words_and_more_of_them_rank_first_then_early_ones() {
        let whole = words("cat dog", "cat dog").unwrap();
        let prefix = words("cat dog", "cats dogs").unwrap();
        let twice = words("cat dog", "cat cat dog").unwrap();
        let late = words("cat dog", "a cat, a dog").unwrap();
        let mut ranks = [late, prefix, whole, twice];
        ranks.sort();
        assert_eq!(ranks, [twice, whole, late, prefix]);
        assert_eq!(whole.score.0, 1000);
        assert_eq!(prefix.score.0, 666);
        let many = words("cat dog", &format!("dog {}", "cat ".repeat(99))).unwrap();
        assert_eq!(many.score.0, 500 + 888);
    }

    #[test]
    fn a_rank_from_a_known_match_is_the_same_rank() {
        let text = fold("Ein Ärger, ein ärger");
        for matcher in [
            Matcher::everything(),
            Matcher::text("ärger"),
            Matcher::words("ärger ein").unwrap(),
        ] {
            let found = matcher
                .needles()
                .first()
                .map_or(Some(0), |needle| needle.find(text.as_bytes()));
            let rank = matcher.rank_found(text.as_bytes(), found.unwrap());
            assert_eq!(rank.unwrap(), matcher.rank(&text));
        }
        let broken = Matcher::words("a b").unwrap().rank_found(b"a \xFF b", 0);
        assert!(broken.is_err());
    }
}
