//! The difference between two states of a file, for people.

use std::path::Path;

use similar::TextDiff;

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
}
