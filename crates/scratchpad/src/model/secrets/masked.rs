//! What stands where a secret was.

use super::{Detector, Secret};
use crate::model::text::hash::sha256_hex;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub text: String,
    /// What stands in their places, each once: `[secret github-token …3f2a]`.
    pub marks: Vec<String>,
}

/// The text with each secret replaced by its mark; `None` if it has none.
pub fn replaced(text: &str, detector: &Detector) -> Option<Replaced> {
    let found = detector.find(text.as_bytes());
    if found.is_empty() {
        return None;
    }
    let mut new = String::with_capacity(text.len());
    let mut marks = Vec::new();
    let mut done = 0;
    for secret in &found {
        // Most secrets are ASCII, and values of variables are whole strings; a pattern of a person that cuts a
        // character in two leaves the text as it is.
        let (Some(before), Some(value)) =
            (text.get(done..secret.at.start), text.get(secret.at.clone()))
        else {
            continue;
        };
        let mark = mark_of(secret, value);
        new.push_str(before);
        new.push_str(&mark);
        done = secret.at.end;
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
    new.push_str(text.get(done..).unwrap_or_default());
    (!marks.is_empty()).then_some(Replaced { text: new, marks })
}

/// What stands for a secret. Its end is of the hash, not of the value: it tells two secrets apart, and nothing more.
fn mark_of(secret: &Secret, value: &str) -> String {
    let hash = sha256_hex(value.as_bytes());
    let end = hash.get(..4).unwrap_or_default();
    format!("[secret {} …{end}]", secret.kind)
}
