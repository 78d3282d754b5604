//! Bytes as text: between characters, and what is no text in a form that says so.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The bytes as text; those that are not UTF-8 as `\xNN`.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    let Err(_) = std::str::from_utf8(bytes) else {
        // It is valid, so nothing is replaced.
        return String::from_utf8_lossy(bytes);
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

fn is_inside_character(content: &[u8], at: usize) -> bool {
    content.get(at).is_some_and(|byte| byte & 0xC0 == 0x80)
}

/// The place itself, or the beginning of the character it lies in.
pub fn boundary_before(content: &[u8], at: usize) -> usize {
    let at = at.min(content.len());
    // A character has at most three bytes after its first; more of them are no text.
    (0..4)
        .map(|back| at.saturating_sub(back))
        .find(|at| !is_inside_character(content, *at))
        .unwrap_or(at)
}

/// The place itself, or the end of the character it lies in.
pub fn boundary_after(content: &[u8], at: usize) -> usize {
    (at..at + 4)
        .find(|at| !is_inside_character(content, *at))
        .unwrap_or(at)
        .min(content.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_says_so() {
        assert!(matches!(
            shown("größer".as_bytes()),
            Cow::Borrowed("größer")
        ));
        assert_eq!(shown(b"caf\xe9 \xff\x00"), "caf\\xe9 \\xff\0");
    }

    #[test]
    fn places_lie_between_characters() {
        let text = "a€b".as_bytes();
        assert_eq!(
            [0, 1, 2, 3, 4, 9].map(|at| boundary_before(text, at)),
            [0, 1, 1, 1, 4, 5]
        );
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|at| boundary_after(text, at)),
            [0, 1, 4, 4, 4, 5]
        );
    }
}
