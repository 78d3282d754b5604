//! The fields of a query or a form.

use std::fmt::Write as _;

/// Names and values, in their order; a name may occur more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses `a=1&b=2`. What is not UTF-8 after decoding is replaced.
    pub(super) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decoded(name), decoded(value))
                })
                .collect(),
        )
    }

    /// The first value with this name; empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value)
    }

    /// A number; `None` if there is none.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.get(name).parse().ok()
    }

    /// All values with this name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(own, _)| own == name);
        named.map(|(_, value)| value.as_str())
    }
}

/// Decodes `%41` and `+`.
fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

/// Decodes `%41`.
pub(super) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = byte {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Encodes a text as one segment of a path, or as a value in a query.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    // A browser would take these away.
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_kept_in_order() {
        let fields = Fields::parse("q=a+b%26c&tick=1&tick=2&empty&n=%zz");
        assert_eq!(fields.get("q"), "a b&c");
        assert_eq!(fields.all("tick").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((fields.get("empty"), fields.get("none")), ("", ""));
        assert_eq!(fields.get("n"), "%zz");
        assert_eq!(fields.number("tick"), Some(1));
    }

    #[test]
    fn what_is_encoded_is_one_segment_and_comes_back() {
        for text in ["/home/ä b", "..", "a%2Fb", "\"<>&'", "\u{0}"] {
            let segment = encoded(text);
            assert!(
                !segment.contains('/') && !segment.contains('"'),
                "{segment}"
            );
            assert_eq!(percent_decoded(&segment), text);
        }
    }
}
