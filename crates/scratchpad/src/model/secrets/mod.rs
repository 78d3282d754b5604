//! Finds values that are certainly secrets: by the way they begin, their length and their checksum, never by how random
//! they look. What is certain is replaced before it is stored; everything else stays as it is.
//!
//! Most texts contain nothing, so one packed search for the beginnings decides how much time goes into it. Nothing is
//! compiled when the program starts, and nothing at all until a text is stored.

mod checks;
mod kinds;
mod masked;
mod shaped;
#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use aho_corasick::packed::{Config, MatchKind, Searcher};
use memchr::memmem;
use regex::bytes::Regex;

use crate::model::text::bytes::read_piece;
use kinds::{KINDS, Kind};
pub use masked::{Replaced, replaced};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Such as `github-token`, or the name of a variable.
    pub kind: String,
    /// The whole value, with its prefix.
    pub at: Range<usize>,
}

/// The longest secret that is found.
pub const LONGEST: usize = 16 << 10;

/// Bytes of content that are searched at once.
const PART: usize = 1 << 20;

/// The shortest value of a variable that counts as a secret: shorter ones may be words.
const VARIABLE_MIN_BYTES: usize = 12;

/// The ends of the names of variables whose values are secrets.
const VARIABLE_ENDS: [&str; 6] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "API_KEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
];

/// What is looked for beside the kinds that everybody has.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    /// The names and values of this process's own secret variables.
    variables: Vec<(String, String)>,
    /// A person's own patterns.
    patterns: Vec<Regex>,
    /// Kinds, or beginnings of values, that are left alone.
    allowed: Vec<String>,
}

impl Detector {
    /// Also finds the values of variables whose names say that they are secret.
    #[must_use]
    pub fn with_variables(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.variables
            .extend(variables.into_iter().filter(|(name, value)| {
                let name = name.to_ascii_uppercase();
                let is_secret = VARIABLE_ENDS.iter().any(|end| name.ends_with(end));
                // A path says where the secret is.
                is_secret && value.len() >= VARIABLE_MIN_BYTES && !value.starts_with('/')
            }));
        self
    }

    /// Also finds what these patterns match.
    #[must_use]
    pub fn with_patterns(mut self, patterns: Vec<Regex>) -> Self {
        self.patterns = patterns;
        self
    }

    /// Leaves these kinds, and values that begin so, alone.
    #[must_use]
    pub fn allowing(mut self, allowed: Vec<String>) -> Self {
        self.allowed = allowed;
        self
    }

    /// The secrets in a text, in order. They don't overlap.
    pub fn find(&self, text: &[u8]) -> Vec<Secret> {
        let mut found = Vec::new();
        each_beginning(text, &mut |at| found.extend(secret_at(text, at)));
        for (name, value) in &self.variables {
            found.extend(memmem::find_iter(text, value.as_bytes()).map(|at| {
                let at = at..at + value.len();
                Secret {
                    kind: name.clone(),
                    at,
                }
            }));
        }
        for pattern in &self.patterns {
            let matches = pattern.find_iter(text).map(|found| found.range());
            let secrets = matches.filter(|at| !at.is_empty());
            found.extend(secrets.map(|at| Secret {
                kind: "pattern".to_owned(),
                at,
            }));
        }
        found.retain(|secret| !self.allows(text, secret));
        found.sort_by_key(|secret| (secret.at.start, std::cmp::Reverse(secret.at.end)));
        let mut end = 0;
        found.retain(|secret| {
            let is_next = secret.at.start >= end;
            if is_next {
                end = secret.at.end;
            }
            is_next
        });
        found
    }

    /// The kinds of the secrets in content of any size, each once.
    pub fn kinds_in(&self, content: &mut (impl Read + ?Sized)) -> io::Result<Vec<String>> {
        let mut kinds = Vec::new();
        let mut buffer = vec![0; PART + LONGEST];
        let mut held = 0;
        loop {
            // At most `LONGEST` bytes are held, so the split does not panic.
            let (_, room) = buffer.split_at_mut(held);
            let read = read_piece(content, room)?.len();
            let (part, _) = buffer.split_at(held + read);
            kinds.extend(self.find(part).into_iter().map(|secret| secret.kind));
            kinds.sort_unstable();
            kinds.dedup();
            if read == 0 {
                return Ok(kinds);
            }
            let end = part.len();
            let kept = end.min(LONGEST);
            buffer.copy_within(end - kept..end, 0);
            held = kept;
        }
    }

    fn allows(&self, text: &[u8], secret: &Secret) -> bool {
        let value = text.get(secret.at.clone()).unwrap_or_default();
        self.allowed
            .iter()
            .any(|allowed| *allowed == secret.kind || value.starts_with(allowed.as_bytes()))
    }
}

/// Calls `each` with every place where a secret may begin.
fn each_beginning(text: &[u8], each: &mut dyn FnMut(usize)) {
    static SEARCH: OnceLock<Search> = OnceLock::new();
    match SEARCH.get_or_init(Search::new) {
        Search::Packed(search) => search.find_iter(text).for_each(|found| each(found.start())),
        Search::Automaton(search) => search.find_iter(text).for_each(|found| each(found.start())),
        Search::Nothing => {}
    }
}

/// The search for beginnings.
enum Search {
    /// With the processor's vector instructions.
    Packed(Searcher),
    /// Without them.
    Automaton(AhoCorasick),
    /// Never: the automaton is small.
    Nothing,
}

/// How many bytes of a prefix are searched for: several prefixes share them.
const SEARCHED: usize = 4;

impl Search {
    fn new() -> Self {
        let mut beginnings: Vec<&[u8]> = KINDS
            .iter()
            .map(|kind| kind.prefix.as_bytes())
            .chain(shaped::BEGINNINGS.iter().copied())
            .map(|prefix| prefix.get(..SEARCHED).unwrap_or(prefix))
            .collect();
        beginnings.sort_unstable();
        beginnings.dedup();
        let mut packed = Config::new();
        packed.match_kind(MatchKind::LeftmostFirst);
        if let Some(search) = packed.builder().extend(&beginnings).build() {
            return Self::Packed(search);
        }
        AhoCorasick::new(&beginnings).map_or(Self::Nothing, Self::Automaton)
    }
}

fn secret_at(text: &[u8], at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    let kind = KINDS
        .iter()
        .find(|kind| rest.starts_with(kind.prefix.as_bytes()));
    match kind {
        Some(kind) => prefixed(text, at, kind),
        None => None,
    }
    .or_else(|| shaped::at(text, at))
}

/// A secret of this kind whose prefix is here.
fn prefixed(text: &[u8], at: usize, kind: &Kind) -> Option<Secret> {
    if at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|byte| is_inside(*byte))
    {
        return None;
    }
    let start = at + kind.prefix.len();
    let rest = text.get(start..)?;
    let has = |byte: &&u8| kind.alphabet.has(**byte);
    let mut length = rest.iter().take(kind.most + 1).take_while(has).count();
    // A full stop ends the sentence, not the value.
    while length > 0 && rest.get(length - 1) == Some(&b'.') {
        length -= 1;
    }
    if length < kind.least || length > kind.most {
        return None;
    }
    // What goes on is something else: a longer name, a number.
    if rest
        .get(length)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        return None;
    }
    let value = rest.get(..length)?;
    if !(kind.check)(value) {
        return None;
    }
    Some(Secret {
        kind: kind.name.to_owned(),
        at: at..start + length,
    })
}

/// Whether a byte before a prefix makes it the middle of something.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
