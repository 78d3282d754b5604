//! The difference between two states of a file, for people.

use std::path::Path;

use similar::{ChangeTag, TextDiff};

/// A unified diff; a missing state is `/dev/null`. Bytes that are not UTF-8 are escaped.
///
/// A relative name gets the prefixes `a/` and `b/`, which `patch` and `git apply` strip; an absolute one has no prefix.
pub fn unified(name: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let header = |side: &str, bytes: Option<&[u8]>| match bytes {
        Some(_) if Path::new(name).is_absolute() => name.to_owned(),
        Some(_) => format!("{side}/{name}"),
        None => "/dev/null".to_owned(),
    };
    TextDiff::from_lines(text(before), text(after))
        .unified_diff()
        .header(&header("a", before), &header("b", after))
        .to_string()
}

/// What became of a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Gone,
    New,
}

/// The parts of two texts in their order, compared word by word.
pub fn words(before: &str, after: &str) -> Vec<(Change, String)> {
    let mut parts: Vec<(Change, String)> = Vec::new();
    for change in TextDiff::from_words(before, after).iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => Change::Same,
            ChangeTag::Delete => Change::Gone,
            ChangeTag::Insert => Change::New,
        };
        match parts.last_mut() {
            Some((last, text)) if *last == kind => text.push_str(change.value()),
            _ => parts.push((kind, change.value().to_owned())),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(unified("f", Some(b"same\n"), Some(b"same\n")), "");
        assert!(unified("/etc/f", Some(b"a\n"), None).starts_with("--- /etc/f\n+++ /dev/null\n"));
        assert_eq!(
            unified("f", None, Some(b"new")),
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn words_are_compared_and_neighbours_joined() {
        use Change::{Gone, New, Same};
        let parts = words("fix the old cache", "fix the new cache key");
        let parts: Vec<_> = parts
            .iter()
            .map(|(kind, text)| (*kind, text.as_str()))
            .collect();
        assert_eq!(
            parts,
            [
                (Same, "fix the "),
                (Gone, "old"),
                (New, "new"),
                (Same, " cache"),
                (New, " key")
            ]
        );
        assert_eq!(words("", ""), []);
    }
}
