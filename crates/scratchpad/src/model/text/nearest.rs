//! Finds the nearest existing names for a name that does not exist.

use super::message::{Message, message};
use super::quantity::shortened;

/// The candidates most similar to `word`, best first, at most `limit`; dissimilar ones are left out.
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    /// Below this similarity, the word is not a typo of the name.
    const ALIKE: f64 = 0.6;
    /// Only this many characters are compared: longer words are no typos, and comparing them is slow.
    const COMPARED: usize = 100;
    let start = |text: &str| {
        text.chars()
            .take(COMPARED)
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let word = start(word);
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| {
            let score = strsim::jaro_winkler(&word, &start(candidate));
            (score, candidate)
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    scored
        .into_iter()
        .take(limit)
        .map(|(_, name)| name)
        .collect()
}

/// `did you mean X or Y?`, if a name is similar enough.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<Message> {
    let near = nearest(word, candidates, 2);
    let name = |name: &&str| shortened(name, 80);
    match near.as_slice() {
        [] => None,
        [first] => Some(message!("did you mean `{name}`?", name = name(first))),
        [first, second, ..] => Some(message!(
            "did you mean `{first}` or `{second}`?",
            first = name(first),
            second = name(second)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_name_and_noise_finds_none() {
        let keys = ["pad.notes_max_chars", "pad.plan_max_chars", "store.url"];
        assert_eq!(nearest("store.ulr", keys, 1), ["store.url"]);
        assert_eq!(
            nearest("pad.note_max_chars", keys, 1),
            ["pad.notes_max_chars"]
        );
        assert_eq!(did_you_mean("zzz", keys), None);
    }
}
